"""Data in place of words, such as in the names of web pages' pictures: only its kind and length are
printed, because nobody reads it."""

import json
import re

from .words import cut, unescape

LEAST = 200
"""In characters. Shorter data is printed unchanged."""
URL_LIMIT = 100
"""The number of printed characters of a long address: its beginning identifies the target."""
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{LEAST - 2},}}={{0,2}}")
_PAYLOAD = re.compile(r"(?:[A-Za-z0-9+/_%-]{60,76} )*[A-Za-z0-9+/=_%-]*")
"""In lines of equal length, or in one."""
_HEX = frozenset("0123456789abcdef")
_BETWEEN = "+/-_"
WORD = 12
"""Names of files have words of up to this length between these characters; in base64 there are 31
characters between two of them on average."""
_HOST = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,16}[/?#:]")
_MARK = "data:"
_HEAD = 200
"""The data of such an address begins within this many characters."""
_BEGINNINGS = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "PHN2Zy": "image/svg",
    "PD94bWwg": "XML",
    "JVBERi0": "PDF",
    "eyJ": "token",
}


def shorten(words: str, limit: int) -> str:
    """Return cleaned words of at most `limit` characters, with data as its kind and length."""
    if len(words) < LEAST or limit > LEAST:
        return cut(words, limit)
    if words[0] in "{[" and _is_json(words):
        return _say("JSON", words)
    words = " ".join(map(_shorten_address, _shorten_data(words).split(" ")))
    return cut(_BASE64.sub(_base64, words), limit)


def _is_json(words: str) -> bool:
    try:
        json.loads(unescape(words))
    except (ValueError, RecursionError):
        return False
    return True


def _shorten_data(words: str) -> str:
    """Replace each `data:` address by its kind."""
    before, *addresses = words.split(_MARK)
    return before + "".join(map(_say_address, addresses))


def _say_address(words: str) -> str:
    """`words` begin after the mark. Text after the data is kept if the data's end is known."""
    head, comma, data = words.partition(",")
    kind, *more = head.split(";")
    end = len(data)
    if more[-1:] == ["base64"]:
        payload = _PAYLOAD.match(data)
        assert payload is not None  # it may be empty
        end = payload.end()
    address = f"{_MARK}{head}{comma}{data[:end]}"
    is_kind = comma and len(head) < _HEAD and "/" in kind and " " not in kind
    if not is_kind or len(address) < LEAST:
        return f"{_MARK}{words}"
    return _say(kind.partition("+")[0], address) + data[end:]


def _shorten_address(word: str) -> str:
    at = max(0, word.find("http"))
    address = word[at:]
    if len(address) < LEAST or _HOST.match(address) is None:
        return word
    return word[:at] + cut(address, URL_LIMIT)


def _base64(found: re.Match[str]) -> str:
    run = found[0]
    if run.isalpha() or run.isdecimal() or sum(map(run.count, _BETWEEN)) * WORD > len(run):
        return run
    if not any(map(str.isupper, run)) and not _HEX.issuperset(run):
        return run
    kinds = (kind for begin, kind in _BEGINNINGS.items() if run.startswith(begin))
    return _say(next(kinds, "data"), run)


def _say(kind: str, data: str) -> str:
    return f"{kind}, {len(data) / 1000:.1f} kB"
