"""Data in place of words, as web pages have it in the names of pictures: said by its kind and
length, because nobody reads it."""

import json
import re

from .words import cut, unescape

LEAST = 200
"""Characters. Shorter data is printed as it is."""
URL_LIMIT = 100
"""Of a long address its beginning is read: where it leads."""
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{LEAST - 2},}}={{0,2}}")
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=_%-]*")
_HOST = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,16}[/?#:]")
_MARK = "data:"
_HEAD = 200
"""Characters within which the data of such an address begins."""
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
    """With the first `data:` address as its kind; what follows it is kept where it is known to
    end."""
    at = words.find(_MARK)
    comma = words.find(",", at, at + _HEAD)
    if at < 0 or comma < 0:
        return words
    kind, *more = words[at + len(_MARK) : comma].split(";")
    if "/" not in kind or " " in kind:
        return words
    end = len(words)
    if more[-1:] == ["base64"]:
        payload = _PAYLOAD.match(words, comma + 1)
        assert payload is not None  # it may be empty
        end = payload.end()
    if end - at < LEAST:
        return words
    said = _say(kind.partition("+")[0], words[at:end])
    return f"{words[:at]}{said}{words[end:]}"


def _shorten_address(word: str) -> str:
    at = max(0, word.find("http"))
    address = word[at:]
    if len(address) < LEAST or _HOST.match(address) is None:
        return word
    return word[:at] + cut(address, URL_LIMIT)


def _base64(found: re.Match[str]) -> str:
    run = found[0]
    if run.isalpha() or run.isdecimal() or not any(map(str.isupper, run)):
        return run
    kinds = (kind for begin, kind in _BEGINNINGS.items() if run.startswith(begin))
    return _say(next(kinds, "data"), run)


def _say(kind: str, data: str) -> str:
    return f"{kind}, {len(data) / 1000:.1f} kB"
