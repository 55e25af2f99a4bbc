"""Captured screens as apps: a dump, and if there is one the picture that goes with it.

A captured screen stands still. It shows, and answers as, what was captured; clicks on it are
recorded and logged, and nothing else comes of them.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..packages.app import Activity, App
from ..views.captured import CapturedView
from ..views.dump import MOST_BYTES, Dump, DumpError, DumpWindow, read_dump
from ..views.view import Box, Pen, View
from ..views.window import Window

if TYPE_CHECKING:
    from ..world import World

LONGEST_SIDE = 8192
"""Pixels of a screen."""
_SYSTEM = "com.android.systemui"
_DENSITIES = (120, 160, 213, 240, 280, 320, 360, 400, 420, 440, 480, 560, 640)
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")


class CapturedError(Exception):
    """A captured screen cannot be used. The message is a sentence that names the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """One screen, read."""

    name: str
    dump: Dump
    picture: bytes | None
    picture_size: tuple[int, int] | None

    @property
    def package(self) -> str:
        """Of the app that it shows, or a name made of the file's."""
        for window in (self.main, *self.dump.windows):
            package = window.root.attributes.get("package", "")
            if _PACKAGE.fullmatch(package) and package != _SYSTEM:
                return package
        plain = re.sub(r"\W+", "_", self.name, flags=re.ASCII).strip("_").lower()
        return f"captured.s_{plain}" if plain else "captured.screen"

    @property
    def main(self) -> DumpWindow:
        """The window that has the focus, or the largest."""

        def weight(window: DumpWindow) -> tuple[bool, int]:
            left, top, right, bottom = window.root.bounds
            return window.focused, max(0, right - left) * max(0, bottom - top)

        return max(self.dump.windows, key=weight)

    @property
    def size(self) -> tuple[int, int]:
        """The screen's, as it was held."""
        width, height = self.picture_size or self.dump.size
        return max(1, width), max(1, height)

    @property
    def upright(self) -> tuple[int, int]:
        """The screen's size, as the phone is held upright."""
        width, height = self.size
        return (height, width) if self.dump.rotation % 2 else (width, height)

    @property
    def density(self) -> int:
        """A dump does not say it: that of phones of this size."""
        guess = 420 * min(self.size) / 1080
        return min(_DENSITIES, key=lambda density: abs(density - guess))


def load_captured(dump: Path, picture: Path | None = None) -> Captured:
    """Raises CapturedError."""
    try:
        found = read_dump(_bytes(dump))
    except DumpError as problem:
        raise CapturedError(f"{dump} cannot be shown: {problem}.") from None
    if max(found.size) > LONGEST_SIDE:
        wide, high = found.size
        raise CapturedError(f"{dump} cannot be shown: no phone has a screen of {wide} x {high}.")
    if picture is None:
        return Captured(dump.stem, found, None, None)
    data = _bytes(picture)
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            size = image.size
            if max(size) > LONGEST_SIDE:
                raise CapturedError(
                    f"{picture} is larger than a phone's screen: {size[0]} x {size[1]}."
                )
            image.verify()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError):
        raise CapturedError(f"{picture} is no picture that can be read.") from None
    return Captured(dump.stem, found, data, size)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise CapturedError(f"{path} cannot be read: {problem.strerror or problem}.") from None
    if len(data) > MOST_BYTES:
        raise CapturedError(f"{path} has more than {MOST_BYTES} bytes.")
    return data


class CapturedScreen(Activity):
    """What is on it is all there is on the screen: the phone's own bars are hidden."""

    immersive = True
    captured: Captured

    def __init__(self, app: App, extras: object = None) -> None:
        super().__init__(app)
        self._others: list[tuple[DumpWindow, Window]] | None = None

    @property
    def title(self) -> str:
        return self.captured.main.title or self.app.label

    def root(self) -> View:
        return self._view(self.captured.main)

    def own_windows(self, screen: Box, dp: float) -> list[Window]:
        """Top first; the lowest has the whole screen, whatever its root has."""
        if self._others is None:
            self._others = [
                (window, self._open(window))
                for window in self.captured.dump.windows
                if window is not self.captured.main
            ]
        opened = {id(window): shown for window, shown in self._others}
        assert self.window is not None
        opened[id(self.captured.main)] = self.window
        # As the dump has it, not as an app is called that had to make way for another.
        self.window.package = self.captured.main.root.attributes.get("package") or self.app.package
        shown = [opened[id(window)] for window in self.captured.dump.windows]
        for window, dumped in zip(shown, self.captured.dump.windows, strict=True):
            window.place(screen if window is shown[-1] else dumped.root.bounds, dp)
        return shown

    def _open(self, window: DumpWindow) -> Window:
        package = window.root.attributes.get("package") or self.app.package
        kind = window.type or ("SYSTEM" if package == _SYSTEM else "APPLICATION")
        return self.world.screen.new_window(kind, package, window.title or "", self._view(window))

    def _view(self, window: DumpWindow) -> CapturedView:
        lowest = window is self.captured.dump.windows[-1]
        pictured = self.captured.picture is not None
        picture = self._draw if pictured and lowest else None
        return CapturedView(window.root, self._clicked, picture, pictured)

    def _draw(self, pen: Pen) -> None:
        """The whole screen, at the size that the phone has."""
        import io

        from PIL import Image

        assert self.captured.picture is not None
        with Image.open(io.BytesIO(self.captured.picture)) as image:
            screen = (0, 0, self.world.width, self.world.height)
            pen.picture(image.convert("RGB"), screen, screen)

    def _clicked(self, deed: str, view: CapturedView) -> None:
        from ..world import Event

        details = (self.captured.name, deed, view.class_name, view.name, view.words, view.place)
        self.world.events.append(Event("captured", details))
        said = view.words or view.description or ""
        left, top, right, bottom = view.place
        words = f"{deed}: {view.class_name} {view.name or '-'} {said[:200]!r}"
        self.app.log("I", "Captured", f"{words} [{left},{top}][{right},{bottom}]")


def install_captured(world: "World", screens: list[Captured]) -> list[App]:
    """An app for each package, its first screen in front and Back leading to the next."""
    grouped: dict[str, list[Captured]] = {}
    for screen in screens:
        grouped.setdefault(screen.package, []).append(screen)
    apps: list[App] = []
    for package, group in grouped.items():
        while package in world.apps:
            package += ".captured"
        kinds = [
            type(f"Screen{number}", (CapturedScreen,), {"captured": screen})
            for number, screen in enumerate(group, 1)
        ]
        kind = type(
            "CapturedApp",
            (App,),
            {
                "package": package,
                "label": group[0].name,
                "main": ".Screen1",
                "activities": {activity.name: activity for activity in kinds},
                "icon": "phone",
            },
        )
        apps.append(world.install(kind))
    for app in reversed(apps):
        for activity in reversed(list(app.activities.values())):
            world.open(activity(app))
    return apps
