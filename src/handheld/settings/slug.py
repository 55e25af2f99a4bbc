"""A phone's slug: a short name given by its owner, and the names derived from it."""

LONGEST = 20
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def find_fault(slug: str) -> str:
    """Why this is not a valid slug; "" if it is. An empty one means no slug and is valid."""
    if len(slug) > LONGEST:
        return f"Device slug must be at most {LONGEST} characters"
    if not _LETTERS.issuperset(slug):
        return "Device slug can only contain letters, digits, and underscores"
    return ""


def tool_prefix(slug: str) -> str:
    """The prefix of every tool name."""
    return f"android_{slug}_" if slug else "android_"


def server_name(slug: str) -> str:
    return f"handheld-{slug}" if slug else "handheld"
