"""Data in place of words, as web pages have it in the names of pictures: said by its kind and
length, because nobody reads it."""

import json
import re

from .words import cut, unescape

LEAST = 200
"""Characters. Shorter data is printed as it is."""
URL_LIMIT = 100
"""Of a long address its beginning is read: where it leads."""
_DATA_URL = re.compile(
    r"data:(?P<kind>\w{1,20}/[\w.-]{1,60})[^\s,;]{0,40}(?:;[^\s,]{0,80})?,"
    r"(?:(?<=;base64,)[A-Za-z0-9+/=_%-]*|.*)"
)
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{LEAST - 2},}}={{0,2}}")
_URL = re.compile(
    rf"(?:https?://)?(?:[\w-]{{1,63}}\.){{1,10}}[a-z]{{2,24}}[/?#:]\S{{{LEAST - 20},}}"
)
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
    words = _DATA_URL.sub(_data_url, words)
    words = _URL.sub(lambda found: _long(found, cut(found[0], URL_LIMIT)), words)
    words = _BASE64.sub(_base64, words)
    return cut(words, limit)


def _is_json(words: str) -> bool:
    try:
        json.loads(unescape(words))
    except (ValueError, RecursionError):
        return False
    return True


def _data_url(found: re.Match[str]) -> str:
    return _long(found, _say(found["kind"], found[0]))


def _base64(found: re.Match[str]) -> str:
    run = found[0]
    if run.isalpha() or run.isdecimal() or not any(map(str.isupper, run)):
        return run
    kinds = (kind for begin, kind in _BEGINNINGS.items() if run.startswith(begin))
    return _say(next(kinds, "data"), run)


def _long(found: re.Match[str], said: str) -> str:
    return said if len(found[0]) >= LEAST else found[0]


def _say(kind: str, data: str) -> str:
    return f"{kind}, {len(data) / 1000:.1f} kB"
