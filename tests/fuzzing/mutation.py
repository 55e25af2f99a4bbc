"""Inputs made from valid ones: changed, cut, repeated and combined in ways that break parsers."""

import random
import re
from collections.abc import Callable, Sequence

LARGEST = 32 * 1024
"""Bytes of most inputs: enough to tell what is in proportion to the input from what is not."""

_SIZES = (1, 2, 4, 8)
_EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_NUMBER = re.compile(rb"-?\d+")
_NUMBERS = (
    *(b"0", b"-1", b"007", b"1e999", b"-0", b"NaN", b"0x10", b"1_0", "٣".encode(), "²".encode()),
    *(
        str(2**power + near).encode()
        for power in (7, 8, 15, 16, 31, 32, 63, 64)
        for near in (-1, 0)
    ),
    *(b"9" * digits for digits in (9, 18, 30, 400, 5000)),
)
_CHARACTERS = (
    *(b"\0", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b"\\", b"<", b">", b"&", b"[", b"]", b"{"),
    *(b"}", b"(", b")", b",", b":", b";", b"=", b"/", b"%", b"#", b"\x7f", b"\x80", b"\xff"),
    *("\x85\u2028\u202e\ufeff\ufffe\U0001f511é".encode(), b"\xed\xa0\x80", b"\\ud800", b"&#0;"),
)

Change = Callable[[bytearray, "Sources", random.Random], None]


class Sources:
    """The valid inputs of a parser, the words of its format, and how large an input becomes."""

    def __init__(
        self, seeds: Sequence[bytes], tokens: Sequence[bytes] = (), largest: int = LARGEST
    ) -> None:
        self.seeds = tuple(seeds)
        self.tokens = (*tokens, *_CHARACTERS)
        self.largest = largest


def mutate(sources: Sources, chance: random.Random) -> bytes:
    """Return one of the seeds with one to eight changes; the same for the same `chance`."""
    data = bytearray(chance.choice(sources.seeds))
    for _ in range(min(8, 1 + int(chance.expovariate(0.9)))):
        chance.choice(_CHANGES)(data, sources, chance)
        del data[sources.largest :]
    return bytes(data)


def _span(data: bytearray, chance: random.Random) -> slice:
    """A part, more often a short one."""
    start = chance.randint(0, len(data))
    longest = chance.choice((1, 4, 16, 64, 1024, LARGEST))
    return slice(start, min(len(data), start + chance.randint(0, longest)))


def _flip(data: bytearray, sources: Sources, chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _replace_byte(data: bytearray, sources: Sources, chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)


def _insert_bytes(data: bytearray, sources: Sources, chance: random.Random) -> None:
    at = chance.randint(0, len(data))
    data[at:at] = chance.randbytes(chance.choice((1, 2, 4, 16, 100)))


def _remove(data: bytearray, sources: Sources, chance: random.Random) -> None:
    del data[_span(data, chance)]


def _cut_off(data: bytearray, sources: Sources, chance: random.Random) -> None:
    del data[chance.randint(0, len(data)) :]


def _repeat(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Repeat a piece, also so often that the result is as large as it may be."""
    part = _span(data, chance)
    piece = bytes(data[part])
    if piece:
        most = sources.largest // len(piece)
        times = min(most, chance.choice((1, 2, 10, 100, 1000, most)))
        data[part.stop : part.stop] = piece * times


def _splice(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Replace a part by a part of another input."""
    other = bytearray(chance.choice(sources.seeds))
    data[_span(data, chance)] = other[_span(other, chance)]


def _move(data: bytearray, sources: Sources, chance: random.Random) -> None:
    part = _span(data, chance)
    piece = bytes(data[part])
    del data[part]
    at = chance.randint(0, len(data))
    data[at:at] = piece


def _lie(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Overwrite what may be a length, an offset or a count by an extreme number."""
    size = chance.choice(_SIZES)
    if len(data) < size:
        return
    at = chance.randint(0, len(data) - size)
    if chance.random() < 0.7:
        at -= at % size  # most fields are aligned
    order = chance.choice(("little", "big"))
    mask = (1 << 8 * size) - 1
    here = int.from_bytes(data[at : at + size], order)
    near = (here + chance.choice((-1, 1, -4, 4)), len(data) - at, len(data), -1, 1 << 8 * size - 1)
    number = chance.choice((*_EDGES, *near)) & mask
    data[at : at + size] = number.to_bytes(size, order)


def _change_number(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Replace a written number by an extreme one."""
    found = list(_NUMBER.finditer(data))
    if found:
        data[slice(*chance.choice(found).span())] = chance.choice(_NUMBERS)


def _insert_token(data: bytearray, sources: Sources, chance: random.Random) -> None:
    at = chance.randint(0, len(data))
    token = chance.choice(sources.tokens)
    most = sources.largest // len(token)
    data[at:at] = token * chance.choice((1, 1, 1, 1, 2, 3, 100, 2000, most))


def _replace_token(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Put a word of the format in place of another that is there."""
    old = chance.choice(sources.tokens)
    at = data.find(old, chance.randint(0, len(data)))
    if at >= 0:
        data[at : at + len(old)] = chance.choice(sources.tokens)


def _nest(data: bytearray, sources: Sources, chance: random.Random) -> None:
    """Surround a part by many of a piece before it and of another after it."""
    part = _span(data, chance)
    times = chance.choice((2, 50, 300, 1500, 5000))
    before, after = chance.choice(sources.tokens), chance.choice(sources.tokens)
    data[part] = before * times + data[part] + after * times


_CHANGES: tuple[Change, ...] = (
    *(_flip, _replace_byte, _insert_bytes, _remove, _cut_off, _repeat, _splice, _move),
    *(_lie, _lie, _change_number, _change_number, _insert_token, _insert_token),
    *(_replace_token, _nest),
)
