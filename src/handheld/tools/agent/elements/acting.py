"""Acts on a phone, waits until the screen rests, and describes the changes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ....driver import Rest, Rested
from ....errors import ActionFailed, ElementNotFound, ToolError
from ....phone.phone import Phone
from ....phone.screen.refs import Ref
from ....phone.screen.screen_log import PastScreen, ShownScreen
from ....phone.screen.waiting import POLL_MS
from ....screen.model import Flag, Screen
from ....screen.rows.changes import changed_rows
from ....screen.rows.signs import print_notifications
from ..saved_targets import check_front
from ..screen.hindrances import explain_disabled
from ..screen.notices import tell
from ..screen.wording import CHANGED, GONE, reword
from ..steps import AgentStep, current_step
from .targets import At, advise_unread, explain_silent, further, name_successor

FIRST_MS = 500
"""The time that an action may take to show an effect."""
QUIET_MS = 250
"""The screen is at rest after this time without a change. Android bundles the changes of 100 ms
into one report."""
STEP_QUIET_MS = 120
"""The rest between two steps of one call: the next step looks for its target itself."""
MOST_MS = 3_000
"""After this time, a screen that does not come to rest is shown anyway."""
OPEN_MS = 10_000
"""The time limit of rest for an opened app."""

_TOUCHABLE = Flag.CLICKABLE.value | Flag.SCROLLABLE.value | Flag.EDITABLE.value


async def read(phone: Phone) -> ShownScreen:
    """Read the screen, and show it."""
    return _show(phone, await phone.driver.read_screen())


def _show(phone: Phone, screen: Screen) -> ShownScreen:
    phone.screens.shown_at = phone.clock.now()
    return phone.screens.show(phone.elements, screen)


async def current(phone: Phone) -> ShownScreen:
    """Return the current screen: the last shown one, if nothing has changed since."""
    last = phone.screens.last
    if last is not None and last.snapshot.screen.seq:
        seq = await phone.driver.changed(0, 0)
        if seq == last.snapshot.screen.seq:
            phone.elements.notice(last.snapshot.screen)
            phone.screens.shown_at = phone.clock.now()
            return last
    return await read(phone)


async def await_change(phone: Phone, shown: ShownScreen, most_ms: float) -> None:
    """Wait until the screen differs from the shown one, at most `most_ms`."""
    screen = shown.snapshot.screen
    if screen.settled:
        # It was read at rest, without the helper: only the next read shows a change.
        await phone.clock.sleep(min(most_ms, POLL_MS) / 1000)
    else:
        await phone.driver.changed(screen.seq, round(most_ms))


async def act(
    phone: Phone,
    done: str | Callable[[], str],
    operation: Callable[[Phone], Awaitable[object]],
    *,
    target: At | None = None,
    most_ms: int = MOST_MS,
    why: Callable[[], str] | None = None,
    leaves: bool = False,
    opens: Callable[[], str] | None = None,
    rest: Rest | None = None,
    tries: bool = False,
) -> str:
    """Run `operation` on `target`, wait until the screen rests, and return `done` with the changes.

    `operation` gets a view on the phone for its last action, which waits and reads the screen in
    the
    same call. `done` is a function if its text is known only afterwards; it then also reports a
    lack
    of effect, unless `why` returns the likely reason for that. `leaves`: the action may leave the
    app
    in front. `opens` returns the app whose content is awaited. `rest` is for an operation that
    reads
    the screen itself. `tries`: the caller continues without the target, so this is not a reply.
    Raises ToolError.
    """
    began, last = phone.clock.now(), phone.screens.last
    told = phone.screens.last_told
    quiet = STEP_QUIET_MS if current_step() is AgentStep.FOLLOWED else QUIET_MS
    rest = rest or Rest(FIRST_MS, quiet, most_ms)
    if opens is None:
        await check_front(phone, current)
    try:
        await operation(phone.resting(rest))
    except ToolError as failure:
        if tries and isinstance(failure, ElementNotFound):
            raise
        raise await explain(phone, failure, target) from failure
    phone.screens.acted_at = phone.clock.now()
    rested = rest.rested or await _read_at_rest(phone)
    if opens is not None:
        rested = await _await_content(phone, rested, opens(), began)
    if rested.screen is None:
        problem = reword(ActionFailed(rested.problem)).message
        said = done if isinstance(done, str) else done()
        return f"{said} The screen could not be read after it: {problem}"
    after = _show(phone, rested.screen)
    if after.rows.page_loads and current_step() is not AgentStep.FOLLOWED:
        loading, after = after, await _await_page(phone, after, began + most_ms / 1000)
        rested = replace(rested, changed=rested.changed or after is not loading)
    came_up = await tell(phone, last or after, after, began, leaves=leaves)
    said = done if isinstance(done, str) else done()
    if isinstance(done, str) or why is not None:
        return describe(said, told, after, rested, why or (lambda: ""), came_up)
    return describe(said, told, after, replace(rested, changed=True), None, came_up)


async def _await_content(phone: Phone, rested: Rested, package: str, began: float) -> Rested:
    """Read the screen again until a window of the app has content: it may be at rest before
    that."""
    while (wait_ms := _missing_content_ms(rested.screen, package)) is not None:
        left_ms = round((began - phone.clock.now()) * 1000) + wait_ms
        if left_ms < 1:
            if rested.screen is None or wait_ms < OPEN_MS:
                return rested
            problem = f"Its window has no content after {OPEN_MS // 1000} s."
            return replace(rested, problem=problem)
        if rested.screen is None:
            await phone.clock.sleep(min(left_ms, QUIET_MS) / 1000)
        else:
            await phone.driver.changed(rested.screen.seq, min(left_ms, QUIET_MS))
        rested = await _read_at_rest(phone)
    return rested


async def _await_page(phone: Phone, shown: ShownScreen, until: float) -> ShownScreen:
    """Read the screen again while a bar shows the progress of a loading web page."""
    while shown.rows.page_loads:
        left_ms = round((until - phone.clock.now()) * 1000)
        if left_ms < 1:
            break
        await phone.driver.changed(shown.snapshot.screen.seq, min(left_ms, QUIET_MS))
        rested = await _read_at_rest(phone)
        if rested.screen is None:
            break
        shown = _show(phone, rested.screen)
    return shown


def _missing_content_ms(screen: Screen | None, package: str) -> int | None:
    """Return the time to wait for the app's content; None if it is there."""
    windows = [] if screen is None else screen.windows
    nodes = [node for window in windows if window.package == package for node in window.nodes]
    if any(node.text or node.description or node.flags & _TOUCHABLE for node in nodes):
        return None
    # There may never be more content: games draw themselves.
    return MOST_MS if nodes else OPEN_MS


async def _read_at_rest(phone: Phone) -> Rested:
    """Read without the helper: `uiautomator` itself waits until the screen rests."""
    try:
        return Rested(True, True, await phone.driver.read_screen())
    except ToolError as failure:
        return Rested(True, False, None, failure.message)


def describe(
    done: str,
    before: PastScreen | None,
    after: ShownScreen,
    rested: Rested,
    why: Callable[[], str] | None,
    came_up: Sequence[str] = (),
) -> str:
    """`before` is the last screen that an agent was shown, or None."""
    changes = None
    if rested.problem:
        done = f"{done} {rested.problem}"
    elif not rested.settled:
        done = f"{done} Still changing."
    elif (
        why is not None
        and (after is before or not rested.changed)
        and not _is_switched(before, after)
    ):
        reason = "" if came_up else why()
        done = f"{done} Nothing {'else ' * bool(came_up)}changed in {FIRST_MS / 1000:g} s.{reason}"
    if before is not None and rested.settled and not rested.problem:
        changes = [] if after is before else changed_rows(before.rows, after.rows)
    if before is None or changes is None:
        return "\n".join([done, *came_up, whole(after)])
    after.told = True
    if not changes:
        return "\n".join([done, *came_up])
    since = "" if rested.changed and after.number == before.number + 1 else f" since {before.id}"
    return "\n".join([done, *came_up, f"{after.name()}{since}:", *changes])


def _is_switched(before: PastScreen | None, after: ShownScreen) -> bool:
    """Whether the phone was locked or its screen was switched, which no view shows."""
    return before is not None and before.rows.conditions != after.rows.conditions


def whole(shown: ShownScreen) -> str:
    shown.told = True
    rows = shown.rows
    return "\n".join([rows.title(shown.name()), *(row.text for row in rows.rows), *tail_of(shown)])


def tail_of(shown: ShownScreen) -> list[str]:
    """Return the last lines of a whole screen. Notifications are not part of the rows: a new one
    does not make a new screen."""
    notifications = print_notifications(shown.snapshot.screen)
    return [*shown.rows.tail, *advise_unread(shown), *filter(None, [notifications])]


def _now(shown: ShownScreen, ref: Ref) -> str:
    """Return the current name of a ref's view; "" if unknown."""
    for _, thing in shown.rows.things:
        if ref.key and shown.snapshot.node(thing.place).key == ref.key:
            return thing.name
    return ""


def _is_in_list(phone: Phone, ref: Ref) -> bool:
    issued = phone.elements.issued.refs.get(ref.hash)
    return issued is not None and issued.recycled


async def explain(phone: Phone, failure: ToolError, target: At | None) -> ToolError:
    """Name the element as the agent does, and add the screen if the agent has not seen it."""
    ref = phone.screens.refs.get(target.ref) if target is not None else None
    if ref is not None and target is not None:
        failure = reword(failure, ref.id, target.label)
    else:
        failure = reword(failure)
    if "is locked" in failure.message:
        phone.driver.conditions.take()  # avoids repeating them
    if not isinstance(failure, ElementNotFound | ActionFailed):
        return failure
    try:
        shown = await read(phone)
    except ToolError:
        return failure
    if target is not None and (disabled := explain_disabled(shown, target)):
        failure = type(failure)(disabled, *failure.details)
    elif ref is not None and isinstance(failure, ElementNotFound) and shown.snapshot.screen.silent:
        message = f"{ref.name} is not seen:{explain_silent(shown.snapshot.screen)}"
        failure = type(failure)(message, *failure.details)
    elif (
        ref is not None
        and failure.message.endswith(CHANGED)
        and _now(shown, ref) not in ("", ref.words)
    ):
        message = f"{ref.name} was {ref.words} and is now {_now(shown, ref)}: nothing was done."
        failure = type(failure)(message, *failure.details)
    elif (
        ref is not None
        and failure.message.endswith((GONE, CHANGED))
        # Other rows of a list may have the same words.
        and not (_is_in_list(phone, ref) and further(shown))
    ):
        message = failure.message + name_successor(shown.rows, ref.words, shows=not shown.told)
        failure = type(failure)(message, *failure.details)
    if shown.told:
        return failure
    return type(failure)(failure.message, *failure.details, whole(shown))
