"""Removing personal data from a text: names, numbers, addresses, folders."""

import hashlib
import hmac
import re
from collections.abc import Mapping

_PATTERNS = (
    # In this order, since a later pattern would match a part of what an earlier one matches.
    (re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+"), "<mail>"),
    (re.compile(r"(?<![\w-])[\w-]+\._adb-tls-\w+\._tcp\.?"), "<phone over Wi-Fi>"),
    (re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"), "<hardware address>"),
    (re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b"), "<address>"),
    (re.compile(r"\[?(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}\]?(?::\d{1,5})?"), "<address>"),
    (re.compile(r"(?<![\w:])\[?(?:[0-9a-fA-F]{1,4})?::[0-9a-fA-F]{1,4}\]?(?![\w:])"), "<address>"),
    (re.compile(r"(?<!\w)\+?\d(?:[ ()/-]{0,2}\d){6,}(?!\w)"), "<number>"),
    (
        re.compile(r"(?<![\w/])/(?:home|Users|root|tmp|var|private)/[^\s\"'`:,;)]*"),
        "<path>",
    ),
    (re.compile(r"[A-Za-z]:\\[^\s\"'`,;)]*"), "<path>"),
)
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Digits only would look like a phone number."""
_LONG = 6
_KEPT = re.compile(r"\d{4}-\d{2}-\d{2}")
"""Dates, such as that of a security patch, are not phone numbers."""


class PrivateWords:
    """Replaces given words by placeholders, and everything that looks private."""

    def __init__(self, words: Mapping[str, str]) -> None:
        """`words` maps each word to its placeholder. A long word, such as a serial, is replaced
        everywhere; a shorter one only as a whole word, and the shortest never, because they are
        part of too many others."""
        known = sorted((word for word in words if len(word) > 2), key=len, reverse=True)
        self._words = {word.casefold(): name for word, name in words.items()}
        joined = "|".join(
            re.escape(word) if len(word) >= _LONG else rf"(?<!\w){re.escape(word)}(?!\w)"
            for word in known
        )
        self._known = re.compile(joined, re.IGNORECASE) if known else None

    def hide(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(
                lambda found: self._words.get(found[0].casefold(), "<word>"), text
            )
        kept: list[str] = []

        def keep(found: re.Match[str]) -> str:
            kept.append(found[0])
            return f"\0{len(kept) - 1}\0"

        text = _KEPT.sub(keep, text)
        for pattern, name in _PATTERNS:
            text = pattern.sub(name, text)
        return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)


def alias(serial: str, secret: bytes) -> str:
    """A name for a phone that is the same in all reports of one user and reveals nothing about its
    serial: a plain hash of an address could be found by trying all addresses."""
    digest = hmac.new(secret, serial.encode(errors="replace"), hashlib.sha256).hexdigest()
    return f"phone-{digest[:8].translate(_LETTERS)}"
