"""Patterns of phone numbers."""

import re

_PATTERN = re.compile(r"[+*][0-9*?]+|\*", re.ASCII)


def find_pattern_fault(pattern: str) -> str:
    """Why this is no pattern of numbers; "" where it is one."""
    if _PATTERN.fullmatch(pattern):
        return ""
    return "a pattern begins with + or *, then has digits, * for any and ? for one, such as +3620*"
