"""The content of the screen."""

import asyncio

from ...driver import Restless, Screenshot
from ...errors import ActionFailed, ToolError
from ...phone.phone import Phone
from ...phone.screen.snapshot import Snapshot
from ...screen.model import Screen
from ...screen.picture import QUALITY, annotate
from ...screen.text import cut, tidy
from ..recording import Secret
from ..tool import Image, Item, Reply, Toolset
from .params import IncludeScreenshot

screen = Toolset("screen")

PICTURE_SIZE = 700
"""The longer side in pixels: enough for reading a screen, and cheap for a model."""


@screen.tool(
    title="Get screen state",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def get_screen_state(phone: Phone, include_screenshot: IncludeScreenshot = False) -> Reply:
    """Returns the consolidated current screen state: screen dimensions and a compact filtered flat
    TSV list of UI elements from **all on-screen windows** (including system dialogs, permission
    popups, and IME keyboards). Optionally includes an annotated low-resolution screenshot with
    bounding boxes and element ID labels."""
    if not include_screenshot:
        _, text = describe_screen(phone, await phone.driver.read_screen())
        return text
    # Read both at the same time: then picture and text agree. Neither task is left running.
    read, captured = await asyncio.gather(
        phone.driver.read_screen(),
        phone.driver.capture(PICTURE_SIZE, "jpeg", QUALITY),
        return_exceptions=True,
    )
    if isinstance(read, Restless) and isinstance(captured, Screenshot):
        # A screen that moves too much to be read can still be seen.
        snapshot, text = describe_screen(phone, read.bare)
        return [text, *await _draw(captured, snapshot, text)]
    if isinstance(read, BaseException):
        raise read
    snapshot, text = describe_screen(phone, read)
    if isinstance(captured, ToolError):
        raise type(captured)(captured.message, text)
    if isinstance(captured, BaseException):
        raise captured
    return [text, *await _draw(captured, snapshot, text)]


def describe_screen(phone: Phone, seen: Screen) -> tuple[Snapshot, str]:
    """Return the snapshot, whose ids are valid from now on, and its text."""
    snapshot = phone.elements.mark(seen)
    phone.elements.remember_screen(snapshot)
    return snapshot, snapshot.write(folded=phone.folds_web)


async def _draw(picture: Screenshot, snapshot: Snapshot, text: str) -> list[Item]:
    if picture.secure:
        titles = ", ".join(f"'{cut(tidy(title)) or 'unknown'}'" for title in picture.secure)
        windows = "window" if len(picture.secure) == 1 else "windows"
        raise ActionFailed(
            f"Screenshot capture failed: the secure {windows} {titles} may not be captured and"
            " would be black. Work with the element list.",
            text,
        )
    try:
        # In a thread: fifty milliseconds of drawing would delay every other call.
        drawn = await asyncio.to_thread(annotate, picture.data, snapshot.screen, snapshot.labels)
    except ValueError as problem:
        raise ActionFailed(f"Screenshot annotation failed: {problem}", text) from problem
    if drawn.marked == drawn.visible:
        return [Image(drawn.data)]
    return [
        Image(drawn.data),
        f"The screenshot has labels for the first {drawn.marked} of {drawn.visible} visible"
        " elements in the list.",
    ]
