"""How many tokens a text takes in a model's context: counted once and kept, or estimated."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from ..toolkit.tool import Listing

_WORDS = re.compile(r"[A-Za-z]+|\d{1,3}|[^\w\s]+|\s+|\w")
LETTERS = 9
"""A longer word is usually more than one token."""


def print_listing(listing: Listing) -> str:
    """A tool as a model sees it. Clients keep the title and the hints for people."""
    seen = {
        "name": listing.name,
        "description": listing.description,
        "inputSchema": dict(listing.input_schema),
    }
    return json.dumps(seen, ensure_ascii=False, separators=(",", ":"))


def key_of(text: str) -> str:
    """What a text's count is kept under."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


@cache
def kept_counts() -> Mapping[str, int]:
    """The counts of listings and instructions, by `key_of`; `make tokens` writes them."""
    return json.loads(files("handheld.cli").joinpath("listing_tokens.json").read_text("utf-8"))


def estimate(text: str) -> int:
    """Return about how many tokens a text has: off by a tenth for lists of tools, by a fifth for
    most screens, by more for scripts other than Latin."""
    tokens = 0
    for found in _WORDS.finditer(text):
        word = found[0]
        if word == " ":
            continue  # it is part of the token after it
        if word.isalpha() and word.isascii():
            tokens += 1 + (len(word) - 1) // LETTERS
        else:
            tokens += 1
    return tokens


def table(instructions: str, listings: Sequence[Listing]) -> list[str]:
    """What the instructions and each tool cost, and their sum, as lines."""
    rows = [("(instructions)", instructions)]
    rows += [(listing.name, print_listing(listing)) for listing in listings]
    counts = kept_counts()
    width = max(len(name) for name, _ in rows)
    lines: list[str] = []
    total, exact = 0, True
    for name, text in rows:
        count = counts.get(key_of(text))
        lines.append(
            _line(name, width, estimate(text) if count is None else count, count is not None)
        )
        total += estimate(text) if count is None else count
        exact = exact and count is not None
    return [*lines, _line("in all", width, total, exact)]


def _line(name: str, width: int, tokens: int, exact: bool) -> str:
    return f"{name:<{width}}  {'' if exact else 'about ':>6}{tokens:>6,} tokens"
