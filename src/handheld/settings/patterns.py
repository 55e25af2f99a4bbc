"""Patterns of phone numbers and of packages."""

import re

_PATTERN = re.compile(r"[+*][0-9*?]+|\*", re.ASCII)
_PACKAGE = re.compile(r"[A-Za-z0-9_.*]{1,255}", re.ASCII)


def find_pattern_fault(pattern: str) -> str:
    """Why this is not a pattern of phone numbers; "" if it is."""
    if _PATTERN.fullmatch(pattern):
        return ""
    return "a pattern begins with + or *, then has digits, * for any and ? for one, such as +3620*"


def find_package_fault(pattern: str) -> str:
    """Why this is not a pattern of packages; "" if it is."""
    return (
        ""
        if _PACKAGE.fullmatch(pattern)
        else ("a package has a form such as com.bank.app or com.bank.*")
    )
