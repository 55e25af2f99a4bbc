"""Finds nodes by their properties."""

from collections.abc import Callable

from .characters import is_plain, plain, plain_lines
from .model import Node, Screen, split_hint

Place = tuple[int, int]
"""The index of the window in the screen, and of the node in the window."""

FIELDS: dict[str, Callable[[Node], str | None]] = {
    "text": lambda node: split_hint(node)[0],
    "content_desc": lambda node: split_hint(node)[1],
    "resource_id": lambda node: node.resource_id,
    "class_name": lambda node: node.class_name,
}


def find(screen: Screen, by: str, value: str, exact: bool = False) -> list[Place]:
    """Return every match in all windows, in pre-order, also off the screen and among the structural
    nodes that are not listed.

    A value is compared with the app's original text, with its forms in tables and JSON, because
    text copied from a listing must be found, and with a space for each line break, as on a
    screenshot.
    """
    field = FIELDS[by]
    wanted = value if exact else value.casefold()

    def matches(text: str) -> bool:
        return text == wanted if exact else wanted in text.casefold()

    places: list[Place] = []
    for place, window in enumerate(screen.windows):
        for number, node in enumerate(window.nodes):
            text = field(node)
            if text is not None and (matches(text) or any(map(matches, _listed(text)))):
                places.append((place, number))
    return places


def _listed(text: str) -> tuple[str, ...]:
    if is_plain(text):
        return ()
    lines = plain_lines(text)
    return lines, plain(text), lines.replace("\n", " ")
