"""The commands `resolve` and `intent`."""

import sys
from typing import TYPE_CHECKING, Any, cast

from handheld.app_formats.apk.manifest import ManifestKind
from handheld.helper.protocol import Code, Happened, HelperFailure, dump_json

from ...packages.delivery import (
    PROTECTED,
    TO_FRONT,
    TO_TOP,
    broadcast,
    deny,
    is_in_background,
    open_activity,
    start_service,
)
from ...packages.intent import Intent, Match, Value, choose, query
from ..protocol.command import Answer, bad, check_keys, check_text, check_whole
from .apps import aborted
from .front import wait_for_front

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

KINDS = {
    "activity": ManifestKind.ACTIVITY,
    "service": ManifestKind.SERVICE,
    "broadcast": ManifestKind.RECEIVER,
}
TEXTS = ("action", "data", "mime", "package", "class")
WHERE = ("type", *TEXTS, "categories")
CALL_LIMIT = 512 * 1024
MOST_HANDLERS = 200
LAST_FLAGS = (1 << 31) - 1
LARGEST_FLOAT = 3.4028234663852886e38
LARGEST_DOUBLE = sys.float_info.max
FRONT_MS = 5000
"""How long to wait for an activity's window. Some activities have none."""
_CODES = {"": 0, TO_FRONT: 2, TO_TOP: 3}
_BITS = {"int": 31, "long": 63}


# Arguments


def check_resolve(arguments: dict[str, Any]) -> None:
    check_keys(arguments, *WHERE)
    _check_where(arguments)
    _check_size(arguments)


def check_intent(arguments: dict[str, Any]) -> None:
    check_keys(arguments, *WHERE, "flags", "extras")
    _check_where(arguments)
    check_whole(arguments["flags"], "flags", LAST_FLAGS)
    extras = arguments["extras"]
    if not isinstance(extras, list) or not all(map(_is_extra, cast("list[Any]", extras))):
        raise bad("`extras` is not a list of names, types and values.")
    _check_size(arguments)


def _check_where(arguments: dict[str, Any]) -> None:
    if not isinstance(arguments["type"], str) or arguments["type"] not in KINDS:
        raise bad(f"`type` is not one of {', '.join(KINDS)}.")
    for name in TEXTS:
        if arguments[name] is not None:
            check_text(arguments[name], name)
    if arguments["class"] is not None and arguments["package"] is None:
        raise bad("`class` is given without `package`.")
    categories = arguments["categories"]
    if not isinstance(categories, list):
        raise bad("`categories` is not a list.")
    for category in cast("list[Any]", categories):
        check_text(category, "categories")


def _is_extra(extra: Any) -> bool:
    if not isinstance(extra, list) or len(cast("list[Any]", extra)) != 3:
        return False
    name, type_name, value = cast("list[Any]", extra)
    if not isinstance(name, str) or not name:
        return False
    match type_name:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "int" | "long":
            most = 1 << _BITS[type_name]
            return type(value) is int and -most <= value < most
        case "double" | "float":
            largest = LARGEST_FLOAT if type_name == "float" else LARGEST_DOUBLE
            return type(value) in (int, float) and -largest <= value <= largest
        case "strings":
            return isinstance(value, list) and all(
                isinstance(each, str) for each in cast("list[Any]", value)
            )
        case _:
            return False


def _check_size(arguments: dict[str, Any]) -> None:
    if len(dump_json(arguments)) > CALL_LIMIT:
        raise bad(f"`with` is over {CALL_LIMIT} bytes.")


def _intent(arguments: dict[str, Any]) -> Intent:
    package, class_name = arguments["package"] or "", arguments["class"]
    extras: dict[str, Value] = {}
    for name, _, value in arguments.get("extras", ()):
        extras[name] = tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType]
    return Intent(
        action=arguments["action"] or "",
        data=arguments["data"] or "",
        type=arguments["mime"] or "",
        categories=tuple(arguments["categories"]),
        package=package,
        component=(package, class_name) if class_name else None,
        flags=arguments.get("flags", 0),
        extras=extras,
    )


# Resolution


async def resolve(helper: "Helper", job: "Job") -> Answer:
    helper.world.settle()
    kind = KINDS[job.arguments["type"]]
    found, chosen = _find(helper, kind, _intent(job.arguments))
    shown = [_describe(match, chosen) for match in found[:MOST_HANDLERS]]
    return Answer({"handlers": shown, "more": len(found) - len(shown)})


def _find(helper: "Helper", kind: ManifestKind, intent: Intent) -> tuple[list[Match], list[Match]]:
    """The components that match the intent, and those to which it goes without a chooser."""
    world = helper.world
    if kind is ManifestKind.ACTIVITY:
        found = query(world, kind, intent, default_only=intent.component is None)
        best = choose(world, found)
        return found, [] if best is None else [best]
    found = query(world, kind, intent)
    return found, found if kind is ManifestKind.RECEIVER or len(found) == 1 else []


def _describe(match: Match, chosen: list[Match]) -> dict[str, Any]:
    return {
        "package": match.app.package,
        "class": match.component.name,
        "label": match.app.label,
        "default": match in chosen,
    }


# Sending


async def send_intent(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    world.settle()
    kind, intent = KINDS[arguments["type"]], _intent(arguments)
    if kind is ManifestKind.ACTIVITY and world.locked:
        raise HelperFailure(Code.LOCKED, "The phone is locked: it would open out of sight.")
    if intent.package and intent.package not in world.apps:
        raise HelperFailure(Code.NOT_INSTALLED, f"{intent.package} is not installed.")
    found, chosen = _find(helper, kind, intent)
    if not found and intent.component is not None:
        message = f"{intent.package} has no {intent.component[1]}."
        raise HelperFailure(Code.NO_COMPONENT, message, data={"installed": True})
    if not found:
        raise HelperFailure(Code.NO_HANDLER, "Nothing takes it.")
    if not chosen:
        handlers = [_describe(match, chosen) for match in found[:MOST_HANDLERS]]
        data = {"handlers": handlers, "more": len(found) - len(handlers)}
        raise HelperFailure(Code.SEVERAL_HANDLERS, f"{len(found)} take it.", data=data)
    if kind is ManifestKind.RECEIVER:
        return _broadcast(helper, intent, chosen)
    _check_open(helper, intent, chosen[0])
    if kind is ManifestKind.SERVICE:
        return _start_service(helper, intent, chosen[0])
    return await _open(helper, job, intent, chosen[0])


def _check_open(helper: "Helper", intent: Intent, match: Match) -> None:
    denial = deny(helper.world, intent, match)
    if denial is not None:
        message = f"Permission Denial: starting {match.short} from null (pid=400, uid=2000)"
        raise HelperFailure(
            Code.APP_REFUSED, f"{message} {denial}", data={"component": match.short}
        )


async def _open(helper: "Helper", job: "Job", intent: Intent, match: Match) -> Answer:
    world, package = helper.world, match.app.package
    if world.running.denies(match.short):
        raise aborted()
    warning, _ = open_activity(world, intent, match)
    job.happened = Happened.PARTLY
    world.panel.close()  # the panel would cover the activity and keep the focus
    until = min(job.act_until, world.clock.now() + FRONT_MS)
    front = await wait_for_front(world, package, until)
    handlers = [_describe(match, [match])]
    return Answer({"handlers": handlers, "code": _CODES[warning], "front": front and front[0]})


def _start_service(helper: "Helper", intent: Intent, match: Match) -> Answer:
    if is_in_background(helper.world, match):
        message = "app is in background uid null."
        raise HelperFailure(Code.APP_NOT_STARTED, message, data={"component": match.short})
    start_service(helper.world, intent, match)
    return Answer({"handlers": [_describe(match, [match])], "code": 0, "front": None})


def _broadcast(helper: "Helper", intent: Intent, found: list[Match]) -> Answer:
    open_ones = [match for match in found if deny(helper.world, intent, match) is None]
    if not open_ones:
        _check_open(helper, intent, found[0])
    if intent.action in PROTECTED:
        raise HelperFailure(Code.FAILED, f"Only the system may send {intent.action}.")
    broadcast(helper.world, intent)
    shown = [_describe(match, found) for match in open_ones[:MOST_HANDLERS]]
    return Answer({"handlers": shown, "code": 0, "front": None})
