"""Acts on a phone, waits until the screen rests, and says what changed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ..errors import ActionFailed, ElementNotFound, ToolError
from ..phone import Phone
from ..phone.screen_log import ShownScreen
from ..phone.waiting import Watch
from ..ui.rows.changes import changed_rows
from .targets import At
from .wording import reword

FIRST_MS = 500
"""How long an action may take to show anything."""
QUIET_MS = 250
"""At rest: no change for this long. Android bundles the changes of 100 ms into one report."""
MOST_MS = 3_000
"""A screen that does not come to rest is shown as it is after this."""
OPEN_MS = 10_000
"""The same for an app that is opened."""


@dataclass(frozen=True, slots=True)
class Rest:
    changed: bool
    settled: bool


async def read(phone: Phone) -> ShownScreen:
    """Read the screen, and show it."""
    return phone.screens.show(phone.elements, await phone.driver.read_screen())


async def current(phone: Phone) -> ShownScreen:
    """Return the screen as it is: the last one that was shown, if nothing changed since."""
    last = phone.screens.last
    if last is not None and last.snapshot.screen.seq:
        seq = await phone.driver.changed(0, 0)
        if seq == last.snapshot.screen.seq:
            return last
    return await read(phone)


async def rest(phone: Phone, seq: int, most_ms: int = MOST_MS) -> Rest:
    """Wait for the first change after `seq`, then until nothing changes."""
    watch = Watch(phone.clock, most_ms)
    now = await phone.driver.changed(seq, FIRST_MS)
    if now <= seq:
        return Rest(changed=False, settled=True)
    while watch.left > 0:
        before, now = now, await phone.driver.changed(now, QUIET_MS)
        if now <= before:
            return Rest(changed=True, settled=True)
    return Rest(changed=True, settled=False)


async def act(
    phone: Phone,
    done: str,
    operation: Callable[[], Awaitable[object]],
    *,
    target: At | None = None,
    most_ms: int = MOST_MS,
    why: Callable[[], str] = lambda: "",
) -> str:
    """Run `operation` on `target`, wait until the screen rests, and return `done` with what
    changed.

    `why` gives the likely reason if nothing changed. Raises ToolError.
    """
    before = phone.screens.last or await read(phone)
    seq = await phone.driver.changed(0, 0)
    try:
        await operation()
    except ToolError as failure:
        raise await _explain(phone, failure, target, before) from failure
    phone.screens.acted_at = phone.clock.now()
    outcome = await rest(phone, seq, most_ms)
    after = await read(phone)
    return describe(done, before, after, outcome, why)


def describe(
    done: str, before: ShownScreen, after: ShownScreen, outcome: Rest, why: Callable[[], str]
) -> str:
    if not outcome.settled:
        return f"{done} Still changing.\n{whole(after)}"
    if after is before:
        return f"{done} Nothing changed in {FIRST_MS / 1000:g} s.{why()}"
    changes = changed_rows(before.rows, after.rows)
    if changes is None:
        return f"{done}\n{whole(after)}"
    since = "" if after.number == before.number + 1 else f" since {before.id}"
    return "\n".join([done, f"{after.id}{since}:", *changes])


def whole(shown: ShownScreen) -> str:
    rows = shown.rows
    first = f"{rows.header} {shown.id}"
    return "\n".join([first, *(row.text for row in rows.rows), *rows.tail])


async def _explain(
    phone: Phone, failure: ToolError, target: At | None, before: ShownScreen
) -> ToolError:
    """Name the element as the agent does, and add the screen if the agent has not seen it."""
    ref = phone.screens.refs.get(target.ref) if target is not None else None
    if ref is not None and target is not None:
        failure = reword(failure, ref.id, target.label)
    else:
        failure = reword(failure)
    if not isinstance(failure, ElementNotFound | ActionFailed):
        return failure
    try:
        shown = await read(phone)
    except ToolError:
        return failure
    if shown is before:
        return failure
    return type(failure)(failure.message, *failure.details, whole(shown))
