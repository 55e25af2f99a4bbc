"""Captured screens as apps: a dump and, if available, its screenshot.

A captured screen is static. It shows the captured nodes; clicks are recorded and logged, but have
no other effect.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..packages.app import Activity, App
from ..views.drawing.pen import Box, Pen
from ..views.reading.captured import CapturedView
from ..views.reading.dump import MOST_BYTES, DumpError, DumpNode, DumpWindow, ScreenDump, read_dump
from ..views.view import View
from ..views.window import Window

if TYPE_CHECKING:
    from ..world import World

LONGEST_SIDE = 8192
"""The maximum side of a screen in pixels."""
_SYSTEM = "com.android.systemui"
_DENSITIES = (120, 160, 213, 240, 280, 320, 360, 400, 420, 440, 480, 560, 640)
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")
_KEYBOARD = re.compile(r"(?i)keyboard|inputmethod|honeyboard|swiftkey|\bime\b")
"""Parts of package names of keyboards. Other names end with a part such as input or input_lite."""
_INPUT_AREA = "android:id/inputArea"
"""The id of the view that contains the keys in Android's InputMethodService; no other view has
it."""
_ABOVE = {"SYSTEM": 0, "INPUT_METHOD": 1, "APPLICATION": 2}
"""Window types from top to bottom."""


class CapturedError(Exception):
    """A captured screen cannot be used. The message is a sentence that names the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A parsed captured screen."""

    name: str
    dump: ScreenDump
    picture: bytes | None
    picture_size: tuple[int, int] | None

    @property
    def package(self) -> str:
        """The package of the shown app, or a name derived from the file name."""
        for window in (self.main, *self.dump.windows):
            package = _package(window)
            if _PACKAGE.fullmatch(package) and package != _SYSTEM:
                return package
        plain = re.sub(r"\W+", "_", self.name, flags=re.ASCII).strip("_").lower()
        return f"captured.s_{plain}" if plain else "captured.screen"

    @property
    def main(self) -> DumpWindow:
        """The focused window, or the largest one, except keyboards."""

        def weight(window: DumpWindow) -> tuple[bool, bool, int]:
            return window.type != "INPUT_METHOD", window.focused, _area(window)

        return max(self.dump.windows, key=weight)

    @property
    def size(self) -> tuple[int, int] | None:
        """The screen's size in its orientation; None if the capture does not contain it."""
        return self.picture_size or self.dump.size

    def upright(self, size: tuple[int, int]) -> tuple[int, int]:
        """Convert a size from the captured orientation to portrait."""
        width, height = size
        return (height, width) if self.dump.rotation % 2 else (width, height)


def screen_size(screens: Sequence[Captured], width: int, height: int) -> tuple[int, int]:
    """Return the portrait size of a phone that shows the screens: that of the first screen with a
    known size. A dialog has no known size: without any, return the given size, enlarged if a dialog
    would not fit."""
    for screen in screens:
        if screen.size is not None:
            return screen.upright(screen.size)
    for screen in screens:
        across, down = screen.upright(screen.dump.reach)
        width, height = max(width, across), max(height, down)
    return width, height


def usual_density(width: int, height: int) -> int:
    """Estimate the density from phones of this size, because a dump does not contain it."""
    guess = 420 * min(width, height) / 1080
    return min(_DENSITIES, key=lambda density: abs(density - guess))


def load_captured(dump: Path, picture: Path | None = None) -> Captured:
    """Load a captured screen. Raises CapturedError."""
    try:
        found = read_dump(_bytes(dump))
    except DumpError as problem:
        raise CapturedError(f"{dump} cannot be shown: {problem}.") from None
    found.windows = _layered(found.windows)
    wide, high = found.size or found.reach
    if max(wide, high) > LONGEST_SIDE:
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
        raise CapturedError(f"{picture} is not a readable picture.") from None
    return Captured(dump.stem, found, data, size)


def _layered(windows: list[DumpWindow]) -> list[DumpWindow]:
    """Return the windows of one display, each with its type and bounds, top first.

    A dump with `--windows` lists them so. A dump with several roots has neither types nor order:
    the active window is first, or the order is random. But Android omits windows that are fully
    covered, so the smaller of two is above the larger.
    """
    display = min(window.display for window in windows)
    windows = [window for window in windows if window.display == display]
    in_order = any(window.type for window in windows)
    typed = [replace(window, type=_type(window, windows)) for window in windows]
    if not in_order:
        typed.sort(key=lambda window: (_ABOVE[window.type or ""], _area(window)))
    return [replace(window, bounds=_place(window)) for window in typed]


def _type(window: DumpWindow, windows: list[DumpWindow]) -> str:
    if window.type is not None:
        return window.type
    package = _package(window)
    if package == _SYSTEM:
        return "SYSTEM"
    # A keyboard app also has ordinary screens, such as its settings, without another app's window.
    beside = any(_package(other) not in (package, _SYSTEM) for other in windows)
    has_keys = any(n.attributes.get("resource-id") == _INPUT_AREA for n in _nodes(window.root))
    if has_keys or (beside and _is_keyboard(package)):
        return "INPUT_METHOD"
    return "APPLICATION"


def _is_keyboard(package: str) -> bool:
    last = package.lower().rpartition(".")[2]
    return bool(_KEYBOARD.search(package)) or last.endswith("input") or "input_" in last


def _package(window: DumpWindow) -> str:
    return window.root.attributes.get("package", "")


def _area(window: DumpWindow) -> int:
    left, top, right, bottom = window.root.bounds
    return max(0, right - left) * max(0, bottom - top)


def _place(window: DumpWindow) -> Box:
    """Return the touchable region: the dump's, otherwise the whole root. For a keyboard it is the
    area of the keys, because the root may be far larger, and the rest of it belongs to the app."""
    if window.bounds is not None:
        return window.bounds
    keys = [
        node.bounds
        for node in _nodes(window.root)
        if (node.attributes.get("clickable") == "true" or _says(node))
        and node.bounds[0] < node.bounds[2]
        and node.bounds[1] < node.bounds[3]
    ]
    if window.type != "INPUT_METHOD" or not keys:
        return window.root.bounds
    left, top, right, bottom = zip(*keys, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _says(node: DumpNode) -> bool:
    return bool(node.attributes.get("text") or node.attributes.get("content-desc"))


def _nodes(node: DumpNode) -> Iterator[DumpNode]:
    yield node
    for child in node.children:
        yield from _nodes(child)


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
    """A captured screen fills the whole display, and hides the phone's own bars."""

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
        """Return the windows, top first; the lowest covers the whole screen, regardless of its
        root."""
        if self._others is None:
            self._others = [
                (window, self._open(window))
                for window in self.captured.dump.windows
                if window is not self.captured.main
            ]
        opened = {id(window): shown for window, shown in self._others}
        assert self.window is not None
        opened[id(self.captured.main)] = self.window
        # The package in the dump, even if the app was renamed to avoid a conflict.
        self.window.package = _package(self.captured.main) or self.app.package
        self.window.type = self.captured.main.type or self.window.type
        shown = [opened[id(window)] for window in self.captured.dump.windows]
        for window, dumped in zip(shown, self.captured.dump.windows, strict=True):
            place = dumped.bounds or dumped.root.bounds
            window.place(screen if window is shown[-1] else place, dp)
        return shown

    def _open(self, window: DumpWindow) -> Window:
        return self.world.screen.new_window(
            window.type or "APPLICATION",
            _package(window) or self.app.package,
            window.title or "",
            self._view(window),
        )

    def _view(self, window: DumpWindow) -> CapturedView:
        lowest = window is self.captured.dump.windows[-1]
        pictured = self.captured.picture is not None
        picture = self._draw if pictured and lowest else None
        return CapturedView(window.root, self._clicked, picture, pictured)

    def _draw(self, pen: Pen) -> None:
        """Draw the screenshot at the phone's screen size."""
        import io

        from PIL import Image

        assert self.captured.picture is not None
        with Image.open(io.BytesIO(self.captured.picture)) as image:
            screen = (0, 0, self.world.width, self.world.height)
            pen.picture(image.convert("RGB"), screen, screen)

    def _clicked(self, operation: str, view: CapturedView) -> None:
        from ..world import Event

        details = (
            self.captured.name,
            operation,
            view.class_name,
            view.name,
            view.words,
            view.place,
        )
        self.world.events.append(Event("captured", details))
        label = view.words or view.description or ""
        left, top, right, bottom = view.place
        words = f"{operation}: {view.class_name} {view.name or '-'} {label[:200]!r}"
        self.app.log("I", "Captured", f"{words} [{left},{top}][{right},{bottom}]")


def install_captured(world: "World", screens: list[Captured]) -> list[App]:
    """Make an app for each package. Its first screen is in front, and Back leads to the next."""
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
