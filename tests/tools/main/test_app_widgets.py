"""The tools on Android's other widgets: spinners, pickers, tabs, web pages, system dialogs."""

import pytest

from handheld_virtual.apps.browser import LOAD_MS
from handheld_virtual.apps.widgets import REFRESH_MS, SLOW_MS

from .conftest import Bench

WIDGETS = "dev.handheld.widgets"
BROWSER = "com.android.browser"
CRASH_TEST = "dev.handheld.crashtest"


async def find(bench: Bench, *, text: str = "-", desc: str = "-", id: str = "") -> list[str]:
    """The columns of the first element with that text, description, or end of its id."""
    for row in await bench.rows():
        if (text != "-" and row[2] == text) or (desc != "-" and row[3] == desc):
            return row
        if id and row[4].rpartition("/")[2] == id:
            return row
    raise AssertionError(f"{text} {desc} {id} is not on the screen")


async def click(bench: Bench, **which: str) -> None:
    await bench.call("click_element", element_id=(await find(bench, **which))[0])


async def tap(bench: Bench, **which: str) -> None:
    """For what is not clickable itself, or not marked so, as numbers of a clock face."""
    left, top, right, bottom = map(int, (await find(bench, **which))[5].split(","))
    await bench.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)


async def said(bench: Bench) -> str:
    return (await find(bench, id="said"))[2]


def show(bench: Bench, page: str) -> None:
    bench.world.start(WIDGETS, page)


async def test_a_spinner_opens_a_list_and_takes_a_line(bench: Bench) -> None:
    show(bench, ".Choices")
    spinner = await find(bench, id="fruit")
    assert spinner[1] == "Spinner"
    assert "clk" in spinner[6]
    await bench.call("click_element", element_id=spinner[0])
    assert "Popup Window" in await bench.call("get_screen_state")
    line = await find(bench, text="Cherry")
    assert line[1] == "CheckedTextView"
    await bench.call("click_element", element_id=line[0])
    assert await said(bench) == "Fruit: Cherry"
    assert "Popup Window" not in await bench.call("get_screen_state")


async def test_back_closes_the_list_of_a_spinner(bench: Bench) -> None:
    show(bench, ".Choices")
    await click(bench, id="fruit")
    await bench.call("press_back")
    assert await said(bench) == "Nothing chosen yet"
    assert bench.world.front.dialogs == []


async def test_a_touch_elsewhere_closes_the_list_of_a_spinner(bench: Bench) -> None:
    show(bench, ".Choices")
    await click(bench, id="fruit")
    await bench.call("tap", x=540, y=2200)
    assert bench.world.front.dialogs == []
    assert await said(bench) == "Nothing chosen yet"


async def test_a_radio_button_unchecks_the_others(bench: Bench) -> None:
    show(bench, ".Choices")
    await click(bench, text="Large")
    assert await said(bench) == "Size: Large"
    assert await checked(bench) == ["Large"]


async def checked(bench: Bench) -> list[str]:
    """The texts of the radio buttons that are checked, in the phone's world."""
    windows = bench.world.automation.read_windows()
    nodes = [node for window in windows for node in window.nodes]
    return [
        node.text or ""
        for node in nodes
        if node.flags & 256 and (node.class_name or "").endswith("RadioButton")
    ]


async def test_a_tap_sets_a_slider_to_that_place(bench: Bench) -> None:
    show(bench, ".Slider")
    slider = await find(bench, id="volume")
    assert (slider[1], slider[3]) == ("SeekBar", "Volume, 30%")
    await tap(bench, id="volume")
    assert await said(bench) == "Volume: 50"
    assert (await find(bench, id="volume"))[3] == "Volume, 50%"


async def test_a_date_is_picked_from_the_calendar(bench: Bench) -> None:
    show(bench, ".Pickers")
    await click(bench, id="pick_date")
    assert (await find(bench, id="date_picker_header_date"))[2] == "Wed, Feb 11"
    await tap(bench, desc="Next month")
    await click(bench, desc="17 March 2026")
    assert (await find(bench, id="date_picker_header_date"))[2] == "Tue, Mar 17"
    await click(bench, text="OK")
    assert await said(bench) == "Date: 2026-03-17"


async def test_a_year_is_picked_from_the_list(bench: Bench) -> None:
    show(bench, ".Pickers")
    await click(bench, id="pick_date")
    await click(bench, id="date_picker_header_year")
    await click(bench, text="2024")
    await click(bench, text="OK")
    assert await said(bench) == "Date: 2024-02-11"


async def test_cancel_keeps_the_date(bench: Bench) -> None:
    show(bench, ".Pickers")
    await click(bench, id="pick_date")
    await click(bench, desc="17 February 2026")
    await click(bench, text="Cancel")
    assert await said(bench) == "Nothing chosen yet"


async def test_a_time_is_picked_on_the_clock_face(bench: Bench) -> None:
    show(bench, ".Pickers")
    await click(bench, id="pick_time")
    await tap(bench, desc="4")
    await tap(bench, desc="25")
    await click(bench, text="PM")
    await click(bench, text="OK")
    assert await said(bench) == "Time: 16:25"


async def test_a_time_is_typed(bench: Bench) -> None:
    show(bench, ".Pickers")
    await click(bench, id="pick_time")
    await click(bench, desc="Switch to text input mode for the time input.")
    hour = await find(bench, id="input_hour")
    await bench.passing(bench.call("type_clear_text", element_id=hour[0]))
    await bench.passing(bench.call("type_append_text", element_id=hour[0], text="7"))
    await click(bench, text="OK")
    assert await said(bench) == "Time: 07:41"


async def test_a_tab_shows_its_page(bench: Bench) -> None:
    show(bench, ".Tabs")
    assert (await find(bench, id="page_text"))[2] == "This is the page of songs."
    tab = await find(bench, desc="Albums")
    assert tab[1] == "Tab"
    await bench.call("click_element", element_id=tab[0])
    assert (await find(bench, id="page_text"))[2] == "This is the page of albums."


async def test_pulling_a_list_down_at_its_top_refreshes_it(bench: Bench) -> None:
    show(bench, ".Refresh")
    await bench.passing(bench.call("swipe", x1=540, y1=600, x2=540, y2=1500, duration=500))
    await bench.clock.advance(REFRESH_MS)
    assert (await find(bench, text="Item 1, version 1"))[1] == "TextView"


@pytest.mark.matrix
async def test_pulling_a_scrolled_list_down_only_scrolls_it(bench: Bench) -> None:
    show(bench, ".Refresh")
    await bench.passing(bench.call("swipe", x1=540, y1=2000, x2=540, y2=800, duration=2000))
    await bench.passing(bench.call("swipe", x1=540, y1=800, x2=540, y2=1200, duration=2000))
    await bench.clock.advance(REFRESH_MS)
    assert not any("version 1" in row[2] for row in await bench.rows())


async def test_a_page_that_loads_slowly_is_waited_for(bench: Bench) -> None:
    show(bench, ".Slow")
    assert (await find(bench, desc="Loading…"))[1] == "ProgressBar"
    waiting = bench.call("wait_for_element", by="text", value="The page is loaded", timeout=20_000)
    reply = await bench.passing(waiting)
    assert '"found":true' in reply
    assert bench.clock.now() >= SLOW_MS


async def test_a_toast_is_in_the_picture_and_in_no_tree(bench: Bench) -> None:
    show(bench, ".Messages")
    before = bench.world.picture()
    await click(bench, id="show_toast")
    assert bench.world.toasts.text == "The toast is ready"
    assert "The toast is ready" not in await bench.call("get_screen_state")
    with_toast = bench.world.picture()
    box = (300, 2000, 780, 2160)
    assert with_toast.crop(box).tobytes() != before.crop(box).tobytes()
    await bench.clock.advance(2000)
    bench.world.settle()
    assert bench.world.toasts.text is None


@pytest.mark.parametrize(
    ("app", "activity"),
    [("Notes", ".NoteEditor"), ("Messages", ".ui.conversation.NewConversationActivity")],
)
async def test_the_share_sheet_passes_a_text_on(bench: Bench, app: str, activity: str) -> None:
    show(bench, ".Messages")
    await click(bench, id="share_text")
    screen = await bench.call("get_screen_state")
    assert "pkg:com.android.intentresolver" in screen
    await tap(bench, text=app)
    assert bench.world.front.name == activity
    assert (await find(bench, text="A text from the widgets"))[1] == "EditText"


async def test_back_closes_the_share_sheet(bench: Bench) -> None:
    show(bench, ".Messages")
    await click(bench, id="share_text")
    await bench.call("press_back")
    assert bench.world.front.app.package == WIDGETS
    assert "intentresolver" not in await bench.call("get_screen_state")


async def test_a_timer_counts_down_by_the_phones_clock(bench: Bench) -> None:
    bench.world.show("com.android.deskclock")
    await click(bench, desc="Timer")
    assert (await find(bench, id="timer_time_text"))[1:3] == ["Chronometer", "01:00"]
    await click(bench, id="timer_start")
    await bench.clock.advance(20_000)
    bench.world.settle()
    shown = next(node for node in nodes(bench) if (node[0] or "").endswith("timer_time_text"))
    assert shown[1] == "00:40"
    await bench.clock.advance(40_000)
    bench.world.settle()
    assert [posted.title for posted in bench.world.notifications.posted] == ["Time’s up"]


def nodes(bench: Bench) -> list[tuple[str | None, str | None]]:
    windows = bench.world.automation.read_windows()
    return [(node.resource_id, node.text) for window in windows for node in window.nodes]


async def load(bench: Bench) -> None:
    bench.world.settle()
    await bench.clock.advance(LOAD_MS)


async def test_a_web_page_is_read_and_its_form_is_filled_in(bench: Bench) -> None:
    bench.world.show(BROWSER)
    await load(bench)
    link = await find(bench, text="Newsletter")
    assert (link[1], link[4]) == ("View", "newsletter")
    await bench.call("click_element", element_id=link[0])
    await load(bench)
    email = await find(bench, id="email")
    assert email[1] == "EditText"
    await bench.passing(bench.call("type_append_text", element_id=email[0], text="ada@example.com"))
    await click(bench, text="Only on Sundays")
    await click(bench, text="Subscribe")
    assert (await find(bench, id="answer"))[2] == "ada@example.com gets it on Sundays"


async def test_a_page_that_is_not_there_is_said_to_be_unavailable(bench: Bench) -> None:
    bench.world.start(BROWSER, ".BrowserActivity", {"data": "https://nothing.example/"})
    await load(bench)
    assert (await find(bench, text="Webpage not available"))[1] in ("TextView", "WebView")


async def test_back_leads_to_the_page_before(bench: Bench) -> None:
    bench.world.show(BROWSER)
    await load(bench)
    await click(bench, text="Library lends tools")
    await load(bench)
    assert (await find(bench, id="headline"))[2] == "Library lends tools"
    await bench.call("press_back")
    await load(bench)
    assert (await find(bench, id="top"))[2] == "News of the day"


async def test_the_dialog_of_an_app_that_keeps_stopping_is_answered(bench: Bench) -> None:
    for _ in range(2):
        bench.world.show(CRASH_TEST)
        await click(bench, id="crash")
    assert (await find(bench, id="alertTitle"))[2] == "Crash test keeps stopping"
    await click(bench, text="Close app")
    assert "Crash test keeps stopping" not in await bench.call("get_screen_state")
    logs = await bench.call("get_device_logs", level="E", tag="AndroidRuntime")
    assert "FATAL EXCEPTION: main" in logs
    assert "java.lang.IllegalStateException: Crash test" in logs


async def test_the_dialog_of_an_app_that_hangs_is_answered(bench: Bench) -> None:
    bench.world.show(CRASH_TEST)
    await click(bench, id="hang")
    await bench.call("tap", x=540, y=1800)
    await bench.clock.advance(5000)
    title = await bench.passing(find(bench, id="alertTitle"))
    assert title[2] == "Crash test isn't responding"
    await bench.passing(click(bench, text="Close app"))
    assert bench.world.running.pids(CRASH_TEST) == []


async def test_an_error_of_an_app_is_in_the_log(bench: Bench) -> None:
    bench.world.show(CRASH_TEST)
    await click(bench, id="log_error")
    logs = await bench.call("get_device_logs", level="E", tag="CrashTest")
    assert "java.io.FileNotFoundException" in logs


@pytest.mark.by_helper("a dump of Android 14 does not tell the hint of a password from its text")
async def test_the_login_form_names_an_account(bench: Bench) -> None:
    bench.world.show("dev.handheld.login")
    words = (await find(bench, id="demo_account"))[2]
    user, password = words.removeprefix("Demo account: ").split(", password ")
    for id, text in (("username", user), ("password", password)):
        field = await find(bench, id=id)
        await bench.passing(bench.call("type_append_text", element_id=field[0], text=text))
    await click(bench, text="Sign in")
    assert (await find(bench, id="greeting"))[2] == "Hello, Ada"
