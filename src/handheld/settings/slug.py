"""A phone's slug, which is a short name that its owner gives, and the names derived from it."""

LONGEST = 20
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def find_fault(slug: str) -> str:
    """Why this is not a valid slug; "" if it is. An empty slug means none and is valid."""
    if len(slug) > LONGEST:
        return f"Device slug must be at most {LONGEST} characters"
    if not _LETTERS.issuperset(slug):
        return "Device slug can only contain letters, digits, and underscores"
    return ""


def find_prefix_fault(prefix: str) -> str:
    """Why the names of the tools for models cannot begin with this; "" if they can."""
    if len(prefix) > LONGEST:
        return f"it has at most {LONGEST} characters"
    if not (_LETTERS | {"-"}).issuperset(prefix) or prefix[:1].isdigit():
        return "it has letters, digits, _ and -, and begins with no digit"
    if prefix.startswith("app_"):
        return "the tools of apps begin with app_"
    return ""


def tool_prefix(slug: str) -> str:
    """The prefix of every tool name."""
    return f"android_{slug}_" if slug else "android_"


def server_name(slug: str) -> str:
    return f"handheld-{slug}" if slug else "handheld"
