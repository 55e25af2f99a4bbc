"""Screens in files: the project's own, and captured ones beside the project where present."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from handheld.driver.reading.uiautomator import BadDump, read_dump
from handheld.screen.model import Screen, Window
from handheld.screen.rows.screen import Rows, rows_of
from handheld.screen.search import Place

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "fixtures" / "screens"
SCREEN_ID = "s41"
DENSITY = 420
_DUMP = re.compile(r"<(hierarchy|displays)\b.*</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Capture:
    name: str
    xml: str
    screen: Screen

    def print(self, screen: Screen | None = None) -> "Printed":
        """Print the screen, or a changed one of the same elements, with refs from k1."""
        places: dict[Place, str] = {}

        def name(place: Place) -> str:
            return places.setdefault(place, f"k{len(places) + 1}")

        rows = rows_of(self.screen, name)
        if screen is not None:
            rows = rows_of(screen, name)
        return Printed(rows, {ref: place for place, ref in places.items()})


@dataclass(frozen=True, slots=True)
class Printed:
    rows: Rows
    places: dict[str, Place]
    """The window and the element that each ref was given to."""

    @property
    def text(self) -> str:
        """As an agent gets it."""
        return "\n".join(
            [
                self.rows.title(SCREEN_ID),
                *(row.text for row in self.rows.rows),
                *self.rows.tail,
            ]
        )


def own() -> list[Capture]:
    return list(_read(OWN))


def captured() -> list[Capture] | None:
    """Those beside the project; None without any."""
    named = os.environ.get("CORPUS")
    folder = (Path(named) if named else ROOT.parent / "shared") / "corpus" / "screens"
    return list(_read(folder)) if folder.is_dir() else None


def _read(folder: Path) -> Iterator[Capture]:
    """Files that hold no `uiautomator` dump, such as Appium's page sources, are left out."""
    for path in sorted(folder.glob("*.xml")):
        found = _DUMP.search(decode(path))
        if found is None:
            continue
        try:
            yield Capture(path.name, found[0], read_screen(found[0]))
        except BadDump:
            continue


def decode(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030")


def read_screen(xml: str) -> Screen:
    """Read a dump as the driver without the helper does. Raises BadDump."""
    dump = read_dump(xml)
    shown = [window for window in dump.windows if window.display == 0] or dump.windows
    if not shown:
        return Screen(1080, 2400, DENSITY, 0, [])
    edges = [window.nodes[0].bounds for window in shown]
    return Screen(
        max(edge.right for edge in edges),
        max(edge.bottom for edge in edges),
        DENSITY,
        dump.rotation or 0,
        [
            Window(
                number, each.type, each.package, each.title, each.layer, each.focused, each.nodes
            )
            for number, each in enumerate(shown)
        ],
    )
