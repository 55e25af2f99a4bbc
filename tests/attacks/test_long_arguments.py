"""Every argument of every tool is a megabyte long: none costs the others more than a moment."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

import pytest

from attacks.conftest import AGENT, Target
from attacks.test_shell_injection import Watch, attacks, show_form, watch
from handheld.errors import ToolError, UnknownTool
from handheld.surface.protocols import Surface

__all__ = ["watch"]

ATTACK = "long arguments"
MEGABYTE = 1_000_000
LONG = (
    "x" * MEGABYTE,
    "a b " * (MEGABYTE // 4),
    "ﬃ\u0301" * (MEGABYTE // 2),
    "\u202e" * MEGABYTE,
    "9" * MEGABYTE,
    "\ud800" * MEGABYTE,
    "{x}" * (MEGABYTE // 3),
)
SECONDS = 1.0
"""Of processor time, several times what each takes."""


@pytest.mark.matrix
@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_no_argument_takes_long_because_it_is_long(
    target: Target, watch: Watch, tried: Callable[[], None]
) -> None:
    element = await show_form(target)
    surfaces: list[Surface] = [target.main, target.agent, target.v1]
    slow: list[tuple[str, str, str, float]] = []
    for surface in surfaces:
        for listing in await surface.tools():
            for attacked, arguments in islice(attacks(listing, LONG, element), 0, None, 3):
                tried()
                before = time.process_time()
                with suppress(ToolError, UnknownTool):
                    await target.passing(surface.call(listing.name, arguments, AGENT))
                spent = time.process_time() - before
                if spent > SECONDS:
                    slow.append((listing.name, attacked, str(arguments[attacked])[-3:], spent))
    assert slow == []
