"""How the reference helper types: with what an accessibility service and injected input can do.

The text is spliced character by character, or without a pause as a whole: the field's text is read,
the whole of it is set anew with one character more, the cursor is put behind it.
What a password field holds cannot be read, so there each character goes in at the cursor as input.
"""

import random
from typing import TYPE_CHECKING, Any, cast

from ...helper.protocol import Code, Happened, HelperFailure, mend_text
from ...ui.model import Flag, Node
from ..system.clipboard import NO_OVERLAY, SENSITIVE, SHELL, Refused
from ..views.graphemes import before, index_of, split, units
from .act import check_target, find_target
from .command import Answer, bad, check_keys, check_whole
from .screen import tell_window
from .touch import need_injection

if TYPE_CHECKING:
    from ..world import World
    from .helper import Helper, Job

TEXT = 2000
AT_ONCE = 100_000
SEARCH = 10_000
"""UTF-16 units at most."""
DELAY_MS = 5000
FOCUS_MS = 500
"""How long a field may take to get the focus."""
LOOK_MS = 50
SHOW_MS = 500
"""How long a field may take to show what was done to it."""
SHOW_LOOK_MS = 10
KEYS = ("enter", "del", "tab", "space")
_ENTER, _DELETE = 66, 67
_CHARACTERS = {"tab": "\t", "space": " "}
_PLACES = ("end", "all")
_OWN_VIEW = ":-1"
"""How the key of a view ends that is one of Android's own, not one drawn inside of a view."""


def check_type(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key", "expect", "anchor", "where", "text", "delay_ms", "variance_ms")
    check_target(arguments)
    for name in ("delay_ms", "variance_ms"):
        check_whole(arguments[name], name, DELAY_MS)
    most = TEXT if arguments["delay_ms"] else AT_ONCE
    if not _is_text(arguments["text"], most):
        raise bad(f"`text` is not a string of at most {most} UTF-16 units.")
    where = arguments["where"]
    if isinstance(where, dict):
        [*named] = cast(dict[str, Any], where).items()
        match named:
            case [("offset", int(offset))] if not isinstance(offset, bool) and offset >= 0:
                return
            case [("search", search)] if search and _is_text(search, SEARCH):
                return
            case _:
                pass
    elif where in _PLACES:
        return
    raise bad("`where` is not end, all, {offset} or {search}.")


def _is_text(value: Any, most: int) -> bool:
    return isinstance(value, str) and units(value) <= most


def check_key(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key")
    if arguments["key"] not in KEYS:
        raise bad(f"`key` is not one of {', '.join(KEYS)}.")


async def type_text(helper: "Helper", job: "Job") -> Answer:
    node = find_target(helper.world, job.arguments)
    field = _Field(helper.world, job, node)
    if not node.flags & Flag.EDITABLE:
        raise HelperFailure(Code.NOT_EDITABLE, "The view is no field to type in.")
    text, where = job.arguments["text"], job.arguments["where"]
    password = field.password
    held = field.read() or ""
    start, end = _span(held, where, password)
    if start == end and not text:
        # A field that is empty already is not even touched.
        return await _told(helper, job, held, 0, 0, password, True)
    await _focus(helper, job, field)
    content = field.read()
    if content is None:
        raise _lost(0)
    # Anew: a field may hold something else once it has the focus.
    start, end = _span(content, where, password)
    if start < end:
        await _remove(field, content, start, end)
    elif password and content and not await field.select(units(content[:start])):
        raise HelperFailure(Code.FAILED, "The cursor could not be put there.", Happened.PARTLY)
    removed = units(content[start:end])
    typed = await _type(helper, job, field, units(content[end:]))
    shown = field.read()
    if shown is None:
        return await _told(helper, job, None, typed, removed, password, None)
    same = field.is_same(content[:start] + text + content[end:], shown)
    return await _told(helper, job, shown, typed, removed, password, same)


async def _told(
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
    if content is None:
        return Answer(reply)
    window = int(job.arguments["key"].partition(":")[0])
    return Answer(reply, await tell_window(helper, job, window))


def _span(content: str, where: Any, password: bool) -> tuple[int, int]:
    """What of the content the text takes the place of."""
    length = len(content)
    if where == "end":
        return length, length
    if where == "all":
        return 0, length
    if "search" in where:
        # A password is bullets to us: nothing can be found in it.
        start = -1 if password else mend_text(content).find(where["search"])
        if start < 0:
            message = "The text that was to be replaced is not in the field."
            raise HelperFailure(Code.TEXT_NOT_FOUND, message, data={"password": password})
        return start, start + len(where["search"])
    index = _at_offset(content, where["offset"])
    return index, index


def _at_offset(content: str, offset: int) -> int:
    """The place of a UTF-16 offset, which must be between two characters."""
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


async def _focus(helper: "Helper", job: "Job", field: "_Field") -> None:
    """As a tap on the field does it; by its action only where that was not enough: it takes the
    window out of touch mode, and a field that has the focus answers False."""
    clicked = field.perform("click")
    if not clicked and not field.focused and not field.perform("focus"):
        raise HelperFailure(Code.FAILED, "The field did not accept a click.")
    job.happened, job.data = Happened.PARTLY, {"typed": 0}
    if await _gets_focus(helper, job, field):
        return
    if not (clicked and field.perform("focus") and await _gets_focus(helper, job, field)):
        message = "The field did not get the focus."
        raise HelperFailure(Code.NOT_EDITABLE, message, Happened.PARTLY)


async def _gets_focus(helper: "Helper", job: "Job", field: "_Field") -> bool:
    """Now, or after a while."""
    clock = helper.world.clock
    until = clock.now() + FOCUS_MS
    while not field.focused:
        if clock.now() >= until:
            return False
        await job.wait(clock.sleep(LOOK_MS))
    return True


async def _remove(field: "_Field", content: str, start: int, end: int) -> None:
    # Of a password only all can be removed: the rest would be bullets.
    if not await field.replace(content, start, end, "") or field.read() == content:
        raise HelperFailure(Code.FAILED, "The field did not accept the change.", Happened.PARTLY)


def _lost(typed: int) -> HelperFailure:
    message = f"The field was lost after {typed} UTF-16 units."
    return HelperFailure(Code.FIELD_LOST, message, Happened.PARTLY, {"typed": typed})


async def _type(helper: "Helper", job: "Job", field: "_Field", rest: int) -> int:
    """Character by character, or at once, where `rest` units follow; how many UTF-16 units went
    in."""
    arguments, clock = job.arguments, helper.world.clock
    delay, variance = arguments["delay_ms"], arguments["variance_ms"]
    variance = min(variance, delay)
    typed, due = 0, clock.now()
    text: str = arguments["text"]
    whole = text and not delay and not field.password
    for number, character in enumerate([text] if whole else split(text)):
        if number:
            due += max(1, delay + random.randint(-variance, variance))  # noqa: S311 a pace, no secret
            # Late by more than a character: the rest is not typed in a rush.
            due = max(due, clock.now() - delay)
            await job.wait(clock.sleep(due - clock.now()))
            helper.need_automation()
        put = field.put(character) if field.password else field.put_before(rest, character)
        if not await put:
            raise _lost(typed)
        typed += units(character)
        job.data = {"typed": typed}
    return typed


async def press_key(helper: "Helper", job: "Job") -> Answer:
    """At the cursor of the field that has the focus."""
    world, key = helper.world, job.arguments["key"]
    focused = next(
        (
            node
            for window in world.automation.read_windows()
            if window.focused
            for node in window.nodes
            if node.flags & Flag.FOCUSED and node.flags & Flag.EDITABLE
        ),
        None,
    )
    if focused is None:
        raise HelperFailure(Code.NO_FIELD, "No field has the focus.")
    field = _Field(world, job, focused)
    held = _content(focused)
    if key == "enter":
        await _enter(field, held)
        return Answer()
    expected = field.expected(key)
    accepted = await (field.delete() if key == "del" else field.put(_CHARACTERS[key]))
    shown = field.read()
    if shown is None and accepted:
        return Answer()
    changed = shown is not None and not field.is_same(held, shown)
    if shown is None or not (changed if expected is None else field.is_same(expected, shown)):
        # What was pressed in a password may have done something else.
        unseen = Happened.MAYBE if field.password else Happened.NO
        job.happened = Happened.PARTLY if changed else unseen
        raise HelperFailure(Code.FAILED, "The field did not take the key.")
    return Answer()


async def _enter(field: "_Field", held: str) -> None:
    """The key, in every field; where keys are refused what a service can do instead."""
    job = field.job
    lines = field.world.automation.multi_line(field.key)
    unseen = Happened.MAYBE
    try:
        need_injection(field.world)
        field.world.key(_ENTER)
    except HelperFailure:
        if not (await field.put("\n") if lines else field.perform("ime_enter")):
            job.happened = Happened.NO
            raise
        unseen = Happened.NO
    job.happened = Happened.MAYBE
    # In other fields nothing tells whether Enter did something.
    if lines and field.is_same(held, await field.read_changed(held)) and field.focused:
        job.happened = unseen
        raise HelperFailure(Code.FAILED, "The field has no new line.")


def _content(node: Node) -> str:
    """What it holds, a hint not being content."""
    return "" if node.flags & Flag.SHOWING_HINT else node.text or ""


class _Field:
    """A field as it is reached from outside: by its key, through its node. What became of an
    action is read from it, not taken from what it answers."""

    def __init__(self, world: "World", job: "Job", node: Node) -> None:
        self.world, self.job = world, job
        self.key = node.key
        self.password = node.flags & Flag.PASSWORD != 0
        self._own_view = node.key.endswith(_OWN_VIEW)
        """One that has done at once what it is told to; others show it with their next frame."""

    def read(self) -> str | None:
        """None when it is gone."""
        node = self.world.automation.node(self.key)
        return None if node is None else _content(node)

    async def read_changed(self, held: str) -> str | None:
        """What it holds once that is something else, or after a while."""
        clock = self.world.clock
        until = clock.now() + SHOW_MS
        shown = self.read()
        while self.is_same(held, shown) and clock.now() < until:
            await self.job.wait(clock.sleep(SHOW_LOOK_MS))
            shown = self.read()
        return shown

    def is_same(self, one: str, other: str | None) -> bool:
        """Of a password by its length: its last character may be seen for a moment."""
        return units(one) == units(other) if other is not None and self.password else one == other

    @property
    def focused(self) -> bool:
        node = self.world.automation.node(self.key)
        return node is not None and node.flags & Flag.FOCUSED != 0

    def perform(self, action: str) -> bool:
        """False when it is gone, too."""
        automation = self.world.automation
        return automation.node(self.key) is not None and automation.perform(self.key, action)

    async def select(self, place: int) -> bool:
        """Put the cursor there; whether that is where it is then."""
        automation, clock = self.world.automation, self.world.clock
        there = (place, place)
        if automation.selection(self.key) == there:
            return True
        automation.set_selection(self.key, place, place)
        until = clock.now() + (0 if self._own_view else SHOW_MS)
        while automation.selection(self.key) != there:
            if clock.now() >= until:
                return False
            await self.job.wait(clock.sleep(SHOW_LOOK_MS))
        return True

    def expected(self, key: str) -> str | None:
        """What it will hold after the key; None where that cannot be known."""
        content, selection = self.read(), self.world.automation.selection(self.key)
        if content is None or selection is None:
            return None
        start, end = (index_of(content, place) or 0 for place in selection)
        if key == "del" and start == end:
            if self.password and start:
                return None  # how long a character is hidden behind bullets
            start = before(content, start)
        return content[:start] + _CHARACTERS.get(key, "") + content[end:]

    async def put(self, text: str) -> bool:
        """At the cursor, in place of what is selected. False when the field did not take it."""
        if not self.password:
            return await self._splice(text)
        held = self.read()
        # Input goes to whatever has the focus: a password to nothing else than its field.
        if held is None or not self.focused:
            return False
        need_injection(self.world)
        taken = True
        if text.isascii():
            self.world.type_text(text)
        else:
            taken = self._paste(text)
        self.job.happened = Happened.PARTLY
        return await self.read_changed(held) != held or taken

    def _paste(self, text: str) -> bool:
        """What has no key goes by the clipboard, flagged, and what was there comes back."""
        clipboard = self.world.clipboard
        try:
            kept = clipboard.clip
            clipboard.copy(text, SHELL, frozenset((SENSITIVE, NO_OVERLAY)))
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal), Happened.PARTLY) from refusal
        try:
            return self.world.automation.perform(self.key, "paste")
        except KeyError:
            return False
        finally:
            clipboard.put_back(kept)

    async def delete(self) -> bool:
        """What is selected, or the character before the cursor."""
        if not self.password:
            return await self._splice("")
        held = self.read()
        need_injection(self.world)
        self.world.key(_DELETE)
        self.job.happened = Happened.PARTLY
        if held:
            await self.read_changed(held)
        return True

    async def _splice(self, text: str) -> bool:
        """Without a text: what is selected, or the character before the cursor, goes."""
        content, selection = self.read(), self.world.automation.selection(self.key)
        if content is None or selection is None:
            return False
        start, end = (index_of(content, place) or 0 for place in selection)
        if not text and start == end:
            start = before(content, start)
        return (start == end and not text) or await self.replace(content, start, end, text)

    async def put_before(self, rest: int, text: str) -> bool:
        """Where so many units follow, wherever the cursor is: setting a text moves it, and some
        fields do not say where it is. False when the field did not take it."""
        content = self.read()
        if content is None:
            return False
        place = index_of(content, max(0, units(content) - rest)) or 0
        return await self.replace(content, place, place, text)

    async def replace(self, content: str, start: int, end: int, text: str) -> bool:
        """Part of what it holds by something else, the cursor behind it."""
        wanted = content[:start] + text + content[end:]
        accepted = self.world.automation.set_text(self.key, wanted)
        self.job.happened = Happened.PARTLY
        # To set the cursor before the text is shown would bring the old text back in Compose.
        shown = self.read() if self._own_view else await self.read_changed(content)
        if shown is None:
            # A field that is gone by now took it all the same.
            return accepted
        if shown != content or self._own_view:
            # Behind what went in, also where the app took less or made something else of it, or
            # nothing: Android's own fields have put the cursor at the end.
            await self.select(max(0, units(shown) - units(content[end:])))
        return accepted or shown != content
