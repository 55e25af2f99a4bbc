"""The parameters of all tools, each declared once."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from ...errors import InvalidParams
from ...phone.apps.logs import parse_moment
from ...phone.personal.sms_rules import find_number_fault, find_text_fault
from ...screen.text import brief
from ..parameter import Param, read_integer
from ..recording import Secret
from .paths import LONGEST_GESTURE_MS, PATHS_SCHEMA, Path, read_milliseconds, read_paths

MOST_LINES = 1000


def read_last_lines(value: Any) -> int:
    lines = read_integer(value)
    if not 1 <= lines <= MOST_LINES:
        raise InvalidParams(f"last_lines must be between 1 and {MOST_LINES}, got {lines}")
    return lines


def moment_reader(name: str) -> Callable[[Any], datetime]:
    def read(value: Any) -> datetime:
        text = value if isinstance(value, str) else json.dumps(value)
        moment = parse_moment(text)
        if moment is None:
            raise InvalidParams(
                f"{name} must be an ISO 8601 timestamp (e.g., '2024-01-15T10:30:00')."
                f" Got: '{brief(text)}'"
            )
        return moment

    return read


X = Annotated[float, Param("X coordinate (>= 0)", at_least=0)]
Y = Annotated[float, Param("Y coordinate (>= 0)", at_least=0)]
StartX = Annotated[float, Param("Start X coordinate (>= 0)", at_least=0)]
StartY = Annotated[float, Param("Start Y coordinate (>= 0)", at_least=0)]
EndX = Annotated[float, Param("End X coordinate (>= 0)", at_least=0)]
EndY = Annotated[float, Param("End Y coordinate (>= 0)", at_least=0)]
CenterX = Annotated[float, Param("Center X coordinate (>= 0)", at_least=0)]
CenterY = Annotated[float, Param("Center Y coordinate (>= 0)", at_least=0)]


def _lasting(what: str) -> Param:
    """Declare a duration in milliseconds, which may have a fraction."""
    return Param(
        f"{what} in ms (1-60000)",
        1,
        LONGEST_GESTURE_MS,
        read=read_milliseconds,
        schema={"type": "number"},
    )


PressDuration = Annotated[float, _lasting("Press duration")]
SwipeDuration = Annotated[float, _lasting("Swipe duration")]
GestureDuration = Annotated[float, _lasting("Gesture duration")]
Direction = Annotated[
    Literal["up", "down", "left", "right"],
    Param('Direction: "up", "down", "left", "right"', schema={"enum": None}),
]
Amount = Annotated[
    Literal["small", "medium", "large"],
    Param('Amount: "small" (25%), "medium" (50%), "large" (75%)', schema={"enum": None}),
]
Scale = Annotated[float, Param("Scale factor (> 0; > 1 = zoom in, < 1 = zoom out)", over=0)]
Paths = Annotated[
    list[Path],
    Param("Array of paths (see below)", read=read_paths, schema=PATHS_SCHEMA, secret=Secret.NO),
]

IncludeScreenshot = Annotated[
    bool,
    Param(
        "Include a low-resolution screenshot. Only request when the UI element list is not"
        " sufficient."
    ),
]

By = Annotated[
    Literal["text", "content_desc", "resource_id", "class_name"],
    Param(
        "Search criteria type",
        unknown="Invalid '{name}' value: '{value}'. Must be one of: {choices}",
    ),
]
SearchValue = Annotated[str, Param("Search value", empty="must be non-empty", secret=Secret.NO)]
ExactMatch = Annotated[
    bool,
    Param(
        "If true, match exactly. If false, match contains (case-insensitive)",
        schema={"default": False},
    ),
]
"""Documented with its default before its description."""
ElementId = Annotated[
    str, Param("Node ID from find_elements", empty="must be non-empty", secret=Secret.NO)
]

ElementIds = Annotated[
    list[str],
    Param(
        "Array of element IDs to look up (from get_screen_state output)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]
WaitTimeout = Annotated[
    int,
    Param(
        "Timeout in milliseconds (1-30000). Required.",
        1,
        30_000,
        beyond="Timeout must be {bound} ms, got: {value}",
    ),
]
MatchPercentage = Annotated[
    int,
    Param(
        "Similarity threshold percentage (0-100, default 100). 100 = exact match, lower values"
        " tolerate minor UI changes",
        0,
        100,
        beyond="{name} must be {bound}, got: {value}",
    ),
]
ClipboardText = Annotated[str, Param("Text to set in clipboard", secret=Secret.ALWAYS)]

LaunchedPackage = Annotated[
    str,
    Param(
        "The package ID of the app to launch (e.g., `com.example.app`)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]

InstalledPackage = Annotated[
    str,
    Param(
        "The package ID of the installed app (e.g., com.example.app)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]
PackagePath = Annotated[
    str,
    Param(
        "An APK, .apks, .apkm or .xapk file, or a folder with the APKs of one app: relative to"
        " `location_id`, else an absolute path in a folder of the computer that the owner allows",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]
PackageLocation = Annotated[
    str | None,
    Param("Storage location ID from `android_list_storage_locations`", secret=Secret.NO),
]
SplitPaths = Annotated[
    list[str] | None,
    Param("Further APKs of the same app, named as `path` is", secret=Secret.NO),
]
AllowDowngrade = Annotated[bool, Param("Replace a newer version, where Android permits it")]
AllowTest = Annotated[bool, Param("Install a package that is made for tests only")]
AllowOldTarget = Annotated[bool, Param("Install a package that is made for a very old Android")]
GrantPermissions = Annotated[bool, Param("Grant all permissions that the app asks for")]
KeepData = Annotated[bool, Param("Keep the app's data, for when it is installed again")]
PermissionName = Annotated[
    str,
    Param(
        "The permission (e.g., android.permission.CAMERA)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]
Granted = Annotated[bool, Param("true grants it, false revokes it")]

LocationId = Annotated[
    str, Param("Storage location ID from `android_list_storage_locations`", secret=Secret.NO)
]
FolderPath = Annotated[str, Param("Relative path within the storage location", secret=Secret.NO)]
FilePath = Annotated[
    str, Param("Relative path to the file within the storage location", secret=Secret.NO)
]
TargetPath = Annotated[str, Param("Destination path within the storage location", secret=Secret.NO)]
EntryOffset = Annotated[int, Param("Pagination offset (0-based)", at_least=0)]
EntryLimit = Annotated[int, Param("Maximum number of entries to return (max 200)", 1, 200)]
LineOffset = Annotated[int, Param("Starting line number (1-based)", at_least=1)]
LineLimit = Annotated[int, Param("Maximum number of lines to return (max 200)", 1, 200)]
WrittenText = Annotated[
    str, Param("Text content to write (empty string creates an empty file)", secret=Secret.FILE)
]
AppendedText = Annotated[str, Param("Text content to append", secret=Secret.FILE)]
OldString = Annotated[
    str, Param("The literal string to search for", empty="must be non-empty", secret=Secret.FILE)
]
NewString = Annotated[str, Param("The replacement string", secret=Secret.FILE)]
ReplaceAll = Annotated[
    bool,
    Param("If `true`, replaces all occurrences; if `false`, replaces only the first"),
]
DownloadUrl = Annotated[str, Param("URL to download from (HTTP or HTTPS)", secret=Secret.URL)]


def typed_text(name: str, description: str, most: int = 2000, empty: str = "") -> Param:
    """Declare a text to type or to find in a field, of at most `most` UTF-16 units."""

    def refuse(value: str) -> str:
        try:
            length = len(value.encode("utf-16-le")) // 2
        except UnicodeEncodeError:
            return f"Parameter '{name}' has half of a surrogate pair, which is not a character"
        if length > most:
            return f"{name} exceeds maximum length of {most} characters (got {length})"
        return ""

    return Param(description, empty=empty, refuse=refuse, secret=Secret.TYPED)


def _speed(value: int) -> str:
    if value < 10:
        return f"typing_speed must be >= 10 ms, got {value}"
    return f"typing_speed must be <= 5000 ms, got {value}" if value > 5000 else ""


_NON_EMPTY = "must be non-empty"
TypedInto = Annotated[
    str, Param("Target element ID to type into", empty=_NON_EMPTY, secret=Secret.NO)
]
EditedElement = Annotated[str, Param("Target element ID", empty=_NON_EMPTY, secret=Secret.NO)]
ClearedElement = Annotated[
    str, Param("Target element ID to clear", empty=_NON_EMPTY, secret=Secret.NO)
]
TypedText = Annotated[
    str,
    typed_text("text", "Text to type (must be non-empty, max 2000 characters)", 2000, _NON_EMPTY),
]
SoughtText = Annotated[
    str,
    typed_text(
        "search",
        "Text to find in the field (first occurrence, max 10000 characters)",
        10_000,
        _NON_EMPTY,
    ),
]
NewText = Annotated[
    str,
    typed_text(
        "new_text",
        "Replacement text to type (max 2000 characters). Can be empty to just delete the found"
        " text",
        2000,
    ),
]
TypingOffset = Annotated[
    int,
    Param(
        "0-based character offset for cursor position. Must be within [0, current text length]",
        0,
        beyond="Parameter '{name}' must be {bound}, got {value}",
    ),
]
TypingSpeed = Annotated[
    int, Param("Base delay between characters in ms (min: 10, max: 5000)", refuse=_speed)
]
TypingVariance = Annotated[
    int,
    Param(
        "Random variance in ms, clamped to [0, typing_speed]",
        0,
        beyond="{name} must be {bound}, got {value}",
    ),
]
Key = Annotated[
    Literal["ENTER", "BACK", "DEL", "HOME", "TAB", "SPACE"],
    Param("Key to press", unknown="Invalid key: '{value}'. Allowed values: {choices}"),
]
ClosedPackage = Annotated[
    str,
    Param(
        "The package ID of the app to close (e.g., `com.example.app`)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]
AppFilter = Annotated[
    Literal["all", "user", "system"],
    Param(
        'Filter by app type: `"all"`, `"user"`, or `"system"`',
        unknown="Parameter '{name}' must be one of: 'all', 'user', 'system'. Got: '{value}'",
        schema={"enum": None},
    ),
]
NameQuery = Annotated[
    str | None, Param("Filter by app name substring (case-insensitive)", secret=Secret.NO)
]

LastLines = Annotated[
    int,
    Param(
        "Number of most recent log lines to return (1-1000)",
        read=read_last_lines,
        schema={"type": "integer"},
    ),
]
Since = Annotated[
    datetime | None,
    Param(
        "ISO 8601 timestamp to filter logs from (e.g., 2024-01-15T10:30:00)",
        read=moment_reader("since"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
Until = Annotated[
    datetime | None,
    Param(
        "ISO 8601 timestamp to filter logs until (used with since)",
        read=moment_reader("until"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
LogTag = Annotated[
    str | None,
    Param(
        "Filter by log tag (exact match, e.g., MCP:ServerService)",
        empty="must be non-empty",
        secret=Secret.NO,
    ),
]
LogLevel = Annotated[
    Literal["V", "D", "I", "W", "E", "F"],
    Param(
        "Minimum log level to include",
        unknown="{name} must be one of: {choices}. Got: '{value}'",
    ),
]
LogPackage = Annotated[str | None, Param("Filter logs by package name", secret=Secret.NO)]

CrashPackage = Annotated[
    str | None, Param("Only crashes of the app with this package ID", secret=Secret.NO)
]
CrashSince = Annotated[
    datetime | None,
    Param(
        "Only crashes from this ISO 8601 time on (e.g., 2024-01-15T10:30:00)",
        read=moment_reader("since"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
CrashLimit = Annotated[int, Param("Most crashes to return (1-200)", 1, 200)]
CrashId = Annotated[
    str,
    Param("The crash_id of a listed crash", empty="must not be empty", secret=Secret.NO),
]
TraceLines = Annotated[int, Param("Most lines of the trace to return (1-2000)", 1, 2000)]
MeasuredPackage = Annotated[
    str,
    Param(
        "The package ID of the running app (e.g., com.example.app)",
        empty="must not be empty",
        secret=Secret.NO,
    ),
]

PageId = Annotated[
    str,
    Param("The page_id of a listed web page", empty="must not be empty", secret=Secret.NO),
]
PageSelector = Annotated[
    str | None, Param("Only the text of elements that match this CSS selector", secret=Secret.NO)
]
TextLimit = Annotated[int, Param("Most characters of text to return (1-200000)", 1, 200_000)]
PageScript = Annotated[
    str,
    Param(
        "JavaScript (max 20000 characters)",
        empty="must not be empty",
        refuse=lambda value: (
            f"script exceeds maximum length of 20000 characters (got {len(value)})"
            if len(value) > 20_000
            else ""
        ),
        longest=None,
        secret=Secret.WHOLE,
    ),
]
"""Masked in the record: it may fill in a password."""
ScriptTimeout = Annotated[int, Param("Timeout in milliseconds (1-30000)", 1, 30_000)]

ToPhoneNumber = Annotated[
    str,
    Param(
        "The phone number the SMS should be sent to in international format starting with a plus"
        " sign followed by the country code. For example +36201234567",
        refuse=find_number_fault,
        secret=Secret.PHONE_NUMBER,
    ),
]
SmsText = Annotated[
    str,
    Param(
        "The text of the sms messages to be sent. The maximum length is 160 characters",
        refuse=find_text_fault,
        secret=Secret.ALWAYS,
    ),
]
SmsSubscription = Annotated[
    int | None,
    Param(
        "SMS subscription ID to use for sending. Required when sending is allowed on more than one"
        " active subscription."
    ),
]

Rotation = Annotated[
    Literal["auto", "portrait", "landscape", "reverse_portrait", "reverse_landscape"],
    Param("How the screen is turned; auto follows the device"),
]
Dark = Annotated[bool | None, Param("Dark mode on or off")]
Brightness = Annotated[int | None, Param("Brightness in percent (0-100)", 0, 100)]
FontScale = Annotated[float | None, Param("Font scale (0.5-2, usually 1)", 0.5, 2)]
Wifi = Annotated[bool | None, Param("Wi-Fi on or off")]
MobileData = Annotated[bool | None, Param("Mobile data on or off")]
Airplane = Annotated[bool | None, Param("Airplane mode on or off (Android 9 or newer)")]
Bluetooth = Annotated[bool | None, Param("Bluetooth on or off")]
VolumeStream = Annotated[
    Literal["music", "ring", "notification", "alarm", "call", "system"], Param("Kind of sound")
]
VolumeLevel = Annotated[int, Param("Level, from 0 or 1 to the highest of this kind of sound")]
LanguageTag = Annotated[
    str, Param("Language tag (e.g., de-DE)", empty="must not be empty", secret=Secret.NO)
]
LocalizedPackage = Annotated[
    str | None,
    Param("The package ID of one app; without it, the device", secret=Secret.NO),
]
FreshFix = Annotated[bool, Param("Wait for a new fix instead of the last known location")]
Latitude = Annotated[float | None, Param("Latitude (-90 to 90)", -90, 90)]
Longitude = Annotated[float | None, Param("Longitude (-180 to 180)", -180, 180)]
ScreenOn = Annotated[bool, Param("On or off")]

VideoSeconds = Annotated[int, Param("Seconds after which it ends by itself (1-600)", 1, 600)]
VideoSize = Annotated[
    int, Param("Pixels of the longer side of the video, at most (240-2560)", 240, 2560)
]
VideoLocation = Annotated[
    str | None,
    Param(
        "Storage location ID from `android_list_storage_locations`; without it the video is kept on"
        " the computer",
        secret=Secret.NO,
    ),
]
VideoPath = Annotated[
    str | None,
    Param(
        "Path in the storage location, else the name of a new file on the computer; it ends in"
        " .mp4, or in .gif or .webp for a moving picture",
        secret=Secret.NO,
    ),
]
