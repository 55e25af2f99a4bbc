"""The lines of settings pages. They show preferences, and are updated when these change."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...views.drawing import theme
from ...views.layout import Column, Row
from ...views.view import MATCH, View
from ...views.widgets.basic import Switch, Text
from ...views.widgets.seek_bar import SeekBar

if TYPE_CHECKING:
    from ...world import World

TextSource = Callable[[], str]


class SettingLine(Row):
    """A title with a summary; `update` refreshes the summary."""

    __slots__ = ("_summary_source", "summary")

    def __init__(
        self,
        title: str,
        summary: TextSource | str,
        *ends: View,
        on_click: Callable[[], object] | None = None,
        strong: bool = False,
        id: str | None = None,
    ) -> None:
        self._summary_source = summary
        words = summary if isinstance(summary, str) else summary()
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
        words = (
            self._summary_source
            if isinstance(self._summary_source, str)
            else self._summary_source()
        )
        self.summary.text = words
        self.summary.shown = bool(words)


class SwitchLine(SettingLine):
    """A line whose whole area toggles the switch."""

    __slots__ = ("_read", "switch")

    def __init__(
        self,
        title: str,
        read: Callable[[], bool],
        turn: Callable[[bool], object],
        summary: TextSource | str | None = None,
        strong: bool = False,
    ) -> None:
        self._read = read
        self.switch = Switch(checked=read(), id="android:id/switch_widget", clickable=False)
        super().__init__(
            title,
            (lambda: "On" if read() else "Off") if summary is None else summary,
            self.switch,
            on_click=lambda: turn(not read()),
            strong=strong,
            id="main_switch_bar" if strong else None,
        )

    def update(self) -> None:
        super().update()
        self.switch.checked = self._read()


class SliderLine(Column):
    """A slider for a number of the `system` table."""

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
    """Make a switch for a preference; any value other than `off` counts as on."""
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
