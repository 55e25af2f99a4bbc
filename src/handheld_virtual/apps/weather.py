"""A weather forecast, generated from the place's name. Agents query it from a content provider."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from handheld.app_formats.apk.manifest import Filter
from handheld.app_formats.tool_provider import MIME_TYPE, ToolFailed, ToolProvider

from ..packages.app import Activity, App
from ..packages.provider import Bundle, Provider
from ..views.drawing import theme
from ..views.layout import Column, Row, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Text
from ..views.widgets.field import Field
from ..views.widgets.parts import Toolbar

if TYPE_CHECKING:
    from ..world import World

AUTHORITY = "dev.handheld.weather.mcptool"
SKIES = ("Sunny", "Partly cloudy", "Cloudy", "Light rain", "Thunderstorm", "Fog")
MOST_DAYS = 7


@dataclass(frozen=True, slots=True)
class Day:
    date: str
    sky: str
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.date}: {self.sky}, {self.low} to {self.high} °C"


def forecast(world: "World", place: str, days: int) -> list[Day]:
    """The forecast, which depends only on the place and the day."""
    today = world.wall.now().date()
    found: list[Day] = []
    for ahead in range(days):
        day = (today + timedelta(days=ahead)).isoformat()
        noise = hashlib.sha256(f"{place.casefold()} {day}".encode()).digest()
        low = noise[1] % 20
        found.append(Day(day, SKIES[noise[0] % len(SKIES)], low, low + 3 + noise[2] % 10))
    return found


class ForecastScreen(Activity):
    name = ".MainActivity"

    def content(self) -> View:
        self.place = Field(
            "Lisbon", hint="City", id="location", width=MATCH, on_type=lambda _: self._fill()
        )
        self.now = Text("", id="now", size=32, align="center", width=MATCH)
        self.sky = Text("", id="sky", size=16, align="center", width=MATCH)
        self.days = Column(id="days", width=MATCH, gap=4)
        self._fill()
        return Column(
            Toolbar("Weather"),
            Scroll(
                Column(
                    self.place,
                    Column(
                        self.now,
                        self.sky,
                        gap=4,
                        padding=24,
                        width=MATCH,
                        radius=20,
                        background=theme.CARD,
                    ),
                    self.days,
                    gap=16,
                    padding=(20, 8, 20, 24),
                    width=MATCH,
                ),
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def _fill(self) -> None:
        place = self.place.content.strip()
        days = forecast(self.world, place, MOST_DAYS) if place else []
        self.now.text = f"{days[0].high} °C" if days else "—"
        self.sky.text = days[0].sky if days else "Enter a city"
        self.days.replace(*map(_row, days))


def _row(day: Day) -> View:
    return Row(
        Text(day.date, id="date", weight=1, width=0),
        Text(day.sky, id="day_sky", weight=1, width=0, color=theme.ON_SURFACE_DIM),
        Text(f"{day.low}° / {day.high}°", id="day_range", width=80, align="right"),
        width=MATCH,
        padding=(4, 8),
        content_gravity="center left",
    )


class ForecastProvider(Provider):
    filters = (Filter(("android.intent.action.VIEW",), mime_types=(MIME_TYPE,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        return self._tools().call(method, argument, extras)

    def _tools(self) -> ToolProvider:
        provider = ToolProvider()

        @provider.tool(
            "get_weather_forecast",
            "Gets weather forecast for a location",
            {
                "location": {"type": "string", "description": "City name or coordinates"},
                "days": {"type": "number", "description": "Number of days (1-7)"},
            },
            ["location"],
        )
        def _(arguments: Mapping[str, str]) -> str:
            place = arguments["location"].strip()
            try:
                days = int(arguments.get("days", "1"))  # strict, as Kotlin's toInt is
            except ValueError:
                raise ToolFailed("days is not a whole number") from None
            if not place:
                raise ToolFailed("Location required")
            if not 1 <= days <= MOST_DAYS:
                raise ToolFailed(f"days is from 1 to {MOST_DAYS}")
            lines = map(str, forecast(self.world, place, days))
            return "\n".join([f"Forecast for {place}:", *lines])

        return provider


class Weather(App):
    package, label = "dev.handheld.weather", "Weather"
    screens = (ForecastScreen,)
    providers: ClassVar[Mapping[str, type[Provider]]] = {AUTHORITY: ForecastProvider}
    icon, color = "sun", (50, 110, 200)
