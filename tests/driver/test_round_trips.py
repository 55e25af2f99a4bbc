"""Round trips to the phone per tool, which dominate the cost of a call over Wi-Fi."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app_formats.apk.writer import Node, manifest, small_apk
from handheld.adb.direct import DirectLink
from handheld.adb.link import ByteStream
from handheld.adb.wire import SHELL_STDIN, ShellDecoder
from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.calls.step_tools import StepTools
from handheld.devices.opening import PhoneFactory
from handheld.errors import ToolError
from handheld.helper.protocol import FrameDecoder, FrameKind, decode_call
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.phone import Phone
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.main.device import device
from handheld.tools.main.notifications import notifications
from handheld.tools.main.recording import recording
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.notifications import NotificationAction
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock, WatchedLink, reached
from harness.web_apps import SHOP, ShopApp
from tools.main.conftest import LONGEST_SHELL_PAUSE_MS, pass_time

FORM, CALCULATOR = "dev.handheld.form", "com.android.calculator2"
CRASHING = "dev.handheld.crashtest"
PLACE = "com.android.externalstorage.documents/primary:Download"
PACKAGE, CAMERA = "org.example.small", "android.permission.CAMERA"
_ROOT = manifest(PACKAGE)
_WANTS = Node("uses-permission", {"android:name": CAMERA})
APK = small_apk(Node(_ROOT.name, _ROOT.attributes, (*_ROOT.children, _WANTS)))


class CountedStream:
    """Records each call to the helper."""

    def __init__(self, stream: ByteStream, trips: list[str], quiet: list[int]) -> None:
        self._stream, self._trips, self._quiet = stream, trips, quiet
        self._packets, self._frames = ShellDecoder(), FrameDecoder()

    async def read(self, limit: int = 65536) -> bytes:
        return await self._stream.read(limit)

    async def follow(self, take: Callable[[bytes], object]) -> None:
        await self._stream.follow(take)

    async def write(self, data: bytes) -> None:
        for packet in self._packets.feed(data):
            for frame in self._frames.feed(packet.data) if packet.id == SHELL_STDIN else ():
                if frame.kind == FrameKind.CALL:
                    call = decode_call(frame.payload)
                    self._trips.append(call.do)
                    if call.then is not None:
                        self._quiet.append(call.then.quiet_ms)
        await self._stream.write(data)

    async def aclose(self) -> None:
        await self._stream.aclose()


class CountedLink(WatchedLink):
    """A link that counts round trips: calls to the helper, and further streams."""

    def __init__(self, link: DirectLink) -> None:
        super().__init__(link)
        self.trips: list[str] = []
        self.quiet: list[int] = []
        """For how long actions waited for no change, in milliseconds."""

    async def open(self, service: str) -> ByteStream:
        stream = await super().open(service)
        if "app_process" in service:
            return CountedStream(stream, self.trips, self.quiet)
        self.trips.append(service.partition(":")[0].partition(",")[0])
        return stream


class Counted:
    """A phone, and the cost of each tool call on it."""

    def __init__(self, link: CountedLink, phone: Phone, device: VirtualPhone) -> None:
        assert isinstance(device.clock, ManualClock)
        self._link, self._clock, self._device = link, device.clock, device
        every = SurfaceOptions(policy=ALL_ON)
        self._surface = LocalSurface((*CATALOG, *EXTRA), OnePhone(phone), every)
        self._agent = LocalSurface(
            AGENT_CATALOG, OnePhone(phone), replace(every, bare=True), StepTools()
        )

    async def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        agent = name.startswith("phone_")
        surface, full = (self._agent, name) if agent else (self._surface, f"android_{name}")
        reply = surface.call(full, arguments, Caller("test"))
        [text, *_] = await pass_time(self._clock, reply, LONGEST_SHELL_PAUSE_MS)
        return text if isinstance(text, str) else ""  # a photo

    def crash(self) -> None:
        """An app that is not in front."""
        world = self._device.world
        app = world.apps[CRASHING]
        world.running.ensure(app, "service")
        world.running.crash(app, ValueError("0 / 0"))
        world.system_dialogs.close_all()  # before Android 9 there is one

    def open_page(self) -> None:
        """Of an app that lets it be debugged."""
        self._device.world.install(ShopApp)
        self._device.world.launch(SHOP)

    async def id_of(self, resource: str) -> str:
        text = await self.call("get_screen_state", {})
        found = re.search(rf"^(node_\S+)\t.*{resource}\t", text, re.MULTILINE)
        assert found is not None, text
        return found[1]

    async def cost(self, name: str, arguments: Mapping[str, Any]) -> list[str]:
        self._link.trips.clear()
        await self.call(name, arguments)
        return list(self._link.trips)

    async def quiet(self, name: str, arguments: Mapping[str, Any]) -> list[int]:
        self._link.quiet.clear()
        await self.call(name, arguments)
        return list(self._link.quiet)

    @property
    def trips(self) -> list[str]:
        return list(self._link.trips)

    async def names(self) -> set[str]:
        listed = await self._surface.tools()
        return {tool.name.removeprefix("android_") for tool in listed}


@asynccontextmanager
async def open_counted(folder: Path, device: VirtualPhone) -> AsyncGenerator[Counted]:
    """`folder` is where its storage locations are kept. The contact form is in front."""
    assert isinstance(device.clock, ManualClock)
    make = PhoneFactory().make_phone
    async with reached(device, make=make, links=CountedLink) as (_, link, phone):
        assert isinstance(link, CountedLink)
        phone.clock = PhoneClock(device)
        device.files.write("/storage/emulated/0/Download/app.apk", APK)
        storage = StorageFile(folder / "storage.toml")
        storage.put(PLACE, allow_write=True, allow_delete=True)
        rules = DownloadRules(1, allow_http=True, allow_private_addresses=True)
        phone.files = Files(phone.driver, link.clock, storage, ["virtual"], rules)
        counted = Counted(link, phone, device)
        await counted.call("open_app", {"package_id": FORM})
        yield counted


LOCATE_AND_SYNC = ["locate", "sync"]
"""In parallel: resolving the path, and its content through adb's sync."""
MORE_THAN_ONE: dict[str, list[str]] = {
    "get_screen_state": ["capture", "screen"],  # in parallel
    "get_device_logs": ["shell", "shell"],  # the whole log, if its newest part was not enough
    "scroll": ["screen", "screen", "touch"],  # what moved is told by the screen before and after
    "list_files": LOCATE_AND_SYNC,
    "read_file": LOCATE_AND_SYNC,
    "write_file": ["commit", "locate", "sync"],
    "download_from_url": ["commit", "locate", "sync"],
    "save_camera_photo": ["commit", "locate", "photo", "sync"],
    "save_camera_video": ["commit", "locate", "shell", "sync", "sync", "video"],  # and removed
    "append_file": ["commit", "locate", "sync", "sync"],
    "file_replace": ["commit", "locate", "sync", "sync"],
    "install_app": ["app_info", "exec", "locate", "sync"],  # what was installed is read back
    "send_sms": ["shell", "sms"],  # the first one asks for the serial number, by which they count
}
# Whose sockets there are, what each lists, and in parallel what is on the screen.
MORE_THAN_ONE["list_web_pages"] = ["localabstract", "screen", "shell"]
# The page, and that its socket is the listed one.
MORE_THAN_ONE["read_web_page"] = MORE_THAN_ONE["run_web_script"] = ["localabstract", "shell"]
NEW = {"location_id": PLACE, "path": "new.txt"}
SPOT = {"x": 500, "y": 900}
TOP = [{"x": 5, "y": 5, "time": 0}, {"x": 5, "y": 9, "time": 1}]
CALLS: dict[str, dict[str, Any]] = {
    "get_screen_state": {"include_screenshot": True},
    "find_elements": {"by": "text", "value": "Name"},
    "get_element_details": {"ids": ["ID"]},
    "type_append_text": {"element_id": "ID", "text": "ab", "typing_speed": 10},
    "type_insert_text": {"element_id": "ID", "text": "c", "offset": 1, "typing_speed": 10},
    "type_replace_text": {"element_id": "ID", "search": "b", "new_text": "d"},
    "type_clear_text": {"element_id": "ID"},
    "press_key": {"key": "SPACE"},
    "click_element": {"element_id": "ID"},
    "long_click_element": {"element_id": "ID"},
    "scroll_to_element": {"element_id": "ID"},
    "tap": SPOT,
    "long_press": {**SPOT, "duration": 100},
    "double_tap": SPOT,
    "swipe": {"x1": 500, "y1": 900, "x2": 500, "y2": 800, "duration": 100},
    "scroll": {"direction": "down"},
    "pinch": {"center_x": 500, "center_y": 900, "scale": 2, "duration": 100},
    "custom_gesture": {"paths": [TOP]},
    "press_back": {},
    "press_home": {},
    "press_recents": {},
    "open_notifications": {},
    "open_quick_settings": {},
    "get_device_logs": {},
    "get_clipboard": {},
    "set_clipboard": {"text": "x"},
    "wait_for_element": {"by": "text", "value": "a", "timeout": 1000},
    "wait_for_idle": {"timeout": 3000},
    "list_storage_locations": {},
    "list_files": {"location_id": PLACE},
    "read_file": {"location_id": PLACE, "path": "notes/todo.txt"},
    "write_file": {**NEW, "content": "x"},
    "append_file": {**NEW, "content": "x"},
    "file_replace": {**NEW, "old_string": "xx", "new_string": "y"},
    "delete_file": NEW,
    "download_from_url": {**NEW, "url": "URL"},
    "open_app": {"package_id": CALCULATOR},
    "list_apps": {},
    "close_app": {"package_id": FORM},
    "install_app": {"location_id": PLACE, "path": "app.apk"},
    "get_app_info": {"package_id": PACKAGE},
    "set_app_permission": {"package_id": PACKAGE, "permission": CAMERA, "granted": True},
    "clear_app_data": {"package_id": PACKAGE},
    "uninstall_app": {"package_id": PACKAGE},
    "get_sms_subscriptions": {},
    "send_sms": {"to_phone_number": "+36301112233", "sms_text": "x", "subscription_id": 14},
    "list_crashes": {},
    "get_crash": {"crash_id": "CRASH"},
    "get_performance": {"package_id": CALCULATOR},
    "list_web_pages": {},
    "read_web_page": {"page_id": "PAGE"},
    "run_web_script": {"page_id": "PAGE", "script": "1 + 1"},
    "find_contacts": {"query": "Ada"},
    "list_events": {"from": "2026-02-11", "to": "2026-02-12"},
    "list_calls": {},
    "list_messages": {"with": "+36301112233"},
    "list_media": {"kind": "image"},
    "list_cameras": {},
    "take_camera_photo": {"camera_id": "0"},
    "save_camera_photo": {"camera_id": "0", **NEW},
    "save_camera_video": {"camera_id": "0", "duration": 1, "resolution": "640x480", **NEW},
    "open_uri": {"uri": "https://news.example/"},
    "find_handlers": {"data": "https://news.example/"},
    "send_intent": {"type": "activity", "action": "android.settings.WIFI_SETTINGS"},
}


ELSEWHERE = {tool.name for toolset in (device, notifications, recording) for tool in toolset.tools}
"""Tools whose costs depend on what the phone has: they have tests of their own."""


async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx")
    await writer.drain()
    writer.close()


@asynccontextmanager
async def every_call(counted: Counted) -> AsyncGenerator[dict[str, dict[str, Any]]]:
    """Return the calls with a valid element id, crash id, page id and URL filled in."""
    counted.open_page()
    [page] = json.loads(await counted.call("list_web_pages", {}))["pages"]
    await counted.call("open_app", {"package_id": FORM})
    id = await counted.id_of("id/name")
    counted.crash()
    [crash] = json.loads(await counted.call("list_crashes", {}))["crashes"]
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
        filled = json.dumps(CALLS).replace('"ID"', f'"{id}"').replace("URL", url)
        filled = filled.replace("CRASH", crash["crash_id"]).replace("PAGE", page["page_id"])
        yield json.loads(filled)


async def test_each_tool_needs_the_expected_round_trips(tmp_path: Path) -> None:
    costs: dict[str, list[str]] = {}
    async with (
        open_counted(tmp_path, VirtualPhone(clock=ManualClock())) as counted,
        every_call(counted) as calls,
    ):
        await counted.call(
            "write_file", {**NEW, "content": "x"}
        )  # the first call removes leftovers
        for name, arguments in calls.items():
            costs[name] = sorted(await counted.cost(name, arguments))
        assert set(costs) == await counted.names() - ELSEWHERE
    assert set(costs["wait_for_idle"]) == {"screen"}  # repeated until the screen is at rest
    costs["wait_for_idle"] = ["screen"]
    assert {name: trips for name, trips in costs.items() if len(trips) != 1} == MORE_THAN_ONE


NOTIFICATION_COSTS: dict[tuple[str, str], list[str]] = {
    ("notification_list", ""): ["notifications"],
    ("notification_open", "notification_id"): ["notification"],
    ("notification_dismiss", "notification_id"): ["notification"],
    ("notification_snooze", "notification_id"): ["notification"],
    ("notification_action", "action_id"): ["notification"],
    ("notification_reply", "action_id"): ["notification"],
    ("wait_for_notification", ""): ["notifications"],
    ("phone_read", ""): ["notifications"],
    ("phone_notification", "id"): ["notification"],
}
MORE: dict[str, dict[str, Any]] = {
    "notification_snooze": {"duration_ms": 1000},
    "notification_reply": {"text": "x"},
    "wait_for_notification": {"timeout": 1000},
    "phone_read": {"what": "notifications"},
    "phone_notification": {"action": "press", "text": "Reply"},
}


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "api"), [(False, 34), (True, 34), (False, 28)])
async def test_comparing_and_acting_on_a_notification_is_one_round_trip(
    tmp_path: Path, shell: bool, api: int
) -> None:
    """Where the shell may not listen, what is there is read first."""
    device = VirtualPhone(clock=ManualClock(), api=api)
    if shell:
        device.faults.refuse_helper()
    async with open_counted(tmp_path, device) as counted:
        await counted.call("notification_list", {})
        costs: dict[tuple[str, str], list[str]] = {}
        for name, parameter in NOTIFICATION_COSTS:
            reply = NotificationAction("Reply", lambda _: None, True)
            device.world.notify(FORM, "Ada", "Hello", id=7, actions=(reply,))
            listed = json.loads(await counted.call("notification_list", {}))["notifications"][0]
            ids = {**listed, **listed["actions"][0], "id": listed["notification_id"]}
            arguments = {parameter: ids[parameter]} if parameter else {}
            with suppress(ToolError):  # what is refused may not ask more either
                await counted.cost(name, {**arguments, **MORE.get(name, {})})
            costs[name, parameter] = counted.trips
    if api < 29:
        listing = {name: ["notifications", "shell"] for name in NOTIFICATION_COSTS}
        acting = {name: ["shell", "notification"] for name in NOTIFICATION_COSTS if name[1]}
        assert costs == {**listing, **acting}
    elif shell:
        assert costs["notification_list", ""] == ["shell"]
        assert costs["notification_dismiss", "notification_id"] == []
        # The first asks for the API level; then what is there, the command, and what is left.
        assert costs["notification_snooze", "notification_id"] == ["shell"] * 4
    else:
        assert costs == NOTIFICATION_COSTS


TYPED = {"into": "Name", "text": "ab"}
AGENT_COSTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("phone_look", {}, ["screen"]),
    ("phone_type", TYPED, ["changed", "type"]),
    ("phone_type", {**TYPED, "submit": True}, ["changed", "type", "key"]),
    ("phone_press", {"key": "tab"}, ["key"]),
    ("phone_press", {"key": "delete", "times": 3}, ["key", "key", "key"]),
    ("phone_tap", {"at": "540,900"}, ["touch"]),
    ("phone_swipe", {"at": "540,1200", "to": "540,1100"}, ["touch"]),
    ("phone_press", {"key": "home"}, ["press"]),
    ("phone_open", {"what": "Contacts"}, ["packages", "launch"]),
    ("phone_scroll", {}, ["changed", "touch"]),
    ("phone_scroll", {"screens": 99}, ["changed", "seek"]),
    ("phone_scroll", {"until": "Ada Bauer"}, ["changed", "seek"]),
    ("phone_scroll", {"direction": "up", "screens": 99}, ["changed", "seek"]),
    ("phone_scroll", {"direction": "up"}, ["changed"]),
    ("phone_open", {"what": "smsto:+15550100"}, ["intent"]),
    ("phone_open", {"what": "settings:wifi"}, ["intent"]),
    ("phone_open", {"what": "Calculator"}, ["packages", "launch"]),
    ("phone_tap", {"at": "7"}, ["act"]),
    ("phone_tap", {"at": "7", "times": 2}, ["changed", "touch"]),
    ("phone_tap", {"at": "REF"}, ["act"]),
    ("phone_tap", {"at": "REF", "hold": True}, ["screen", "touch"]),
    ("phone_read", {"what": "app", "of": CALCULATOR}, ["app_info"]),
]
"""In order. An element that was just shown is verified by the action itself, by ref or by words;
other words need the current screen."""


@pytest.mark.slow
async def test_an_action_and_the_screen_after_it_are_one_round_trip(tmp_path: Path) -> None:
    async with open_counted(tmp_path, VirtualPhone(clock=ManualClock())) as counted:
        costs: list[list[str]] = []
        for name, arguments, _ in AGENT_COSTS:
            if arguments.get("at") == "REF":
                look = await counted.call("phone_look", {})
                found = re.search(r'(\w+) "8"', look)
                assert found is not None, look
                arguments = {**arguments, "at": found[1]}
            costs.append(await counted.cost(name, arguments))
    assert costs == [trips for _, _, trips in AGENT_COSTS]


STEPS = {"steps": [{"tap": "7"}, {"tap": "8"}, {"tap": "9"}]}


async def test_steps_on_a_known_screen_are_one_round_trip_each(tmp_path: Path) -> None:
    async with open_counted(tmp_path, VirtualPhone(clock=ManualClock())) as counted:
        await counted.call("phone_open", {"what": "Calculator"})
        # Whether the screen is still the known one is asked before the first and after the last.
        assert await counted.cost("phone_do", STEPS) == ["changed", "act", "act", "act", "changed"]
        assert await counted.quiet("phone_do", STEPS) == [120, 120, 250]


async def test_words_that_are_gone_from_the_known_screen_are_looked_for_again(
    tmp_path: Path,
) -> None:
    async with open_counted(tmp_path, VirtualPhone(clock=ManualClock())) as counted:
        await counted.call("phone_open", {"what": "Calculator"})
        await counted.call("open_app", {"package_id": FORM})
        with pytest.raises(ToolError, match='No "7" is visible'):
            await counted.call("phone_tap", {"at": "7"})
