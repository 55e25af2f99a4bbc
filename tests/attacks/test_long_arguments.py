"""Every argument of every tool is megabytes long: none costs more because of that."""

from collections.abc import Callable
from contextlib import suppress
from itertools import islice

import pytest

from attacks.conftest import AGENT, Target
from attacks.test_shell_injection import Watch, attacks, show_form, watch
from handheld.calls.protocols import Surface
from handheld.errors import ToolError, UnknownTool
from harness.work import TooMuch, lines

__all__ = ["watch"]

ATTACK = "long arguments"
LENGTH = 2_000_000
"""So many that a regular expression that takes the square of it does not end."""
LONG = (
    "x" * LENGTH,
    "a b " * (LENGTH // 4),
    "ﬃ\u0301" * (LENGTH // 2),
    "\u202e" * LENGTH,
    "9" * LENGTH,
    "\ud800" * LENGTH,
    "{x}" * (LENGTH // 3),
)
MOST_LINES = LENGTH // 2
"""Of Python, several times what each takes: fewer than there are characters."""


@pytest.mark.matrix
@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_no_argument_is_read_character_by_character(
    target: Target, watch: Watch, tried: Callable[[], None]
) -> None:
    element = await show_form(target)
    surfaces: list[Surface] = [target.main, target.agent, target.v1]
    for surface in surfaces:
        for listing in await surface.tools():
            for attacked, arguments in islice(attacks(listing, LONG, element), 0, None, 3):
                tried()
                try:
                    with lines(MOST_LINES), suppress(ToolError, UnknownTool):
                        await target.passing(surface.call(listing.name, arguments, AGENT))
                except TooMuch as reason:
                    pytest.fail(f"{attacked} of {listing.name}: {reason}")
