"""The `seek` command: scrolls a list until a node is visible in it."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.screen.model import Flag, Node

from ...world import World
from ..protocol.command import Answer, bad, check_keys, check_whole
from ..protocol.rest import await_change
from .act import SIGNATURE, check_signature, check_target, find_target, has_signature

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

MOST_PAGES = 50
MOST_ROWS = 2**31 - 1
SETTLE_MS = 300
"""The time limit for a scroll to begin, and for a page to come to rest."""
QUIET_MS = 120
"""The screen is at rest after this time without a change. Apps report changes 100 ms apart."""
JUMP_MS = 20_000
"""The time limit for a jump: a ListView scrolls row by row."""


def check_seek(arguments: dict[str, Any]) -> None:
    check_keys(
        arguments,
        *("key", "expect", "anchor", "wanted", "beside"),
        *("row", "column", "forward", "pages"),
    )
    check_target(arguments)
    check_signature(arguments["wanted"], "wanted", SIGNATURE | {"key"})
    if arguments["beside"] is not None:
        check_signature(arguments["beside"], "beside", SIGNATURE)
    places = [arguments[name] for name in ("row", "column")]
    if places != [None, None]:
        for name, place in zip(("row", "column"), places, strict=True):
            check_whole(place, name, MOST_ROWS)
    if not isinstance(arguments["forward"], bool):
        raise bad("`forward` is not true or false.")
    check_whole(arguments["pages"], "pages", MOST_PAGES)


async def seek(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    key = arguments["key"]
    if not find_target(world, arguments).flags & Flag.SCROLLABLE:
        raise HelperFailure(Code.NOT_ACTIONABLE, "The view does not scroll.")
    row, column = arguments["row"], arguments["column"]
    before = world.automation.seq
    if row is not None and world.automation.scroll_to_item(key, row, column):
        job.happened = Happened.PARTLY
        until = world.clock.now() + JUMP_MS
        while await _settle(world, job, before) and world.clock.now() < until:
            if _shows(world, arguments):
                break
            before = world.automation.seq
        found = _shows(world, arguments)
        return Answer({"jumped": True, "scrolls": 1, "found": found, "end": False})
    action = "scroll_forward" if arguments["forward"] else "scroll_backward"
    scrolls, found, end = 0, False, False
    while scrolls < arguments["pages"] and not found and not end:
        before = world.automation.seq
        gone = world.automation.node(key) is None
        if gone or not world.automation.perform(key, action):
            end = True
        else:
            job.happened = Happened.PARTLY
            scrolls += 1
            end = not await _settle(world, job, before)
            found = _shows(world, arguments)
    return Answer({"jumped": False, "scrolls": scrolls, "found": found, "end": end})


async def _settle(world: World, job: "Job", before: int) -> bool:
    """Wait briefly until nothing moves; return whether anything moved."""
    last, seq = before, await await_change(world, job, before, SETTLE_MS)
    moved = seq > before
    until = world.clock.now() + SETTLE_MS
    while seq > last and world.clock.now() < until:
        last, seq = seq, await await_change(world, job, seq, QUIET_MS)
    return moved


def _shows(world: World, arguments: dict[str, Any]) -> bool:
    """Return whether the wanted node is visible in the list, and its neighbour is present."""
    wanted, beside = arguments["wanted"], arguments["beside"]
    nodes = _inside(world, arguments["key"])
    return any(
        node.flags & Flag.VISIBLE
        and wanted.get("key") in (None, node.key)
        and has_signature(node, wanted)
        for node in nodes
    ) and (beside is None or any(has_signature(node, beside) for node in nodes))


def _inside(world: World, key: str) -> list[Node]:
    """Return the nodes below the view with this key."""
    for window in world.automation.read_windows():
        for number, node in enumerate(window.nodes):
            if node.key == key:
                below = window.nodes[number + 1 :]
                end = next(
                    (n for n, other in enumerate(below) if other.depth <= node.depth), len(below)
                )
                return below[:end]
    return []
