"""A daily time clock that also declares its functions as app tools (Mobile MCP)."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from handheld.app_formats.mobile_mcp import (
    CapabilityFailed,
    CapabilityService,
    Outcome,
    parse_descriptor,
)

from ..packages.app import Activity, App
from ..packages.service import Start, ToolService
from ..views.drawing import theme
from ..views.layout import Column, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, Text
from ..views.widgets.parts import Toolbar

if TYPE_CHECKING:
    from ..world import World

DESCRIPTOR = """<?xml version="1.0" encoding="utf-8"?>
<mobile-mcp-capabilities>
  <capability id="clock_in_today" description="Clock in today." version="1" />
  <capability id="query_clock_in" version="1"
      description="Query whether a specific date has been clocked in.">
    <input>
      <param name="date" type="string" required="true"
          description="Date to query in format yyyy-MM-dd" />
    </input>
    <output>
      <param name="date" type="string" description="The queried date" />
      <param name="has_clocked_in" type="boolean"
          description="Whether the date has been clocked in" />
    </output>
  </capability>
  <capability id="make_up_clock_in" version="1"
      description="Make up a clock-in for a specific date.">
    <input>
      <param name="date" type="string" required="true"
          description="Date to make up clock-in in format yyyy-MM-dd" />
    </input>
    <output>
      <param name="date" type="string" description="The date that was clocked in" />
      <param name="success" type="boolean"
          description="Whether the make-up clock-in was successful" />
    </output>
  </capability>
</mobile-mcp-capabilities>
"""


class ClockScreen(Activity):
    name = ".MainActivity"

    def content(self) -> View:
        self.state = Text("", id="today_status", size=22, align="center", width=MATCH)
        self.streak = Text(
            "", id="streak", size=14, align="center", width=MATCH, color=theme.ON_SURFACE_DIM
        )
        self.button = Button(
            "Clock in", self._punch, id="clock_in", width=MATCH, height=56, size=18
        )
        self.records = Column(id="records", width=MATCH, gap=8)
        self.fill()
        return Column(
            Toolbar("Daily Clock-in"),
            Scroll(
                Column(
                    Column(
                        self.state,
                        self.streak,
                        gap=8,
                        padding=24,
                        width=MATCH,
                        radius=20,
                        background=theme.CARD,
                    ),
                    self.button,
                    Text("Clock-in Record:", face="Medium", id="records_title"),
                    self.records,
                    gap=20,
                    padding=(20, 8, 20, 24),
                    width=MATCH,
                ),
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def resumed(self) -> None:
        self.fill()

    def fill(self) -> None:
        clock = self._clock
        done = clock.today in clock.days
        self.state.text = "Clocked in today" if done else "Not clocked in today"
        self.streak.text = f"Consecutive clock-ins: {clock.streak} days"
        self.button.enabled = not done
        rows = [
            Text(day.isoformat(), id="record", width=MATCH, padding=(4, 4))
            for day in sorted(clock.days, reverse=True)
        ]
        self.records.replace(*(rows or [Text("None yet", id="none", color=theme.ON_SURFACE_DIM)]))

    @property
    def _clock(self) -> "ClockIn":
        assert isinstance(self.app, ClockIn)
        return self.app

    def _punch(self) -> None:
        self._clock.punch(self._clock.today)


class CommandGatewayService(ToolService):
    """A tool service that uses only the flat form, as the first app with app tools did."""

    name = ".CommandGatewayService"
    tool_name = "Daily Clock-in"
    tool_description = (
        "An application for daily clocking in and managing records. You can perform clock-ins, "
        "view clock-in records, and make up for missed clock-ins."
    )
    descriptor = DESCRIPTOR

    def start(self, start: Start) -> None:
        def reply(extras: Mapping[str, str]) -> None:
            if start.callback is not None:
                start.callback({"response": extras["response"]})

        super().start(Start({"request": start.extras.get("request", "")}, reply))

    def offer(self) -> CapabilityService:
        clock = self.app
        assert isinstance(clock, ClockIn)
        service = CapabilityService(parse_descriptor(DESCRIPTOR))

        @service.capability("clock_in_today")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            clock.punch(clock.today)
            return Outcome(None, "Clock in successfully!")

        @service.capability("query_clock_in")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            done = _day(arguments) in clock.days
            result = {"date": arguments["date"], "has_clocked_in": done}
            return Outcome(result, "Has clocked in." if done else "Hasn't clocked in.")

        @service.capability("make_up_clock_in")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            day = _day(arguments)
            if day > clock.today:
                raise CapabilityFailed(f"{day} has not come yet.")
            clock.punch(day)
            result = {"date": arguments["date"], "success": True}
            return Outcome(result, f"Make up clock-in successful for {day}")

        return service


class ClockIn(App):
    package, label = "com.example.mcpdemo", "Daily Clock-in"
    screens = (ClockScreen,)
    services = (CommandGatewayService,)
    icon, color = "clock", (20, 120, 140)

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self.days: set[date] = set()

    @property
    def today(self) -> date:
        return self.world.wall.now().date()

    @property
    def streak(self) -> int:
        """Return the number of consecutive days up to today, or up to yesterday if there is no
        clock-in for today."""
        day = self.today if self.today in self.days else self.today - timedelta(days=1)
        count = 0
        while day in self.days:
            count, day = count + 1, day - timedelta(days=1)
        return count

    def punch(self, day: date) -> None:
        self.days.add(day)
        front = self.world.front
        if isinstance(front, ClockScreen):
            front.fill()


def _day(arguments: Mapping[str, Any]) -> date:
    text = arguments["date"]
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise CapabilityFailed(f"{text!r} is not a date in format yyyy-MM-dd.")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CapabilityFailed(f"The day {text} does not exist.") from None
