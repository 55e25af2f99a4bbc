"""The programs on the phone, in folders by subject; `table.py` declares them."""

from functools import cache

from ..sh.process import Program
from .call import program, timed
from .table import PROGRAMS, body_at


def all_programs() -> dict[str, Program]:
    """A new table of all programs for one phone, which may replace entries."""
    return dict(_programs())


@cache
def _programs() -> dict[str, Program]:
    return {name: timed(program(body_at(place))) for name, place in PROGRAMS.items()}
