"""What a virtual phone saw of a call, and the documented tools that say that they do it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handheld.phone.input.touch_kind import kind_of
from handheld.tools.tool import Image, Item
from handheld_virtual.files.entry import ROOT
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sms.message import Box
from handheld_virtual.world import Event

MARKS = {
    "Zebra words": "screen read",
    "clip-mark": "clipboard read",
    "file-mark": "file read",
    "marked.txt": "files listed",
    "Lovelace": "contacts read",
    "sms-mark": "messages read",
    "log-mark": "log read",
    "crash-mark": "crashes read",
    "note-mark": "notifications read",
    "event-mark": "events read",
    "+15550177": "calls read",
    "media-mark": "media read",
    "47.5432": "location read",
    "org.example.quagga": "apps read",
    "Your cart": "page read",
}
"""Words that are in one place on the phone, and what a reply with them has read."""
FOLDER = "/storage/emulated/0"
BACK, HOME, RECENTS = 4, 3, 187
TYPES = frozenset({"type_append_text", "type_insert_text", "type_replace_text", "type_clear_text"})
SHOWS = frozenset(
    {
        *("get_screen_state", "find_elements", "get_element_details", "wait_for_element"),
        *("wait_for_idle", "scroll_to_element"),
    }
)
CLICKS = frozenset({"click_element", "tap", "double_tap"})
HOLDS = frozenset({"long_press", "long_click_element"})
MOVES = frozenset({"swipe", "scroll", "scroll_to_element", "pinch", "custom_gesture"})
STARTS = frozenset(
    {"open_app", "open_uri", "send_intent", "notification_open", "notification_action"}
)
PACKAGES = frozenset({"install_app", "uninstall_app", "clear_app_data", "set_app_permission"})
WRITES = frozenset(
    {
        *("write_file", "append_file", "file_replace", "download_from_url", "stop_recording"),
        *("save_camera_photo", "save_camera_video"),
    }
)
MAY: Mapping[str, frozenset[str]] = {
    # Without the helper a click, and the focus of a field, is a touch.
    "tap": CLICKS | TYPES,
    "click": CLICKS | TYPES,
    "focus": TYPES,
    "long_press": HOLDS,
    "long_click": HOLDS,
    "move": MOVES,
    "scrolled": frozenset({"scroll", "scroll_to_element"}),
    "edited": TYPES | {"press_key"},
    "typed": TYPES,
    "entered": frozenset({"press_key", *TYPES}),
    "back": frozenset({"press_back", "dismiss_keyboard"}),
    "home": frozenset({"press_home"}),
    "recents": frozenset({"press_recents"}),
    "notifications": frozenset({"open_notifications"}),
    "quick_settings": frozenset({"open_quick_settings"}),
    "key": frozenset({"press_key", "set_screen", *TYPES}),
    "app started": STARTS,
    "app stopped": PACKAGES | {"close_app"},
    "service started": frozenset({"send_intent"}),
    "broadcast sent": frozenset({"send_intent"}),
    "notification opened": frozenset({"notification_open"}),
    "notification pressed": frozenset({"notification_action", "notification_reply"}),
    "notification removed": frozenset(
        {"notification_open", "notification_dismiss", "notification_action", "notification_reply"}
    ),
    "notification snoozed": frozenset({"notification_snooze"}),
    "photo taken": frozenset({"take_camera_photo", "save_camera_photo"}),
    "video taken": frozenset({"save_camera_video"}),
    "script run": frozenset({"run_web_script"}),
    "clipboard written": frozenset({"set_clipboard"}),
    "file made": WRITES,
    "file grew": frozenset({"append_file", "write_file"}),
    "file changed": frozenset({"file_replace", "delete_file"}),
    "file destroyed": frozenset({"delete_file"}),
    "message sent": frozenset({"send_sms"}),
    "app installed": frozenset({"install_app"}),
    "app removed": frozenset({"uninstall_app"}),
    "permission changed": frozenset({"set_app_permission", "install_app"}),
    "app data cleared": frozenset({"clear_app_data", "uninstall_app"}),
    "rotation": frozenset({"set_rotation"}),
    "appearance": frozenset({"set_appearance"}),
    "network": frozenset({"set_network"}),
    "volume": frozenset({"set_volume"}),
    "language": frozenset({"set_language"}),
    "location pretended": frozenset({"set_location"}),
    "screen switched": frozenset({"set_screen"}),
    "picture": frozenset(
        {"get_screen_state", "take_camera_photo", "save_camera_video", "stop_recording"}
    ),
    "screen read": SHOWS,
    "clipboard read": frozenset({"get_clipboard"}),
    "file read": frozenset({"read_file", "file_replace"}),
    "files listed": frozenset({"list_files", "list_media"}),
    "contacts read": frozenset({"find_contacts"}),
    # Notifications may be on the screen.
    "messages read": SHOWS | {"list_messages", "notification_list", "wait_for_notification"},
    "log read": frozenset({"get_device_logs"}),
    "crashes read": frozenset({"list_crashes", "get_crash", "get_device_logs"}),
    "notifications read": SHOWS | {"notification_list", "wait_for_notification"},
    "events read": frozenset({"list_events"}),
    "calls read": frozenset({"list_calls"}),
    "media read": frozenset({"list_media", "list_files"}),
    "location read": frozenset({"get_location"}),
    "apps read": frozenset({"list_apps", "get_app_info"}),
    "page read": frozenset({"read_web_page", "list_web_pages"}),
}
"""The tools of which one must be among those that a call with this effect is judged as."""
READS = frozenset({*MARKS.values(), "picture"})
_PRESSED = {"back": "back", "home": "home", "recents": "recents", "overview": "recents"}
_KEYS = {BACK: "back", HOME: "home", RECENTS: "recents"}
_PERFORMED = {
    "click": "click",
    "long_click": "long_click",
    "focus": "focus",
    "ime_enter": "entered",
    "scroll_forward": "scrolled",
    "scroll_backward": "scrolled",
    "scroll_to_position": "scrolled",
    "set_text": "edited",
    "set_selection": "edited",
    "paste": "edited",
}
_RECORDED = {
    "type": "typed",
    "launch": "app started",
    "stop": "app stopped",
    "service": "service started",
    "broadcast": "broadcast sent",
    "photo": "photo taken",
    "video": "video taken",
}
_SET = (
    (("wifi", "mobile_data", "airplane", "bluetooth"), "network"),
    (("volume", "mode_ringer", "zen"), "volume"),
    (("rotation",), "rotation"),
    (("brightness", "night", "font_scale"), "appearance"),
    (("locale",), "language"),
    (("mock", "location"), "location pretended"),
)
"""Words in the names of Android's settings."""


class TimedEvents(list[Event]):
    """The world's operations, each with the time when it came."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self.times: list[float] = []

    def append(self, event: Event, /) -> None:
        super().append(event)
        self.times.append(self._now())

    def forget(self) -> None:
        self.clear()
        self.times.clear()


@dataclass(frozen=True, slots=True)
class State:
    """What calls can change without touching the screen."""

    clips: int
    files: Mapping[str, bytes]
    sent: frozenset[int]
    apps: frozenset[str]
    granted: frozenset[tuple[str, str]]
    data: frozenset[str]
    settings: Mapping[str, object]
    posted: frozenset[tuple[str, int]]
    snoozed: frozenset[tuple[str, int]]
    awake: bool


class Eyes:
    """Look at a phone before and after each call."""

    def __init__(self, device: VirtualPhone) -> None:
        self._device, self._world = device, device.world
        self._events = TimedEvents(device.clock.now)
        device.world.events = self._events
        self._before = self._state()

    def open(self) -> None:
        self._before = self._state()
        self._events.forget()

    def seen(self, reply: Sequence[Item], sent: str) -> set[str]:
        """What happened since it opened them, and what the reply tells that was not sent."""
        return {*self._done(sent), *_changes(self._before, self._state()), *_read(reply, sent)}

    def _done(self, sent: str) -> Iterator[str]:
        paths: dict[object, list[tuple[float, float, float]]] = {}
        for event, time in zip(self._events, self._events.times, strict=True):
            match event.kind, event.details:
                case "touch", ("down", pointer, float() | int() as x, float() | int() as y):
                    paths[pointer] = [(x, y, time)]
                case "touch", (_, pointer, float() | int() as x, float() | int() as y):
                    paths[pointer].append((x, y, time))
                    if event.details[0] == "up":
                        yield kind_of(paths.pop(pointer))
                case "press", (button,):
                    yield _PRESSED.get(str(button), str(button))
                case "key", (int() as code,):
                    yield _KEYS.get(code, "key")
                case "perform", (_, action):
                    yield _PERFORMED[str(action)]
                case "script", (_, expression):
                    if str(expression) in sent:  # others are ours, and read the page
                        yield "script run"
                case "notification", (_, "open"):
                    yield "notification opened"
                case "notification", _:
                    yield "notification pressed"
                case kind, _:
                    yield _RECORDED[kind]

    def _state(self) -> State:
        world = self._world
        tables = ("system", "secure", "global")
        settings: dict[str, object] = {
            f"{table} {name}": value
            for table in tables
            for name, value in world.preferences.all(table).items()
        }
        settings["locale"] = (tuple(world.languages.system), str(world.languages.of_apps))
        settings["mock"] = tuple(world.whereabouts.tests)
        settings["rotation"] = world.rotation
        return State(
            len(world.clipboard.history),
            dict(self._files(FOLDER)),
            frozenset(each.id for each in world.telephony.messages if each.box is not Box.INBOX),
            frozenset(world.apps),
            frozenset(
                (package, permission)
                for package in world.apps
                for permission, answer in world.permissions.of(package).items()
                if answer.granted
            ),
            frozenset(world.app_data),
            settings,
            frozenset((each.package, each.id) for each in world.notifications.posted),
            frozenset(
                (each.notification.package, each.notification.id)
                for each in world.notifications.snoozed
            ),
            world.awake,
        )

    def _files(self, folder: str) -> Iterator[tuple[str, bytes]]:
        files = self._device.files
        for name in files.list(folder, ROOT):
            path = f"{folder}/{name}"
            if files.is_folder(path, ROOT):
                yield from self._files(path)
            else:
                yield path, files.read(path, ROOT)


def _read(reply: Sequence[Item], sent: str) -> Iterator[str]:
    for item in reply:
        if isinstance(item, Image):
            yield "picture"
        else:
            yield from (what for mark, what in MARKS.items() if mark in item and mark not in sent)


def _changes(before: State, after: State) -> Iterator[str]:
    happened: dict[str, Any] = {
        "clipboard written": after.clips > before.clips,
        "message sent": after.sent - before.sent,
        "app installed": after.apps - before.apps,
        "app removed": before.apps - after.apps,
        "permission changed": before.apps == after.apps and before.granted != after.granted,
        "app data cleared": before.data - after.data,
        "notification removed": before.posted - after.posted - after.snoozed,
        "notification snoozed": after.snoozed - before.snoozed,
        "screen switched": before.awake != after.awake,
        "file made": after.files.keys() - before.files.keys(),
    }
    yield from (name for name, did in happened.items() if did)
    for path, content in before.files.items():
        now = after.files.get(path)
        if now is None or len(now) < len(content):
            yield "file destroyed"
        elif now != content:
            yield "file grew" if now.startswith(content) else "file changed"
    for name in before.settings.keys() | after.settings.keys():
        if before.settings.get(name) != after.settings.get(name):
            kinds = [kind for words, kind in _SET if any(word in name for word in words)]
            yield kinds[0] if kinds else f"setting {name}"
