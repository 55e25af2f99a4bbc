"""Parses TOML that people wrote. Every fault raises `ValueError`, without long computation."""

import re
from typing import Any

MOST_PARTS = 50
"""Parts of a dotted key. Python's parser takes time in the square of their number: half a minute
for a key of 32,000 parts."""

_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BETWEEN_KEYS = re.compile(r"[^\w.-]+")
_JOINT = re.compile(r"[\w-]\.(?=[\w-])")


def parse_toml(text: str) -> dict[str, Any]:
    """Raises ValueError."""
    import tomllib  # only if there is a file: the import would slow down every start

    for line in text.splitlines():
        if line.count(".") >= MOST_PARTS and _has_long_key(line):
            raise ValueError(f"a key has more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def _has_long_key(line: str) -> bool:
    bare = _QUOTED.sub("q", line).replace(" ", "").replace("\t", "")
    return any(len(_JOINT.findall(piece)) >= MOST_PARTS for piece in _BETWEEN_KEYS.split(bare))
