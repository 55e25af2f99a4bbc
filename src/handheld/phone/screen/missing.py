"""Errors about an id whose element is not found."""

from ...errors import ElementNotFound
from ...screen.model import Screen
from ...screen.text import brief, tidy

AGAIN = "Call get_screen_state again and use an id from its reply."


def missing_element(name: str, gone: bool) -> ElementNotFound:
    why = "it is gone from the screen" if gone else "it has changed since it was listed"
    return ElementNotFound(f"Element {quoted(name)} not found: {why}. {AGAIN}")


def unseen_element(name: str, screen: Screen) -> ElementNotFound:
    return ElementNotFound(
        f"Element {quoted(name)} not found: {tidy(screen.unseen)}, so it may be there."
        " Wait and call get_screen_state again, or leave the app with press_home."
    )


def forgotten_element(name: str) -> ElementNotFound:
    return ElementNotFound(
        f"Element {quoted(name)} not found: it was listed too long ago, or before the phone was"
        f" restarted. {AGAIN}"
    )


def quoted(name: str) -> str:
    return f"'{brief(name).strip()}'"
