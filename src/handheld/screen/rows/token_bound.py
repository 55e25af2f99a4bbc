"""An upper bound of a text's number of tokens, without a tokenizer.

`token_costs.json` comes from the vocabulary of o200k_base; `bench/economy/bounds.py` derives it and
says why it is safe. A tokenizer merges two neighbours that together are a token, so two single
characters never stand side by side where their pair is one.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

_PARTS = re.compile(
    r"(?P<digits>[0-9]+)|(?P<other>[^\x00-\x7f]+)"
    # Only further line feeds and slashes can be in one token with a line feed before them, and
    # those are counted one by one.
    r"|(?P<ascii>[\x00-\x09\x0b-/:-\x7f]+\n?|\n)"
)
_CONTRACTION = 4
"""From an apostrophe to the last letter of a contraction: `'ll`."""
_NEVER = -1_000_000


def most_tokens(text: str) -> int:
    """Return a number of tokens that the text does not exceed. The numbers of lines, each with its
    line feed, add up."""
    tokens = 0
    for part in _PARTS.finditer(text):
        before, after = text[part.start() - 1 : part.start()], text[part.end() : part.end() + 1]
        if part["digits"]:
            # Three to a token, counted from the first digit of any script.
            tokens += -(-len(part[0]) // 3) + (not before.isascii()) + (not after.isascii())
        elif part["ascii"]:
            tokens += _most_in_ascii(part[0], ends=after.isascii() or part[0][-1] == "\n")
        else:
            tokens += sum(map(_cost, part[0]))
    return tokens


def _most_in_ascii(text: str, *, ends: bool) -> int:
    """Return the maximum of parts into which a text without digits can be split; `ends`: no token
    continues after it."""
    pairs = _pairs()
    # For each length the maximum of parts, by whether the last one is a single character.
    single, longer = [_NEVER], [0]
    quoted = -_CONTRACTION
    for at, character in enumerate(text):
        joined = at - quoted >= _CONTRACTION and at > 0 and character in pairs[text[at - 1]]
        before = [max(single[end], longer[end]) for end in (at - 1, at - 2) if end >= 0]
        single.append(1 + (longer[at] if joined else max(longer[at], single[at])))
        longer.append(1 + max(before, default=_NEVER))
        if character == "'":
            quoted = at
    most = max(single[-1], longer[-1])
    return most if ends else max(most, 1 + max(single[-2], longer[-2]))


@cache
def _table() -> tuple[Mapping[str, str], list[int], list[int], list[int]]:
    file = files("handheld.screen.rows").joinpath("token_costs.json")
    table = json.loads(file.read_text("utf-8"))
    firsts, lasts, costs = (list[int](column) for column in zip(*table["costs"], strict=True))
    return table["pairs"], firsts, lasts, costs


@cache
def _pairs() -> Mapping[str, str]:
    """Return for each ASCII character those that merge with it."""
    pairs = _table()[0]
    return {chr(code): pairs.get(chr(code), "") for code in range(128)}


@lru_cache(maxsize=4096)
def _cost(character: str) -> int:
    """Return the maximum of tokens for a character; by default, the number of its bytes."""
    _, firsts, lasts, costs = _table()
    code = ord(character)
    at = bisect_right(firsts, code) - 1
    if at >= 0 and code <= lasts[at]:
        return costs[at]
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4
