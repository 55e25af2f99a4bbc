"""Rewrites the phone's messages for this surface: refs instead of ids, and this surface's tools."""

import re

from ....driver.by_shell.unsupported import NeedsHelper
from ....driver.text import Typed
from ....errors import ActionFailed, ToolError
from ....screen.rows.words import clean, cut, split_quoted

_NOT_FOUND = re.compile(
    r"Element '(?P<id>[^']*)' not found(?: in accessibility tree)?(?:: (?P<why>[^'\n]*?))?\. Call"
    r" get_screen_state again and use an id from its reply\."
)
GONE = "is gone."
CHANGED = "has changed: nothing was done."
LONGEST = 200
_REASONS = {
    "it is gone from the screen": GONE,
    "it has changed since it was listed": CHANGED,
    "it was listed too long ago, or before the phone was restarted": "was shown too long ago, or"
    " before the phone was restarted: call phone_look.",
}
_WORDS = {
    "get_screen_state with include_screenshot=true": "phone_look with picture: clean",
    "get_screen_state": "phone_look",
    "list_web_pages": "phone_read web",
    "with press_home": "with phone_press home",
    "press_home": "phone_press home",
    "list_storage_locations": "phone_read files",
    "uninstall_app removes": "phone_app uninstall removes",
    "allow_downgrade installs it anyway": "phone_app uninstall removes it, with its data",
    "allow_old_target installs it anyway": "the owner can install it with adb",
    "get_app_info lists": "phone_read app lists",
    "list_apps names": "phone_read apps names",
    "write_file": "phone_file write",
    "list_apps": "phone_read apps",
    "find_handlers shows which apps do.": "Try it without naming the app.",
    "Say which with package_name.": "Say which app.",
    "needs component or package_name": "needs component or app",
    "'package_name'": "'app'",
    "Parameter 'package_id'": "The app",
    "'mime_type'": "'mime'",
    "'uri'": "'what'",
    "send_intent": "phone_intent",
    "open_uri": "phone_open",
    "'subscription_id'": "'sim'",
    "'to_phone_number'": "'to'",
    "'sms_text'": "'text'",
    "Call scroll_to_element again": "Call phone_tap with scroll: true again",
    "scroll_to_element": "phone_scroll",
    "notification_list": "phone_read notifications",
    "notification_action": "phone_notification press",
    "open_notifications": "phone_press notifications",
    "The phone is locked: unlock it and try again.": "The phone is locked: a person has to unlock"
    " it.",
    "The action may or may not have happened; look at the screen before going on.": "It may or may"
    " not have happened: call phone_look before repeating.",
    "The action was begun and not completed; look at the screen before going on.": "It was begun"
    " and not completed: call phone_look before going on.",
}


def tell_rest(rest: int, what: str) -> list[str]:
    """Return the line after a list that was cut at a limit."""
    return [f"{rest} more {what}: raise limit."] if rest > 0 else []


def describe_altered(text: str, typed: Typed) -> str:
    """Describe a field's change of a typed text, and the likely reason."""
    held = typed.content
    if typed.password and held is not None:
        return f"Typed {len(text)} characters, the field holds {len(held)}."
    said = f'Typed "{cut(clean(text), LONGEST)}", the field'
    if held is None:
        return f"{said} cannot be read: look before going on."
    reason = ""
    if held and held == "".join(filter(str.isdecimal, text)):
        reason = ": it takes digits only"
    elif held and text.startswith(held):
        reason = f": it takes {len(held)} characters"
    elif held and held.casefold() == text.casefold():
        reason = ": it changes the case"
    elif not held:
        reason = ": the app drops it, or the keyboard keeps keys, as for handwriting"
    return f'{said} holds "{cut(clean(held), LONGEST)}"{reason}.'


def reword(failure: ToolError, id: str = "", label: str = "") -> ToolError:
    """Return the failure in this surface's words; `label` is this surface's name of the element
    with that id."""

    def not_found(found: re.Match[str]) -> str:
        if found["id"] != id:
            return found[0]
        why = found["why"] or ""
        return f"{label} {_REASONS.get(why, f'was not found: {why}.' if why else GONE)}"

    message = _NOT_FOUND.sub(not_found, failure.message)
    if id:
        message = message.replace(f"element '{id}'", label).replace(f"'{id}'", label)
    # Quoted words are the phone's, or the caller's.
    parts = split_quoted(message)
    for word, other in _WORDS.items():
        parts[::2] = [part.replace(word, other) for part in parts[::2]]
    message = "".join(parts)
    if message == failure.message:
        return failure
    # One that says what it lacks is made of other parts.
    kind = ActionFailed if isinstance(failure, NeedsHelper) else type(failure)
    return kind(message, *failure.details)
