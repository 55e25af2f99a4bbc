"""The notes app, and its tools for agents."""
