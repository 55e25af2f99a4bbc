"""Backslash escapes."""

import os
import re

_ESCAPE = re.compile(r"\\(?:([abfnrtvec\\])|0([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4}))")
_SIGNS = {
    "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "c": "",
}  # fmt: skip


def unescape(text: str, *, cut: bool = True) -> tuple[str, bool]:
    r"""Expand escapes such as `\n`; also return whether there was a `\c`, which with `cut` ends the
    text."""
    stop = re.search(r"(?<!\\)(?:\\\\)*\\c", text)
    if stop is not None and cut:
        text = text[: stop.end() - 2]

    def expand(found: re.Match[str]) -> str:
        if found[1]:
            return _SIGNS[found[1]]
        if found[4]:
            code = int(found[4], 16)
            return found[0] if 0xD800 <= code < 0xE000 else chr(code)
        number = int(found[2], 8) if found[2] else int(found[3], 16)
        return os.fsdecode(bytes([number & 0xFF]))

    return _ESCAPE.sub(expand, text), stop is not None
