"""How many tokens a text takes in a model's context: counted once and kept, or estimated."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from ..tools.listing import EXTRA_TOOLSETS, OPTIONAL_TOOLSETS
from ..tools.tool import Listing

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
    """The counts of listings and instructions, by `key_of`; make tables WHAT=tokens writes it."""
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
    width = max(len(name) for name, _ in rows)
    lines = [_line(name, width, *count(text)) for name, text in rows]
    return [*lines, _line("in all", width, *_sum(text for _, text in rows))]


def toolset_table(on: Sequence[Listing], off: Sequence[Listing]) -> list[str]:
    """What each toolset costs, whether it is on, and how one is switched on that is not."""
    toolsets = dict.fromkeys(listing.toolset for listing in (*on, *off))
    width = max(map(len, toolsets), default=0)
    lines: list[str] = []
    for toolset in toolsets:
        there = [listing for listing in on if listing.toolset == toolset]
        missing = [listing for listing in off if listing.toolset == toolset]
        tools = [*there, *missing]
        few = f"{len(tools)} {'tool' if len(tools) == 1 else 'tools'}"
        cost = _line(toolset, width, *_sum(map(print_listing, tools)))
        lines.append(f"{cost}  {few:>8}  {_state(toolset, len(there), len(missing))}")
    return lines


def _state(toolset: str, there: int, missing: int) -> str:
    if not missing:
        return "on"
    if there:
        return f"on, but for {missing} that the settings switch off"
    if toolset not in OPTIONAL_TOOLSETS:
        return "off by the settings"
    switch = f"off; --toolsets-on {toolset}"
    if toolset in EXTRA_TOOLSETS:
        switch += f", or a client's header X-MCP-Toolsets: default, {toolset}"
    return switch


def count(text: str) -> tuple[int, bool]:
    """How many tokens a text has, and whether they were counted."""
    kept = kept_counts().get(key_of(text))
    return (estimate(text), False) if kept is None else (kept, True)


def _sum(texts: Iterable[str]) -> tuple[int, bool]:
    counts = [count(text) for text in texts]
    return sum(tokens for tokens, _ in counts), all(exact for _, exact in counts)


def _line(name: str, width: int, tokens: int, exact: bool) -> str:
    return f"{name:<{width}}  {'' if exact else 'about ':>6}{tokens:>6,} tokens"
