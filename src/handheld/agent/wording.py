"""Messages of the phone in the words of this surface: refs for ids, its tools for the others."""

import re

from ..errors import ToolError

_NOT_FOUND = re.compile(
    r"Element '(?P<id>[^']*)' not found(?: in accessibility tree)?(?:: (?P<why>.*?))?\. Call"
    r" get_screen_state again and use an id from its reply\."
)
_REASONS = {
    "it is gone from the screen": "is gone.",
    "it has changed since it was listed": "has changed: nothing was done.",
    "it was listed too long ago, or before the phone was restarted": "was shown too long ago, or"
    " before the phone was restarted: call phone_look.",
}
_WORDS = {
    "get_screen_state with include_screenshot=true": "phone_look with picture: clean",
    "get_screen_state": "phone_look",
    "with press_home": "with phone_press home",
    "press_home": "phone_press home",
    "list_storage_locations": "phone_read files",
    "write_file": "phone_file write",
    "Call scroll_to_element again": "Call phone_tap with scroll: true again",
    "scroll_to_element": "phone_scroll",
}


def reword(failure: ToolError, id: str = "", label: str = "") -> ToolError:
    """Return the failure in the words of this surface; `label` is how the element with that id is
    called here."""

    def not_found(found: re.Match[str]) -> str:
        if found["id"] != id:
            return found[0]
        why = found["why"] or ""
        return f"{label} {_REASONS.get(why, f'was not found: {why}.' if why else 'is gone.')}"

    message = _NOT_FOUND.sub(not_found, failure.message)
    if id:
        message = message.replace(f"element '{id}'", label).replace(f"'{id}'", label)
    for word, other in _WORDS.items():
        message = message.replace(word, other)
    return type(failure)(message, *failure.details) if message != failure.message else failure
