"""Pictures of the screen for agents, with points that they can refer to."""

import asyncio

from ....driver import Restless, Screenshot
from ....errors import ActionFailed, ToolError
from ....phone.phone import Phone
from ....phone.screen.screen_log import ShownScreen
from ....screen.model import Screen
from ....screen.picture import QUALITY, draw_marks
from ....screen.rows.marks import mark_refs
from ....screen.rows.words import clean, cut, short_name
from ...tool import Image, Item
from .wording import reword

PICTURE_SIZE = 1024
"""The longer side in pixels."""
PICTURE_LINE = 16
"""The maximum of tokens of the line with the id and the size of a picture."""


class Unreadable(Exception):
    """A screenshot is possible, but the elements cannot be read."""

    def __init__(self, failure: Restless, picture: Screenshot) -> None:
        super().__init__(failure.message)
        self.said = reword(ActionFailed(failure.message)).message
        self.screen = failure.bare
        self.picture = picture


async def read_and_capture(phone: Phone) -> tuple[ShownScreen, Screenshot | ToolError]:
    """Read the screen and take its picture at the same time, so that they agree. Raises ToolError,
    Unreadable."""
    read, picture = await asyncio.gather(
        phone.driver.read_screen(),
        phone.driver.capture(PICTURE_SIZE, "jpeg", QUALITY),
        return_exceptions=True,
    )
    if isinstance(read, Restless) and isinstance(picture, Screenshot):
        # The next action is compared with it.
        phone.screens.show(phone.elements, read.bare)
        raise Unreadable(read, picture)
    if isinstance(read, BaseException):
        raise read
    if isinstance(picture, BaseException) and not isinstance(picture, ToolError):
        raise picture
    return phone.screens.show(phone.elements, read), picture


async def show_picture(
    phone: Phone, picture: Screenshot | ToolError, screen: Screen, marked: ShownScreen | None
) -> list[Item]:
    """Return the id and the size of a picture, and the picture. Raises ToolError."""
    if isinstance(picture, ToolError):
        raise picture
    if picture.secure:
        apps = ", ".join(_app_of(screen, title) for title in picture.secure)
        raise ActionFailed(
            f"The screen shows nothing: the app forbids pictures ({apps}). Text works."
        )
    if (picture.width > picture.height) != (screen.width > screen.height):
        raise ActionFailed("The screen was turned while the picture was taken: look again.")
    data = picture.data
    if marked is not None:
        rows = marked.rows
        try:
            # In a thread: drawing would delay every other call.
            data = await asyncio.to_thread(
                draw_marks, data, lambda size: mark_refs(screen, rows, size)
            )
        except ValueError as problem:
            raise ActionFailed(str(problem)) from problem
    shown = phone.screens.pictures.add(picture.width, picture.height, screen)
    return [f"picture {shown.id} {shown.width}x{shown.height}", Image(data)]


def _app_of(screen: Screen, title: str) -> str:
    window = next((each for each in screen.windows if (each.title or "") == title), None)
    package = "" if window is None else short_name(window.package or "")
    return package or cut(clean(title), 60) or "unknown"
