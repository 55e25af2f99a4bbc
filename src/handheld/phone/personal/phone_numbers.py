"""Compares phone numbers like Android's PhoneNumberUtils.compare: from their ends, ignoring
separators, with or without the country code."""

import re

MIN_MATCH = 7
"""The number of equal last digits that makes two numbers equal."""
_SEPARATORS = frozenset(" -()./\u00a0\u2010\u2011\u2012\u2013")
_NUMBER = re.compile(r"\+?[0-9*#]+")
_INTERNATIONAL = ("+", "00", "011")
_WITH_COUNTRY = re.compile(r"(?:\+|00|011)[0-9]{1,3}")


def dialled(text: str) -> str:
    """Return the digits that would be dialled; "" for a text that is not a number."""
    bare = "".join(sign for sign in text.strip() if sign not in _SEPARATORS)
    return bare if _NUMBER.fullmatch(bare) else ""


def same_number(one: str, other: str) -> bool:
    """Whether two texts are the same number; False if one is not a number."""
    one, other = dialled(one), dialled(other)
    if not one or not other:
        return False
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    rests = one[: len(one) - same], other[: len(other) - same]
    if same < MIN_MATCH:
        return rests == ("", "")
    if "" in rests or all(rest in _INTERNATIONAL for rest in rests):
        return True
    return any(
        national == "0" and _WITH_COUNTRY.fullmatch(abroad) is not None
        for national, abroad in (rests, rests[::-1])
    )


def number_pattern(text: str) -> str:
    """Return a LIKE pattern that matches every spelling of the number."""
    return "%" + "%".join(dialled(text)[-MIN_MATCH:]) + "%"
