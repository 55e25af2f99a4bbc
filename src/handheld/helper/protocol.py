"""The helper protocol's frames and constants, the same on host and helper. No I/O.

docs/helper-protocol.md defines what each call takes and returns; tests/vectors/helper-frames.json
holds frames that every implementation must read and write identically.
"""

import json
import re
import struct
from collections.abc import Iterator, Mapping
from enum import IntEnum, StrEnum
from typing import Any, Literal, NamedTuple, cast, get_args

from ..compact_json import make_encoder

GREETING = b"HANDHELD 1\n"
GREETING_LIMIT = 64 * 1024
"""How much other output (linker warnings, vendor messages) may precede the greeting."""

FRAME_LIMIT = 4 * 1024 * 1024
"""The largest length field. A larger one closes the stream."""
DATA_LIMIT = 64 * 1024
ANSWER_LIMIT = 16 * 1024 * 1024
"""All DATA of one answer together."""
OPEN_CALLS = 32
PING_SECONDS = 5.0
SILENCE_SECONDS = 20.0
"""The helper halts when the host has been silent this long."""
GRACE_MS = 2000
"""What the host adds to a call's budget before it gives up on the helper."""
BUDGET_LIMIT_MS = 6 * 60 * 60 * 1000
"""Typing 2000 characters, each after the longest pause, takes five and a half hours."""
IDLE_RELEASE_SECONDS = 10 * 60.0
"""UiAutomation is released after this long without a call that needs it."""
WORK_LANE = 8
"""How many calls the work lane runs at once."""
CLIPBOARD_LIMIT = 250_000
"""UTF-16 units of a text for the clipboard. Android passes it through a buffer of 1 MB that other
calls of the same program share."""
MOST_LANGUAGES = 20
"""Language tags of the system."""
FIX_LIMIT_MS = 60_000
"""How long the helper waits for a fresh location at most."""
QUERY_ROWS = 20_000
"""Rows of a table in one answer."""
QUERY_UNITS = 2_000_000
"""UTF-16 units of all texts in one answer."""
CELL_UNITS = 5_000
"""UTF-16 units of one text; longer ones are cut."""
VIDEO_LIMIT_MS = 60_000
"""The longest video."""
THEN_LIMIT_MS = 60_000
"""The longest time in a call's `then`."""
THEN_READ_MS = 10_000
"""The part of the budget that is kept for reading the screen after the action."""
MOST_NOTIFICATIONS = 300
"""How many notifications are listed, the newest first."""
REPLY_LIMIT = 10_000
"""UTF-16 units of a reply to a notification."""
SNOOZE_LIMIT_MS = 7 * 24 * 60 * 60 * 1000
TICKER_MS = 2000
"""Texts that changed in this time before an action are expected to change after it as well."""
LAST_CALL = 0xFFFFFFFF
Verb = Literal[
    "screen",
    "capture",
    "touch",
    "scroll",
    "pinch",
    "press",
    "act",
    "seek",
    "type",
    "key",
    "keycode",
    "launch",
    "changed",
    "release",
    "clipboard",
    "locate",
    "commit",
    "remove",
    "packages",
    "processes",
    "app_info",
    "stop",
    "resolve",
    "intent",
    "offers",
    "packages_changed",
    "provider_call",
    "service_call",
    "sims",
    "sms",
    "language",
    "location",
    "mock_location",
    "notifications",
    "notification",
    "query",
    "cameras",
    "photo",
    "video",
]
"""The commands of a CALL."""
VERBS: tuple[Verb, ...] = get_args(Verb)
WAKING = frozenset(
    {
        *("touch", "scroll", "pinch", "press", "act", "seek", "type", "key", "keycode", "launch"),
        *("intent", "notification"),
    }
)
"""The commands that act on the screen: they switch it on first and read it afterwards, if the call
asks for it."""
KEYED = frozenset({"act", "seek", "type", "notification"})
"""Commands that identify a view or a notification by its key. After a reboot, the key may belong to
another one."""

JAR_FOLDER = "/data/local/tmp"
LOCK_FILE = "/data/local/tmp/handheld.lock"
CLAIM_FILE = "/data/local/tmp/handheld.claim"
LEFT_FILE = "/data/local/tmp/handheld.left"
"""What processes changed on the phone and have not put back."""
LEFT_LIMIT = 2000
"""The most bytes of that file."""
UNFINISHED_JAR = re.compile(r"handheld-helper-[0-9a-f]{16}\.jar\.[0-9a-f]{8}\.tmp")
"""The name of a jar while it is being pushed."""
UNFINISHED_SECONDS = 600
"""How long an unfinished jar stays on the phone: no push takes that long."""
EPOCH_LIMIT = 2**53
TAKE_OVER_MS = 3000
"""How long an accepted helper waits for the former one to end."""
MAIN_CLASS = "dev.handheld.helper.Helper"

_HEADER = struct.Struct(">IBI")
_encode = make_encoder(allow_nan=False)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


# Strict UTF-8 and no NaN: exactly what Java's reader accepts.
_DECODER = json.JSONDecoder(parse_constant=_refuse)


class ProtocolError(Exception):
    """The other side does not speak the protocol."""


class FrameKind(IntEnum):
    CALL = 1
    CANCEL = 2
    PING = 3
    HELLO = 16
    DATA = 17
    REPLY = 18
    ERROR = 19
    PONG = 20


class Happened(StrEnum):
    """Whether a failed call had an effect."""

    NO = "no"
    PARTLY = "partly"
    MAYBE = "maybe"


class Code(StrEnum):
    """Why a call failed. One enumeration for Java, Python and the tests."""

    BAD_CALL = "bad_call"
    """The arguments are not what the command takes."""
    UNSUPPORTED = "unsupported"
    """This helper has no such command."""
    BUSY = "busy"
    """Too many calls are open."""
    CANCELLED = "cancelled"
    OUT_OF_TIME = "out_of_time"
    """The call's budget ran out."""
    IN_USE = "in_use"
    """Another Handheld holds the phone; `data` has its host, pid and client, and its claim."""
    CLAIMED = "claimed"
    """The phone has accepted another claim; `data` has it, and whether its stream is `live`."""
    AUTOMATION_HELD = "automation_held"
    """Another program holds Android's only UiAutomation."""
    LOCKED = "locked"
    INPUT_REFUSED = "input_refused"
    """The phone does not let the shell inject input (a vendor's switch)."""
    OUTSIDE_SCREEN = "outside_screen"
    """Coordinates beyond the screen; `data` has width and height."""
    GONE = "gone"
    """No view has that key now."""
    CHANGED = "changed"
    """The view exists, but it or its anchor does not match what was expected."""
    NOT_ACTIONABLE = "not_actionable"
    """The view does not support that action."""
    NOT_EDITABLE = "not_editable"
    """The view is not a text field, or did not get the focus."""
    NO_FIELD = "no_field"
    """No field has the focus."""
    FIELD_LOST = "field_lost"
    """The field disappeared while typing; `data` has `typed`."""
    OUTSIDE_TEXT = "outside_text"
    """An offset beyond a field's text, or inside one of its characters; `data` has its length and,
    for the second, `before` and `after`."""
    TEXT_NOT_FOUND = "text_not_found"
    """The text to replace is not in the field; `data` has whether it is a `password`."""
    NO_WINDOWS = "no_windows"
    """There is no window, or none returned its root."""
    CAPTURE_FAILED = "capture_failed"
    NOT_INSTALLED = "not_installed"
    NOT_LAUNCHABLE = "not_launchable"
    IN_FRONT = "in_front"
    """The app is in the foreground, and only background apps are stopped."""
    OUTSIDE = "outside"
    """A link in the path leads out of the given folder."""
    FILE_FAILED = "file_failed"
    """The file system refused; `data` has Linux's errno."""
    NO_COMPONENT = "no_component"
    """The app or its component does not exist; `data` has whether the app is `installed`."""
    APP_REFUSED = "app_refused"
    """The app does not admit the shell: a permission, or it is not exported. For an intent `data`
    has the `component`, and the message ends as Android's own does."""
    APP_NOT_STARTED = "app_not_started"
    """Android did not let the app's service start."""
    APP_DIED = "app_died"
    """The app's process exited before it answered."""
    APP_THREW = "app_threw"
    """The app answered with an exception; the message is the exception's."""
    NO_HANDLER = "no_handler"
    """No component takes the intent."""
    SEVERAL_HANDLERS = "several_handlers"
    """Several do, and the owner has not chosen one; `data` has the `handlers`."""
    NO_SUBSCRIPTION = "no_subscription"
    """No active SIM has that subscription."""
    NOT_SENT = "not_sent"
    """The phone reports that a message, or a part of it, was not sent; `data` has the first such
    `part`, its `result`, the number of `parts` and how many were `sent`."""
    ONGOING = "ongoing"
    """Only its app can end that notification."""
    BLOCKED = "blocked"
    """Android starts no activity for the helper, or did not show that it had."""
    UNSEEN = "unseen"
    """The notification was posted before the helper listened, and Android tells nothing of it."""
    FAILED = "failed"
    """Android refused the attempt."""
    INTERNAL = "internal"


_CLAIM = re.compile(r"([1-9][0-9]{0,15}):([!-9;-~]{1,64}):([!-~]{1,64})")


class Claim(NamedTuple):
    """Tells a phone that several hosts can reach which of them may use it. The hosts number the
    claims; the phone only compares."""

    epoch: int
    host: str
    """Its id."""
    name: str
    """What people call it."""

    def __str__(self) -> str:
        return f"{self.epoch}:{self.host}:{self.name}"

    @classmethod
    def read(cls, text: str) -> "Claim":
        """Raises ValueError."""
        found = _CLAIM.fullmatch(text)
        if found is None or int(found[1]) > EPOCH_LIMIT:
            raise ValueError("not a claim")
        return cls(int(found[1]), found[2], found[3])

    @classmethod
    def decode(cls, value: Any) -> "Claim | None":
        """From a frame; None if it is something else."""
        try:
            return cls.read(f"{value['epoch']}:{value['host']}:{value['name']}")
        except (KeyError, TypeError, ValueError):
            return None

    def yields_to(self, other: "Claim") -> bool:
        """Whether a phone that has accepted this claim accepts the other."""
        if other.epoch == self.epoch:
            return other.host == self.host
        return other.epoch > self.epoch


class Frame(NamedTuple):
    kind: int
    call: int
    payload: bytes = b""


class HelperFailure(Exception):
    """An ERROR frame, as an exception on either side."""

    def __init__(
        self,
        code: Code,
        message: str,
        happened: Happened = Happened.NO,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.happened = happened
        self.data = dict(data or {})


class Then(NamedTuple):
    """Asks for the screen at rest after an action."""

    first_ms: int
    """How long to wait for the first change."""
    quiet_ms: int
    """At rest: no change for this long."""
    most_ms: int
    """A screen that does not come to rest is read after this."""


class CallRequest(NamedTuple):
    """The content of a CALL frame."""

    do: str
    arguments: dict[str, Any]
    budget_ms: int
    act: bool
    """Whether doing it twice would differ from doing it once."""
    wake: bool = False
    """Whether a screen that is off is switched on first."""
    then: Then | None = None


def encode_call(call: int, request: CallRequest) -> bytes:
    do, arguments, budget_ms, act, wake, then = request
    value: dict[str, Any] = {"do": do, "with": arguments, "budget_ms": budget_ms, "act": act}
    if wake:
        value["wake"] = True
    if then is not None:
        value["then"] = then._asdict()
    return encode_json(FrameKind.CALL, call, value)


def decode_call(payload: bytes) -> CallRequest:
    """Raises ProtocolError when it is not a JSON object, HelperFailure when that is not a call."""
    value = decode_json(payload)
    do, arguments = value.get("do"), value.get("with", {})
    budget_ms, act = value.get("budget_ms"), value.get("act", False)
    wake = value.get("wake", False)
    if not isinstance(do, str):
        raise HelperFailure(Code.BAD_CALL, "`do` is not a string.")
    if not isinstance(arguments, dict):
        raise HelperFailure(Code.BAD_CALL, "`with` is not an object.")
    if type(budget_ms) is not int or not 0 < budget_ms <= BUDGET_LIMIT_MS:
        raise HelperFailure(Code.BAD_CALL, f"`budget_ms` is not 1 to {BUDGET_LIMIT_MS}.")
    if not isinstance(act, bool):
        raise HelperFailure(Code.BAD_CALL, "`act` is not a boolean.")
    if not isinstance(wake, bool):
        raise HelperFailure(Code.BAD_CALL, "`wake` is not a boolean.")
    then = _decode_then(value.get("then"))
    return CallRequest(do, arguments, budget_ms, act, wake, then)  # pyright: ignore[reportUnknownArgumentType]


def _decode_then(value: Any) -> Then | None:
    if value is None:
        return None
    if isinstance(value, dict):
        times = cast(dict[str, Any], value)
        if times.keys() == set(Then._fields) and all(
            type(time) is int and 0 <= time <= THEN_LIMIT_MS for time in times.values()
        ):
            return Then(**times)
    message = f"`then` is not first_ms, quiet_ms and most_ms, each 0 to {THEN_LIMIT_MS}."
    raise HelperFailure(Code.BAD_CALL, message)


def encode_frame(frame: Frame) -> bytes:
    kind, call, payload = frame
    if len(payload) + 5 > FRAME_LIMIT:
        raise ProtocolError(f"A frame of {len(payload)} bytes is over the limit.")
    return _HEADER.pack(len(payload) + 5, kind, call) + payload


def encode_json(kind: FrameKind, call: int, value: Mapping[str, Any]) -> bytes:
    return encode_frame(Frame(kind, call, dump_json(value)))


def dump_json(value: Any) -> bytes:
    """Return compact UTF-8. Lone surrogates, which Android's strings may contain, become U+FFFD."""
    try:
        text = _encode(value)
    except ValueError as problem:
        raise ProtocolError("A number that JSON does not have cannot be sent.") from problem
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_lone_surrogates(text).encode()


def replace_lone_surrogates(text: str) -> str:
    """Return the text as it is sent: U+FFFD for a lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def decode_json(payload: bytes) -> dict[str, Any]:
    try:
        value = _DECODER.decode(payload.decode())
    except (ValueError, RecursionError) as problem:
        raise ProtocolError("A frame that should hold JSON does not.") from problem
    if not isinstance(value, dict):
        raise ProtocolError("A frame that should hold a JSON object holds something else.")
    return value  # pyright: ignore[reportUnknownVariableType]


def encode_failure(call: int, failure: HelperFailure) -> bytes:
    value: dict[str, Any] = {
        "code": failure.code.value,
        "message": failure.message,
        "happened": failure.happened.value,
    }
    if failure.data:
        value["data"] = failure.data
    return encode_json(FrameKind.ERROR, call, value)


def decode_failure(payload: bytes) -> HelperFailure:
    value = decode_json(payload)
    try:
        code, happened = Code(value["code"]), Happened(value["happened"])
        data = value.get("data")
        if not isinstance(data, dict | None):
            raise TypeError("data is not an object")
        return HelperFailure(code, str(value["message"]), happened, data)  # pyright: ignore[reportUnknownArgumentType]
    except (KeyError, ValueError, TypeError) as problem:
        raise ProtocolError("An ERROR frame lacks its code, message or happened.") from problem


class FrameDecoder:
    """Bytes in, frames out."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= 9:
                length, kind, call = _HEADER.unpack_from(buffer, start)
                if not 5 <= length <= FRAME_LIMIT:
                    raise ProtocolError(f"A frame says it is {length} bytes long.")
                end = start + 4 + length
                if len(buffer) < end:
                    return
                frame = Frame(kind, call, bytes(buffer[start + 9 : end]))
                start = end
                yield frame
        finally:
            del buffer[:start]
