"""The widgets as an accessibility service sees them. Classes, ids and flags are those of Android's
DatePicker, TimePicker, RadioGroup and Spinner, run in a JVM (Android 9 and 14)."""

from collections.abc import Callable
from datetime import date

import pytest

from handheld.screen.model import Flag, Node
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.timers import Timer
from handheld_virtual.toolkit import (
    Activity,
    App,
    Chronometer,
    Column,
    DatePicker,
    ProgressBar,
    RadioGroup,
    SeekBar,
    Spinner,
    Switch,
    Tabs,
    Text,
    TimePicker,
    View,
    WebView,
    web,
)
from handheld_virtual.world import World
from testbed import show_scene

from .finger import Finger

ON = Flag.VISIBLE | Flag.ENABLED
SCROLLS_BOTH_WAYS = Flag.SCROLLABLE | Flag.SCROLLS_FORWARD | Flag.SCROLLS_BACKWARD
ACROSS = SCROLLS_BOTH_WAYS | Flag.SCROLLS_LEFT | Flag.SCROLLS_RIGHT
PRESSED = ON | Flag.CLICKABLE | Flag.FOCUSABLE
WIDGETS = "dev.handheld.widgets"
ANDROID = "android:id/"


class Shown(Activity):
    widget: View

    def content(self) -> View:
        return Column(self.make(), padding=16)

    def make(self) -> View:
        return Text("nothing")


def show(kind: type[Shown], api: int = 34) -> tuple[World, list[Node]]:
    """The nodes of the app's window from the widget on."""

    class OneApp(App):
        package, label = "org.example.one", "One"
        screens = (kind,)

    world = World(clock=ManualClock(), api=api)
    world.install(OneApp)
    world.bring("org.example.one")
    return world, nodes(world)


def nodes(world: World) -> list[Node]:
    [window] = [w for w in world.automation.read_windows() if w.package == "org.example.one"][:1]
    return window.nodes[3:]


def rows(found: list[Node]) -> list[tuple[str, str, int]]:
    return [
        (
            (node.class_name or "").rpartition(".")[2],
            (node.resource_id or "").removeprefix(ANDROID),
            node.flags,
        )
        for node in found
    ]


class Dated(Shown):
    def make(self) -> View:
        return DatePicker(date(2026, 2, 15))


def test_a_date_picker_is_built_like_androids() -> None:
    _, found = show(Dated)
    shell = [node for node in found if node.class_name != "android.view.View"]
    assert rows(shell) == [
        ("DatePicker", "", ON),
        ("LinearLayout", "", ON),
        ("LinearLayout", "date_picker_header", ON),
        ("LinearLayout", "", ON),
        ("TextView", "date_picker_header_year", PRESSED),
        ("TextView", "date_picker_header_date", PRESSED),
        ("ScrollView", "", ON | Flag.FOCUSABLE),
        ("ViewAnimator", "animator", ON),
        ("ViewGroup", "date_picker_day_picker", ON),
        ("ViewPager", "day_picker_view_pager", ON | Flag.FOCUSABLE | ACROSS),
        ("ImageButton", "prev", PRESSED),
        ("ImageButton", "next", PRESSED),
    ]
    months = [node for node in found if node.resource_id == "android:id/month_view"]
    assert [node.flags & Flag.VISIBLE for node in months] == [0, 1, 0]
    assert [n.text for n in shell if n.text] == ["2026", "Sun, Feb 15"]
    assert [n.description for n in shell if n.description] == ["Previous month", "Next month"]


@pytest.mark.parametrize(
    ("api", "chosen", "other"),
    [
        (28, ON | Flag.CHECKED, ON),
        (34, ON | Flag.CLICKABLE | Flag.CHECKED | Flag.SELECTED, ON | Flag.CLICKABLE),
    ],
)
def test_a_day_is_a_virtual_view(api: int, chosen: int, other: int) -> None:
    _, found = show(Dated, api)
    days = {node.description: node for node in found if node.description}
    assert days["15 February 2026"].flags == chosen
    assert days["16 February 2026"].flags == other
    assert days["16 February 2026"].text == "16"
    assert days["16 February 2026"].key.endswith(":16")
    assert sum("February" in words for words in days) == 28


def test_a_calendar_turns_by_a_swipe() -> None:
    world, found = show(Dated)
    pager = next(n for n in found if (n.resource_id or "").endswith("day_picker_view_pager"))
    assert world.automation.perform(pager.key, "scroll_forward")
    visible = [n.description or "" for n in nodes(world) if n.flags & Flag.VISIBLE and n.text]
    assert "31 March 2026" in visible


class Timed(Shown):
    def make(self) -> View:
        return TimePicker(self, self.world.wall.now().time())


def test_a_time_picker_is_built_like_androids() -> None:
    _, found = show(Timed)
    radio = PRESSED | Flag.CHECKABLE
    assert [row for row in rows(found) if row[1]] == [
        ("RelativeLayout", "time_header", ON),
        ("TextView", "hours", PRESSED),
        ("TextView", "separator", ON),
        ("TextView", "minutes", PRESSED),
        ("RadioGroup", "ampm_layout", ON | Flag.COLLECTION),
        ("RadioButton", "am_label", radio | Flag.CHECKED),
        ("RadioButton", "pm_label", radio),
        ("View", "radial_picker", ON),
        ("ImageButton", "toggle_mode", PRESSED),
    ]
    numbers = [n for n in found if (n.class_name or "").endswith("$RadialPickerTouchHelper")]
    assert [n.description for n in numbers] == [str(n) for n in range(1, 13)]
    assert [n.description for n in numbers if n.flags & Flag.SELECTED] == ["9"]
    assert not any(n.flags & Flag.CLICKABLE for n in numbers)


class Chosen(Shown):
    def make(self) -> View:
        return Column(
            Spinner(self, ("One", "Two"), id="spinner"),
            RadioGroup(("Red", "Green"), 0, id="group"),
        )


@pytest.mark.parametrize(("api", "collection"), [(28, 0), (34, Flag.COLLECTION)])
def test_spinner_and_radio_group_have_androids_flags(api: int, collection: int) -> None:
    world, found = show(Chosen, api)
    radio = PRESSED | Flag.CHECKABLE
    assert rows(found)[1:] == [
        ("Spinner", "org.example.one:id/spinner", PRESSED | Flag.LONG_CLICKABLE | Flag.SCROLLABLE),
        ("TextView", "text1", ON),
        ("RadioGroup", "org.example.one:id/group", ON | collection),
        ("RadioButton", "", radio | Flag.CHECKED),
        ("RadioButton", "", radio),
    ]
    assert found[2].text == "One"
    info = world.automation.info(found[4].key)
    assert info is not None
    assert info.place == (None if api == 28 else (0, 0, True))


class Tabbed(Shown):
    def make(self) -> View:
        return Tabs(("One", "Two"))


def test_tabs_are_those_of_a_tab_layout() -> None:
    world, found = show(Tabbed)
    tab = "androidx.appcompat.app.ActionBar.Tab"
    assert [node.class_name for node in found] == [
        "android.widget.HorizontalScrollView",
        "android.widget.LinearLayout",
        tab,
        "android.widget.TextView",
        tab,
        "android.widget.TextView",
    ]
    first, second = found[2], found[4]
    assert first.flags & (Flag.SELECTED | Flag.CLICKABLE) == Flag.SELECTED
    assert second.flags & (Flag.SELECTED | Flag.CLICKABLE) == Flag.CLICKABLE
    row, place = world.automation.info(found[0].key), world.automation.info(second.key)
    assert row is not None
    assert place is not None
    assert row.collection == (1, 2)
    assert place.place == (0, 1, False)


class Ranged(Shown):
    def make(self) -> View:
        return Column(
            SeekBar(3, 5, lambda _: None), ProgressBar(0.25), Switch(checked=True), width=300
        )


def test_ranges_states_and_actions_are_those_of_the_widget() -> None:
    world, (_, bar, progress, switch) = show(Ranged)
    info = [world.automation.info(node.key) for node in (bar, progress, switch)]
    assert [each and each.range for each in info] == [(0, 5, 3), (0, 10_000, 2500), None]
    assert [each and each.state for each in info] == ["60%", "25%", "ON"]
    assert info[0] is not None
    assert info[0].actions == ("focus", "scroll_forward", "scroll_backward")
    assert world.automation.info("9:9:9") is None


@pytest.mark.parametrize(
    ("api", "has"),
    [
        (27, {"error"}),
        (28, {"error", "pane", "heading"}),
        (30, {"error", "pane", "heading", "state"}),
        (36, {"error", "pane", "heading", "state", "partly"}),
    ],
)
def test_what_views_tell_is_what_the_release_has(api: int, has: set[str]) -> None:
    world = World(clock=ManualClock(), api=api)
    show_scene(world, "described")
    window = next(each for each in world.automation.read_windows() if each.focused)
    told = {
        name
        for each in window.details.values()
        for name in ("error", "pane", "state")
        if getattr(each, name)
    }
    flags = 0
    for each in window.nodes:
        flags |= each.flags
    told |= {"heading"} if flags & Flag.HEADING else set()
    told |= {"partly"} if flags & Flag.PARTLY_CHECKED else set()
    assert told == has


class Paged(Shown):
    def make(self) -> View:
        return WebView(
            "News",
            web.Heading("Top"),
            web.Link("More", lambda: None, id="more"),
            id="web",
        )


def test_a_web_page_has_virtual_views_with_html_ids() -> None:
    _, found = show(Paged)
    assert [(node.class_name, node.text, node.resource_id) for node in found] == [
        ("android.webkit.WebView", None, "org.example.one:id/web"),
        ("android.webkit.WebView", "News", None),
        ("android.view.View", None, None),
        ("android.widget.TextView", "Top", None),
        ("android.view.View", "More", "more"),
    ]
    assert all(not node.key.endswith(":-1") for node in found[1:])
    assert found[4].flags & Flag.CLICKABLE


class Running(Shown):
    def make(self) -> View:
        self.clock = Chronometer(self)
        return self.clock


async def test_a_chronometer_runs_by_the_phones_clock() -> None:
    world, _ = show(Running)
    clock, front = world.clock, world.front
    assert isinstance(clock, ManualClock)
    assert isinstance(front, Running)
    front.clock.start()
    seen = world.automation.seq
    await clock.advance(61_000)
    assert nodes(world)[0].text == "01:01"
    assert world.automation.seq > seen
    front.clock.stop()
    await clock.advance(5000)
    assert nodes(world)[0].text == "01:01"


async def test_a_chronometer_ticks_once_a_second_whenever_it_was_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, _ = show(Running)
    clock, front = world.clock, world.front
    assert isinstance(clock, ManualClock)
    assert isinstance(front, Running)
    started, after = 0, world.timers.after

    def count(ms: float, action: Callable[[], object]) -> Timer:
        nonlocal started
        started += 1
        assert started < 10, "it ticks again and again at the same moment"
        return after(ms, action)

    monkeypatch.setattr(world.timers, "after", count)
    await clock.advance(1000.1 - clock.now())  # in floats, 2000.1 - 1000.1 is less than 1000
    front.clock.start()
    for second in range(1, 6):
        await clock.advance(1000)
        assert nodes(world)[0].text == f"00:0{second}"


async def test_a_chronometer_that_nobody_sees_sends_no_events() -> None:
    world, _ = show(Running)
    clock, front = world.clock, world.front
    assert isinstance(clock, ManualClock)
    assert isinstance(front, Running)
    front.clock.start()
    world.press("home")
    await clock.advance(1000)
    seen = world.automation.seq
    await clock.advance(10_000)
    assert world.automation.seq == seen
    world.bring("org.example.one")
    assert nodes(world)[0].text == "00:11"


async def test_toasts_are_shown_one_after_the_other(world: World, clock: ManualClock) -> None:
    world.toasts.show(WIDGETS, "One")
    world.toasts.show(WIDGETS, "Two", long=True)
    texts = [world.toasts.text]
    for ms in (2000, 3499, 1):
        await clock.advance(ms)
        world.settle()
        texts.append(world.toasts.text)
    assert texts == ["One", "Two", "Two", None]


@pytest.mark.parametrize(("api", "package"), [(33, "android"), (34, "com.android.intentresolver")])
def test_the_share_sheet_belongs_to_the_package_of_the_release(api: int, package: str) -> None:
    world = World(clock=ManualClock(), api=api)
    world.start(WIDGETS, ".Messages")
    Finger(world).tap("share_text")
    assert world.foreground is not None
    assert world.foreground[0] == package
    assert {"Notes", "Messages"} <= set(Finger(world).texts())
