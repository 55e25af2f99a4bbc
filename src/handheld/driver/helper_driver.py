"""The driver that works through the helper on the phone."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from ..adb.link import AdbError, NoAnswer
from ..adb.state import PhoneState, PhoneUnavailable
from ..adb.sync import SyncError
from ..errors import ActionFailed, InvalidParams, PermissionDenied, TimedOut, ToolError
from ..helper.client import HelperClient, HelperNotStarted
from ..helper.protocol import WAKING, Code, Happened, HelperFailure
from ..helper.session import Answer, HelperLost
from ..ui.model import Bounds, Node, Screen, Window
from . import NodeSignature, NotActionable, Picture, Point, Refused, Target, TargetMissing
from .app_tools import (
    AppFailed,
    AppProblem,
    Bundle,
    ChangedPackages,
    DeclaredTools,
    OfferingApp,
    OfferingProvider,
    OfferingService,
    ServiceReply,
)
from .apps import AppProcesses, InFront, Installed
from .exit_reasons import find_ending
from .files import Content, FileChanged, InDoubt, LeadsOutside, Place
from .logcat import read_logs
from .makers import ask_for_touching, touching_of
from .radio import read_airplane_mode, read_known_subscriptions
from .sms import (
    MAY_BE_SENT,
    NOTHING_SENT,
    MayBeSent,
    NotSent,
    Subscription,
    SubscriptionGone,
)
from .text import FieldLost, NoField, NotEditable, OutsideText, TextNotFound, Typed, Typing
from .uiautomation_conflicts import describe_rivals, look_for_rivals

READ_MS = 10_000
CAPTURE_MS = 5_000
ACT_MS = 5_000
LAUNCH_MS = 10_000
STOP_MS = 10_000
PACKAGES_MS = 30_000
"""Android opens every app's file for its label."""
COMMIT_MS = 30_000
"""What is replaced is read once more before."""
SMS_MS = 50_000
"""The network may take long; many clients wait a minute for an answer."""
SLACK_MS = 5_000
"""What a gesture or a wait gets beyond its own length."""

_REASONS = {
    "timeout": "did not answer in time and is missing",
    "no_root": "gave no content and is missing",
    "incomplete": "gave only a part of its content",
}


class HelperDriver:
    """Every verb is one call to the helper."""

    def __init__(self, client: HelperClient, *, wake: bool = True) -> None:
        """`wake`: whether an action switches on a screen that is off."""
        self._client = client
        self._wake = wake

    async def read_screen(self) -> Screen:
        return decode_screen(await self._call("screen", {}, READ_MS), wake=self._wake)

    async def capture(self, max_size: int | None, format: str, quality: int) -> Picture:
        arguments = {"max_size": max_size, "format": format, "quality": quality}
        reply, data = await self._call("capture", arguments, CAPTURE_MS)
        secure = tuple(reply["secure"])
        return Picture(data, reply["width"], reply["height"], reply["format"], secure)

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        length = max((stroke[-1][2] for stroke in strokes if stroke), default=0)
        await self._call("touch", {"strokes": strokes}, length + SLACK_MS, act=True)

    async def scroll(self, direction: str, share: float, duration_ms: int) -> None:
        arguments = {"direction": direction, "share": share, "duration_ms": duration_ms}
        await self._call("scroll", arguments, duration_ms + SLACK_MS, act=True)

    async def pinch(self, x: float, y: float, scale: float, duration_ms: int) -> float:
        arguments = {"x": x, "y": y, "scale": scale, "duration_ms": duration_ms}
        answer = await self._call("pinch", arguments, duration_ms + SLACK_MS, act=True)
        return answer.reply["scale"]

    async def press(self, button: str) -> None:
        await self._call("press", {"button": button}, ACT_MS, act=True)

    async def act(self, target: Target, action: str) -> None:
        arguments = {**_describe_target(target), "action": action}
        await self._call("act", arguments, ACT_MS, act=True)

    async def type(self, target: Target, typing: Typing) -> Typed:
        arguments = {**_describe_target(target), **typing.describe()}
        try:
            answer = await self._call("type", arguments, typing.budget_ms, act=True)
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            if isinstance(failure, HelperFailure) and "typed" in failure.data:
                went_in = f"{failure.data['typed']} of {typing.length} characters"
                stop.add_note(f"{went_in} had been typed.")
            raise
        reply, data = answer
        return Typed(
            reply["content"],
            reply["typed"],
            reply["removed"],
            reply["password"],
            reply["matches"],
            _decode_window(json.loads(data)["windows"][0]) if data else None,
        )

    async def key(self, key: str) -> None:
        await self._call("key", {"key": key}, ACT_MS, act=True)

    async def launch(self, package: str) -> str:
        answer = await self._call("launch", {"package": package}, LAUNCH_MS, act=True)
        return answer.reply["package"]

    async def packages(self, kind: str) -> list[Installed]:
        answer = await self._call("packages", {"kind": kind}, PACKAGES_MS)
        return [
            Installed(
                app["package"],
                app["label"],
                app["version_name"],
                app["version_code"],
                app["system"],
            )
            for app in answer.reply["packages"]
        ]

    async def processes(self, package: str) -> AppProcesses | None:
        reply = (await self._call("processes", {"package": package}, ACT_MS)).reply
        if reply["uid"] is None:
            return None
        return AppProcesses(reply["uid"], reply["shared"], frozenset(reply["pids"]))

    async def stop(self, package: str) -> bool:
        answer = await self._call("stop", {"package": package}, STOP_MS, act=True)
        return answer.reply["restarted"]

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        try:
            return await read_logs(self._client.link, filters, last)
        except AdbError as problem:
            raise translate(problem, Asked("logs", {})) from problem

    async def changed(self, after: int, within_ms: int) -> int:
        arguments = {"after": after, "within_ms": within_ms}
        answer = await self._call("changed", arguments, within_ms + SLACK_MS)
        return answer.reply["seq"]

    async def locate(self, root: str, path: str) -> Place:
        arguments = {"root": root, "path": path}
        reply = (await self._call("locate", arguments, READ_MS)).reply
        return Place(reply["root"], reply["path"], reply["kind"], reply["size"], reply["available"])

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        wanted = None if expect is None else {"size": expect.size, "sha256": expect.sha256}
        arguments = {"root": root, "temp": temp, "path": path, "expect": wanted}
        await self._call("commit", arguments, COMMIT_MS, act=True)

    async def remove(self, root: str, path: str) -> bool:
        answer = await self._call("remove", {"root": root, "path": path}, ACT_MS, act=True)
        return answer.reply["removed"]

    async def get_clipboard(self) -> str | None:
        return (await self._call("clipboard", {"set": None}, ACT_MS)).reply["text"]

    async def set_clipboard(self, text: str) -> None:
        await self._call("clipboard", {"set": text}, ACT_MS, act=True)

    async def offers(self) -> DeclaredTools:
        return decode_offers(await self._call("offers", {}, PACKAGES_MS))

    async def changed_packages(self, after: int) -> ChangedPackages:
        reply = (await self._call("packages_changed", {"after": max(after, 0)}, ACT_MS)).reply
        # Below 0 is a count of another driver, which says nothing of this one.
        packages = reply["packages"] if after >= 0 else None
        return ChangedPackages(reply["sequence"], None if packages is None else frozenset(packages))

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        arguments = {"authority": authority, "method": method, "arg": None, "extras": extras}
        _, data = await self._call("provider_call", arguments, within_ms, act=act)
        return json.loads(data)["bundle"]

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        arguments = {"package": package, "class": class_name, "id": id, "extras": extras}
        reply, data = await self._call("service_call", arguments, within_ms, act=True)
        return ServiceReply(json.loads(data)["extras"], reply["dropped"])

    async def find_ending(self, package: str, within_ms: int) -> str:
        return await find_ending(self._client.link, package, within_ms)

    async def subscriptions(self) -> list[Subscription]:
        found = (await self._call("sims", {}, ACT_MS)).reply["sims"]
        return [
            Subscription(one["id"], one["slot"], one["display_name"], one["carrier_name"])
            for one in found
        ]

    async def known_subscriptions(self) -> frozenset[int] | None:
        return await read_known_subscriptions(self._client.link)

    async def airplane_mode(self) -> bool | None:
        return await read_airplane_mode(self._client.link)

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        arguments = {"subscription": subscription, "to": to, "text": text}
        try:
            return (await self._call("sms", arguments, SMS_MS, act=True)).reply["parts"]
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            certain = isinstance(failure, HelperFailure) and failure.happened is Happened.NO
            stop.add_note(NOTHING_SENT if certain else MAY_BE_SENT)
            raise

    async def release(self) -> bool:
        if not self._client.connected:
            return False
        answer = await self._call("release", {}, ACT_MS)
        return answer.reply["released"]

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _call(
        self, do: str, arguments: dict[str, Any], budget_ms: int, *, act: bool = False
    ) -> Answer:
        wake = self._wake and act and do in WAKING
        try:
            return await self._client.call(do, arguments, budget_ms=budget_ms, act=act, wake=wake)
        except (HelperFailure, HelperLost, AdbError) as problem:
            if isinstance(problem, HelperFailure) and problem.code is Code.AUTOMATION_HELD:
                rivals = await look_for_rivals(self._client.link)
                problem.data["guess"] = describe_rivals(rivals)
            elif isinstance(problem, HelperFailure) and problem.code is Code.INPUT_REFUSED:
                problem.data["touching"] = await ask_for_touching(self._client.link)
            raise translate(problem, Asked(do, arguments, act)) from problem


def _describe_target(target: Target) -> dict[str, Any]:
    anchor = None
    if target.anchor is not None:
        anchor = {"key": target.anchor_key, **_describe(target.anchor)}
    return {"key": target.key, "expect": _describe(target.looks), "anchor": anchor}


def _describe(looks: NodeSignature) -> dict[str, str | None]:
    described = {
        "class": looks.class_name,
        "resource_id": looks.resource_id,
        "description": looks.description,
    }
    if looks.compare_text:
        described["text"] = looks.text
    return described


def decode_screen(answer: Answer, *, wake: bool = True) -> Screen:
    """The screen as the helper tells it, quickly: a large one has thousands of nodes."""
    reply, data = answer
    shown = reply["display"]
    foreground = reply["foreground"]
    windows = [_decode_window(window) for window in json.loads(data)["windows"]]
    return Screen(
        shown["width"],
        shown["height"],
        shown["density"],
        shown["rotation"],
        windows,
        foreground and (foreground["package"], foreground["activity"]),
        reply["degraded"],
        tuple(_notes(reply, wake)),
        reply["seq"],
        len(reply["missing"]),
    )


def _decode_window(window: dict[str, Any]) -> Window:
    return Window(
        window["id"],
        window["type"],
        window["package"],
        window["title"],
        window["layer"],
        window["focused"],
        list(starmap(_decode_node, window["nodes"])),
    )


def _decode_node(
    depth: int,
    index: int,
    key: str,
    class_name: str | None,
    text: str | None,
    description: str | None,
    resource_id: str | None,
    left: int,
    top: int,
    right: int,
    bottom: int,
    flags: int,
) -> Node:
    bounds = Bounds(left, top, right, bottom)
    return Node(depth, index, key, class_name, text, description, resource_id, bounds, flags)


def decode_offers(answer: Answer) -> DeclaredTools:
    reply, data = answer
    found = json.loads(data)
    return DeclaredTools(
        reply["sequence"],
        [
            OfferingService(
                _decode_app(one),
                one["class"],
                one["exported"],
                one["permission"],
                one["name"],
                one["description"],
                None if one["descriptor"] is None else _decode_element(*one["descriptor"]),
                one["problem"],
            )
            for one in found["services"]
        ],
        [
            OfferingProvider(
                _decode_app(one),
                one["class"],
                one["exported"],
                one["permission"],
                one["authority"],
            )
            for one in found["providers"]
        ],
    )


def _decode_app(said: dict[str, Any]) -> OfferingApp:
    return OfferingApp(said["package"], said["label"], said["version_code"], said["signer"])


def _decode_element(tag: str, attributes: dict[str, str], children: list[Any]) -> Element:
    element = Element(tag, attributes)
    element.extend(_decode_element(*child) for child in children)
    return element


def _notes(reply: dict[str, Any], wake: bool) -> list[str]:
    notes: list[str] = []
    for lost in reply["missing"]:
        package = f" {lost['package']}" if lost["package"] else ""
        reason = _REASONS.get(lost["reason"], "is missing")
        notes.append(f"window {lost['window']}{package} {reason}")
    if not reply["awake"]:
        notes.append(
            "the screen is off, the next action switches it on"
            if wake
            else "the screen is off, touches have no effect until the phone is woken"
        )
    if reply["locked"]:
        notes.append("the phone is locked")
    return notes


# What a failure means to a tool, in one place.


class Asked(NamedTuple):
    """The call that failed."""

    do: str
    arguments: dict[str, Any]
    act: bool = False


def translate(problem: HelperFailure | HelperLost | AdbError, asked: Asked) -> Exception:
    """The error that a tool raises for a failure below."""
    if (
        asked.do in ("commit", "remove")
        and isinstance(problem, HelperFailure | HelperLost)
        and problem.happened is Happened.MAYBE
    ):
        return InDoubt(problem.message)
    if (
        asked.do == "sms"
        and isinstance(problem, HelperFailure | HelperLost)
        and problem.happened is Happened.MAYBE
    ):
        late = isinstance(problem, HelperFailure) and problem.code is Code.OUT_OF_TIME
        return MayBeSent(_SILENT if late else problem.message)
    if isinstance(problem, HelperFailure):
        return _MEANINGS[problem.code](problem, asked)
    if isinstance(problem, HelperNotStarted) and asked.do in _APP_CALLS:
        return AppFailed(AppProblem.UNREACHABLE, problem.message)
    if isinstance(problem, HelperLost):
        return ActionFailed(_tell(problem.message, problem.happened, asked))
    # Reaching the phone failed: no call was on its way.
    kind = ActionFailed
    if isinstance(problem, PhoneUnavailable) and problem.state in _NOT_ALLOWED:
        kind = PermissionDenied
    elif isinstance(problem, NoAnswer):
        kind = TimedOut
    return kind(_tell(str(problem), Happened.NO, asked))


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

_Meaning = Callable[[HelperFailure, Asked], Exception]


def _tell(message: str, happened: Happened, asked: Asked) -> str:
    """The message, and for an action what became of it."""
    if asked.do == "sms":
        return f"{message} {NOTHING_SENT}"
    return f"{message} {_OUTCOMES[happened]}" if asked.act else message


def _passing_on(kind: type[ToolError]) -> _Meaning:
    """The helper's own words."""
    return lambda failure, asked: kind(_tell(failure.message, failure.happened, asked))


def _saying(kind: type[ToolError], sentence: str) -> _Meaning:
    return lambda failure, asked: kind(_tell(sentence, failure.happened, asked))


def _in_use(failure: HelperFailure, _: Asked) -> Exception:
    data = failure.data
    if data.get("left_over"):
        return PermissionDenied(failure.message)
    who = f"{data.get('client', 'a client')}, pid {data.get('pid', '?')} on {data.get('host', '?')}"
    return PermissionDenied(
        f"Another Handheld holds this phone: {who}. Stop it, or use the phone through it."
    )


def _automation_held(failure: HelperFailure, _: Asked) -> Exception:
    guess = failure.data.get("guess") or (
        "Stop that program (uiautomator2, Appium and test runs are the usual ones) and try again; "
        "if it is another Handheld, run `handheld phones release` there."
    )
    return PermissionDenied(f"{failure.message} Only one program at a time can have it. {guess}")


def _input_refused(failure: HelperFailure, asked: Asked) -> Exception:
    switch = failure.data.get("touching") or touching_of("", "")
    sentence = f"The phone does not let adb touch the screen: turn on {switch}."
    return PermissionDenied(_tell(sentence, failure.happened, asked))


def _outside_screen(failure: HelperFailure, _: Asked) -> Exception:
    width, height = failure.data.get("width"), failure.data.get("height")
    return InvalidParams(f"Coordinates are outside the screen, which is {width} x {height} pixels.")


def _no_windows(failure: HelperFailure, _: Asked) -> Exception:
    if failure.data.get("missing"):
        return ActionFailed("All windows returned null root nodes.")
    return ActionFailed(
        "No windows available and no active window root node. The screen may be transitioning."
    )


def _not_launched(reason: str) -> _Meaning:
    def mean(_: HelperFailure, asked: Asked) -> Exception:
        package = asked.arguments.get("package")
        because = reason.format(package=package)
        operation = "close" if asked.do == "stop" else "open"
        return ActionFailed(f"Failed to {operation} application '{package}': {because}")

    return mean


def _changed(failure: HelperFailure, asked: Asked) -> Exception:
    return FileChanged(failure.message) if asked.do == "commit" else TargetMissing(gone=False)


def _file_failed(failure: HelperFailure, asked: Asked) -> Exception:
    errno = failure.data.get("errno")
    path = str(asked.arguments.get("path") or asked.arguments.get("root"))
    return SyncError(path, errno if isinstance(errno, int) else 0, failure.message)


_APP_CALLS = ("provider_call", "service_call")


def _app_failed(problem: AppProblem) -> _Meaning:
    return lambda failure, _: AppFailed(problem, failure.message)


def _out_of_time(failure: HelperFailure, asked: Asked) -> Exception:
    if asked.do in _APP_CALLS:
        dropped = failure.data.get("dropped", 0)
        return AppFailed(AppProblem.SILENT, failure.message, dropped)
    sentence = "The phone did not answer in time."
    if "typed" in failure.data:
        sentence = f"The time for typing ran out after {failure.data['typed']} characters."
    return TimedOut(_tell(sentence, failure.happened, asked))


_SILENT = f"The phone has not said within {SMS_MS // 1000} s whether the message was sent."


def _not_sent(failure: HelperFailure, _: Asked) -> Exception:
    data = failure.data
    part, parts = data.get("part", 1), data.get("parts", 1)
    return NotSent(data.get("result", 1), part, parts, data.get("sent", 0))


def _outside_text(failure: HelperFailure, _: Asked) -> Exception:
    data = failure.data
    around = (data["before"], data["after"]) if "before" in data else None
    return OutsideText(data.get("length", 0), around)


_MEANINGS: dict[Code, _Meaning] = {
    Code.BAD_CALL: lambda failure, asked: ToolError(
        f"The helper on the phone did not understand `{asked.do}`: {failure.message}"
    ),
    Code.UNSUPPORTED: _passing_on(ActionFailed),
    Code.BUSY: _saying(ActionFailed, "The phone has too many calls open; try again in a moment."),
    Code.CANCELLED: _passing_on(ActionFailed),
    Code.OUT_OF_TIME: _out_of_time,
    Code.IN_USE: _in_use,
    Code.AUTOMATION_HELD: _automation_held,
    Code.LOCKED: _saying(PermissionDenied, "The phone is locked: unlock it and try again."),
    Code.INPUT_REFUSED: _input_refused,
    Code.OUTSIDE_SCREEN: _outside_screen,
    Code.GONE: lambda _, __: TargetMissing(gone=True),
    Code.CHANGED: _changed,
    Code.NOT_ACTIONABLE: lambda failure, _: NotActionable(failure.message),
    Code.NOT_EDITABLE: lambda failure, _: NotEditable(failure.message),
    Code.NO_FIELD: lambda failure, _: NoField(failure.message),
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
    Code.NO_COMPONENT: _app_failed(AppProblem.GONE),
    Code.APP_REFUSED: _app_failed(AppProblem.REFUSED),
    Code.APP_NOT_STARTED: _app_failed(AppProblem.NOT_STARTED),
    Code.APP_DIED: _app_failed(AppProblem.DIED),
    Code.APP_THREW: _app_failed(AppProblem.THREW),
    Code.NO_SUBSCRIPTION: lambda failure, _: SubscriptionGone(failure.message),
    Code.NOT_SENT: _not_sent,
    Code.NOT_LAUNCHABLE: _not_launched("No launchable activity found for package '{package}'"),
    Code.FAILED: lambda failure, asked: (Refused if asked.do == "act" else ActionFailed)(
        _tell(failure.message, failure.happened, asked)
    ),
    Code.INTERNAL: lambda failure, asked: ToolError(
        _tell("The helper on the phone had a fault of its own.", failure.happened, asked)
    ),
}
