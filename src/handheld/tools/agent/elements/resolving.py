"""Finds the target of a call on the current screen: waits for it, or scrolls to it."""

from dataclasses import replace

from ....driver import Restless
from ....errors import ElementNotFound, ToolError
from ....phone.phone import Phone
from ....phone.screen.screen_log import ShownScreen
from ....phone.screen.scrolling import scroll_to
from ....phone.screen.waiting import Watch
from ....screen.model import Flag, Screen
from ..saved_targets import find_saved
from ..screen.hindrances import is_hindered
from ..screen.lists import find_list, find_lists, search_lists
from ..steps import current_notes
from .acting import await_change, current, explain, read, whole
from .targets import (
    At,
    NotVisible,
    find_block,
    find_in_picture,
    find_target,
    further,
    has_target,
    is_in_picture,
    is_named,
    is_point,
)

RECENT_SECONDS = 5.0
"""The time after an action in which a target is awaited, and a screen counts as known."""
PATIENCE_MS = 3_000
SCROLL_HINT = "scroll: true looks there"


async def resolve(
    phone: Phone,
    at: str,
    within: str | None,
    *,
    hint: str = "phone_scroll with until looks there",
    patient: bool = True,
) -> At:
    """Return the target on the current screen. `hint` is the advice if a list has more. Raises
    ElementNotFound with the screen, NotVisible."""
    kept = _is_kept(at)
    if not kept and is_in_picture(at):
        return find_in_picture(phone.screens, await read_bare(phone), at)
    before = phone.screens.last
    if not kept and before is not None and is_named(phone.screens, at):
        return replace(find_target(phone.screens, before, at, within), stale=True)
    recent = phone.clock.now() - phone.screens.acted_at < RECENT_SECONDS
    watch = Watch(phone.clock, PATIENCE_MS if recent and patient else 0)
    while True:
        shown = await current(phone)
        try:
            return find_on(phone, shown, at, within)
        except ElementNotFound as failure:
            # After an action, its results may not be on the screen yet.
            if isinstance(failure, NotVisible) and watch.left >= 1:
                await await_change(phone, shown, watch.left)
                continue
            # An already shown screen is not repeated.
            details = () if shown.told else (whole(shown),)
            message = failure.message
            if isinstance(failure, NotVisible):
                message += f" {failure.further}: {hint}." if failure.further else ""
                raise NotVisible(message, *details, further=failure.further) from None
            raise type(failure)(message, *details) from None


def _is_kept(at: str) -> bool:
    """Whether this names the target of a kept step, which is found by its words, row and kind."""
    notes = current_notes()
    return notes is not None and notes.expects(at) is not None


def find_on(phone: Phone, shown: ShownScreen, at: str, within: str | None) -> At:
    """Return the target on that screen. Raises ElementNotFound, InvalidParams."""
    notes = current_notes()
    kept = None if notes is None else notes.expects(at)
    if notes is None or notes.expected is None or kept is None:
        return find_target(phone.screens, shown, at, within)
    return find_saved(shown, kept, notes.expected.front)


async def read_bare(phone: Phone) -> Screen:
    """Read the current screen: only a read notices a screen that rotated by itself."""
    try:
        return await phone.driver.read_screen()
    except Restless as moving:
        return moving.bare


def find_known(phone: Phone, at: str, within: str | None) -> At | None:
    """Return the target of words on the screen shown a moment ago, if it is a clickable element:
    the
    phone verifies it, so another read is not needed."""
    last = phone.screens.last
    moment = phone.clock.now() - phone.screens.shown_at < RECENT_SECONDS
    if last is None or not moment or _is_kept(at):
        return None
    if is_point(at) or is_named(phone.screens, at):
        return None
    try:
        found = find_target(phone.screens, last, at, within)
    except ElementNotFound:
        return None
    clicks = found.ref and found.flags is not None and found.flags & Flag.CLICKABLE
    if not clicks or is_hindered(last, found):
        return None
    return replace(found, stale=True)


async def scroll_to_target(phone: Phone, at: str, within: str | None) -> tuple[At, str]:
    """Return the target and, if it was not visible, a note on the scrolling: each list that has
    more is searched. Raises ElementNotFound with the screen."""
    if not _is_kept(at) and is_named(phone.screens, at):
        return await _scroll_to_ref(phone, at, within)
    try:
        return await resolve(phone, at, within, patient=False), ""
    except NotVisible as failure:
        if not failure.further:
            raise
    shown = await current(phone)
    lists = find_lists(shown)
    inside = None if within is None else find_block(shown, within)
    if inside is not None:
        found = find_list(shown, None, inside)
        lists, within = ([found] if found else []), None
    try:
        search = await search_lists(
            phone, shown, lists, lambda rows: has_target(rows, at, within), at
        )
    except ToolError as failure:
        raise await explain(phone, failure, None) from None
    now = phone.screens.show(phone.elements, search.view.screen)
    try:
        target = find_on(phone, now, at, within)
    except ElementNotFound as failure:
        raise ElementNotFound(failure.message, whole(now)) from None
    return target, f"{search.told}. "


async def _scroll_to_ref(phone: Phone, at: str, within: str | None) -> tuple[At, str]:
    target = await resolve(phone, at, within)
    ref = phone.screens.refs.get(target.ref)
    if ref is None:
        return target, ""
    try:
        scrolls = await scroll_to(phone.elements, ref.id)
    except ToolError as failure:
        raise await explain(phone, failure, target) from None
    if not scrolls:
        return target, ""
    return find_target(phone.screens, await read(phone), at, within), "Scrolled to it. "


def hint_at_scroll(phone: Phone, target: At, failure: ElementNotFound) -> ElementNotFound:
    """Add to a failure on a row of a list that the list may have scrolled on."""
    ref, last = phone.screens.refs.get(target.ref), phone.screens.last
    issued = None if ref is None else phone.elements.issued.refs.get(ref.hash)
    lists = "" if last is None or issued is None or not issued.recycled else further(last)
    if not lists:
        return failure
    return ElementNotFound(f"{failure.message} {lists}: {SCROLL_HINT}.", *failure.details)
