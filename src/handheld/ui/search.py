"""Finding nodes by what they say of themselves."""

from collections.abc import Callable

from .model import Node, Screen
from .text import plain

Place = tuple[int, int]
"""Which window of the screen, and which node in it."""

FIELDS: dict[str, Callable[[Node], str | None]] = {
    "text": lambda node: node.text,
    "content_desc": lambda node: node.description,
    "resource_id": lambda node: node.resource_id,
    "class_name": lambda node: node.class_name,
}


def find(screen: Screen, by: str, value: str, exact: bool = False) -> list[Place]:
    """Every match in all windows, in pre-order, also off the screen and among structure.

    A value is compared both as the app gave it and as it is printed, so that what was read on a
    screen can be searched for.
    """
    field = FIELDS[by]
    wanted = value if exact else value.casefold()

    def matches(text: str) -> bool:
        return text == wanted if exact else wanted in text.casefold()

    places: list[Place] = []
    for place, window in enumerate(screen.windows):
        for number, node in enumerate(window.nodes):
            text = field(node)
            if text is not None and (matches(text) or matches(plain(text))):
                places.append((place, number))
    return places
