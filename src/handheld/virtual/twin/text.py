"""How the helper's twin types: with what an accessibility service and injected input can do.

The text is spliced character by character, or without a pause as a whole: the field's text and
cursor are read, the whole text is set anew with one character more, the cursor is put behind it.
What a password field holds cannot be read, so there each character goes in at the cursor as input.
"""

import random
from typing import TYPE_CHECKING, Any, cast

from ...helper.protocol import Code, Happened, HelperFailure, mend_text
from ...ui.model import Flag
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
KEYS = ("enter", "del", "tab", "space")
_ENTER, _DELETE = 66, 67
_CHARACTERS = {"tab": "\t", "space": " "}
_PLACES = ("end", "all")


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
    field = _Field(helper.world, node.key)
    if not node.flags & Flag.EDITABLE:
        raise HelperFailure(Code.NOT_EDITABLE, "The view is no field to type in.")
    arguments = job.arguments
    text, where = arguments["text"], arguments["where"]
    content, password = field.content(), field.password
    start, end = _span(content, where, password)
    removed = units(content[start:end])
    if not removed and not text:
        # A field that is empty already is not even touched.
        return await _told(helper, job, content, 0, 0, password, True)
    await _focus(helper, job, field)
    expected = content[:start] + text + content[end:]
    if removed:
        _remove(field, start, end)
    elif not field.select(units(content[:start])):
        raise HelperFailure(Code.FAILED, "The cursor could not be put there.", Happened.PARTLY)
    typed = await _type(helper, job, field)
    shown = field.read()
    if shown is None:
        return await _told(helper, job, None, typed, removed, password, None)
    same = units(shown) == units(expected) if password else shown == expected
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
    """As a tap on the field does it."""
    world, key = helper.world, field.key
    if not (world.automation.perform(key, "focus") and world.automation.perform(key, "click")):
        raise HelperFailure(Code.FAILED, "The field did not accept a click.")
    job.happened, job.data = Happened.PARTLY, {"typed": 0}
    waited = 0
    while not field.focused:
        if waited >= FOCUS_MS:
            message = "The field did not get the focus."
            raise HelperFailure(Code.NOT_EDITABLE, message, Happened.PARTLY)
        await job.wait(world.clock.sleep(LOOK_MS))
        waited += LOOK_MS


def _remove(field: "_Field", start: int, end: int) -> None:
    content = field.content()
    rest = content[:start] + content[end:]
    # Of a password only all can be removed: the rest would be bullets.
    if not field.set(rest) or not field.select(units(rest[:start])):
        raise HelperFailure(Code.FAILED, "The field did not accept the change.", Happened.PARTLY)


async def _type(helper: "Helper", job: "Job", field: "_Field") -> int:
    """Character by character, or at once; how many UTF-16 units went in."""
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
        if not field.put(character):
            message = f"The field was lost after {typed} UTF-16 units."
            raise HelperFailure(Code.FIELD_LOST, message, Happened.PARTLY, {"typed": typed})
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
    field = _Field(world, focused.key)
    if key == "enter":
        need_injection(world)
        world.key(_ENTER)
        return Answer()
    expected = field.expected(key)
    accepted = field.delete() if key == "del" else field.put(_CHARACTERS[key])
    shown = field.read()
    if not accepted or (shown is not None and expected is not None and shown != expected):
        raise HelperFailure(Code.FAILED, "The field did not take the key.")
    return Answer()


class _Field:
    """A field as it is reached from outside: by its key, through its node."""

    def __init__(self, world: "World", key: str) -> None:
        self._world = world
        self.key = key

    def read(self) -> str | None:
        """What it holds, a hint not being content; None when it is gone."""
        node = self._world.automation.node(self.key)
        if node is None:
            return None
        return "" if node.flags & Flag.SHOWING_HINT else node.text or ""

    def content(self) -> str:
        return self.read() or ""

    def _flags(self) -> int:
        node = self._world.automation.node(self.key)
        return 0 if node is None else node.flags

    @property
    def password(self) -> bool:
        return self._flags() & Flag.PASSWORD != 0

    @property
    def focused(self) -> bool:
        return self._flags() & Flag.FOCUSED != 0

    def set(self, text: str) -> bool:
        return self._world.automation.set_text(self.key, text)

    def select(self, place: int) -> bool:
        return self._world.automation.set_selection(self.key, place, place)

    def expected(self, key: str) -> str | None:
        """What it will show after the key; None where that cannot be known."""
        content, selection = self.content(), self._world.automation.selection(self.key)
        if selection is None:
            return None
        start, end = (index_of(content, place) or 0 for place in selection)
        if key == "del" and start == end:
            if self.password and start:
                return None  # how long a character is hidden behind bullets
            start = before(content, start)
        text = _CHARACTERS.get(key, "")
        return content[:start] + ("•" * len(text) if self.password else text) + content[end:]

    def put(self, text: str) -> bool:
        """At the cursor, in place of what is selected. False when the field is gone."""
        if self.password:
            # Input goes to whatever has the focus: a password to nothing else than its field.
            if not self.focused:
                return False
            need_injection(self._world)
            if not text.isascii():
                return self._paste(text)
            self._world.type_text(text)
            return True
        return self._splice(text)

    def _paste(self, text: str) -> bool:
        """What has no key goes by the clipboard, flagged, and what was there comes back."""
        clipboard = self._world.clipboard
        try:
            kept = clipboard.clip
            clipboard.copy(text, SHELL, frozenset((SENSITIVE, NO_OVERLAY)))
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal), Happened.PARTLY) from refusal
        try:
            return self._world.automation.perform(self.key, "paste")
        except KeyError:
            return False
        finally:
            clipboard.put_back(kept)

    def delete(self) -> bool:
        """What is selected, or the character before the cursor."""
        if self.password:
            need_injection(self._world)
            self._world.key(_DELETE)
            return True
        return self._splice("")

    def _splice(self, text: str) -> bool:
        """Without a text: what is selected, or the character before the cursor, goes."""
        content, selection = self.read(), self._world.automation.selection(self.key)
        if content is None or selection is None:
            return False
        start, end = (index_of(content, place) or 0 for place in selection)
        if not text and start == end:
            start = before(content, start)
        if start == end and not text:
            return True
        rest = units(content[end:])
        if not self.set(content[:start] + text + content[end:]):
            return False
        # Behind what went in, also where the app took less or made something else of it.
        # A field that is gone by now took it all the same.
        shown = self.read()
        return shown is None or self.select(max(0, units(shown) - rest))
