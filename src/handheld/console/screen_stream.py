"""Looking at a phone, for a person: tools that no agent is offered, on a surface of their own.

It records nothing: a page that shows the screen asks for it several times a second.
"""

from typing import Annotated

from ..phone import Phone
from ..toolkit.parameter import Param
from ..toolkit.tool import Image, Reply, Toolset, json_text
from ..tools.screen import tell
from ..ui.model import Flag, Screen

QUALITY = 75
LONGEST_WAIT_MS = 25_000
BIGGEST = 2400
_LOOK_SECONDS = 1.0
"""Between pictures where the driver cannot wait for a change."""

eyes = Toolset("console")

Seen = Annotated[int, Param("The count of changes seen already; below 0 is none", -1, 2**53)]
Within = Annotated[int, Param("How long to wait for a change, in ms", 0, LONGEST_WAIT_MS)]
Size = Annotated[int, Param("Pixels of the picture's longer side", 100, BIGGEST)]


@eyes.tool(title="Watch the screen", read_only=True)
async def watch_screen(phone: Phone, after: Seen, within: Within, size: Size) -> Reply:
    """The screen as soon as it has changed since `after`; no picture where it has not."""
    driver, clock = phone.driver, phone.clock
    asked_at = clock.now()
    changes = await driver.changed(max(0, after), 0 if after < 0 else within)
    if changes == after:
        waited = (clock.now() - asked_at) * 1000
        if waited * 2 >= within:
            return json_text({"changes": changes})
        # This driver counts what it did itself and cannot wait for more.
        await clock.sleep(min(_LOOK_SECONDS, within / 1000))
    picture = await driver.capture(size, "jpeg", QUALITY)
    told = {
        "changes": changes,
        "width": picture.width,
        "height": picture.height,
        "secure": list(picture.secure),
    }
    return [json_text(told), Image(picture.data)]


@eyes.tool(title="Read the screen", read_only=True)
async def read_screen(phone: Phone) -> Reply:
    """What an agent is told of the screen, with ids that it may use; then the id of the field that
    has the focus, or nothing."""
    seen = await phone.driver.read_screen()
    marked, text = tell(phone, seen)
    place = _focused_field(seen)
    return [text, marked.id(place) if place else ""]


def _focused_field(screen: Screen) -> tuple[int, int] | None:
    wanted = Flag.FOCUSED.value | Flag.EDITABLE.value
    for number, window in enumerate(screen.windows):
        if window.focused:
            for position, node in enumerate(window.nodes):
                if node.flags & wanted == wanted:
                    return number, position
    return None
