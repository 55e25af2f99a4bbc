"""Translate failures of the helper and of adb into the errors of tools."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..adb.link import AdbError, LinkLost, NoAnswer
from ..adb.state import PhoneState, PhoneUnavailable
from ..adb.sync import SyncError
from ..errors import (
    ActionFailed,
    InvalidParams,
    PermissionDenied,
    TimedOut,
    ToolError,
    Unreachable,
)
from ..helper.client import HelperNotStarted
from ..helper.protocol import Claim, Code, Happened, HelperFailure
from ..helper.session import HelperLost
from .app_tools import AppFailed, AppProblem
from .apps import InFront
from .by_adb.denial import read_denial
from .by_adb.vendor_hints import touching_of
from .conditions import refuse_displays, refuse_focus
from .files import FileChanged, InDoubt, LeadsOutside
from .input import InputRefused, NotActionable
from .intents import NotDelivered, Undelivered, decode_handlers
from .notifications import NotificationFailed, NotificationProblem
from .sms import NOTHING_SENT, MayBeSent, NotSent, SubscriptionGone
from .target import TargetMissing
from .text import FieldLost, NoField, NotEditable, OutsideText, TextNotFound

SMS_MS = 50_000
"""The network may be slow, and many clients wait a minute for an answer."""


class FailedCall(NamedTuple):
    do: str
    arguments: dict[str, Any]
    act: bool = False


@contextmanager
def translated(
    do: str, arguments: dict[str, Any] | None = None, *, act: bool = False
) -> Generator[None]:
    """Raise failures inside the block as `translate` describes them."""
    try:
        yield
    except (HelperFailure, HelperLost, AdbError) as problem:
        raise translate(problem, FailedCall(do, arguments or {}, act)) from problem


def translate(problem: HelperFailure | HelperLost | AdbError, call: FailedCall) -> Exception:
    """Return the error that a tool raises for this failure."""
    if isinstance(problem, HelperFailure | HelperLost) and problem.happened is Happened.MAYBE:
        if call.do in ("commit", "remove"):
            return InDoubt(problem.message)
        if call.do == "sms":
            late = isinstance(problem, HelperFailure) and problem.code is Code.OUT_OF_TIME
            return MayBeSent(_SILENT if late else problem.message)
    if isinstance(problem, HelperFailure):
        nothing = problem.happened is Happened.NO
        if call.do == "notification" and nothing and problem.code in _NOTIFICATION_PROBLEMS:
            return NotificationFailed(_NOTIFICATION_PROBLEMS[problem.code])
        return _BY_CODE[problem.code](problem, call)
    if isinstance(problem, HelperNotStarted) and call.do in _APP_CALLS:
        return AppFailed(AppProblem.UNREACHABLE, problem.message)
    if isinstance(problem, HelperLost):
        return ActionFailed(_with_outcome(problem.message, problem.happened, call))
    # Reaching the phone failed: no call was sent.
    kind = ActionFailed
    if isinstance(problem, PhoneUnavailable) and problem.state in _NOT_ALLOWED:
        kind = PermissionDenied
    elif isinstance(problem, PhoneUnavailable | LinkLost):
        kind = Unreachable
    elif isinstance(problem, NoAnswer):
        kind = TimedOut
    return kind(_with_outcome(str(problem), Happened.NO, call))


_NOTIFICATION_PROBLEMS = {
    Code.GONE: NotificationProblem.GONE,
    Code.CHANGED: NotificationProblem.CHANGED,
    Code.ONGOING: NotificationProblem.ONGOING,
    Code.NOT_ACTIONABLE: NotificationProblem.NO_INTENT,
    Code.NOT_EDITABLE: NotificationProblem.NO_TEXT,
    Code.UNSEEN: NotificationProblem.UNSEEN,
    Code.BLOCKED: NotificationProblem.BLOCKED,
}
_NOT_ALLOWED = {
    PhoneState.UNAUTHORIZED,
    PhoneState.AUTHORIZING,
    PhoneState.OFFLINE,
    PhoneState.NO_PERMISSIONS,
}
_OUTCOMES = {
    Happened.NO: "Nothing was done.",
    Happened.PARTLY: "The action was begun and not completed; look at the screen before going on.",
    Happened.MAYBE: "The action may or may not have happened; look at the screen before going on.",
}

_Translate = Callable[[HelperFailure, FailedCall], Exception]


def _with_outcome(message: str, happened: Happened, call: FailedCall) -> str:
    """Add the outcome to the message of an action."""
    if call.do == "sms":
        return f"{message} {NOTHING_SENT}"
    return f"{message} {_OUTCOMES[happened]}" if call.act else message


def _with_helper_message(kind: type[ToolError]) -> _Translate:
    return lambda failure, call: kind(_with_outcome(failure.message, failure.happened, call))


def _with_message(kind: type[ToolError], message: str) -> _Translate:
    return lambda failure, call: kind(_with_outcome(message, failure.happened, call))


def _in_use(failure: HelperFailure, _: FailedCall) -> Exception:
    data = failure.data
    if data.get("left_over"):
        return PermissionDenied(failure.message)
    if (claim := Claim.decode(data.get("claim"))) is not None:
        return PermissionDenied(
            f"The host {claim.name} of a fleet uses this phone. Use it through the fleet,"
            " or stop `handheld host` there."
        )
    holder = (
        f"{data.get('client', 'a client')}, pid {data.get('pid', '?')} on {data.get('host', '?')}"
    )
    return PermissionDenied(
        f"Another Handheld holds this phone: {holder}. Stop it, or use the phone through it."
    )


def _claimed(failure: HelperFailure, call: FailedCall) -> Exception:
    sentence = f"{failure.message} Use it through the fleet."
    return PermissionDenied(_with_outcome(sentence, failure.happened, call))


def _automation_held(failure: HelperFailure, _: FailedCall) -> Exception:
    guess = failure.data.get("guess") or (
        "Stop that program (uiautomator2, Appium and test runs are the usual ones) and try again; "
        "if it is another Handheld, run `handheld phones release` there."
    )
    return PermissionDenied(f"{failure.message} Only one program at a time can have it. {guess}")


def _input_refused(failure: HelperFailure, call: FailedCall) -> Exception:
    switch = failure.data.get("touching") or touching_of("", "")
    sentence = f"The phone does not let adb touch the screen: turn on {switch}."
    return PermissionDenied(_with_outcome(sentence, failure.happened, call))


def _outside_screen(failure: HelperFailure, _: FailedCall) -> Exception:
    width, height = failure.data.get("width"), failure.data.get("height")
    return InvalidParams(f"Coordinates are outside the screen, which is {width} x {height} pixels.")


def _no_windows(failure: HelperFailure, _: FailedCall) -> Exception:
    if others := failure.data.get("displays"):
        return ActionFailed(refuse_displays(others))
    if failure.data.get("missing"):
        return ActionFailed("All windows returned null root nodes.")
    return ActionFailed(
        "No windows available and no active window root node. The screen may be transitioning."
    )


def _no_field(failure: HelperFailure, _: FailedCall) -> Exception:
    if others := failure.data.get("displays"):
        return ActionFailed(refuse_focus(others))
    return NoField(failure.message)


def _not_launched(reason: str) -> _Translate:
    def describe(failure: HelperFailure, call: FailedCall) -> Exception:
        if call.do == "intent":
            return _not_delivered(Undelivered.NOT_INSTALLED)(failure, call)
        package = call.arguments.get("package")
        because = reason.format(package=package)
        operation = _OPERATIONS.get(call.do, "open application")
        return ActionFailed(f"Failed to {operation} '{package}': {because}")

    return describe


_OPERATIONS = {
    "stop": "close application",
    "clear_data": "clear the data of",
    "set_permission": "change a permission of",
}


def _changed(failure: HelperFailure, call: FailedCall) -> Exception:
    return FileChanged(failure.message) if call.do == "commit" else TargetMissing(gone=False)


def _file_failed(failure: HelperFailure, call: FailedCall) -> Exception:
    errno = failure.data.get("errno")
    path = str(call.arguments.get("path") or call.arguments.get("root"))
    return SyncError(path, errno if isinstance(errno, int) else 0, failure.message)


_APP_CALLS = ("provider_call", "service_call")


def _app_failed(problem: AppProblem, of_intent: Undelivered | None = None) -> _Translate:
    """`of_intent`: the reason to report if the call was an intent."""

    def describe(failure: HelperFailure, call: FailedCall) -> Exception:
        if failure.data.get("runs") is False:
            return AppFailed(AppProblem.UNREACHABLE, failure.message)
        if call.do != "intent" or of_intent is None:
            return AppFailed(problem, failure.message)
        return _not_delivered(of_intent)(failure, call)

    return describe


def _not_delivered(problem: Undelivered) -> _Translate:
    def describe(failure: HelperFailure, _: FailedCall) -> Exception:
        denial = read_denial(failure.message) if problem is Undelivered.NOT_EXPORTED else None
        permission = "" if denial is None else denial.permission
        found = problem
        if denial is not None and permission:
            found = Undelivered.REVOKED if denial.revoked else Undelivered.PERMISSION
        return NotDelivered(
            found,
            handlers=decode_handlers(failure.data.get("handlers", ())),
            component=str(failure.data.get("component", "")),
            permission=permission,
        )

    return describe


def _out_of_time(failure: HelperFailure, call: FailedCall) -> Exception:
    if call.do in _APP_CALLS:
        dropped = failure.data.get("dropped", 0)
        return AppFailed(AppProblem.SILENT, failure.message, dropped)
    sentence = "The phone did not answer in time."
    if "typed" in failure.data:
        sentence = f"The time for typing ran out after {failure.data['typed']} characters."
    return TimedOut(_with_outcome(sentence, failure.happened, call))


_SILENT = f"The phone did not report within {SMS_MS // 1000} s whether the message was sent."


def _not_sent(failure: HelperFailure, _: FailedCall) -> Exception:
    data = failure.data
    part, parts = data.get("part", 1), data.get("parts", 1)
    return NotSent(data.get("result", 1), part, parts, data.get("sent", 0))


def _outside_text(failure: HelperFailure, _: FailedCall) -> Exception:
    data = failure.data
    around = (data["before"], data["after"]) if "before" in data else None
    return OutsideText(data.get("length", 0), around)


_ABORTED = (
    "Android aborted the start (code 102): a rule of the phone's vendor keeps adb from opening it."
    " Open it as a person does, by its icon or from within an app."
)


def _failed(failure: HelperFailure, call: FailedCall) -> Exception:
    message = _ABORTED if failure.data.get("aborted") else failure.message
    kind = InputRefused if call.do == "act" else ActionFailed
    return kind(_with_outcome(message, failure.happened, call))


_BY_CODE: dict[Code, _Translate] = {
    Code.BAD_CALL: lambda failure, call: ToolError(
        f"The helper on the phone did not understand `{call.do}`: {failure.message}"
    ),
    Code.UNSUPPORTED: _with_helper_message(ActionFailed),
    Code.BUSY: _with_message(
        ActionFailed, "The phone has too many calls open; try again in a moment."
    ),
    Code.CANCELLED: _with_helper_message(ActionFailed),
    Code.OUT_OF_TIME: _out_of_time,
    Code.IN_USE: _in_use,
    Code.CLAIMED: _claimed,
    Code.AUTOMATION_HELD: _automation_held,
    Code.LOCKED: _with_message(PermissionDenied, "The phone is locked: unlock it and try again."),
    Code.INPUT_REFUSED: _input_refused,
    Code.OUTSIDE_SCREEN: _outside_screen,
    Code.GONE: lambda _, __: TargetMissing(gone=True),
    Code.CHANGED: _changed,
    Code.NOT_ACTIONABLE: lambda failure, _: NotActionable(failure.message),
    Code.NOT_EDITABLE: lambda failure, _: NotEditable(failure.message),
    Code.NO_FIELD: _no_field,
    Code.FIELD_LOST: lambda failure, _: FieldLost(failure.data.get("typed", 0)),
    Code.OUTSIDE_TEXT: _outside_text,
    Code.TEXT_NOT_FOUND: lambda failure, _: TextNotFound(failure.data.get("password", False)),
    Code.NO_WINDOWS: _no_windows,
    Code.CAPTURE_FAILED: lambda failure, _: ActionFailed(
        f"Screenshot capture failed: {failure.message}"
    ),
    Code.NOT_INSTALLED: _not_launched("it is not installed. list_apps names those that are."),
    Code.OUTSIDE: lambda failure, _: LeadsOutside(failure.message),
    Code.FILE_FAILED: _file_failed,
    Code.IN_FRONT: lambda failure, _: InFront(failure.message),
    Code.NO_COMPONENT: _app_failed(AppProblem.GONE, Undelivered.NO_COMPONENT),
    Code.APP_REFUSED: _app_failed(AppProblem.REFUSED, Undelivered.NOT_EXPORTED),
    Code.APP_NOT_STARTED: _app_failed(AppProblem.NOT_STARTED, Undelivered.BACKGROUND),
    Code.APP_DIED: _app_failed(AppProblem.DIED),
    Code.APP_THREW: _app_failed(AppProblem.THREW),
    Code.NO_HANDLER: _not_delivered(Undelivered.NO_HANDLER),
    Code.SEVERAL_HANDLERS: _not_delivered(Undelivered.SEVERAL),
    Code.NO_SUBSCRIPTION: lambda failure, _: SubscriptionGone(failure.message),
    Code.NOT_SENT: _not_sent,
    Code.ONGOING: _with_helper_message(ActionFailed),
    Code.UNSEEN: _with_helper_message(ActionFailed),
    Code.BLOCKED: _with_helper_message(ActionFailed),
    Code.NOT_LAUNCHABLE: _not_launched("No launchable activity found for package '{package}'"),
    Code.FAILED: _failed,
    Code.INTERNAL: lambda failure, call: ToolError(
        _with_outcome("The helper on the phone had an internal error.", failure.happened, call)
    ),
}
