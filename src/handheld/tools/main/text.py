"""Text, typed into fields character by character, as a person types. Lengths and offsets are in
UTF-16 units."""

from dataclasses import replace

from ...driver.text import NoField, TextSearch, Typing
from ...errors import ActionFailed, ElementNotFound
from ...phone.input.typing import type_into
from ...phone.phone import Phone
from ..recording import ReplayMode, Secret
from ..tool import Action, Listing, Toolset
from .params import (
    ClearedElement,
    EditedElement,
    Key,
    NewText,
    SoughtText,
    TypedInto,
    TypedText,
    TypingOffset,
    TypingSpeed,
    TypingVariance,
)

text = Toolset("text")


@text.tool(title="Type text at the end", open_world=True, secret_reply=Secret.TYPED)
async def type_append_text(
    phone: Phone,
    element_id: TypedInto,
    text: TypedText,
    typing_speed: TypingSpeed = 70,
    typing_speed_variance: TypingVariance = 15,
) -> str:
    """Type text character by character at the end of a text field. Uses natural InputConnection
    typing (indistinguishable from keyboard input). For text longer than 2000 characters, call this
    tool multiple times — subsequent calls continue typing at the current cursor position."""
    typing = Typing(text, "end", typing_speed, typing_speed_variance)
    return await type_into(
        phone, element_id, typing, "Typed {typed} characters at end of element '{id}'."
    )


@text.tool(title="Type text at an offset", open_world=True, secret_reply=Secret.TYPED)
async def type_insert_text(
    phone: Phone,
    element_id: TypedInto,
    text: TypedText,
    offset: TypingOffset,
    typing_speed: TypingSpeed = 70,
    typing_speed_variance: TypingVariance = 15,
) -> str:
    """Type text character by character at a specific position in a text field. Uses natural
    InputConnection typing (indistinguishable from keyboard input)."""
    typing = Typing(text, offset, typing_speed, typing_speed_variance)
    reply = f"Typed {{typed}} characters at offset {offset} in element '{{id}}'."
    return await type_into(phone, element_id, typing, reply)


@text.tool(title="Replace text", destructive=True, open_world=True, secret_reply=Secret.TYPED)
async def type_replace_text(
    phone: Phone,
    element_id: EditedElement,
    search: SoughtText,
    new_text: NewText,
    typing_speed: TypingSpeed = 70,
    typing_speed_variance: TypingVariance = 15,
) -> str:
    """Find and replace text in a field by typing the replacement naturally. Finds the first
    occurrence of search text, selects and deletes it, then types new_text character by character
    via InputConnection. If `new_text` is empty, only deletes the found text (delete-only mode)."""
    typing = Typing(new_text, TextSearch(search), typing_speed, typing_speed_variance)
    reply = "Replaced {removed} characters with {typed} characters in element '{id}'."
    return await type_into(phone, element_id, typing, reply)


@text.tool(
    title="Clear text",
    destructive=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.TYPED,
)
async def type_clear_text(phone: Phone, element_id: ClearedElement) -> str:
    """Clear all text from a field naturally using select-all + delete. Uses InputConnection
    operations (indistinguishable from user action). If the field is already empty, returns success
    without performing any action."""
    return await type_into(
        phone, element_id, Typing(where="all"), "Text cleared from element '{id}'."
    )


def _key_actions(listing: Listing) -> Action:
    """Two of the keys are buttons of the phone, which have their own tools."""
    own = {"BACK": "press_back", "HOME": "press_home"}
    actions = {
        key: replace(
            listing,
            abilities=(listing.name, *((own[key],) if key in own else ())),
        )
        for key in listing.input_schema["properties"]["key"]["enum"]
    }
    return Action(actions, lambda arguments: str(arguments.get("key")).strip().upper(), "key")


@text.tool(
    title="Press key",
    secret_reply=Secret.NO,
    console=True,
    replay=ReplayMode.WHEN_IDLE,
    actions=_key_actions,
)
async def press_key(phone: Phone, key: Key) -> str:
    """Press a specific key. Supported keys: ENTER, BACK, DEL, HOME, TAB, SPACE."""
    try:
        if key in ("BACK", "HOME"):
            await phone.driver.press(key.lower())
        else:
            await phone.driver.key(key.lower())
    except NoField:
        raise ElementNotFound(_NO_FIELD.get(key, _NO_FIELD["TAB"])) from None
    except ActionFailed as failure:
        raise ActionFailed(f"{_FAILED.get(key, 'Key input action')} failed: {failure}") from failure
    return f"Key '{key}' pressed successfully"


_NO_FIELD = {
    "ENTER": "No focused element found for ENTER key",
    "DEL": "No focused editable element found for DEL key",
    "TAB": "No focused editable element found for key input",
}
_FAILED = {
    "BACK": "BACK key",
    "HOME": "HOME key",
    "ENTER": "ENTER key action",
    "DEL": "DEL key action",
}
