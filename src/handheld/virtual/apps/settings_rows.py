"""The lines of a page of settings. Each shows what the preferences say, and says it anew when they
change."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..views import theme
from ..views.layout import Column, Row
from ..views.seek_bar import SeekBar
from ..views.view import MATCH, View
from ..views.widgets import Switch, Text

if TYPE_CHECKING:
    from ..world import World

Told = Callable[[], str]


class Line(Row):
    """A title with what there is to say about it; `update` brings it up to date."""

    __slots__ = ("_say", "summary")

    def __init__(
        self,
        title: str,
        say: Told | str,
        *ends: View,
        on_click: Callable[[], object] | None = None,
        strong: bool = False,
        id: str | None = None,
    ) -> None:
        self._say = say
        words = say if isinstance(say, str) else say()
        self.summary = Text(
            words, size=14, id="android:id/summary", color=theme.ON_SURFACE_DIM, shown=bool(words)
        )
        super().__init__(
            Column(
                Text(title, size=18, id="android:id/title", width=MATCH),
                self.summary,
                gap=2,
                weight=1,
                width=0,
            ),
            *ends,
            gap=16,
            content_gravity="center left",
            width=MATCH,
            on_click=on_click,
            id=id,
            margin=(16, 0) if strong else 0,
            padding=(20, 18) if strong else (24, 16),
            background=theme.PRIMARY_CONTAINER if strong else None,
            radius=28 if strong else 0,
        )

    def update(self) -> None:
        words = self._say if isinstance(self._say, str) else self._say()
        self.summary.text = words
        self.summary.shown = bool(words)


class SwitchLine(Line):
    """The whole line is the switch's handle."""

    __slots__ = ("_read", "switch")

    def __init__(
        self,
        title: str,
        read: Callable[[], bool],
        turn: Callable[[bool], object],
        say: Told | str | None = None,
        strong: bool = False,
    ) -> None:
        self._read = read
        self.switch = Switch(checked=read(), id="android:id/switch_widget", clickable=False)
        super().__init__(
            title,
            (lambda: "On" if read() else "Off") if say is None else say,
            self.switch,
            on_click=lambda: turn(not read()),
            strong=strong,
            id="main_switch_bar" if strong else None,
        )

    def update(self) -> None:
        super().update()
        self.switch.checked = self._read()


class SliderLine(Column):
    """A number of the `system` table."""

    __slots__ = ("_name", "_world", "bar")

    def __init__(self, world: "World", title: str, name: str, most: int, least: int = 0) -> None:
        self._world, self._name = world, name
        value = world.preferences.number("system", name, least)
        self.bar = SeekBar(
            value,
            most,
            lambda value: world.preferences.put("system", name, str(value)),
            least=least,
            width=MATCH,
            id="android:id/seekbar",
            description=title,
        )
        super().__init__(
            Text(title, size=18, id="android:id/title", padding=(24, 0)),
            self.bar,
            gap=2,
            width=MATCH,
            padding=(0, 14, 0, 6),
        )
        self.bar.margin = (14, 0, 14, 0)

    def update(self) -> None:
        self.bar.value = self._world.preferences.number("system", self._name, self.bar.least)


def kept_switch(
    world: "World", title: str, table: str, name: str, on: str = "1", off: str = "0"
) -> SwitchLine:
    """A switch for one preference; any value but `off` counts as on."""
    preferences = world.preferences
    return SwitchLine(
        title,
        lambda: (preferences.get(table, name) or off) != off,
        lambda value: preferences.put(table, name, on if value else off),
    )


def note(words: str) -> Text:
    return Text(words, size=14, color=theme.ON_SURFACE_DIM, padding=(24, 20), id="footer")


def heading(words: str) -> View:
    return Text(words, size=14, face="Medium", color=theme.PRIMARY, padding=(24, 16, 24, 4))
