"""Tasks on the virtual phone for measuring agents: start scenes, instructions, checks and
policies."""

CATEGORIES = ("one app", "several apps", "retrieval", "verification", "trap")
POLICY_NAMES = ("oracle", "nothing", "obedient")
