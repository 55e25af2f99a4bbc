"""A call does more than rules and limits take it for."""

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.calls.protocols import Surface
from handheld.driver.by_shell.keys import KEY_NAMES
from handheld.errors import ToolError
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.personal.sms import Sms
from handheld.phone.personal.sms_rules import SmsRules
from handheld.phone.video.recorder import VideoRecorder
from handheld.tools.agent.catalog import AGENT_CATALOG, OPTIONAL_AGENT_CATALOG
from handheld.tools.call import ToolCall
from handheld.tools.main import CATALOG, EVERY_TOOLSET, EXTRA
from handheld.tools.tool import Item, Listing
from handheld.tools.v1 import V1_TOOLS
from handheld_virtual.packages.error_reports import JavaException
from handheld_virtual.system.clipboard import Clip
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.notifications import Notification, NotificationAction
from handheld_virtual.system.personal import INCOMING, LoggedCall
from handheld_virtual.system.personal import Event as CalendarEvent
from handheld_virtual.toolkit import Activity, App, Button, Column, Field, Scroll, Text, View
from handheld_virtual.views.view import MATCH
from harness.one_phone import ALL_ON, OnePhone
from harness.patient_clock import PatientClock
from harness.phones import PhoneClock
from harness.web_apps import SHOP, ShopApp
from phone.web import Web, answer, open_web
from tools.main.conftest import LONGEST_SHELL_PAUSE_MS, pass_time
from tools.main.link_apps import Maps
from tools.main.test_packages import apk

from .sightings import FOLDER, MAY, READS, Eyes

ATTACK = "more than a call is judged as"
DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
HOMES = {tool.name: toolset.name for toolset in EVERY_TOOLSET for tool in toolset.tools}
PLACE = {"location_id": DOWNLOAD}
POINT = {"x": 500, "y": 2000}
LINK = "geo:47,19"
PATH = {"paths": [[{"x": 500, "y": 2000, "time": 0}, {"x": 900, "y": 2000, "time": 300}]]}
WAITS = {"paths": [[{"x": 500, "y": 2000, "time": 0}, {"x": 501, "y": 2000, "time": 900}]]}
STAYS = {"paths": [[{"x": 500, "y": 1900, "time": 0}, {"x": 501, "y": 1900, "time": 50}]]}
SMALL = "org.example.small"
ZEBRA = "org.example.zebra"
CAMERA = "android.permission.CAMERA"
_FIELD = {"element_id": "<field>", "typing_speed": 10}
FOCUS = "<focus>"
"""What has the focus before the call, which is no argument."""
NOTHING: dict[str, Any] = {}


class Refused(dict[str, Any]):
    """Arguments with which nothing is done."""


ROWS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "get_screen_state": (NOTHING, {"include_screenshot": True}),
    "press_back": (NOTHING,),
    "press_home": (NOTHING,),
    "press_recents": (NOTHING,),
    "open_notifications": (NOTHING,),
    "open_quick_settings": (NOTHING,),
    "get_device_logs": ({"last_lines": 20}, {"tag": "Shed", "package_name": ZEBRA}),
    "tap": (POINT,),
    "long_press": (POINT, {**POINT, "duration": 100}),
    "double_tap": (POINT,),
    "swipe": (
        {"x1": 500, "y1": 2000, "x2": 900, "y2": 2000, "duration": 200},
        {"x1": 500, "y1": 2000, "x2": 510, "y2": 2000, "duration": 100},
        {"x1": 500, "y1": 2000, "x2": 510, "y2": 2000, "duration": 900},
        {"x1": 500, "y1": 2000, "x2": 900, "y2": 2000, "duration": 6000},
    ),
    "scroll": ({"direction": "down"}, {"direction": "left", "amount": "large"}),
    "pinch": (
        {"center_x": 500, "center_y": 1200, "scale": 2},
        {"center_x": 500, "center_y": 1200, "scale": 1.01, "duration": 100},
        {"center_x": 500, "center_y": 1200, "scale": 1.01, "duration": 900},
        {"center_x": 500, "center_y": 1200, "scale": 2, "duration": 2000},
    ),
    "custom_gesture": (PATH, WAITS, STAYS, {"paths": [*STAYS["paths"], *WAITS["paths"]]}),
    "find_elements": ({"by": "text", "value": "Zebra"},),
    "click_element": ({"element_id": "<water>"},),
    "long_click_element": ({"element_id": "<hold>"},),
    "scroll_to_element": ({"element_id": "<water>"},),
    "type_append_text": ({**_FIELD, "text": "b"}, {**_FIELD, "text": "é🌱"}),
    "type_insert_text": ({**_FIELD, "text": "b", "offset": 0},),
    "type_replace_text": ({**_FIELD, "search": "a", "new_text": "b"},),
    "type_clear_text": ({"element_id": "<field>"},),
    "press_key": tuple({"key": key} for key in ("ENTER", "BACK", "DEL", "HOME", "TAB", "SPACE")),
    "get_clipboard": (NOTHING,),
    "set_clipboard": ({"text": "b"},),
    "wait_for_element": ({"by": "text", "value": "Zebra", "timeout": 500},),
    "wait_for_idle": ({"timeout": 2000},),
    "get_element_details": ({"ids": ["<water>"]},),
    "list_storage_locations": (NOTHING,),
    "list_files": (PLACE,),
    "read_file": ({**PLACE, "path": "marked.txt"},),
    "write_file": (
        {**PLACE, "path": "new.txt", "content": "b"},
        {**PLACE, "path": "marked.txt", "content": "b"},
    ),
    "append_file": ({**PLACE, "path": "marked.txt", "content": "b"},),
    "file_replace": (
        {**PLACE, "path": "marked.txt", "old_string": "file", "new_string": "f"},
        {**PLACE, "path": "marked.txt", "old_string": "file", "new_string": "a longer word"},
    ),
    "download_from_url": (
        {**PLACE, "path": "got.txt", "url": "<web>"},
        {**PLACE, "path": "marked.txt", "url": "<web>"},
    ),
    "delete_file": ({**PLACE, "path": "marked.txt"},),
    "open_app": ({"package_id": "com.android.settings"},),
    "list_apps": (NOTHING, {"filter": "all", "name_query": "zebra"}),
    "close_app": ({"package_id": "com.android.settings"},),
    "send_sms": ({"to_phone_number": "+15550100", "sms_text": "b", "subscription_id": 14},),
    "get_sms_subscriptions": (NOTHING,),
    "notification_list": (NOTHING,),
    "notification_open": ({"notification_id": "<note>"},),
    "notification_dismiss": ({"notification_id": "<note>"},),
    "notification_snooze": ({"notification_id": "<note>", "duration_ms": 60_000},),
    "notification_action": ({"action_id": "<press>"},),
    "notification_reply": ({"action_id": "<reply>", "text": "b"},),
    "wait_for_notification": ({"timeout": 500, "text": "note-mark"},),
    "open_uri": (
        {"uri": LINK},
        {"uri": f"intent:47,19#Intent;scheme=geo;package={Maps.package};end"},
        {"uri": f"intent:#Intent;component={Maps.package}/.Place;end"},
        {"uri": LINK, "package_name": Maps.package},
    ),
    "find_handlers": ({"data": LINK},),
    "send_intent": (
        {"type": "activity", "component": f"{Maps.package}/.Place"},
        {"type": "service", "component": f"{Maps.package}/.Sync"},
        {"type": "broadcast", "component": f"{Maps.package}/.Noted"},
        {"type": "activity", "action": "android.intent.action.VIEW", "data": LINK},
        {"type": "activity", "component": f"{Maps.package}/.Place", "extras": {"q": "pay"}},
    ),
    "install_app": ({**PLACE, "path": "small.apk"},),
    "uninstall_app": ({"package_id": ZEBRA},),
    "clear_app_data": ({"package_id": ZEBRA},),
    "get_app_info": ({"package_id": ZEBRA},),
    "set_app_permission": tuple(
        {"package_id": ZEBRA, "permission": CAMERA, "granted": granted} for granted in (True, False)
    ),
    "get_device_info": (NOTHING,),
    "set_rotation": tuple({"rotation": each} for each in ("landscape", "auto")),
    "set_appearance": ({"dark": True}, {"brightness": 10}, {"font_scale": 1.3}),
    "set_network": tuple(
        {name: name == "airplane"} for name in ("wifi", "bluetooth", "mobile_data", "airplane")
    ),
    "set_volume": ({"stream": "music", "level": 1},),
    "set_language": ({"locale": "fr-FR"}, {"locale": "fr-FR", "package_id": ZEBRA}),
    "get_location": (NOTHING,),
    "set_location": ({"latitude": 1.5, "longitude": 2.5}, NOTHING),
    "set_screen": ({"on": False}, {"on": True}),
    "dismiss_keyboard": (NOTHING,),
    "list_crashes": (NOTHING,),
    "get_crash": ({"crash_id": "<crash>"},),
    "get_performance": ({"package_id": ZEBRA},),
    "list_web_pages": (NOTHING,),
    "read_web_page": ({"page_id": "<page>"},),
    "run_web_script": ({"page_id": "<page>", "script": "1 + 1"},),
    "start_recording": ({"max_seconds": 5},),
    "stop_recording": (NOTHING, {**PLACE, "path": "video.mp4"}, {**PLACE, "path": "marked.mp4"}),
    "find_contacts": ({"query": "Lovelace"},),
    "list_events": ({"from": "2026-02-11", "to": "2026-02-12"},),
    "list_calls": (NOTHING,),
    "list_messages": (NOTHING,),
    "list_media": ({"kind": "image"},),
    "list_cameras": (NOTHING,),
    "take_camera_photo": ({"camera_id": "0"},),
    "save_camera_photo": (
        {"camera_id": "0", **PLACE, "path": "photo.jpg"},
        {"camera_id": "0", **PLACE, "path": "marked.jpg"},
    ),
    "save_camera_video": (
        {"camera_id": "0", **PLACE, "path": "video.mp4", "duration": 1},
        {"camera_id": "0", **PLACE, "path": "marked.mp4", "duration": 1},
    ),
    # The v1 surface alone.
    "get_accessibility_tree": (NOTHING,),
    "capture_screenshot": (NOTHING,),
    "get_current_app": (NOTHING,),
    "get_screen_info": (NOTHING,),
    "set_text": ({"element_id": "<field>", "text": "b"},),
    "input_text": ({"element_id": "<field>", "text": "b"},),
    "clear_text": ({"element_id": "<field>"},),
    # Those for models.
    "phone_look": (NOTHING, {"find": "Zebra"}, {"picture": "marked"}, {"all": True}),
    "phone_wait": (
        {"text": "Zebra", "seconds": 1},
        {"seconds": 2},
        Refused({"notification": "note-mark", "seconds": 1}),
    ),
    "phone_tap": (
        {"at": "Water"},
        {"at": "Plain words"},
        {"at": "500,2000"},
        {"at": " 500 , 2000 "},
        {"at": "Water", "times": 2},
        {"at": "500,2000", "times": 3},
        {"at": "Hold", "hold": True},
        {"at": "500,2000", "hold": True},
        {"at": "Far", "scroll": True},
    ),
    "phone_type": tuple(
        {"text": "b", "into": "Note", **more}
        for more in (
            *(NOTHING, {"mode": "append"}, {"mode": "insert"}, {"mode": "replace"}),
            *({"submit": True}, {"mode": "append", "submit": True}),
        )
    ),
    "phone_scroll": (NOTHING, {"direction": "up"}, {"until": "Far"}, {"screens": 0.5}),
    "phone_swipe": (
        {"at": "500,2000", "to": "900,2000"},
        {"at": "500,2000", "to": "900,2000", "hold": True},
        Refused({"at": "500,2000", "to": "900,2000", "ms": 10_000}),
        {"at": "500,1200", "zoom": 2},
        {"at": "500,1200", "zoom": 0.5},
        {"at": "500,1200", "zoom": 2, "ms": 2000},
    ),
    "phone_press": tuple(
        {"key": key}
        for key in (
            *("back", "home", "recents", "notifications", "quick_settings"),
            *("hide_keyboard", "ctrl+a", "meta+enter", "alt+tab", "shift+tab", "Volume Down"),
            *("power", "KEYCODE_WAKEUP", "app_switch", "KEYCODE_BACK", "4", "Back ", "shift+power"),
            *KEY_NAMES,
        )
    )
    + tuple({"key": key, FOCUS: "<field>"} for key in ("paste", "ctrl+a", "copy", "cut")),
    "phone_open": (
        *({"what": what} for what in ("Settings", "com.android.settings", LINK)),
        {"what": f"intent:#Intent;component={Maps.package}/.Place;end"},
        {"what": LINK, "by": Maps.package},
    ),
    "phone_do": (
        {"steps": [{"tool": "tap", "at": "Water"}, {"tool": "press", "key": "back"}]},
        {"steps": [{"tool": "open", "what": "Settings"}]},
        {"steps": [{"tool": "type", "into": "Note", "text": "b", "submit": True}]},
    ),
    "phone_read": (
        *({"what": what} for what in ("clipboard", "files", "apps", "log", "crashes")),
        *({"what": what} for what in ("notifications", "sims", "device", "location", "web")),
        *({"what": what} for what in ("calls", "messages")),
        {"what": "text", "of": "Zebra words"},
        {"what": "events", "of": "2026-02-11"},
        {"what": "file", "of": f"{DOWNLOAD}/marked.txt"},
        {"what": "files", "of": DOWNLOAD},
        {"what": "app", "of": ZEBRA},
        {"what": "performance", "of": ZEBRA},
        {"what": "contacts", "of": "Lovelace"},
        {"what": "media", "of": "images"},
        {"what": "log", "of": ZEBRA},
    ),
    "phone_notification": (
        *({"id": "<note>", "action": action} for action in ("open", "dismiss")),
        {"id": "<note>", "action": "snooze", "text": "5"},
        {"id": "<note>", "action": "press", "text": "Press"},
        {"id": "<note>", "action": "reply", "text": "b"},
    ),
    "phone_message": ({"to": "+15550100", "text": "b", "sim": 14},),
    "phone_file": (
        *(
            {"action": "write", "path": f"{DOWNLOAD}/{name}", "text": "b"}
            for name in ("new.txt", "marked.txt")
        ),
        {"action": "append", "path": f"{DOWNLOAD}/marked.txt", "text": "b"},
        {"action": "replace", "path": f"{DOWNLOAD}/marked.txt", "old": "file", "text": "f"},
        {"action": "delete", "path": f"{DOWNLOAD}/marked.txt"},
        {"action": "download", "path": f"{DOWNLOAD}/marked.txt", "url": "<web>"},
    ),
    "phone_app": (
        {"action": "stop", "app": "Settings"},
        {"action": "install", "app": f"{DOWNLOAD}/small.apk"},
        *({"action": action, "app": ZEBRA} for action in ("uninstall", "clear_data")),
        *({"action": each, "app": ZEBRA, "permission": CAMERA} for each in ("grant", "revoke")),
    ),
    "phone_set": tuple(
        {"what": what, "value": value}
        for what, value in {
            "clipboard": "b",
            "rotation": "landscape",
            "wifi": "off",
            "bluetooth": "off",
            "mobile_data": "off",
            "airplane_mode": "on",
            "volume": "music 1",
            "brightness": "10%",
            "dark_mode": "on",
            "font_scale": "1.3",
            "language": "fr-FR",
            "location": "1.5,2.5",
            "screen": "off",
        }.items()
    ),
    "phone_intent": (
        {"do": "open", "component": f"{Maps.package}/.Place"},
        {"do": "service", "component": f"{Maps.package}/.Sync"},
        {"do": "broadcast", "component": f"{Maps.package}/.Noted"},
        {"do": "find", "data": LINK},
        {"do": "open", "action": "android.intent.action.VIEW", "data": LINK, "app": Maps.package},
        {"do": "open", "component": f"{Maps.package}/.Place", "extras": {"q": "pay"}},
    ),
    "phone_script": ({"page": "<page>", "code": "1 + 1"},),
    "phone_record": ({"action": "start"}, {"action": "stop"}),
    "phone_camera": (
        {"action": "look"},
        {"action": "photo", "path": f"{DOWNLOAD}/photo.jpg"},
        {"action": "photo", "path": f"{DOWNLOAD}/marked.jpg"},
        {"action": "video", "path": f"{DOWNLOAD}/video.mp4", "seconds": 1},
    ),
}
"""Arguments of every tool, for each of its actions. `<…>` stands for an id."""
VIDEO_MS = 6000
"""Longer than a video, and much shorter than the silence that ends a helper."""
OF_NO_PHONE = {"phone_lease"}
"""Tools that do nothing to a phone."""
ON_SHOP = {"<page>"}


class Page(Activity):
    def content(self) -> View:
        return Column(
            Text("Zebra words", id="words"),
            Text("Plain words", id="plain"),
            Button("Water", lambda: None, id="water"),
            Text("Hold", id="hold", on_long_click=lambda: None),
            Field("a", hint="Note", id="field", width=MATCH),
            Scroll(
                Column(*(Text(f"Row {number}", height=80) for number in range(12)), Text("Far")),
                id="list",
                width=MATCH,
                height=300,
            ),
        )


class Zebra(App):
    package, label = ZEBRA, "Stripes"
    screens = (Page,)
    permissions = (CAMERA,)


class Quagga(App):
    """Nothing names it but a list of apps."""

    package, label = "org.example.quagga", "Quagga"
    screens = (Page,)


class Judge:
    """Lets every call go on, and notes what it was judged as."""

    def __init__(self) -> None:
        self.asked: list[Listing] = []

    def wants_app(self, call: ToolCall) -> bool:
        return False

    def asks_person(self, call: ToolCall) -> bool:
        return False

    async def ask(self, call: ToolCall) -> None:
        self.asked.append(call.listing)

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> str | None:
        return None


class Court:
    """A phone, the surfaces and what both saw."""

    def __init__(self, target: Target, web: Web) -> None:
        self.target, self.judge = target, Judge()
        self._web = web
        options = SurfaceOptions(gate=self.judge, clock=PhoneClock(target.device), policy=ALL_ON)
        phones = OnePhone(target.phone)
        self.surfaces: dict[str, Surface] = {
            "main": LocalSurface((*CATALOG, *EXTRA), phones, options),
            "agent": make_agent_surface(phones, options),
            "v1": LocalSurface((V1_TOOLS,), phones, replace(options, bare=True)),
        }
        world = target.world
        for app in (Zebra, Quagga, Maps, ShopApp):
            world.install(app)
        world.whereabouts.put(47.5432, 19.05)
        world.telephony.receive("+15550199", "sms-mark")
        begins = datetime(2026, 2, 11, 12, tzinfo=UTC)
        world.personal.events.append(CalendarEvent("event-mark", begins))
        now = round(begins.timestamp() * 1000)
        world.personal.calls.append(LoggedCall("+15550177", INCOMING, now))
        world.show(Maps.package)
        world.running.crash(
            world.apps[Maps.package], JavaException("java.lang.IllegalStateException", "crash-mark")
        )
        self.eyes = Eyes(target.device)

    def set_up(self, *, shop: bool) -> None:
        """As it was before the first row."""
        target = self.target
        world, files = target.world, target.device.files
        if ZEBRA not in world.apps:
            world.install(Zebra)
        if SMALL in world.apps:
            world.uninstall(SMALL)
        world.awake = True
        world.app_data[ZEBRA] = (1000, 10)
        world.clipboard.hold(Clip("clip-mark"))
        for name, content in {
            "marked.txt": b"file-mark",
            "marked.jpg": b"x",
            "marked.mp4": b"x",
            "small.apk": apk(),
        }.items():
            files.write(f"{FOLDER}/Download/{name}", content)
        world.apps[ZEBRA].log("W", "Shed", "log-mark")
        world.notifications.post(
            Notification(
                "com.android.settings",
                "A note",
                "note-mark",
                world.timers.now(),
                id=7,
                actions=(
                    NotificationAction("Press", lambda text: None),
                    NotificationAction("Reply", lambda text: None, takes_text=True),
                ),
            )
        )
        world.stop("com.android.settings")
        world.launch("com.android.settings")
        world.stop(ZEBRA)
        world.show(SHOP if shop else ZEBRA)

    async def fill(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: await self.fill(each) for key, each in value.items()}
        if isinstance(value, list):
            return [await self.fill(each) for each in value]
        if not isinstance(value, str) or not value.startswith("<"):
            return value
        main = self.surfaces["main"]
        match value:
            case "<web>":
                return f"http://127.0.0.1:{self._web.port}/a"
            case "<page>":
                pages = await self._ask(main, "android_list_web_pages")
                return json.loads(pages)["pages"][0]["page_id"]
            case "<crash>":
                return json.loads(await self._ask(main, "android_list_crashes"))["crashes"][0][
                    "crash_id"
                ]
            case "<note>" | "<press>" | "<reply>":
                listed = json.loads(await self._ask(main, "android_notification_list"))
                [note] = [one for one in listed["notifications"] if "note-mark" in str(one)]
                if value == "<note>":
                    return note["notification_id"]
                wanted = value.strip("<>").title()
                return next(one["action_id"] for one in note["actions"] if one["title"] == wanted)
            case _:
                found = await self._ask(
                    main, "android_find_elements", by="resource_id", value=value.strip("<>")
                )
                return json.loads(found)["elements"][0]["id"]

    async def _pass(self, call: Coroutine[Any, Any, Sequence[Item]]) -> Sequence[Item]:
        clock = self.target.device.clock
        assert isinstance(clock, ManualClock)
        return await pass_time(
            clock, call, VIDEO_MS if self.target.helps else LONGEST_SHELL_PAUSE_MS
        )

    async def _ask(self, surface: Surface, name: str, **arguments: Any) -> str:
        reply = await self._pass(surface.call(name, arguments, AGENT))
        return str(reply[0])

    async def try_row(
        self, surface: Surface, name: str, row: Mapping[str, Any], kind: int | None = None
    ) -> list[str]:
        """What it did beyond what it was judged as; and that it failed, unless it is another of
        its `kinds`."""
        self.set_up(shop=any(mark in str(row) for mark in ON_SHOP))
        focused = row.get(FOCUS, "<field>" if name.endswith("press_key") else "")
        arguments = await self.fill({key: each for key, each in row.items() if key != FOCUS})
        if kind is not None:
            row = arguments = list(kinds(arguments))[kind]
        if focused:
            field = await self.fill(focused)
            await self._ask(self.surfaces["main"], "android_click_element", element_id=field)
        if name.endswith("stop_recording") or row == {"action": "stop"}:
            with suppress(ToolError):  # one runs already
                await self._ask(self.surfaces["main"], "android_start_recording")
        # A helper that hears nothing for long ends, which this is not about.
        await self.target.read()
        self.judge.asked.clear()
        self.eyes.open()
        reply: list[Item] = []
        failed: list[str] = []
        try:
            reply += await self._pass(surface.call(name, arguments, AGENT))
        except TimeoutError:
            return [f"{name} {row} did not end"]
        except ToolError as failure:
            reply += [failure.message, *failure.details]
            # Without the helper, not all can be done; but it is said why.
            if "Internal error" in failure.message or (kind is None and self.target.helps):
                failed.append(f"{name} {row} failed: {failure.message}")
        if kind is None and isinstance(row, Refused) and self.target.helps:
            failed = [] if failed else [f"{name} {row} was not refused"]
        return [
            *failed,
            *self._compare(f"{name} {row}", self.eyes.seen(reply, sent=str(arguments))),
        ]

    def _compare(self, call: str, seen: set[str]) -> Iterator[str]:
        asked = self.judge.asked
        judged = {ability for listing in asked for ability in listing.abilities}
        more = {one for one in seen if not judged & MAY.get(one, frozenset())}
        if more:
            yield f"{call} is judged as {sorted(judged)}, and did more: {sorted(more)}"
        if all(listing.read_only for listing in asked) and not seen <= READS:
            yield f"{call} is said to read only, and did: {sorted(seen - READS)}"
        for listing in asked:
            for ability in listing.abilities:
                if HOMES[ability] != (toolset := listing.toolset_of(ability)):
                    yield f"{call} is judged as {ability} of the toolset {toolset}"


@pytest.fixture
async def court(target: Target, tmp_path: Path) -> AsyncGenerator[Court]:
    phone = target.phone
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD, allow_write=True, allow_delete=True)
    rules = DownloadRules(100, allow_http=True, allow_private_addresses=True)
    phone.files = Files(phone.driver, PatientClock(), storage, ["virtual"], rules)
    phone.sms = Sms(phone.driver, phone.clock, SmsRules(parts_per_minute=10**9))
    phone.recorder = VideoRecorder(tmp_path / "videos")
    async with open_web() as web:
        web.pages["/a"] = answer(b"fetched")
        yield Court(target, web)


def bare(name: str) -> str:
    return name.removeprefix("android_")


def kinds(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The row with each argument in the other forms in which it may be sent."""
    for name, value in row.items():
        if name == FOCUS:
            continue
        given = {key: each for key, each in row.items() if key != name}
        others: list[Any] = [None, [value]]
        if isinstance(value, bool):
            others += [str(value), int(value), "yes"]
        elif isinstance(value, int | float):
            others += [f" {value} ", value + 0.5, 1e9, True]
        elif isinstance(value, str):
            others += [f" {value}\t", value.title(), "", True]
        for other in others:
            yield {**given, name: other}
    for name, value in {"hold": "yes", "times": "2", "duration": "900", "ms": 5000.0}.items():
        yield {name: value, **row}


UNREADABLE = {"both", "move"}
"""What touches are judged as that the tool refuses; and what no long press is."""
TOOLS = {
    tool.name: tool
    for toolset in (*CATALOG, *EXTRA, *AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG, V1_TOOLS)
    for tool in toolset.tools
}


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.action])
def test_every_action_has_a_row(name: str) -> None:
    tool = TOOLS[name]
    action = tool.action
    assert action is not None
    rows = [tool.normalise(row) if tool.normalise else row for row in ROWS.get(name, ())]
    chosen = {action.choose(row) for row in rows}
    if name not in OF_NO_PHONE:
        assert action.listings.keys() - chosen <= UNREADABLE
        assert all(any(parameter in row for row in rows) for parameter in action.also)


@pytest.mark.parametrize("on", ["main", "agent", "v1"])
async def test_no_call_does_more_than_it_is_judged_as(
    court: Court, on: str, tried: Callable[[], None]
) -> None:
    surface = court.surfaces[on]
    found: list[str] = []
    for listing in await surface.tools():
        name = bare(listing.name)
        if name in OF_NO_PHONE:
            continue
        assert name in ROWS, f"no row for tool {name}"
        for row in ROWS[name]:
            tried()
            found += await court.try_row(surface, listing.name, row)
    assert not found, "\n".join(found)


@pytest.mark.matrix
@pytest.mark.parametrize("on", ["main", "agent", "v1"])
async def test_nor_does_one_whose_arguments_are_sent_in_another_form(
    court: Court, on: str, tried: Callable[[], None]
) -> None:
    """Most are refused: none may be judged as another call than is made of it."""
    surface = court.surfaces[on]
    found: list[str] = []
    for listing in await surface.tools():
        for row in ROWS.get(bare(listing.name), ()):
            for kind, _ in enumerate(kinds(row)):
                tried()
                found += await court.try_row(surface, listing.name, row, kind)
    assert not found, "\n".join(found)
