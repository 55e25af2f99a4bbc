"""Typing with key events: tap the field, move the cursor, type, and read the field back."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from unicodedata import bidirectional

from ...adb.link import AdbError
from ...errors import ActionFailed
from ...helper.protocol import Code, Happened, HelperFailure
from ...helper.session import HelperLost
from ...screen.model import Flag, Node
from ...screen.text import units
from ..by_adb.commands import Commands
from ..reading.dumpsys import read_focus
from ..target import NodeSignature, Target, TargetMissing
from ..text import (
    MOST_BY_CHARACTER,
    FieldLost,
    FieldUnseen,
    NotEditable,
    OutsideText,
    TextNotFound,
    TextSearch,
    Typed,
    Typing,
)
from .finger import QUICK_SINCE
from .keys import MODIFIERS, KeyPress, read_key
from .keystrokes import (
    DELETE,
    DONE,
    END,
    ENTER,
    FORWARD_DELETE,
    HOME,
    RIGHT,
    SPACE,
    key_line,
    key_lines,
    typing_lines,
    untypable,
)
from .screen import SeenScreen, ShellScreen
from .unsupported import NeedsHelper, Unsupported

KEYS = {"enter": ENTER, "del": DELETE, "space": SPACE}
HINTS_SINCE = 35
"""The API level since which a dump distinguishes a field's hint from its content."""
_FOCUS = "dumpsys window displays | grep mCurrentFocus="


class _Span(NamedTuple):
    """The part of a text that is replaced."""

    start: int
    end: int


class ShellText:
    def __init__(
        self,
        commands: Commands,
        screen: ShellScreen,
        tap: Callable[[Node], Awaitable[None]],
        why: Callable[[], str],
    ) -> None:
        """`tap` touches an element; `why` returns why the helper does not run."""
        self._commands = commands
        self._screen = screen
        self._tap = tap
        self._why = why

    async def type(self, target: Target, typing: Typing) -> Typed:
        """Raises CannotType, NeedsHelper, TargetMissing, HelperFailure, HelperLost."""
        node = target.node
        if node is None or self._screen.reading_of(node) is None:
            raise TargetMissing(gone=True)
        if not node.flags & Flag.EDITABLE:
            raise NotEditable("The view is not a text field.")
        if typing.length > MOST_BY_CHARACTER:
            raise NeedsHelper(Unsupported.LENGTH, self._why())
        if sign := untypable(typing.text):
            raise NeedsHelper(Unsupported.LETTERS, self._why(), _describe_sign(sign))
        if typing.where == "cursor":
            raise NeedsHelper(Unsupported.SELECTION, self._why())
        api = await self._commands.api()
        password = bool(node.flags & Flag.PASSWORD)
        content = _content(node)
        span = _span(content, typing, password)
        if span is None:
            raise NeedsHelper(Unsupported.CURSOR, self._why())
        removed = content[span.start : span.end]
        if not removed and not typing.text:
            return Typed(content, 0, 0, password, True)
        moves = self._cursor(content, span, typing, api)
        await self._focus(node, target.signature)
        self._screen.acted = True
        for line in moves:
            await self._commands.do(line)
        if isinstance(typing.where, TextSearch) and removed and api < HINTS_SINCE:
            await self._check_removed(content, target.signature)
        await self._put(typing, api)
        done = f"the keys of {typing.length} characters" if typing.text else "keys"
        after = await self._look_again(target.signature, f"{done} were pressed")
        expected = content[: span.start] + typing.text + content[span.end :]
        return _summarize(content, expected, _content(after), typing, units(removed), password, api)

    async def _check_removed(self, content: str, signature: NodeSignature) -> None:
        """Raise TextNotFound if the found text was the hint of an empty field, which remains."""
        if _content(await self._look_again(signature, "keys were pressed")) == content:
            raise TextNotFound(password=False)

    async def _look_again(self, signature: NodeSignature, done: str) -> Node:
        """Return the field after keys were pressed. Keys go to the focused field: if this one
        is not focused, their effect is unknown. Raises FieldUnseen."""
        try:
            field = _focused(await self._screen.read(), signature)
        except (HelperFailure, AdbError, ActionFailed) as problem:
            raise FieldUnseen(done, str(problem)) from problem
        if field is None:
            raise FieldUnseen(done, "It no longer has the focus.")
        return field

    async def key(self, name: str) -> None:
        """Raises NoField, HelperFailure, HelperLost."""
        seen = await self._screen.read()
        if _focused(seen, None) is None:
            data = {"displays": seen.focused_displays} if seen.focused_displays else {}
            raise HelperFailure(Code.NO_FIELD, "No field has the focus.", data=data)
        if name == "tab":
            raise NeedsHelper(Unsupported.TAB, self._why())
        self._screen.acted = True
        await self._commands.do(key_line(KeyPress(KEYS[name]), await self._commands.api()))

    def _cursor(self, content: str, span: _Span, typing: Typing, api: int) -> list[str]:
        """Return the command lines that remove the replaced text and leave the cursor there."""
        combined = api >= QUICK_SINCE
        if typing.where == "all":
            if combined:
                return [key_line(read_key("select_all"), api), key_line(KeyPress(DELETE), api)]
            # The cursor may be anywhere: delete everything before and after it.
            count = units(content)
            return list(key_lines([DELETE] * count + [FORWARD_DELETE] * count, api))
        # In text with several lines, or in Hebrew or Arabic, the line's edges are not the text's
        # ends.
        reached = combined or not any(_leaves_line(sign) for sign in content)
        if typing.where == "end" and reached:
            return [_to(END, api)]
        before = content[: span.end]
        if typing.where == "end" or not before.isascii() or not reached:
            raise NeedsHelper(Unsupported.CURSOR, self._why())
        codes = [RIGHT] * len(before) + [DELETE] * (span.end - span.start)
        return [_to(HOME, api), *key_lines(codes, api)]

    async def _focus(self, node: Node, signature: NodeSignature) -> None:
        if node.flags & Flag.FOCUSED:
            return
        if not node.flags & Flag.ENABLED:
            raise HelperFailure(Code.FAILED, "The field did not accept a click.")
        await self._tap(node)
        try:
            focused = _focused(await self._screen.read(), signature)
        except (HelperFailure, AdbError, ActionFailed) as problem:
            raise FieldUnseen("it was tapped and nothing typed", str(problem)) from problem
        if focused is None:
            raise NotEditable("The field did not get the focus.")

    async def _window_in_focus(self, typed: int) -> str | None:
        """Return the focused window; None if unknown. Reading the field itself takes seconds; this
        at least detects that another window came to the front."""
        try:
            return read_focus(await self._commands.ask(_FOCUS))
        except AdbError as problem:
            if not typed:
                raise
            raise HelperLost(
                f"{problem} {typed} characters had been typed.", Happened.PARTLY
            ) from problem

    async def _put(self, typing: Typing, api: int) -> None:
        typed = 0
        focus: str | None = None
        variance = min(typing.variance_ms, typing.delay_ms)
        lines = list(typing_lines(typing.text, typing.delay_ms, variance, api))
        for line, sizes in lines:
            if len(lines) > 1:
                before, focus = focus, await self._window_in_focus(typed)
                if typed and before is not None and focus != before:
                    raise FieldLost(typed)
            done = 0

            def on_output(data: bytes) -> None:
                nonlocal done
                done += data.count(DONE.encode())

            try:
                result = await self._commands.run(
                    line, act=True, seconds=typing.budget_ms / 1000 + 10, on_output=on_output
                )
                await self._commands.check(result)
            except asyncio.CancelledError as stop:
                count = typed + sum(sizes[:done])
                stop.add_note(f"{count} of {typing.length} characters had been typed.")
                raise
            except HelperLost as lost:
                count = typed + sum(sizes[:done])
                message = f"{lost.message} {count} characters had been typed."
                raise HelperLost(message, Happened.PARTLY) from lost
            if done < len(sizes):
                raise FieldLost(typed + sum(sizes[:done]))
            typed += sum(sizes)


def _to(key: int, api: int) -> str:
    """Return the command that moves the cursor to the start or end of the text, or, if `input`
    cannot combine keys, to the left or right edge of the line."""
    held = (MODIFIERS["ctrl"],) if api >= QUICK_SINCE else ()
    return key_line(KeyPress(key, held), api)


def _leaves_line(sign: str) -> bool:
    """Whether the character is a line break or runs from right to left."""
    return sign == "\n" or bidirectional(sign) in ("R", "AL")


def _content(node: Node) -> str:
    return "" if node.flags & Flag.SHOWING_HINT else node.text or ""


def _span(content: str, typing: Typing, password: bool) -> _Span | None:
    """Return None for a position that cannot be reached. Raises OutsideText, TextNotFound."""
    where = typing.where
    if isinstance(where, TextSearch):
        at = -1 if password else content.find(where.text)
        if at < 0:
            raise TextNotFound(password)
        return _Span(at, at + len(where.text))
    if isinstance(where, int):
        if where > units(content):
            raise OutsideText(units(content), None)
        # Grapheme boundaries are unknown here, so the cursor cannot be moved reliably.
        return _Span(where, where) if content[: where + 1].isascii() else None
    return _Span(0 if where == "all" else len(content), len(content))


def _focused(seen: SeenScreen, signature: NodeSignature | None) -> Node | None:
    """Return the focused field, if it has this signature."""
    for window in seen.screen.windows:
        for node in window.nodes if window.focused else ():
            if node.flags & Flag.FOCUSED and node.flags & Flag.EDITABLE:
                # Not its description, which may contain the typed text.
                found = (node.class_name, node.resource_id)
                wanted = signature and (signature.class_name, signature.resource_id)
                return node if wanted is None or found == wanted else None
    return None


def _summarize(
    before: str, expected: str, shown: str, typing: Typing, removed: int, password: bool, api: int
) -> Typed:
    same = len(shown) == len(expected) if password else shown == expected
    if not same and api < HINTS_SINCE and not password:
        if shown == typing.text and typing.text:
            # The previous text was the hint, which disappeared with the first character: the
            # offset did not exist.
            return Typed(shown, typing.length, 0, password, not isinstance(typing.where, int))
        if not expected:
            # The text shown now may be the hint of an empty field, or the remaining text.
            gone = 0 if shown == before else removed
            return Typed(None, typing.length, gone, password, None)
    return Typed(shown, typing.length, removed, password, same)


def _describe_sign(sign: str) -> str:
    if sign == "\n":
        return "a line break is the key ENTER, which press_key presses"
    return f"{sign!r} is none of them" if sign.isprintable() else f"U+{ord(sign):04X} is none"
