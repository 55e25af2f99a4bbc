"""The commands about the screen: `screen`, `capture`, `changed`, `release`."""

import io
from dataclasses import fields, replace
from math import inf
from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import BUDGET_LIMIT_MS, Code, HelperFailure, dump_json
from handheld.screen.model import Details, Window, find_elsewhere, mask_password

from ...system.latency import HELPER_CAPTURE, NODE
from ...world import World
from ..protocol.command import Answer, bad, check_keys, check_whole
from ..protocol.rest import await_change

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

SILENCE_MS = 2000
"""How long a walk waits for the next node of a window."""
NOTICE_TITLE, NOTICE_TEXT = 100, 300
"""Limits of a notice in UTF-16 units."""
REPLY_MS = 250
"""The part of the budget kept for replying with the nodes of an incomplete window."""


def display(world: World) -> dict[str, int]:
    return {
        "width": world.width,
        "height": world.height,
        "density": world.density,
        "rotation": world.rotation,
    }


async def screen(helper: "Helper", job: "Job") -> Answer:
    world = helper.world
    seq = world.automation.seq
    windows, missing = await _walk(helper, job)
    if not missing and (
        find_elsewhere(windows, world.foreground)
        or (world.automation.seq != seq and _focus(windows) != _listed_focus(world))
    ):
        # Another window came to the front during the walk, or an old window was read.
        seq = world.automation.seq
        windows, missing = await _walk(helper, job)
    foreground = world.foreground
    reply: dict[str, Any] = {
        "seq": seq,
        "display": display(world),
        "foreground": foreground
        and {
            "package": foreground[0],
            "activity": foreground[1],
            "user": world.foreground_user,
        },
        "degraded": False,
        "missing": missing,
        "displays": world.automation.other_displays(),
        "locked": world.locked,
        "awake": world.awake,
        "notices": [
            (
                int(each.at),
                each.kind,
                each.package,
                _cut(each.title, NOTICE_TITLE),
                _cut(each.text, NOTICE_TEXT),
            )
            for each in world.screen.changes.notices
        ],
    }
    return Answer(reply, dump_json({"windows": [_window(window) for window in windows]}))


async def _walk(helper: "Helper", job: "Job") -> tuple[list[Window], list[dict[str, Any]]]:
    """Return the windows that were read, and those that are missing."""
    world = helper.world
    silent = [window for window in world.automation.missing() if window["reason"] == "timeout"]
    waits = [float(SILENCE_MS) for _ in silent]
    arrived: dict[int, int] = {}
    for window in world.automation.read_windows():
        arrived[window.id], wait = _arriving(world, job, window)
        waits.append(wait)
    if any(waits):
        await job.wait(world.clock.sleep(max(waits)))
    missing = world.automation.missing()
    helper.cache.clear()
    windows: list[Window] = []
    for window in helper.cache.windows():
        whole = len(window.nodes)
        there = arrived.get(window.id, whole)
        if there < whole:
            reason = "incomplete" if there else "timeout"
            missing.append({"window": window.id, "package": window.package, "reason": reason})
        if there:
            windows.append(replace(window, nodes=window.nodes[:there]))
    order = [number for number, _, _ in world.automation.listed_windows()]
    missing.sort(key=lambda window: order.index(window["window"]))
    if not windows:
        message = "No window gave its root." if missing else "There is no window."
        data = {"missing": missing, "displays": world.automation.other_displays()}
        raise HelperFailure(Code.NO_WINDOWS, message, data=data)
    if world.latency.any:
        nodes = sum(len(window.nodes) for window in windows)
        await job.wait(world.clock.sleep(nodes * world.latency.of(NODE)))
    world.automation.end_walk()
    return windows, missing


def _focus(windows: list[Window]) -> int | None:
    return next((window.id for window in windows if window.focused), None)


def _listed_focus(world: World) -> int | None:
    focused = world.automation.focused
    listed = world.automation.listed_windows()
    return next((number for number, window, _ in listed if window is focused), None)


def _cut(text: str | None, most: int) -> str | None:
    """Truncate to `most` UTF-16 units, but never inside a surrogate pair."""
    if text is None or len(text) * 2 <= most:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return units[: most * 2].decode("utf-16-le", "ignore") if len(units) > most * 2 else text


def _arriving(world: World, job: "Job", window: Window) -> tuple[int, float]:
    """Return how many of a window's nodes arrive, and how long the walk waits for them."""
    left = job.calls[0].deadline - REPLY_MS - world.clock.now()
    if left <= 0:
        left = inf  # the budget is too short for a partial window: all nodes in time, or none
    package = window.package or ""
    whole, slow = len(window.nodes), world.slow_views.get(package, 0.0)
    last = min(whole, world.last_views.get(package, whole))
    if not last or slow >= SILENCE_MS:
        return 0, SILENCE_MS
    if slow and last * slow > left:
        # The walk waits for the first node as long as for a silent window.
        return max(1, int(left // slow)), max(slow, left)
    return last, last * slow if last == whole else min(last * slow + SILENCE_MS, left)


async def encode_window(helper: "Helper", job: "Job", id: int) -> bytes:
    """Encode one window as `screen` does; return b"" if it does not arrive in time."""
    world = helper.world
    for window in world.automation.read_windows():
        if window.id == id:
            arrived, wait = _arriving(world, job, window)
            if wait or world.latency.any:
                late = wait + len(window.nodes) * world.latency.of(NODE)
                await job.wait(world.clock.sleep(late))
            whole = arrived == len(window.nodes)
            return dump_json({"windows": [_window(window)]}) if whole else b""
    return b""


def _window(window: Window) -> dict[str, Any]:
    return {
        "id": window.id,
        "type": window.type,
        "package": window.package,
        "title": window.title,
        "layer": window.layer,
        "focused": window.focused,
        "nodes": [
            (
                n.depth,
                n.index,
                n.key,
                n.class_name,
                mask_password(n.text, n.flags),
                n.description,
                n.resource_id,
                *n.bounds,
                n.flags,
                n.drawing_order,
            )
            for n in window.nodes
        ],
        "items": [
            (number, *place) for number, place in window.items.items() if number < len(window.nodes)
        ],
        "details": [
            (number, told)
            for number, told in encode_details(window).items()
            if number < len(window.nodes)
        ],
    }


def encode_details(window: Window) -> dict[int, dict[str, Any]]:
    """The rare properties of nodes that are set, by the nodes' positions."""
    told = {number: _encode_details(details) for number, details in window.details.items()}
    for number, node in window.web.items():
        url = {} if node.url is None else {"url": node.url}
        told[number] = {**told.get(number, {}), "role": node.role, **url}
    return dict(sorted(told.items()))


def _encode_details(details: Details) -> dict[str, Any]:
    told = ((field.name, getattr(details, field.name)) for field in fields(details))
    return {name: value for name, value in told if value is not None and value is not False}


def check_capture(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "max_size", "format", "quality")
    max_size, quality = arguments["max_size"], arguments["quality"]
    if max_size is not None and (type(max_size) is not int or max_size < 1):
        raise bad("`max_size` is not null or a number over 0.")
    if arguments["format"] not in ("jpeg", "png"):
        raise bad("`format` is not jpeg or png.")
    if type(quality) is not int or not 1 <= quality <= 100:
        raise bad("`quality` is not 1 to 100.")


async def capture(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    if not world.awake:
        raise HelperFailure(Code.CAPTURE_FAILED, "the screen is off.")
    if world.latency.any:
        await job.wait(world.clock.sleep(world.latency.of(HELPER_CAPTURE)))
    secure = list(world.screen.secure_windows)
    image = world.picture(arguments["max_size"])
    buffer = io.BytesIO()
    if arguments["format"] == "png":
        image.save(buffer, "PNG", compress_level=1)
    else:
        image.convert("RGB").save(buffer, "JPEG", quality=arguments["quality"])
    width, height = image.size
    reply = {"width": width, "height": height, "format": arguments["format"], "secure": secure}
    return Answer(reply, buffer.getvalue())


def check_changed(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "after", "within_ms")
    for name, limit in (("after", 2**53), ("within_ms", BUDGET_LIMIT_MS)):
        check_whole(arguments[name], name, limit)


async def changed(helper: "Helper", job: "Job") -> Answer:
    after, within_ms = job.arguments["after"], job.arguments["within_ms"]
    return Answer({"seq": await await_change(helper.world, job, after, within_ms)})


async def release(helper: "Helper", job: "Job") -> Answer:
    return Answer({"released": helper.hold.release()})
