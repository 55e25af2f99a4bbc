"""Looking at the screen, and waiting for it."""

from ..errors import TimedOut
from ..phone import Phone
from ..phone.screen_log import ShownScreen
from ..phone.waiting import Watch
from ..toolkit.recording import Secret
from ..toolkit.tool import Toolset
from ..ui.rows.changes import changed_rows
from ..ui.rows.words import clean, cut, fold
from .acting import QUIET_MS, read, whole
from .params import AwaitedText, Find, Gone, LookWithin, Seconds, Since

screen_tools = Toolset("screen")

SINCE_TOLD = "last"
"""For `since`, by `phone_do`: the whole screen, after the id of the one that was told last."""
POLL_MS = 500
"""Between reads, while the phone reports no change."""


@screen_tools.tool(
    name="phone_look",
    title="Look",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    stands_for=("get_screen_state", "find_elements"),
)
async def look(
    phone: Phone, find: Find = None, within: LookWithin = None, since: Since = None
) -> str:
    """The screen as text, one line per row: ref, "words", state. Refs (k4) are what other tools
    take."""
    shown = await read(phone)
    if since:
        return _changes(phone, shown, since.strip())
    if find or within:
        return _matching(shown, fold(find or ""), (within or "").strip())
    return whole(shown)


def _changes(phone: Phone, shown: ShownScreen, since: str) -> str:
    if since == SINCE_TOLD and (told := phone.screens.last_told) is not None:
        return f"{told.id}\n{whole(shown)}"
    before = phone.screens.screens.get(since)
    if before is None:
        return f"{cut(clean(since), 20)} is not known any more.\n{whole(shown)}"
    if before is shown:
        return f"Nothing changed since {before.id}."
    changes = changed_rows(before.rows, shown.rows)
    if changes is None:
        return whole(shown)
    shown.told = True
    if not changes:
        return f"Nothing changed since {before.id}; it is {shown.id} now."
    return "\n".join([f"{shown.id} since {before.id}:", *changes])


def _matching(shown: ShownScreen, wanted: str, within: str) -> str:
    """Return the rows with these words, under the first lines of their blocks."""
    lines: list[str] = []
    blocks: list[tuple[int, str, bool]] = []
    for row in shown.rows.rows:
        while blocks and blocks[-1][0] >= row.depth:
            blocks.pop()
        inside = not within or within in row.refs or any(block[2] for block in blocks)
        if row.scroller is not None:
            blocks.append((row.depth, row.text, row.ref == within))
            continue
        words = fold(" ".join(piece for thing in row.things for piece in thing.item.pieces))
        if inside and wanted in words:
            lines += [text for _, text, _ in blocks if text not in lines]
            lines.append(row.text)
    if not lines:
        return f"No row matches; {shown.id} has {len(shown.rows.rows)} rows."
    return "\n".join([f"{shown.rows.header} {shown.id}", *lines])


@screen_tools.tool(
    name="phone_wait",
    title="Wait",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    stands_for=("wait_for_element", "wait_for_idle", "get_screen_state"),
)
async def wait(
    phone: Phone, text: AwaitedText = None, gone: Gone = None, seconds: Seconds = None
) -> str:
    """Wait until a text is visible (or gone), or, without these, the screen rests."""
    watch = Watch(phone.clock, round((10.0 if seconds is None else seconds) * 1000))
    wanted = fold(text or "")
    while True:
        shown = await read(phone)
        seq = shown.snapshot.screen.seq
        if text:
            if _is_visible(shown, wanted) != bool(gone):
                state = "gone" if gone else "visible"
                return f'"{cut(clean(text), 60)}" is {state}.\n{whole(shown)}'
            await phone.driver.changed(seq, min(POLL_MS, max(1, round(watch.left))))
        elif await phone.driver.changed(seq, QUIET_MS) <= seq:
            return f"The screen rests.\n{whole(shown)}"
        if watch.left < 1:
            raise TimedOut(
                f"Not yet after {watch.elapsed / 1000:.0f} s. Call phone_wait again to go on"
                " waiting.",
                whole(shown),
            )


def _is_visible(shown: ShownScreen, wanted: str) -> bool:
    return any(
        wanted in fold(" ".join([*thing.item.pieces, thing.item.value or ""]))
        for _, thing in shown.rows.things
    )
