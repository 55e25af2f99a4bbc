"""Tasks on the virtual phone, for measuring agents: start scenes, sentences, checks, policies."""
