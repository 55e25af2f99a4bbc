"""A phone's slug: the short name that its owner gave it, and what follows from it."""

LONGEST = 20
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def find_fault(slug: str) -> str:
    """Why this cannot be a slug; "" where it can. An empty one is none, which is fine."""
    if len(slug) > LONGEST:
        return f"Device slug must be at most {LONGEST} characters"
    if not _LETTERS.issuperset(slug):
        return "Device slug can only contain letters, digits, and underscores"
    return ""


def tool_prefix(slug: str) -> str:
    """What stands before every tool's bare name."""
    return f"android_{slug}_" if slug else "android_"


def server_name(slug: str) -> str:
    return f"handheld-{slug}" if slug else "handheld"
