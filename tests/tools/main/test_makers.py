"""What differs on phones of some makers, and what tools say of it, with the helper and without."""

import pytest

from handheld.driver import Restless
from handheld.driver.by_shell.screen import KILLED
from handheld.errors import ActionFailed, PermissionDenied
from harness.starting_apps import CALCULATOR

from .conftest import Bench
from .test_text import form, refused, reply_text

ABORTED = (
    "Android aborted the start (code 102): a rule of the phone's vendor keeps adb from opening it."
    " Open it as a person does, by its icon or from within an app. Nothing was done."
)


async def test_dumps_that_the_phone_kills_are_told_as_that(bench: Bench) -> None:
    """OPPO with Android 16."""
    bench.device.faults.set("kill-dumps")
    assert "Settings" in await bench.call("get_screen_state")
    if bench.by == "helper":
        assert "Settings" in await bench.call("get_screen_state")
        return
    failure = await bench.failure("get_screen_state")
    assert (type(failure), failure.message) == (Restless, KILLED)
    text, _ = await bench.picture()
    assert "the elements could not be read" in text


@pytest.mark.by_shell
async def test_a_dump_that_is_killed_because_of_another_program_names_that(bench: Bench) -> None:
    bench.device.faults.set("kill-dumps=0")
    bench.world.automation.holder = "uiautomator2"
    failure = await bench.failure("get_screen_state")
    assert type(failure) is PermissionDenied
    assert failure.message.startswith("Another program on the phone holds UiAutomation")


@pytest.mark.by_shell
@pytest.mark.parametrize("api", [27], indirect=True)
async def test_before_android_9_nothing_tells_who_holds_uiautomation(bench: Bench) -> None:
    bench.device.faults.set("kill-dumps=0")
    assert type(await bench.failure("get_screen_state")) is PermissionDenied


async def test_a_screen_is_read_by_a_dump_that_fails_after_its_file(bench: Bench) -> None:
    """MIUI."""
    bench.device.faults.set("fail-dumps")
    for _ in range(2):
        assert "Settings" in await bench.call("get_screen_state")


async def test_a_phone_that_keeps_uiautomation_is_read_and_let_go_of(bench: Bench) -> None:
    """vivo: UiAutomation is free once the program that had it has ended."""
    bench.device.faults.set("keep-automation")
    for _ in range(2):
        assert "Settings" in await bench.call("get_screen_state")
        assert await bench.passing(bench.phone.driver.release()) is (bench.by == "helper")
        assert bench.world.automation.holder is None


async def test_a_start_that_the_maker_aborts_says_what_to_do(bench: Bench) -> None:
    """MIUI."""
    bench.device.faults.set("deny-activities")
    front = bench.world.front
    assert await refused(bench, "open_app", package_id=CALCULATOR) == (ActionFailed, ABORTED)
    opened = {"action": "android.settings.SETTINGS", "type": "activity"}
    assert await refused(bench, "send_intent", **opened) == (ActionFailed, ABORTED)
    assert bench.world.front is front
    logged = await bench.call("get_device_logs", tag="ActivityStarterImpl")
    assert "MIUILOG- Permission Denied Activity" in logged


async def test_a_lock_that_stays_is_told(bench: Bench) -> None:
    """One UI: Handheld never unlocks, so that nothing depends on it."""
    bench.world.keyguard.lock()
    bench.device.faults.set("keep-keyguard")
    failure = await bench.failure("open_app", package_id=CALCULATOR)
    assert (type(failure), failure.message) == (
        PermissionDenied,
        "The phone is locked: unlock it and try again. Nothing was done.",
    )


async def test_notifications_need_no_command_for_do_not_disturb(bench: Bench) -> None:
    """One UI."""
    bench.device.faults.set("no-dnd-command")
    assert "notifications" in await bench.call("notification_list")


async def test_text_that_the_keyboard_keeps_is_not_told_as_typed(bench: Bench) -> None:
    """Gboard, for handwriting: it gets keys only, not what accessibility sets."""
    bench.device.faults.set("handwriting")
    named, fields = await form(bench)
    name, password = named["name"], named["password"]
    if bench.by == "helper":
        await reply_text(bench, "type_append_text", element_id=name, text="Ada")
        assert fields["name"].content == "Ada"
        name, text = password, "secret"
    else:
        text = "Ada"
    failure, message = await refused(bench, "type_append_text", element_id=name, text=text)
    assert failure is ActionFailed
    assert "the keyboard may have kept the keys, as for handwriting" in message
    assert fields["password"].content == ""


async def test_windows_on_a_second_display_are_named_and_not_read(bench: Bench) -> None:
    bench.world.show(CALCULATOR)
    assert "plus" in await bench.call("get_screen_state")
    bench.device.faults.set(f"second-display={CALCULATOR}")
    text = await bench.call("get_screen_state")
    assert "plus" not in text
    assert "display 2 shows windows, too: Handheld reads and touches only the phone's own" in text
    bench.device.faults.clear()
    text = await bench.call("get_screen_state")
    assert "plus" in text
    assert "display 2" not in text


async def test_a_screen_with_all_windows_on_another_display_is_refused(bench: Bench) -> None:
    bench.device.faults.set("second-display")
    assert await refused(bench, "get_screen_state") == (
        ActionFailed,
        "All windows are on display 2. Handheld reads, captures and touches only the phone's own"
        " display: move the app there, or disconnect the other display.",
    )


async def test_what_shows_on_a_second_display_takes_no_touch(bench: Bench) -> None:
    """It has coordinates of its own, and a touch is meant for the phone's own display."""
    world = bench.world
    world.show(CALCULATOR)

    def shown() -> list[str | None]:
        return [node.text for window in world.automation.read_windows() for node in window.nodes]

    nodes = (node for window in world.automation.read_windows() for node in window.nodes)
    left, top, right, bottom = next(node.bounds for node in nodes if node.text == "7")
    before = shown()
    bench.device.faults.set(f"second-display={CALCULATOR}")
    await bench.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    bench.device.faults.clear()
    assert shown() == before
    await bench.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    assert shown() != before


async def test_a_picture_is_of_the_display_that_is_read(bench: Bench) -> None:
    bench.world.show(CALCULATOR)
    bench.device.faults.set(f"second-display={CALCULATOR}")
    text, _ = await bench.picture()
    assert "display 2 shows windows, too: Handheld reads and touches only the phone's own" in text
    bench.device.faults.set("second-display")
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert failure.message.startswith("All windows are on display 2. Handheld reads, captures and")


def elsewhere(bench: Bench) -> list[str]:
    return [event.kind for event in bench.world.events if event.kind.endswith(" elsewhere")]


async def test_keys_go_to_the_display_that_is_read(bench: Bench) -> None:
    """Where another one has the focus: a password above all, which goes by keys."""
    name = "password" if bench.by == "helper" else "name"
    ids, fields = await form(bench)
    if bench.by == "shell":
        # Without a tap, which would bring the focus back.
        fields[name].take_focus()
        ids = {row[4].rpartition("/")[2]: row[0] for row in await bench.rows()}
    bench.device.faults.set("second-focus")
    await reply_text(bench, "type_append_text", element_id=ids[name], text="secret")
    assert (fields[name].content, elsewhere(bench)) == ("secret", [])


@pytest.mark.parametrize("key", ["BACK", "HOME"])
async def test_buttons_go_to_the_display_that_is_read(bench: Bench, key: str) -> None:
    bench.world.show(CALCULATOR)
    bench.device.faults.set("second-focus")
    await bench.call("press_key", key=key)
    assert bench.world.front.app.package != CALCULATOR


async def test_a_key_for_the_field_with_the_focus_is_refused_where_that_is_elsewhere(
    bench: Bench,
) -> None:
    ids, fields = await form(bench)
    await reply_text(bench, "type_append_text", element_id=ids["name"], text="Ada")
    bench.device.faults.set("second-focus")
    assert await refused(bench, "press_key", key="DEL") == (
        ActionFailed,
        "DEL key action failed: The focus is on display 2: Handheld presses keys only in fields of"
        " the phone's own display. Tap the field first.",
    )
    assert (fields["name"].content, elsewhere(bench)) == ("Ada", [])


@pytest.mark.by_shell
@pytest.mark.parametrize("api", [28], indirect=True)
async def test_before_android_10_keys_go_to_the_display_with_the_focus(bench: Bench) -> None:
    bench.world.show(CALCULATOR)
    bench.device.faults.set("second-focus")
    await bench.call("press_key", key="BACK")
    assert bench.world.front.app.package == CALCULATOR
