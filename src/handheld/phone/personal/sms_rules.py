"""The rules for SMS: texts, numbers and limits."""

from collections import deque
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...screen.text import brief, units

LONGEST_TEXT = 160
"""UTF-16 units, for any alphabet: a text that does not fit into one message is sent in parts."""
MOST_DIGITS, FEWEST_DIGITS = 15, 7
"""The maximum of digits in a number with its country code."""
PERIOD = 60.0

_EXAMPLE = "such as +36201234567"
_GSM = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüàÆæßÉ"
)
_GSM_EXTENDED = frozenset("^{}\\[~]|€\f")


class SmsRules(NamedTuple):
    """The phone owner's rules."""

    subscriptions: frozenset[int] = frozenset()
    """The subscriptions that may send; empty: all active ones."""
    allow: tuple[str, ...] = ()
    """Patterns of allowed numbers; empty: all."""
    block: tuple[str, ...] = ()
    """Patterns of blocked numbers; overrides `allow`."""
    parts_per_minute: int = 10
    dry_run: bool = False

    def find_bar(self, number: str) -> str:
        """Return the setting that blocks this number; "" if none does."""
        if any(fnmatchcase(number, pattern) for pattern in self.block):
            return "sms.block"
        if self.allow and not any(fnmatchcase(number, pattern) for pattern in self.allow):
            return "sms.allow"
        return ""


def find_number_fault(number: str) -> str:
    """Return what is wrong with a number; "" if it is valid E.164."""

    def wrong(why: str) -> str:
        return f"Parameter 'to_phone_number' {why}. Got: '{brief(number, 40)}'"

    digits = number.removeprefix("+")
    if not number.strip():
        return f"Parameter 'to_phone_number' must not be empty: give a number {_EXAMPLE}."
    if not number.startswith("+"):
        if number.startswith("00"):
            return wrong("must start with a plus sign and the country code, instead of 00")
        return wrong(f"must start with a plus sign and the country code, {_EXAMPLE}")
    if not digits:
        return wrong(f"has no digits after the plus sign; write it {_EXAMPLE}")
    if not (digits.isascii() and digits.isdigit()):
        return wrong(
            "must have only digits after the plus sign: leave out spaces, hyphens, brackets"
            f" and letters, {_EXAMPLE}"
        )
    if digits.startswith("0"):
        code = "must have a country code after the plus sign, which never starts with 0"
        return wrong(f"{code}, {_EXAMPLE}")
    if len(digits) > MOST_DIGITS:
        return wrong(f"has {len(digits)} digits, and no number has more than {MOST_DIGITS}")
    if len(digits) < FEWEST_DIGITS:
        return wrong(f"has {len(digits)} digits, which is too short with a country code")
    return ""


def find_text_fault(text: str) -> str:
    """Return what is wrong with a message's text; "" if it can be sent."""
    if not text:
        return "Parameter 'sms_text' must not be empty."
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return "Parameter 'sms_text' has half of a surrogate pair, which is not a character."
    if (length := units(text)) > LONGEST_TEXT:
        return (
            f"Parameter 'sms_text' must have at most {LONGEST_TEXT} characters, got: {length}."
            " Shorten it, or send several messages."
        )
    return ""


def count_parts(text: str) -> int:
    """Return how many messages a phone needs for a text. A phone that keeps grapheme clusters, such
    as flags, together may need more."""
    if all(char in _GSM or char in _GSM_EXTENDED for char in text):
        return _fill([2 if char in _GSM_EXTENDED else 1 for char in text], 160, 153)
    return _fill([units(char) for char in text], 70, 67)


def _fill(sizes: Sequence[int], single: int, many: int) -> int:
    """`single` units fit into one message, `many` into each of several; characters are not
    split."""
    if sum(sizes) <= single:
        return 1
    parts, room = 1, many
    for size in sizes:
        if size > room:
            parts, room = parts + 1, many
        room -= size
    return parts


class SentParts:
    """The parts sent in the last minute. They outlive a connection to the phone."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def take(self, parts: int, most: int, now: float) -> float:
        """Count parts and return 0; if that would exceed `most` in a minute, count nothing and
        return the seconds to wait."""
        while self._times and self._times[0] <= now - PERIOD:
            self._times.popleft()
        over = len(self._times) + parts - most
        if over > 0:
            return self._times[over - 1] + PERIOD - now
        self.add(parts, now)
        return 0.0

    def add(self, parts: int, now: float) -> None:
        self._times.extend([now] * parts)


def mask(number: str) -> str:
    """Mask a number for the log: enough remains to distinguish numbers."""
    return f"{number[:3]}…{number[-2:]}" if len(number) > 7 else "…"
