"""The `type` command: types text by accessibility actions and injected input.

The text is inserted character by character or, without a delay, as a whole: the command reads the
field's text, sets it again with the new part, and moves the cursor behind that part. A password
field's content cannot be read, so each character is injected at the cursor.
"""

import random
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import Code, Happened, HelperFailure, replace_lone_surrogates
from handheld.screen.model import Flag

from ...views.text.graphemes import split, units
from ..protocol.command import Answer, bad, check_keys, check_whole
from .act import check_target, find_target
from .field import NodeField
from .screen import encode_window

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

DELAYED_LIMIT = 2000
WHOLE_LIMIT = 100_000
SEARCH_LIMIT = 10_000
"""In UTF-16 units."""
DELAY_MS = 5000
FOCUS_MS = 500
"""The time limit for a field to get the focus."""
LOOK_MS = 50
_PLACES = ("end", "all", "cursor")


def check_type(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key", "expect", "anchor", "where", "text", "delay_ms", "variance_ms")
    check_target(arguments)
    for name in ("delay_ms", "variance_ms"):
        check_whole(arguments[name], name, DELAY_MS)
    most = DELAYED_LIMIT if arguments["delay_ms"] else WHOLE_LIMIT
    if not _is_text(arguments["text"], most):
        raise bad(f"`text` is not a string of at most {most} UTF-16 units.")
    where = arguments["where"]
    if isinstance(where, dict):
        [*entries] = cast(dict[str, Any], where).items()
        match entries:
            case [("offset", int(offset))] if not isinstance(offset, bool) and offset >= 0:
                return
            case [("search", search)] if search and _is_text(search, SEARCH_LIMIT):
                return
            case _:
                pass
    elif where in _PLACES:
        return
    raise bad("`where` is not end, all, cursor, {offset} or {search}.")


def _is_text(value: Any, most: int) -> bool:
    return isinstance(value, str) and units(value) <= most


async def type_text(helper: "Helper", job: "Job") -> Answer:
    node = find_target(helper.world, job.arguments)
    field = NodeField(helper.world, job, node)
    if not node.flags & Flag.EDITABLE:
        raise HelperFailure(Code.NOT_EDITABLE, "The view is no field to type in.")
    text, where = job.arguments["text"], job.arguments["where"]
    password = field.password
    held = field.read() or ""
    start, end = _span(field, held, where)
    if start == end and not text:
        # Nothing to do: do not even focus the field.
        return await _result(helper, job, held, 0, 0, password, True)
    await _focus(helper, job, field)
    content = field.read()
    if content is None:
        raise _lost(0)
    # Computed again: the content may change when the field gets the focus.
    start, end = _span(field, content, where)
    if start < end:
        await _remove(field, content, start, end)
    elif password and content and not await field.select(units(content[:start])):
        raise HelperFailure(Code.FAILED, "The cursor could not be put there.", Happened.PARTLY)
    removed = units(content[start:end])
    typed = await _type(helper, job, field, units(content[end:]))
    shown = field.read()
    if shown is None:
        return await _result(helper, job, None, typed, removed, password, None)
    same = field.is_same(content[:start] + text + content[end:], shown)
    return await _result(helper, job, shown, typed, removed, password, same)


async def _result(
    helper: "Helper",
    job: "Job",
    content: str | None,
    typed: int,
    removed: int,
    password: bool,
    matches: bool | None,
) -> Answer:
    reply = {
        "content": content,
        "typed": typed,
        "removed": removed,
        "password": password,
        "matches": matches,
    }
    if content is None or job.then is not None:
        return Answer(reply)  # the field is gone, or will be read with the whole screen
    window = int(job.arguments["key"].partition(":")[0])
    return Answer(reply, await encode_window(helper, job, window))


def _span(field: NodeField, content: str, where: Any) -> tuple[int, int]:
    """Return the part of the content that the text replaces."""
    length = len(content)
    if where == "cursor":
        return field.selection(content) or (length, length)
    if where == "end":
        return length, length
    if where == "all":
        return 0, length
    if "search" in where:
        # A password is read as bullets, so it cannot be searched.
        start = -1 if field.password else replace_lone_surrogates(content).find(where["search"])
        if start < 0:
            message = "The text that was to be replaced is not in the field."
            data = {"password": field.password}
            raise HelperFailure(Code.TEXT_NOT_FOUND, message, data=data)
        return start, start + len(where["search"])
    index = _at_offset(content, where["offset"])
    return index, index


def _at_offset(content: str, offset: int) -> int:
    """Return the string index of a UTF-16 offset, which must be between two characters."""
    at = index = 0
    for character in split(content):
        if at == offset:
            return index
        end = at + units(character)
        if offset < end:
            data = {"length": units(content), "before": at, "after": end}
            raise HelperFailure(Code.OUTSIDE_TEXT, "The offset is inside a character.", data=data)
        at, index = end, index + len(character)
    if at == offset:
        return index
    raise HelperFailure(Code.OUTSIDE_TEXT, "The offset is beyond the text.", data={"length": at})


async def _focus(helper: "Helper", job: "Job", field: NodeField) -> None:
    """Focus the field with a click, as a tap does. The focus action is only the fallback: it ends
    the window's touch mode, and returns False for a field that already has the focus."""
    clicked = field.perform("click")
    if not clicked and not field.focused and not field.perform("focus"):
        raise HelperFailure(Code.FAILED, "The field did not accept a click.")
    job.happened, job.data = Happened.PARTLY, {"typed": 0}
    if await _gets_focus(helper, job, field):
        return
    if not (clicked and field.perform("focus") and await _gets_focus(helper, job, field)):
        message = "The field did not get the focus."
        raise HelperFailure(Code.NOT_EDITABLE, message, Happened.PARTLY)


async def _gets_focus(helper: "Helper", job: "Job", field: NodeField) -> bool:
    """Wait for the focus; return whether the field got it in time."""
    clock = helper.world.clock
    until = clock.now() + FOCUS_MS
    while not field.focused:
        if clock.now() >= until:
            return False
        await job.wait(clock.sleep(LOOK_MS))
    return True


async def _remove(field: NodeField, content: str, start: int, end: int) -> None:
    # A password can only be removed completely, because a remaining part would be bullets.
    if not await field.replace(content, start, end, "") or field.read() == content:
        raise HelperFailure(Code.FAILED, "The field did not accept the change.", Happened.PARTLY)


def _lost(typed: int) -> HelperFailure:
    message = f"The field was lost after {typed} UTF-16 units."
    return HelperFailure(Code.FIELD_LOST, message, Happened.PARTLY, {"typed": typed})


async def _type(helper: "Helper", job: "Job", field: NodeField, rest: int) -> int:
    """Type where `rest` units follow; return how many UTF-16 units were typed."""
    arguments, clock = job.arguments, helper.world.clock
    delay, variance = arguments["delay_ms"], arguments["variance_ms"]
    variance = min(variance, delay)
    typed, due = 0, clock.now()
    text: str = arguments["text"]
    whole = text and not delay and not field.password
    for number, character in enumerate([text] if whole else split(text)):
        if number:
            due += max(1, delay + random.randint(-variance, variance))  # noqa: S311 a pace, no secret
            # If late by more than a character, do not type the rest in a rush.
            due = max(due, clock.now() - delay)
            await job.wait(clock.sleep(due - clock.now()))
            helper.hold.need()
        put = field.put(character) if field.password else field.put_before(rest, character)
        if not await put:
            raise _lost(typed)
        typed += units(character)
        job.data = {"typed": typed}
    return typed
