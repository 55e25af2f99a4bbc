"""Looking at the screen, and waiting for it."""

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import InvalidParams, TimedOut, ToolError
from ...phone.phone import Phone
from ...phone.screen.screen_log import ShownScreen
from ...phone.screen.waiting import POLL_MS, Watch
from ...screen.model import Screen
from ...screen.rows.budget import TooSmall, fit
from ...screen.rows.changes import changed_rows
from ...screen.rows.screen import LOADING, Row
from ...screen.rows.words import clean, cut, fold
from ..recording import Secret
from ..tool import Reply, Toolset
from .elements.acting import QUIET_MS, await_change, current, read, tail_of, whole
from .elements.actions import look_actions, wait_actions
from .elements.targets import describe_silent
from .notification_tools import listed_notices
from .params import (
    AwaitedNotification,
    AwaitedText,
    Everything,
    Find,
    Gone,
    LookWithin,
    MaxTokens,
    Seconds,
    Since,
    WithPicture,
)
from .screen.looking import matching, say_none
from .screen.notices import has_come, tell
from .screen.pictures import PICTURE_LINE, Unreadable, read_and_capture, show_picture
from .screen.wording import reword
from .steps import AgentStep, current_step

screen_tools = Toolset("screen")

SINCE_TOLD = "last"
"""For `since`, by `phone_do`: the whole screen, after the id of the one that was told last."""


@screen_tools.tool(
    name="phone_look",
    title="Look",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    actions=look_actions,
)
async def look(
    phone: Phone,
    find: Find = None,
    within: LookWithin = None,
    since: Since = None,
    picture: WithPicture = None,
    all: Everything = None,
    max_tokens: MaxTokens = None,
) -> Reply:
    """The screen as text, one line per row: ref, "words", state. Refs (k4) are what other tools
    take."""

    def words(shown: ShownScreen) -> str:
        answer = _answer(phone, shown, find or "", within or "", (since or "").strip(), bool(all))
        most = max_tokens
        if most is not None and picture is not None:
            most -= PICTURE_LINE
        shown.told = shown.told or (most is None and not (find or within))
        return _fitted(answer, shown.snapshot.screen, most)

    if picture is None:
        # Around steps, a screen that is known to be current is not read again.
        return words(await (read if current_step() is AgentStep.ALONE else current)(phone))
    try:
        shown, taken = await read_and_capture(phone)
    except Unreadable as moving:
        return [moving.said, *await show_picture(phone, moving.picture, moving.screen, None)]
    text = words(shown)
    marked = shown if picture == "marked" else None
    try:
        return [text, *await show_picture(phone, taken, shown.snapshot.screen, marked)]
    except ToolError as failure:
        failure = reword(failure)
        raise type(failure)(failure.message, *failure.details, text) from None


class _Answer(NamedTuple):
    """The lines of a reply; `rows` and `tail` may be left out."""

    first: list[str]
    rows: Sequence[Row] = ()
    tail: Sequence[str] = ()


def _answer(
    phone: Phone, shown: ShownScreen, find: str, within: str, since: str, details: bool
) -> _Answer:
    if since:
        return _changes(phone, shown, since)
    rows = phone.screens.show_all(phone.elements, shown) if details else shown.rows
    header = rows.title(shown.name())
    if not (find or within):
        return _Answer([header], rows.rows, _tail(phone, shown, details))
    found = matching(phone.screens, shown, rows, find, within)
    if found:
        return _Answer([header], found)
    said, help = say_none(shown, rows, find, within)
    return _Answer([said], [Row(help.strip())] if help else [])


def _tail(phone: Phone, shown: ShownScreen, details: bool = False) -> list[str]:
    """Return the last lines of a whole screen; how it was read is repeated only with details."""
    way = phone.screens.take_way(shown.snapshot.screen)
    if details and shown.snapshot.screen.way:
        way = [shown.snapshot.screen.way]
    return [*tail_of(shown), *way]


def _changes(phone: Phone, shown: ShownScreen, since: str) -> _Answer:
    rows = shown.rows
    if since == SINCE_TOLD and (told := phone.screens.last_told) is not None:
        # No agent reads this one.
        return _Answer([told.id, rows.title(told.id)], rows.rows, tail_of(shown))
    header = rows.title(shown.name())
    before = phone.screens.screens.get(since)
    if before is None:
        unknown = f"{cut(clean(since), 20)} is no longer known."
        tail = tail_of(shown) if since == SINCE_TOLD else _tail(phone, shown)
        return _Answer([unknown, header], rows.rows, tail)
    if before is shown:
        return _Answer([f"Nothing changed since {before.id}."])
    changes = changed_rows(before.rows, rows)
    if changes is None:
        return _Answer([header], rows.rows, _tail(phone, shown))
    if not changes:
        return _Answer([f"Nothing changed since {before.id}; it is {shown.name()} now."])
    return _Answer([f"{shown.name()} since {before.id}:"], [Row(line) for line in changes])


def _fitted(answer: _Answer, screen: Screen, max_tokens: int | None) -> str:
    if max_tokens is None:
        lines = [*answer.first, *(row.text for row in answer.rows), *answer.tail]
        return "\n".join(lines)
    try:
        return "\n".join(fit(*answer, screen, max_tokens))
    except TooSmall as problem:
        raise InvalidParams(
            f"max_tokens is too small: this answer needs {problem.least} at least."
        ) from None


@screen_tools.tool(
    name="phone_wait",
    title="Wait",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    actions=wait_actions,
)
async def wait(
    phone: Phone,
    text: AwaitedText = None,
    gone: Gone = None,
    notification: AwaitedNotification = None,
    seconds: Seconds = None,
) -> str:
    """Wait until a text is visible (or gone), a notification comes, or, without these, the screen
    rests."""
    began = phone.clock.now()
    watch = Watch(phone.clock, round((10.0 if seconds is None else seconds) * 1000))
    wanted = fold(text or "")
    listed = await listed_notices(phone) if notification else None
    before = phone.screens.last
    while True:
        shown = await read(phone)
        if listed is not None:
            await listed.take()
        seq, done = shown.snapshot.screen.seq, ""
        untold = [each for each in phone.screens.untold if not phone.hides(each.package)]
        if notification and has_come(untold, notification):
            done = f'A notification with "{cut(clean(notification), 60)}" came.'
        elif text and _is_visible(shown, wanted) != bool(gone):
            done = f'"{cut(clean(text), 60)}" is {"gone" if gone else "visible"}.'
        elif text or notification:
            await await_change(phone, shown, min(POLL_MS, max(1, watch.left)))
        elif await phone.driver.changed(seq, QUIET_MS) <= seq and not _is_coming(shown):
            done = "The screen rests."
        if done or watch.left < 1:
            came_up = await tell(phone, before or shown, shown, began)
            if done:
                return "\n".join([done, *came_up, whole(shown)])
            loads = not (text or notification) and LOADING in shown.rows.tail
            raise TimedOut(
                f"{'Still loading' if loads else 'Not yet'} after {watch.elapsed / 1000:.0f} s."
                f" Call phone_wait again to go on waiting.{describe_silent(shown.snapshot.screen)}",
                "\n".join([*came_up, whole(shown)]),
            )
        watch.report("Waiting")


def _is_coming(shown: ShownScreen) -> bool:
    """Whether the screen says itself that it loads, or an app has yet to answer."""
    return LOADING in shown.rows.tail or bool(shown.snapshot.screen.silent)


def _is_visible(shown: ShownScreen, wanted: str) -> bool:
    return any(
        wanted in fold(" ".join([*thing.item.pieces, thing.item.value or ""]))
        for _, thing in shown.rows.things
    )
