"""The helper protocol's frames and words, the same for host and helper. No I/O.

docs/helper-protocol.md says what each call takes and gives; tests/vectors/helper-frames.json holds
frames that every implementation must read and write alike.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple

GREETING = b"HANDHELD 1\n"
GREETING_LIMIT = 64 * 1024
"""How much noise (linker warnings, vendor chatter) may precede the greeting."""

FRAME_LIMIT = 4 * 1024 * 1024
"""Of the length field. A larger one closes the stream."""
DATA_LIMIT = 64 * 1024
ANSWER_LIMIT = 16 * 1024 * 1024
"""All DATA of one answer together."""
OPEN_CALLS = 32
PING_SECONDS = 5.0
SILENCE_SECONDS = 20.0
"""The helper halts when the host has been silent this long."""
GRACE_MS = 2000
"""What the host adds to a call's budget before it gives the helper up."""
BUDGET_LIMIT_MS = 6 * 60 * 60 * 1000
"""Typing 2000 characters, each after the longest pause, takes five and a half hours."""
IDLE_RELEASE_SECONDS = 10 * 60.0
"""UiAutomation is let go of after this long without a call that needs it."""
WORK_LANE = 8
"""How many calls the work lane runs at once."""
CLIPBOARD_LIMIT = 250_000
"""UTF-16 units of a text for the clipboard. Android passes it through a buffer of 1 MB that other
calls of the same program share."""
LAST_CALL = 0xFFFFFFFF
WAKING = frozenset({"touch", "scroll", "pinch", "press", "act", "type", "key", "launch"})
"""The commands that switch the screen on first, when they are told to."""
KEYED = frozenset({"act", "type"})
"""Those about a view by its key, which after a restart of the phone may be another view's."""

JAR_FOLDER = "/data/local/tmp"
LOCK_FILE = "/data/local/tmp/handheld.lock"
MAIN_CLASS = "dev.handheld.helper.Helper"

_HEADER = struct.Struct(">IBI")
# Made once: json.dumps with options builds an encoder at every call.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


# UTF-8 and nothing else, and no NaN: what Java's reader takes, and no more.
_DECODER = json.JSONDecoder(parse_constant=_refuse)


class ProtocolError(Exception):
    """The other side does not speak the protocol."""


class Kind(IntEnum):
    CALL = 1
    CANCEL = 2
    PING = 3
    HELLO = 16
    DATA = 17
    REPLY = 18
    ERROR = 19
    PONG = 20


class Happened(StrEnum):
    """Whether a call that failed had done something."""

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
    """Another Handheld holds the phone; `data` says which: host, pid, client."""
    AUTOMATION_HELD = "automation_held"
    """Another program holds Android's one UiAutomation."""
    LOCKED = "locked"
    INPUT_REFUSED = "input_refused"
    """The phone does not let the shell inject input (a vendor's switch)."""
    OUTSIDE_SCREEN = "outside_screen"
    """Coordinates beyond the screen; `data` has width and height."""
    GONE = "gone"
    """No view answers to that key any more."""
    CHANGED = "changed"
    """The view is there, but it or its anchor shows something else than expected."""
    NOT_ACTIONABLE = "not_actionable"
    """The view does not offer that action."""
    NOT_EDITABLE = "not_editable"
    """The view is no field to type in, or did not get the focus."""
    NO_FIELD = "no_field"
    """No field has the focus."""
    FIELD_LOST = "field_lost"
    """The field went away while it was typed into; `data` has `typed`."""
    OUTSIDE_TEXT = "outside_text"
    """An offset beyond a field's text, or inside one of its characters; `data` has its length and,
    for the second, `before` and `after`."""
    TEXT_NOT_FOUND = "text_not_found"
    """The text to replace is not in the field; `data` says whether it is a `password`."""
    NO_WINDOWS = "no_windows"
    """There is no window, or none gave its root."""
    CAPTURE_FAILED = "capture_failed"
    NOT_INSTALLED = "not_installed"
    NOT_LAUNCHABLE = "not_launchable"
    IN_FRONT = "in_front"
    """The app is on the screen, and only one in the background is ended."""
    OUTSIDE = "outside"
    """A link on the way leads out of the folder that was given."""
    FILE_FAILED = "file_failed"
    """The file system said no; `data` has Linux's errno."""
    NO_COMPONENT = "no_component"
    """The app, or what was called in it, is not there; `data` says whether it is `installed`."""
    APP_REFUSED = "app_refused"
    """The app does not let the shell in: a permission, or it is not exported."""
    APP_NOT_STARTED = "app_not_started"
    """Android did not let the app's service start."""
    APP_DIED = "app_died"
    """The app's process ended before it had answered."""
    APP_THREW = "app_threw"
    """The app answered with an exception, whose words the message is."""
    NO_SUBSCRIPTION = "no_subscription"
    """No active SIM has that subscription."""
    NOT_SENT = "not_sent"
    """The phone says that a message, or a part of it, was not sent; `data` has the first such
    `part`, its `result`, and of all `parts` how many were `sent`."""
    FAILED = "failed"
    """It was tried and Android said no."""
    INTERNAL = "internal"


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


class CallRequest(NamedTuple):
    """What a CALL frame asks for."""

    do: str
    arguments: dict[str, Any]
    budget_ms: int
    act: bool
    """Whether doing it twice would differ from doing it once."""
    wake: bool = False
    """Whether a screen that is off is switched on first."""


def encode_call(call: int, request: CallRequest) -> bytes:
    do, arguments, budget_ms, act, wake = request
    value = {"do": do, "with": arguments, "budget_ms": budget_ms, "act": act}
    if wake:
        value["wake"] = True
    return encode_json(Kind.CALL, call, value)


def decode_call(payload: bytes) -> CallRequest:
    """Raises ProtocolError when it is no JSON object, HelperFailure when the object is no call."""
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
    return CallRequest(do, arguments, budget_ms, act, wake)  # pyright: ignore[reportUnknownArgumentType]


def encode_frame(frame: Frame) -> bytes:
    kind, call, payload = frame
    if len(payload) + 5 > FRAME_LIMIT:
        raise ProtocolError(f"A frame of {len(payload)} bytes is over the limit.")
    return _HEADER.pack(len(payload) + 5, kind, call) + payload


def encode_json(kind: Kind, call: int, value: Mapping[str, Any]) -> bytes:
    return encode_frame(Frame(kind, call, dump_json(value)))


def dump_json(value: Any) -> bytes:
    """Compact UTF-8. Half a surrogate pair, which Android's strings may hold, becomes U+FFFD."""
    try:
        text = _ENCODER.encode(value)
    except ValueError as problem:
        raise ProtocolError("A number that JSON does not have cannot be sent.") from problem
    try:
        return text.encode()
    except UnicodeEncodeError:
        return mend_text(text).encode()


def mend_text(text: str) -> str:
    """The text as it is on the wire: U+FFFD for half a surrogate pair."""
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
    return encode_json(Kind.ERROR, call, value)


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
