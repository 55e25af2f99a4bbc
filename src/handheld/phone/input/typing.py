"""Types into an element: the phone does it in one call, and this module composes the reply."""

from collections.abc import Callable
from contextlib import suppress

from ...driver import NotActionable, Target
from ...driver.text import (
    CannotType,
    FieldLost,
    FieldUnseen,
    OutsideText,
    TextNotFound,
    TextSearch,
    Typed,
    Typing,
)
from ...errors import ActionFailed, ElementNotFound, InvalidParams, ToolError
from ...screen.characters import visible_lines
from ...screen.text import cut, units
from ..phone import Phone

MOST_SHOWN = 20_000
"""The maximum of UTF-16 units of a field's content in a reply."""
_LOST = (
    " If nothing of it arrived, the keyboard may have kept the keys, as for handwriting: its owner"
    " can switch that off in the keyboard's settings."
)
_UNREADABLE = "(unable to read field content)"


async def type_into(phone: Phone, name: str, typing: Typing, done: str) -> str:
    """Type, and read the field back. The reply is `done`, formatted with the id and the lengths of
    the removed and typed texts, and the field's content."""
    typed = await edit(phone, name, typing)
    reply = done.format(id=name, removed=typed.removed, typed=typed.typed)
    return f"{reply}\nField content: {_shown(typed)}"


async def edit(
    phone: Phone, name: str, typing: Typing, tell: Callable[[Typed], str] | None = None
) -> Typed:
    """Type, and check that the field has the expected text; otherwise `tell` describes its
    content."""
    key = ""

    async def operation(target: Target) -> Typed:
        nonlocal key
        key = target.key
        return await phone.driver.type(target, typing)

    try:
        typed = await phone.elements.on(name, operation)
    except CannotType as problem:
        raise _explain(problem, name, typing) from None
    except (ActionFailed, NotActionable) as failure:
        raise ActionFailed(f"Action failed on element '{name}': {failure}") from failure
    # The reply includes the id, so it is issued again for the field as it is now. The typing
    # succeeded, whether or not the screen can be read now.
    with suppress(ToolError):
        await phone.elements.renew(name, key, typed.window)
    if typed.matches is False:
        if tell is not None:
            raise ActionFailed(tell(typed))
        raise ActionFailed(
            f"The text of element '{name}' was edited, but the field does not contain the expected"
            " text: the app may drop, shorten or change typed text. Check the content"
            f" before going on.{_LOST if _is_lost(typed, typing) else ''}"
            f"\nField content: {_shown(typed)}"
        )
    return typed


def _is_lost(typed: Typed, typing: Typing) -> bool:
    """Whether none of the text arrived in the field."""
    if not typed.typed or typed.content is None:
        return False
    return not typed.content or (not typed.password and typing.text[0] not in typed.content)


def _shown(typed: Typed) -> str:
    return _UNREADABLE if typed.content is None else visible_lines(cut(typed.content, MOST_SHOWN))


def _explain(problem: CannotType, name: str, typing: Typing) -> ToolError:
    match problem:
        case OutsideText(around=(before, after)):
            return InvalidParams(
                f"offset ({typing.where}) is inside a character of element '{name}'. Use"
                f" {before} or {after}."
            )
        case OutsideText():
            return InvalidParams(
                f"offset ({typing.where}) exceeds text length ({problem.length}) in element"
                f" '{name}'"
            )
        case TextNotFound():
            length = units(typing.where.text) if isinstance(typing.where, TextSearch) else 0
            message = f"Search text ({length} chars) not found in element '{name}'"
            if problem.password:
                message += (
                    ": the text of a password field cannot be read. Clear it and type it again."
                )
            return ElementNotFound(message)
        case FieldLost():
            return ActionFailed(
                f"Input connection lost during typing at position {problem.typed} of"
                f" {typing.length}. Look at the screen before going on."
            )
        case FieldUnseen():
            return ActionFailed(
                f"Element '{name}' could not be read after {problem.done}, so its content is "
                "unknown:"
                f" {problem.why} Look at the screen before going on."
            )
        case _:
            return ActionFailed(
                f"Input connection not available after focusing element '{name}'. The element may"
                " not be an editable text field."
            )
