"""Acts on a phone, waits until the screen rests, and says what changed."""

from collections.abc import Awaitable, Callable

from ..driver import Rest, Rested
from ..errors import ActionFailed, ElementNotFound, ToolError
from ..phone import Phone
from ..phone.screen_log import ShownScreen
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


async def act(
    phone: Phone,
    done: str,
    operation: Callable[[Phone], Awaitable[object]],
    *,
    target: At | None = None,
    most_ms: int = MOST_MS,
    why: Callable[[], str] = lambda: "",
) -> str:
    """Run `operation` on `target`, wait until the screen rests, and return `done` with what
    changed.

    `operation` gets a view on the phone for its last action: that one waits and reads the screen in
    the same call. `why` gives the likely reason if nothing changed. Raises ToolError.
    """
    before = phone.screens.last_told
    rest = Rest(FIRST_MS, QUIET_MS, most_ms)
    try:
        await operation(phone.resting(rest))
    except ToolError as failure:
        raise await _explain(phone, failure, target) from failure
    phone.screens.acted_at = phone.clock.now()
    rested = rest.rested or await _read_at_rest(phone)
    if rested.screen is None:
        problem = reword(ActionFailed(rested.problem)).message
        return f"{done} The screen could not be read after it: {problem}"
    after = phone.screens.show(phone.elements, rested.screen)
    return describe(done, before, after, rested, why)


async def _read_at_rest(phone: Phone) -> Rested:
    """Without the helper: `uiautomator` itself waits until the screen rests."""
    try:
        return Rested(True, True, await phone.driver.read_screen())
    except ToolError as failure:
        return Rested(True, False, None, failure.message)


def describe(
    done: str,
    before: ShownScreen | None,
    after: ShownScreen,
    rested: Rested,
    why: Callable[[], str],
) -> str:
    """`before` is the last screen that an agent was told; None for none."""
    if not rested.settled:
        return f"{done} Still changing.\n{whole(after)}"
    if after is before:
        return f"{done} Nothing changed in {FIRST_MS / 1000:g} s.{why()}"
    changes = None if before is None else changed_rows(before.rows, after.rows)
    if before is None or changes is None:
        return f"{done}\n{whole(after)}"
    after.told = True
    since = "" if after.number == before.number + 1 else f" since {before.id}"
    return "\n".join([done, f"{after.id}{since}:", *changes])


def whole(shown: ShownScreen) -> str:
    shown.told = True
    rows = shown.rows
    first = f"{rows.header} {shown.id}"
    return "\n".join([first, *(row.text for row in rows.rows), *rows.tail])


async def _explain(phone: Phone, failure: ToolError, target: At | None) -> ToolError:
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
    if shown.told:
        return failure
    return type(failure)(failure.message, *failure.details, whole(shown))
