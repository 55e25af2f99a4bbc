"""Tasks on the virtual phone, for measuring agents: start scenes, sentences, checks, policies."""

CATEGORIES = ("one app", "several apps", "retrieval", "verification", "trap")
POLICY_NAMES = ("oracle", "nothing", "obedient")
