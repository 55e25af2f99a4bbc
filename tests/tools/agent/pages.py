"""Pages of an app that a test makes up, and the printed screen read back."""

import re
from collections.abc import Callable

from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.view import View
from testbed import installed_testbed

from .conftest import AgentBench

TESTBED = "dev.handheld.testbed"


class Page(Activity):
    """Shows the view that a test gives it."""

    def __init__(self, app: App, make: Callable[[], View]) -> None:
        super().__init__(app)
        self._make = make

    def content(self) -> View:
        return self._make()


def show(bench: AgentBench, make: Callable[[], View]) -> Page:
    """Open a page of the testbed in place of what it shows."""
    world = bench.world
    world.settle()
    app = installed_testbed(world)
    page = Page(app, make)
    world.tasks.close(app)
    world.open(page)
    return page


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_ITEM = re.compile(rf'(?:[^",]|{_QUOTED})+')
_REF = re.compile(r"([a-z][1-9]\d{0,2})(?: |$)")


def items(row: str) -> list[tuple[str, str]]:
    """The ref, or nothing, and the words of everything in a row that has words."""
    found: list[tuple[str, str]] = []
    for item in _ITEM.findall(row):
        ref = _REF.match(item.strip())
        words = re.search(_QUOTED, item)
        if words is not None:
            found.append((ref[1] if ref else "", words[0][1:-1]))
    return found
