"""The shell driver on Android 9, 11 and 14, whose commands differ."""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable

import pytest
from PIL import Image

from handheld.adb.direct import DirectLink
from handheld.driver import (
    InputRefused,
    NodeSignature,
    NotActionable,
    Restless,
    Target,
    TargetMissing,
)
from handheld.driver.app_tools import AppFailed, AppProblem
from handheld.driver.apps import AppProcesses, InFront, Installed
from handheld.driver.by_shell.apps import BadPackages, read_launchable, read_listed
from handheld.driver.by_shell.driver import ShellDriver
from handheld.driver.by_shell.files import SCAN_SECONDS
from handheld.driver.by_shell.screen import NOTE, RESTLESS
from handheld.driver.by_shell.unsupported import NeedsHelper, Unsupported, refusal
from handheld.driver.text import TextSearch, Typing
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied
from handheld.phone.screen.elements import Elements
from handheld.screen.model import Bounds, Flag, Node, Screen
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.apps.notes.app import NoteEditor
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.manual_clock import ManualClock
from harness.phones import link_to
from harness.starting_apps import CALCULATOR, CONTROLLER, CameraApp, DoorApp
from testbed import show_scene

SETTINGS = "com.android.settings"


class Used:
    def __init__(self, device: VirtualPhone, link: DirectLink) -> None:
        self.device = device
        self.world = device.world
        self.driver = ShellDriver(link, why=lambda: "It is not there.")
        self.elements = Elements(self.driver)

    def touches(self) -> list[tuple[object, ...]]:
        return [event.details for event in self.world.events if event.kind == "touch"]

    async def find(self, text: str) -> Node:
        screen = await self.driver.read_screen()
        return next(node for node in nodes(screen) if text in (node.text, node.description))


def nodes(screen: Screen) -> list[Node]:
    return [node for window in screen.windows for node in window.nodes]


@pytest.fixture
def api() -> int:
    return 34


@pytest.fixture
async def used(api: int) -> AsyncIterator[Used]:
    async with VirtualPhone(api=api, other_user=10) as device, link_to(device) as link:
        yield Used(device, link)


every_android = pytest.mark.parametrize("api", [28, 30, 34])


@every_android
async def test_screen_is_read(used: Used, api: int) -> None:
    used.world.launch(SETTINGS)
    screen = await used.driver.read_screen()
    assert (screen.width, screen.height, screen.density) == (1080, 2400, 420)
    assert screen.foreground == (SETTINGS, f"{SETTINGS}.Settings")
    assert screen.notes == (NOTE,)
    assert (screen.degraded, len(screen.windows) > 1) == (api < 30, api >= 30)
    assert {node.key for node in nodes(screen)} == {""}
    window = next(window for window in screen.windows if window.package == SETTINGS)
    assert (window.type, window.focused) == ("APPLICATION", True)
    again = await used.driver.read_screen()
    assert (again.windows, again.seq) == (screen.windows, screen.seq)


async def test_rotated_screen_swaps_width_and_height(used: Used) -> None:
    await used.driver.read_screen()
    used.world.rotate(1)
    screen = await used.driver.read_screen()
    assert (screen.width, screen.height, screen.rotation) == (2400, 1080, 1)


@pytest.mark.slow
@every_android
async def test_reading_a_landscape_app_restores_the_rotation_lock(used: Used, api: int) -> None:
    """`uiautomator` restores the rotation lock of its start."""
    preferences = used.world.preferences
    preferences.turn("system", "accelerometer_rotation", False)
    used.world.display.force(1)
    assert (await used.driver.read_screen()).rotation == 1
    used.world.display.force(None)
    assert (preferences.number("system", "user_rotation", 0), used.world.rotation) == (0, 0)


@pytest.mark.slow
@every_android
async def test_element_is_clicked_by_its_position(used: Used, api: int) -> None:
    used.world.launch(CALCULATOR)
    for sign in "7+5=":
        name = {"+": "plus", "=": "equals"}.get(sign, sign)
        snapshot = await used.elements.read()
        place = next(
            place
            for place in snapshot.places()
            if name in (snapshot.node(place).text, snapshot.node(place).description)
            or snapshot.node(place).text == sign
        )
        used.elements.remember(snapshot, [place])
        await used.elements.act(snapshot.id(place), "click")
    assert any(node.text == "12" for node in nodes(await used.driver.read_screen()))


@pytest.mark.parametrize("api", [28, 34, 35, 36])
async def test_button_over_a_list_is_clicked_if_the_drawing_order_is_known(
    used: Used, api: int
) -> None:
    used.world.launch("dev.handheld.notes")
    button = await used.find("New note")
    if api < 35:
        with pytest.raises(
            InputRefused, match=r"does not say which of the two lies on top.* Nothing"
        ):
            await used.driver.act(target(button), "click")
        assert used.touches() == []
    else:
        await used.driver.act(target(button), "click")
        assert isinstance(used.world.front, NoteEditor)


async def test_element_that_is_not_clickable_is_not_clicked(used: Used) -> None:
    node = await used.find("9:41")
    with pytest.raises(NotActionable):
        await used.driver.act(target(node), "click")
    assert used.touches() == []


async def test_node_of_another_reading_is_not_acted_on(used: Used) -> None:
    """Its old position and focus are no longer valid."""
    used.world.launch("dev.handheld.form")
    await used.driver.read_screen()
    flags = int(~Flag.PASSWORD)
    box = Bounds(0, 500, 900, 900)
    node = Node(1, 0, "7", "android.widget.EditText", None, None, None, box, flags)
    for operation in (
        used.driver.act(target(node), "click"),
        used.driver.act(target(node), "scroll_forward"),
        used.driver.type(target(node), Typing("x")),
    ):
        with pytest.raises(TargetMissing):
            await operation
    assert {event.kind for event in used.world.events} == {"launch"}


@pytest.mark.parametrize("api", [pytest.param(28, marks=pytest.mark.matrix), 34])
async def test_scroll_skips_no_row(used: Used, api: int) -> None:
    show_scene(used.world, "long_list")
    found = nodes(await used.driver.read_screen())
    before = {node.text for node in found}
    scrolling = next(node for node in found if node.flags & Flag.SCROLLABLE)
    await used.driver.act(target(scrolling), "scroll_forward")
    after = {node.text for node in nodes(await used.driver.read_screen())}
    rows = {f"Row {number}" for number in range(1, 200)}
    assert before & after & rows
    assert (after - before) & rows


def target(node: Node) -> Target:
    return Target(
        "", NodeSignature(node.class_name, node.resource_id, None, None, False), node=node
    )


async def test_touch_outside_the_screen_is_rejected_with_its_size(used: Used) -> None:
    with pytest.raises(InvalidParams, match="which is 1080 x 2400 pixels"):
        await used.driver.touch([[(1081.0, 5.0, 0)]])
    assert used.touches() == []


async def test_refused_touch_names_the_vendors_setting(used: Used) -> None:
    used.device.properties["ro.product.brand"] = "Redmi"
    used.device.faults.set("refuse-input")
    with pytest.raises(PermissionDenied, match="USB debugging \\(Security settings\\)"):
        await used.driver.touch([[(5.0, 5.0, 0)]])
    with pytest.raises(PermissionDenied, match="USB debugging \\(Security settings\\)"):
        await used.driver.press("home")


@pytest.mark.parametrize(("api", "unsupported"), [(28, Unsupported.PATHS), (34, None)])
async def test_path_needs_android_10(used: Used, unsupported: Unsupported | None) -> None:
    path = [[(5.0, 500.0, 0), (50.0, 500.0, 10), (50.0, 600.0, 20)]]
    if unsupported is None:
        await used.driver.touch(path)
        assert [event[0] for event in used.touches()] == ["down", "move", "move", "up"]
    else:
        with pytest.raises(NeedsHelper) as caught:
            await used.driver.touch(path)
        assert caught.value.message == refusal(unsupported, "It is not there.")
        assert used.touches() == []


@pytest.mark.slow
async def test_restless_screen_is_reported_and_can_be_captured(used: Used) -> None:
    async def restless(process: Process) -> int:
        await process.stderr.write(b"ERROR: could not get idle state.\n")
        return 0

    used.device.programs["uiautomator"] = restless
    with pytest.raises(Restless) as caught:
        await used.driver.read_screen()
    assert caught.value.message == RESTLESS
    assert (caught.value.bare.width, caught.value.bare.windows) == (1080, [])
    picture = await used.driver.capture(700, "jpeg", 80)
    assert (picture.width, picture.height, picture.data[:2]) == (315, 700, b"\xff\xd8")


async def test_dump_without_a_file_is_an_error(used: Used) -> None:
    async def lie(process: Process) -> int:
        await process.stdout.write(b"UI hierchary dumped to: /data/local/tmp/x.xml\n")
        return 0

    used.device.programs["uiautomator"] = lie
    with pytest.raises(ActionFailed, match="uiautomator wrote no screen"):
        await used.driver.read_screen()


@pytest.mark.slow
async def test_warning_before_a_picture_is_skipped(used: Used) -> None:
    await used.driver.capture(None, "png", 80)
    real = used.device.world.picture()
    target = io.BytesIO()
    real.save(target, "PNG")

    async def warn(process: Process) -> int:
        await process.stdout.write(b"[Warning] Multiple displays were found\n" + target.getvalue())
        return 0

    used.device.programs["screencap"] = warn
    picture = await used.driver.capture(None, "png", 80)
    assert (picture.width, picture.height) == (1080, 2400)

    async def fail(process: Process) -> int:
        await process.stderr.write(b"Failed to take screenshot. Status: -12\n")
        return 1

    used.device.programs["screencap"] = fail
    with pytest.raises(ActionFailed, match="screencap said: Failed to take screenshot"):
        await used.driver.capture(None, "png", 80)


@pytest.mark.slow
@pytest.mark.parametrize("api", [26, 28])
async def test_android_9_and_older_are_captured_without_a_panel(used: Used) -> None:
    """They print the whole state instead of a list, and name their only panel differently."""
    real = used.device.programs["screencap"]

    async def know_no_option(process: Process) -> int:
        assert list(process.arguments) == ["screencap", "-p"]
        return await real(process)

    used.device.programs["screencap"] = know_no_option
    assert (await used.driver.capture(None, "png", 80)).width == 1080


@pytest.mark.matrix
@pytest.mark.parametrize("api", [29, 33, 34])
async def test_active_panel_of_a_foldable_is_captured(used: Used) -> None:
    used.world.foldable = True
    shown = used.world.picture()
    picture = await used.driver.capture(None, "png", 80)
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.convert("RGB").tobytes() == shown.convert("RGB").tobytes()


async def test_foldable_with_unknown_panel_is_not_captured(used: Used) -> None:
    used.world.foldable = True
    real = used.device.programs["dumpsys"]

    async def say_less(process: Process) -> int:
        return 0 if "display" in process.arguments else await real(process)

    used.device.programs["dumpsys"] = say_less
    with pytest.raises(ActionFailed, match="screencap said: "):
        await used.driver.capture(None, "png", 80)


@every_android
async def test_apps_are_listed_opened_and_closed(used: Used, api: int) -> None:
    """With a second user, commands without a user fail."""
    found = await used.driver.packages("system")
    assert Installed(SETTINGS, SETTINGS, None, 34, True) in found
    assert {app.package for app in found}.isdisjoint(
        app.package for app in await used.driver.packages("user")
    )
    await used.driver.launch(CALCULATOR)
    assert used.world.foreground is not None
    assert used.world.foreground[0] == CALCULATOR
    running = await used.driver.processes(CALCULATOR)
    assert isinstance(running, AppProcesses)
    assert running.pids == set(used.world.running.pids(CALCULATOR))
    with pytest.raises(InFront):
        await used.driver.stop(CALCULATOR)
    await used.driver.press("home")
    assert await used.driver.stop(CALCULATOR) is False
    assert used.world.running.pids(CALCULATOR) == []
    assert await used.driver.processes("org.example.none") is None
    with pytest.raises(ActionFailed, match="it is not installed"):
        await used.driver.launch("org.example.none")


@every_android
async def test_app_behind_a_system_prompt_is_launched(used: Used, api: int) -> None:
    used.world.install(CameraApp)
    asker = CONTROLLER if api >= 29 else "com.google.android.packageinstaller"
    assert await used.driver.launch(CameraApp.package) == asker


@every_android
async def test_app_that_forwards_its_start_is_launched(used: Used, api: int) -> None:
    used.world.install(DoorApp)
    assert await used.driver.launch(DoorApp.package) == CALCULATOR


@every_android
async def test_app_behind_the_lock_screen_can_be_stopped(used: Used, api: int) -> None:
    used.world.launch(CALCULATOR)
    used.world.locked = True
    assert await used.driver.stop(CALCULATOR) is False
    assert used.world.running.pids(CALCULATOR) == []


@pytest.mark.parametrize(
    "output",
    [
        "\nException occurred while executing 'list':\njava.lang.SecurityException: Shell does not"
        " have permission to access user 150\n",
        "Error: Unknown option: --user\n",
        "cmd: Can't find service: package\n",
    ],
)
async def test_package_manager_failure_with_exit_0_is_an_error(used: Used, output: str) -> None:
    async def broken(process: Process) -> int:
        await process.stdout.write(output.encode())
        return 0

    used.device.programs["pm"] = broken
    with pytest.raises(ActionFailed, match="The phone did not list its apps; it printed: "):
        await used.driver.packages("all")


def test_package_lists_are_parsed() -> None:
    output = (
        "package:a.b versionCode:12\r\npackage:c.D uid:10123,1010123\npackage:e\n"
        "package:f.g versionCode:3 uid:1000\nWARNING: linker: libx.so: unused DT entry\n"
    )
    assert list(read_listed(output)) == [
        ("a.b", 12, 0),
        ("c.D", 0, 10123),
        ("e", 0, 0),
        ("f.g", 3, 1000),
    ]
    with pytest.raises(BadPackages):
        list(read_listed("package:a.b\nSomething else\n"))
    found = "2 activities found:\n  Activity #0:\n    priority=0 match=0x0\n    a.b/.C$D\n"
    assert read_launchable(found) == "a.b/.C$D"
    assert read_launchable("No activities found\n") is None


@every_android
async def test_text_is_never_typed_at_the_wrong_end_of_a_text_from_right_to_left(
    used: Used, api: int
) -> None:
    """Up to Android 11 only MOVE_END can be pressed, which goes to the right edge of the line."""
    used.world.launch("dev.handheld.form")
    front = used.world.front
    assert isinstance(front, ContactForm)
    front.fields["name"].content = "שלום"
    typing = used.driver.type(target(await used.find("שלום")), Typing("x", delay_ms=1))
    if api >= 31:
        assert (await typing).content == "שלוםx"
        return
    with pytest.raises(NeedsHelper) as caught:
        await typing
    assert caught.value.unsupported is Unsupported.CURSOR
    assert front.fields["name"].content == "שלום"


@pytest.mark.slow
@every_android
async def test_text_is_typed_by_keys_and_read_back(used: Used, api: int) -> None:
    used.world.launch("dev.handheld.form")
    field = next(
        node for node in nodes(await used.driver.read_screen()) if node.flags & Flag.EDITABLE
    )
    typed = await used.driver.type(target(field), Typing("50%s & 'x'", delay_ms=1))
    assert (typed.content, typed.typed, typed.matches) == ("50%s & 'x'", 10, True)
    field = await used.find("50%s & 'x'")
    replaced = Typing("y", TextSearch("'x'"), delay_ms=1)
    assert (await used.driver.type(target(field), replaced)).content == "50%s & y"
    field = await used.find("50%s & y")
    assert (await used.driver.type(target(field), Typing("1", 0, 1))).content == "150%s & y"
    field = await used.find("150%s & y")
    cleared = await used.driver.type(target(field), Typing("all", "all", 1))
    assert (cleared.content, cleared.removed, cleared.matches) == ("all", 9, True)
    field = await used.find("all")
    with pytest.raises(NeedsHelper) as caught:
        await used.driver.type(target(field), Typing("né"))
    assert caught.value.message == refusal(
        Unsupported.LETTERS, "It is not there.", "'é' is none of them"
    )
    with pytest.raises(NeedsHelper) as caught:
        await used.driver.type(target(field), Typing("x" * 2001, delay_ms=0))
    assert caught.value.message == refusal(Unsupported.LENGTH, "It is not there.")
    assert (await used.find("all")).text == "all"


async def test_two_fingers_are_unsupported_and_the_reason_is_stated(used: Used) -> None:
    with pytest.raises(NeedsHelper) as caught:
        await used.driver.touch([[(5.0, 5.0, 0)], [(9.0, 9.0, 0)]])
    assert caught.value.message == (
        f"Without Handheld's helper on the phone, {Unsupported.FINGERS.value}. Nothing was done."
        " It is not there. `handheld doctor` says what to do."
    )


async def test_app_tools_are_unreachable_and_the_reason_is_stated(used: Used) -> None:
    for operation in (
        used.driver.call_provider("org.example.tools", "execute_tool", None, 1000),
        used.driver.call_service("org.example", ".Tools", "1", {}, 1000),
    ):
        with pytest.raises(AppFailed) as caught:
            await operation
        assert (caught.value.problem, caught.value.message) == (
            AppProblem.UNREACHABLE,
            "Without Handheld's helper on the phone, the tools of apps cannot be called. Nothing"
            " was done. It is not there. `handheld doctor` says what to do.",
        )


DOWNLOADS = "/storage/emulated/0/Download"
TEMP = ".handheld-0123456789abcdef.part"


@every_android
@pytest.mark.parametrize("path", ["photo.png", "A b/it's 100% Größe.png"])
async def test_media_index_follows_written_and_removed_files(
    used: Used, api: int, path: str
) -> None:
    used.device.files.write(f"{DOWNLOADS}/{TEMP}", b"new")
    await used.driver.commit("primary:Download", TEMP, path, None)
    assert f"{DOWNLOADS}/{path}" in used.world.media.rows
    assert await used.driver.remove("primary:Download", path)
    assert f"{DOWNLOADS}/{path}" not in used.world.media.rows


@every_android
@pytest.mark.parametrize("hangs", [True, False], ids=["hangs", "refuses"])
async def test_file_is_written_even_if_the_media_index_fails(
    api: int, hangs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    async with VirtualPhone(api=api) as device, link_to(device, clock=clock) as link:
        driver, media = ShellDriver(link, why=lambda: "It is not there."), device.world.media
        media.hangs = hangs
        media.refusal = "java.lang.IllegalStateException: no volume"

        async def finish(change: Awaitable[object]) -> None:
            changing = asyncio.ensure_future(change)
            # A broadcast is not answered: its outcome is unknown.
            if hangs and api >= 30:
                await clock.until_waits_only(SCAN_SECONDS)
                await clock.advance(SCAN_SECONDS)
            await changing

        device.files.write(f"{DOWNLOADS}/{TEMP}", b"new")
        await finish(driver.commit("primary:Download", TEMP, "photo.png", None))
        assert device.files.read(f"{DOWNLOADS}/photo.png") == b"new"
        await finish(driver.remove("primary:Download", "photo.png"))
        assert not device.files.exists(f"{DOWNLOADS}/photo.png")
    reason = f"The command content on the phone did not end within {SCAN_SECONDS:g} s."
    if not hangs:
        reason = "The phone printed: java.lang.IllegalStateException: no volume."
    messages = [f"the media index does not know of a file yet. {reason}"] * 2 if api >= 30 else []
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == messages


async def test_a_name_with_backslashes_is_located_as_it_is(used: Used) -> None:
    folder = "/storage/emulated/0/Download"
    name = r"C:\new\table\c.txt"
    used.device.files.write(f"{folder}/{name}", b"12345")
    place = await used.driver.locate("primary:Download", name)
    assert (place.path, place.kind, place.size) == (f"{folder}/{name}", "file", 5)
    missing = await used.driver.locate("primary:Download", rf"\\new\{name}")
    assert (missing.path, missing.kind) == (rf"{folder}/\\new\{name}", None)


async def test_dumps_of_shells_that_were_killed_are_removed(used: Used) -> None:
    left = "/data/local/tmp/handheld-dump-99999.xml"
    used.device.files.write(left, b"<hierarchy")
    await used.driver.read_screen()
    folder = used.device.files.list("/data/local/tmp")
    assert not [name for name in folder if "handheld-dump" in name]
