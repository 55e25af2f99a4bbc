"""A clock with an alarm, a timer and a stopwatch."""

from datetime import date, time
from typing import TYPE_CHECKING

from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.layout import Column, Frame, Row
from ..views.options import Action
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, Switch
from ..views.widgets.choices import Spinner, Tabs
from ..views.widgets.live import Chronometer
from ..views.widgets.parts import ListRow, Toolbar

if TYPE_CHECKING:
    from ..world import World

MINUTES = (1, 3, 5, 10, 30)


class ClockScreen(Activity):
    name = ".DeskClock"

    def content(self) -> View:
        assert isinstance(self.app, Clock)
        self.alarm = ListRow(
            _shown(self.app.alarm),
            _day(self.app.day),
            after=Switch(
                checked=self.app.on, on_change=self._turn, id="alarm_switch", description="Alarm"
            ),
            title_id="digital_clock",
            summary_id="days_of_week",
        )
        self.alarm.title.size = 40
        alarms = Column(
            self.alarm,
            Row(
                Button("Set time", self._pick_time, id="set_time"),
                Button("Set date", self._pick_date, id="set_date"),
                gap=12,
                padding=(16, 8),
            ),
            width=MATCH,
        )
        tabs = Tabs(
            ("Alarm", "Timer", "Stopwatch"),
            pages := (alarms, self._timer(), self._stopwatch()),
            id="tab_layout",
        )
        return Column(
            Toolbar("Clock"),
            tabs,
            Frame(*pages, width=MATCH, height=0, weight=1, padding=(0, 16)),
        )

    # Alarm

    def _turn(self, on: bool) -> None:
        assert isinstance(self.app, Clock)
        self.app.on = on

    def _pick_time(self) -> None:
        assert isinstance(self.app, Clock)
        self.pick_time(self.app.alarm, self._set_time)

    def _set_time(self, chosen: time) -> None:
        assert isinstance(self.app, Clock)
        self.app.alarm = chosen
        self.alarm.title.text = _shown(chosen)
        self.toast(f"Alarm set for {_shown(chosen)}")

    def _pick_date(self) -> None:
        assert isinstance(self.app, Clock)
        self.pick_date(self.app.day, self._set_day)

    def _set_day(self, chosen: date) -> None:
        assert isinstance(self.app, Clock)
        self.app.day = chosen
        self.alarm.summary.text = _day(chosen)

    # Timer and stopwatch

    def _timer(self) -> View:
        self.length = Spinner(
            self,
            [f"{minutes} min" for minutes in MINUTES],
            0,
            lambda _: self._reset_timer(),
            id="timer_length",
            width=200,
            gravity="center",
        )
        self.timer = Chronometer(
            self, MINUTES[0] * 60_000, self._rang, id="timer_time_text", size=64, gravity="center"
        )
        self.timer_button = Button("Start", self._run_timer, id="timer_start")
        return Column(
            self.length,
            self.timer,
            Row(
                self.timer_button,
                _second("Reset", self._reset_timer, "timer_reset"),
                gap=12,
                gravity="center",
            ),
            gap=24,
            width=MATCH,
        )

    def _run_timer(self) -> None:
        _run(self.timer, self.timer_button)

    def _reset_timer(self) -> None:
        self.timer.reset(MINUTES[self.length.chosen] * 60_000)
        self.timer_button.text = "Start"

    def _rang(self) -> None:
        self._reset_timer()
        self.world.notify(self.app.package, "Time’s up", self.length.choices[self.length.chosen])

    def _stopwatch(self) -> View:
        self.watch = Chronometer(self, id="stopwatch_time_text", size=64, gravity="center")
        self.watch_button = Button(
            "Start", lambda: _run(self.watch, self.watch_button), id="stopwatch_start"
        )
        return Column(
            self.watch,
            Row(
                self.watch_button,
                _second("Reset", self._reset_watch, "stopwatch_reset"),
                gap=12,
                gravity="center",
            ),
            gap=24,
            width=MATCH,
        )

    def _reset_watch(self) -> None:
        self.watch.reset()
        self.watch_button.text = "Start"


def _run(watch: Chronometer, button: Button) -> None:
    if watch.running:
        watch.stop()
    else:
        watch.start()
    button.text = "Pause" if watch.running else "Start"


def _second(words: str, action: Action, id: str) -> Button:
    return Button(
        words,
        action,
        id=id,
        background=theme.PRIMARY_CONTAINER,
        color=theme.ON_PRIMARY_CONTAINER,
    )


def _shown(then: time) -> str:
    return f"{then.hour % 12 or 12}:{then.minute:02d} {'PM' if then.hour >= 12 else 'AM'}"


def _day(day: date) -> str:
    return f"{day:%a, %b} {day.day}, {day.year}"


class Clock(App):
    package, label = "com.android.deskclock", "Clock"
    version, version_code, system = "14", 34, True
    screens = (ClockScreen,)
    icon, color = "clock", (60, 64, 67)

    alarm = time(7, 30)
    on = False

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self.day = world.wall.now().date()
