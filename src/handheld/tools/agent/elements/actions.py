"""Maps each action of the tools for models to the equivalent main tools: rules and scopes on one
of those apply to that action alone.

The reply to an action on the screen shows the screen afterwards, so it also counts as
`get_screen_state`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ....phone.input.touch_kind import LONG_PRESS_MS
from ...recording import AuditPolicy, Secret
from ...tool import SCREEN_TOOL as SCREEN
from ...tool import Action, Listing
from ..device_tools import SETTINGS
from ..keys import BUTTONS, GOES_BACK, HIDE_KEYBOARD, SETS, clipboard_tool, is_shortcut, key_name
from .targets import is_point


def _given(arguments: Mapping[str, Any], name: str) -> bool:
    value = arguments.get(name)
    return value is not None and value is not False


def _by_parameter(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda arguments: str(arguments.get(name))


def _make(listing: Listing, actions: Mapping[str, tuple[str, ...]]) -> dict[str, Listing]:
    return {name: replace(listing, abilities=tools) for name, tools in actions.items()}


def look_actions(listing: Listing) -> Action:
    return Action(
        _make(listing, {"screen": (SCREEN,)}), lambda _: "screen", also={"find": ("find_elements",)}
    )


def wait_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        if arguments.get("notification"):
            return "notification"
        return "text" if arguments.get("text") else "rest"

    actions = {
        "text": ("wait_for_element", SCREEN),
        "notification": ("wait_for_notification", SCREEN),
        "rest": ("wait_for_idle", SCREEN),
    }
    return Action(_make(listing, actions), choose)


def tap_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        by_point = is_point(str(arguments.get("at")))
        if _given(arguments, "hold"):
            return "hold point" if by_point else "hold"
        if arguments.get("times") not in (None, 1):
            return "several times"
        return "point" if by_point else "element"

    actions = {
        # An element that takes no click is touched.
        "element": ("click_element", "tap", SCREEN),
        "point": ("tap", SCREEN),
        "several times": ("tap", "double_tap", SCREEN),
        "hold": ("long_click_element", "long_press", SCREEN),
        "hold point": ("long_press", SCREEN),
    }
    return Action(
        _make(listing, actions), choose, also={"scroll": ("scroll", "scroll_to_element", "swipe")}
    )


def scroll_actions(listing: Listing) -> Action:
    return Action(
        _make(listing, {"scroll": ("scroll", SCREEN)}),
        lambda _: "scroll",
        also={"until": ("scroll_to_element",)},
    )


def type_actions(listing: Listing) -> Action:
    actions = {
        "replace": ("type_clear_text", "type_append_text", "type_replace_text", SCREEN),
        "append": ("type_append_text", SCREEN),
        "insert": ("type_insert_text", SCREEN),
    }
    listings = _make(listing, actions)
    listings["replace"] = replace(listings["replace"], destructive=True)
    return Action(
        listings,
        lambda arguments: str(arguments.get("mode", "replace")),
        "mode",
        also={"submit": ("press_key",)},
    )


def swipe_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        if _given(arguments, "zoom"):
            ms = arguments.get("ms")
            # Anything but a number is refused.
            slow = isinstance(ms, int | float) and ms >= LONG_PRESS_MS
            return "slow pinch" if slow else "pinch"
        return "drag" if _given(arguments, "hold") else "swipe"

    actions = {
        "swipe": ("swipe", SCREEN),
        "drag": ("swipe", "long_press", "custom_gesture", SCREEN),
        "pinch": ("pinch", SCREEN),
        "slow pinch": ("pinch", "long_press", SCREEN),
    }
    return Action(_make(listing, actions), choose)


def press_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        name = key_name(str(arguments.get("key")))
        if is_shortcut(name):
            return "shortcut"
        key = name.rpartition("+")[2]
        if key in GOES_BACK:
            return "back"
        if key in SETS:
            return SETS[key]
        if tool := clipboard_tool(name):
            return tool
        return name if name in BUTTONS or name == HIDE_KEYBOARD else "key"

    actions: dict[str, tuple[str, ...]] = {
        name: (tool, "press_key", SCREEN) for name, tool in BUTTONS.items()
    }
    # Android hides it by the back key, which goes back if no keyboard is open.
    actions[HIDE_KEYBOARD] = ("dismiss_keyboard", "press_back", "press_key", SCREEN)
    sets = (*SETS.values(), "get_clipboard", "set_clipboard")
    actions |= {tool: (tool, "press_key", SCREEN) for tool in sets}
    actions["shortcut"] = (*BUTTONS.values(), "press_key", SCREEN)
    return Action(_make(listing, {**actions, "key": ("press_key", SCREEN)}), choose)


OPEN_LINK, SEND_INTENT = "open_uri", "send_intent"


def open_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        from ....phone.intents.arguments import is_link, says_more

        what = str(arguments.get("what"))
        if not is_link(what):
            return "app"
        return "intent" if says_more(what) else "link"

    actions = {
        # An app is found by its name, and the nearest names are told.
        "app": ("open_app", "list_apps", SCREEN),
        "link": (OPEN_LINK, SCREEN),
        # An `intent:` URI that does more than a link.
        "intent": (OPEN_LINK, SEND_INTENT, SCREEN),
    }
    listings = _make(listing, actions)
    for name in ("link", "intent"):
        recording = AuditPolicy({"what": Secret.URL}, listing.recording.reply)
        listings[name] = replace(listings[name], recording=recording)
    listings["intent"] = replace(listings["intent"], destructive=True)
    return Action(listings, choose, also={"by": ("list_apps",)})


def intent_actions(listing: Listing) -> Action:
    listings = _make(
        listing,
        {
            "open": (SEND_INTENT, SCREEN),
            "service": (SEND_INTENT,),
            "broadcast": (SEND_INTENT,),
            "find": ("find_handlers",),
        },
    )
    listings["find"] = replace(listings["find"], read_only=True, destructive=False, idempotent=True)
    return Action(listings, _by_parameter("do"), "do", shared=frozenset({"find"}))


def read_actions(
    abilities: Mapping[str, tuple[str, ...]],
    replies: Mapping[str, Secret],
    names_people: frozenset[str],
) -> Callable[[Listing], Action]:
    """`names_people`: the kinds of data about a person, whom the argument `of` names."""

    def make(listing: Listing) -> Action:
        actions = {
            what: replace(
                each,
                recording=AuditPolicy(
                    {"of": Secret.WHOLE} if what in names_people else {},
                    replies.get(what, Secret.NO),
                ),
            )
            for what, each in _make(listing, abilities).items()
        }
        return Action(actions, _by_parameter("what"), "what")

    return make


FILE_TOOLS = {
    "write": "write_file",
    "append": "append_file",
    "replace": "file_replace",
    "delete": "delete_file",
    "download": "download_from_url",
}


def file_actions(listing: Listing) -> Action:
    actions = {
        action: replace(listing, abilities=(tool,), open_world=action == "download")
        for action, tool in FILE_TOOLS.items()
    }
    return Action(actions, _by_parameter("action"), "action", shared=frozenset({"download"}))


def app_actions(listing: Listing) -> Action:
    # An app is found by its name, and the nearest names are told.
    tools = {
        "stop": ("close_app", "list_apps"),
        "install": ("install_app",),
        "uninstall": ("uninstall_app", "list_apps"),
        "clear_data": ("clear_app_data", "list_apps"),
        "grant": ("set_app_permission", "list_apps"),
        "revoke": ("set_app_permission", "list_apps"),
    }
    actions = {
        action: replace(
            each,
            idempotent=action not in ("install", "uninstall"),
            open_world=action == "install",
        )
        for action, each in _make(listing, tools).items()
    }
    return Action(actions, _by_parameter("action"), "action")


def camera_actions(listing: Listing) -> Action:
    actions = {
        "look": ("take_camera_photo", "list_cameras"),
        "photo": ("save_camera_photo", "list_cameras"),
        "video": ("save_camera_video", "list_cameras"),
    }
    listings = _make(listing, actions)
    listings["look"] = replace(listings["look"], destructive=False)
    return Action(listings, _by_parameter("action"), "action")


def notification_actions(listing: Listing) -> Action:
    actions = {
        "open": ("notification_open", SCREEN),
        "dismiss": ("notification_dismiss",),
        "snooze": ("notification_snooze",),
        "press": ("notification_action", SCREEN),
        "reply": ("notification_reply",),
    }
    listings = {
        name: replace(
            each,
            destructive=name in ("dismiss", "press", "reply"),
            open_world=name in ("press", "reply"),
        )
        for name, each in _make(listing, actions).items()
    }
    return Action(listings, _by_parameter("action"), "action")


def set_actions(listing: Listing) -> Action:
    actions = {"clipboard": ("set_clipboard",)}
    actions |= {what: (tool,) for what, (_, tool) in SETTINGS.items()}
    listings = _make(listing, actions)
    for what in SETTINGS:
        listings[what] = replace(listings[what], recording=AuditPolicy())
    return Action(listings, _by_parameter("what"), "what")


def record_actions(listing: Listing) -> Action:
    actions = {"start": ("start_recording", SCREEN), "stop": ("stop_recording",)}
    return Action(
        _make(listing, actions), _by_parameter("action"), "action", shared=frozenset(actions)
    )
