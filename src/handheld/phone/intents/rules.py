"""Classifies intents: never sent, or plain; the default rules ask about all others."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from ...driver.intents import Intent
from ...screen.text import brief
from .uri import MAIN, VIEW

ACTION = "android.intent.action."
SETTINGS = "android.settings."
APK = "application/vnd.android.package-archive"

GRANTS: Mapping[str, int] = {
    "FLAG_GRANT_READ_URI_PERMISSION": 0x1,
    "FLAG_GRANT_WRITE_URI_PERMISSION": 0x2,
    "FLAG_GRANT_PERSISTABLE_URI_PERMISSION": 0x40,
    "FLAG_GRANT_PREFIX_URI_PERMISSION": 0x80,
}
ACTIVITY_FLAGS: Mapping[str, int] = {
    "FLAG_ACTIVITY_NO_HISTORY": 0x40000000,
    "FLAG_ACTIVITY_SINGLE_TOP": 0x20000000,
    "FLAG_ACTIVITY_NEW_TASK": 0x10000000,
    "FLAG_ACTIVITY_MULTIPLE_TASK": 0x08000000,
    "FLAG_ACTIVITY_CLEAR_TOP": 0x04000000,
    "FLAG_ACTIVITY_FORWARD_RESULT": 0x02000000,
    "FLAG_ACTIVITY_PREVIOUS_IS_TOP": 0x01000000,
    "FLAG_ACTIVITY_EXCLUDE_FROM_RECENTS": 0x00800000,
    "FLAG_ACTIVITY_BROUGHT_TO_FRONT": 0x00400000,
    "FLAG_ACTIVITY_RESET_TASK_IF_NEEDED": 0x00200000,
    "FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY": 0x00100000,
    "FLAG_ACTIVITY_NEW_DOCUMENT": 0x00080000,
    "FLAG_ACTIVITY_CLEAR_WHEN_TASK_RESET": 0x00080000,
    "FLAG_ACTIVITY_NO_USER_ACTION": 0x00040000,
    "FLAG_ACTIVITY_REORDER_TO_FRONT": 0x00020000,
    "FLAG_ACTIVITY_NO_ANIMATION": 0x00010000,
    "FLAG_ACTIVITY_CLEAR_TASK": 0x00008000,
    "FLAG_ACTIVITY_TASK_ON_HOME": 0x00004000,
    "FLAG_ACTIVITY_RETAIN_IN_RECENTS": 0x00002000,
    "FLAG_ACTIVITY_LAUNCH_ADJACENT": 0x00001000,
    "FLAG_ACTIVITY_MATCH_EXTERNAL": 0x00000800,
    "FLAG_ACTIVITY_REQUIRE_NON_BROWSER": 0x00000400,
    "FLAG_ACTIVITY_REQUIRE_DEFAULT": 0x00000200,
}
COMMON_FLAGS: Mapping[str, int] = {
    "FLAG_FROM_BACKGROUND": 0x4,
    "FLAG_DEBUG_LOG_RESOLUTION": 0x8,
    "FLAG_EXCLUDE_STOPPED_PACKAGES": 0x10,
    "FLAG_INCLUDE_STOPPED_PACKAGES": 0x20,
    "FLAG_DIRECT_BOOT_AUTO": 0x100,
}
RECEIVER_FLAGS: Mapping[str, int] = {
    "FLAG_RECEIVER_REGISTERED_ONLY": 0x40000000,
    "FLAG_RECEIVER_REPLACE_PENDING": 0x20000000,
    "FLAG_RECEIVER_FOREGROUND": 0x10000000,
    "FLAG_RECEIVER_NO_ABORT": 0x08000000,
    "FLAG_RECEIVER_VISIBLE_TO_INSTANT_APPS": 0x00200000,
}
FLAGS: Mapping[str, int] = {**ACTIVITY_FLAGS, **COMMON_FLAGS, **RECEIVER_FLAGS, **GRANTS}
"""The flags of Intent, by name."""

_CALLS = re.compile(r"(.*\.)?CALL(_.*)?", re.DOTALL)
_ENDS = re.compile(r"FACTORY_RESET|MASTER_CLEAR|REBOOT|SHUTDOWN|SECRET_CODE", re.IGNORECASE)
"""Actions that erase or switch off the phone; the dialler's secret codes may do the same."""
_SHOWN = frozenset({f"{ACTION}DIAL", f"{ACTION}SENDTO", f"{ACTION}SEND", f"{ACTION}WEB_SEARCH"})
"""Actions that only show something, with which a person continues."""
_EXTRA = "android.intent.extra."
_TOLD: Mapping[str, frozenset[str]] = {
    VIEW: frozenset({"browser_fallback_url"}),
    f"{ACTION}SEND": frozenset({f"{_EXTRA}{name}" for name in ("TEXT", "SUBJECT", "TITLE")}),
    f"{ACTION}SENDTO": frozenset({"sms_body", f"{_EXTRA}TEXT", f"{_EXTRA}SUBJECT"}),
    f"{ACTION}WEB_SEARCH": frozenset({"query"}),
}
"""Extras that a link could express. Only the app knows the meaning of others."""
_OF_SETTINGS = frozenset(
    {"android.provider.extra.APP_PACKAGE", "android.provider.extra.CHANNEL_ID"}
)
_FILES = ("file", "content")
_PACKAGE_FILE = re.compile(r"\.\w*apk\w*\b", re.IGNORECASE)


def find_prohibition(intent: Intent) -> str:
    """Return a sentence that says why an intent is never sent; "" if it may be sent."""
    action = brief(intent.action)
    if _CALLS.fullmatch(intent.action):
        return (
            f"{action} is never sent: it would call immediately. {ACTION}DIAL shows the number, and"
            " a person can call it."
        )
    if _ENDS.search(intent.action):
        return f"{action} is never sent: it could erase or switch off the phone."
    for name, bit in GRANTS.items():
        if intent.flags & bit:
            return f"{name} is never set: it would let an app read or change another app's data."
    if _scheme(intent.data) == "javascript":
        return "javascript: is not opened: it is a program, not a link."
    return ""


def is_plain(intent: Intent) -> bool:
    """Return whether an intent does no more than a link or a page of the settings: it shows
    something in an app that Android resolves."""
    if intent.kind != "activity" or intent.class_name:
        return False
    of_settings = intent.action.startswith(SETTINGS)
    told = _OF_SETTINGS if of_settings else _TOLD.get(intent.action, frozenset())
    if any(extra.name not in told or extra.type != "string" for extra in intent.extras):
        return False
    scheme = _scheme(intent.data)
    if scheme == "tel" and re.search("[*#]", unquote(intent.data)):
        return False  # a code, which the phone may execute immediately
    mime_type = intent.mime_type.strip().lower()
    if mime_type == APK or (
        # A type with * also matches a package.
        scheme in _FILES and ("*" in mime_type or _PACKAGE_FILE.search(unquote(intent.data)))
    ):
        return False
    if intent.action == VIEW:
        return bool(scheme)
    return (
        intent.action in _SHOWN or of_settings or (intent.action == MAIN and bool(intent.package))
    )


def _scheme(data: str) -> str:
    scheme, colon, _ = data.strip().partition(":")
    return scheme.lower() if colon else ""


_PAGES = {
    "": "SETTINGS",
    "ABOUT": "DEVICE_INFO_SETTINGS",
    "AIRPLANE": "AIRPLANE_MODE_SETTINGS",
    "APPS": "APPLICATION_SETTINGS",
    "BATTERY": "BATTERY_SAVER_SETTINGS",
    "DEVELOPER": "APPLICATION_DEVELOPMENT_SETTINGS",
    "HOTSPOT": "TETHER_SETTINGS",
    "KEYBOARD": "INPUT_METHOD_SETTINGS",
    "LANGUAGE": "LOCALE_SETTINGS",
    "LOCATION": "LOCATION_SOURCE_SETTINGS",
    "NETWORK": "WIRELESS_SETTINGS",
    "NOTIFICATIONS": "ALL_APPS_NOTIFICATION_SETTINGS",
    "STORAGE": "INTERNAL_STORAGE_SETTINGS",
}
"""People's names for pages of the settings that Android names differently."""
_APP_PAGE = re.compile(r"APP/(?P<package>[A-Za-z][\w.]*)", re.ASCII | re.IGNORECASE)
SETTINGS_SCHEME = "settings"
PAGE_NAMES = "wifi, bluetooth, display, sound, apps, app/PACKAGE, location, about"


def settings_page(name: str) -> Intent | None:
    """Return the intent for `settings:NAME`; None for an invalid name."""
    name = name.strip().strip("/")
    if (of_app := _APP_PAGE.fullmatch(name)) is not None:
        action = f"{SETTINGS}APPLICATION_DETAILS_SETTINGS"
        return Intent(action=action, data=f"package:{of_app['package']}")
    page = re.sub(r"[ -]+", "_", name).upper().removeprefix(SETTINGS.upper())
    page = _PAGES.get(page, page)
    if not re.fullmatch(r"[A-Z][A-Z0-9_.]{0,100}", page):
        return None
    if not page.endswith("SETTINGS") and "." not in page:
        page += "_SETTINGS"
    return Intent(action=f"{SETTINGS}{page}")
