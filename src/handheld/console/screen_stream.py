"""Tools that read a phone's screen for the console. Agents cannot call them.

They have a separate surface that records nothing, because a page polls several times a second.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ..access.request_scope import RequestScope
from ..calls.local import LocalSurface, SurfaceOptions
from ..devices import Devices
from ..phone.phone import Phone
from ..screen.model import Flag, Screen
from ..tools.call import Caller
from ..tools.main.screen import describe_screen
from ..tools.parameter import Param
from ..tools.recording import Secret
from ..tools.tool import Image, Item, Reply, Toolset, json_text
from .sharing import Sharing

QUALITY = 75
LONGEST_WAIT_MS = 25_000
BIGGEST = 2400
_LOOK_SECONDS = 1.0
"""Between pictures, if the driver cannot wait for a change."""

WATCH = "watch_screen"

screen_stream = Toolset("console")

Seen = Annotated[int, Param("The last change count received; below 0 for none", -1, 2**53)]
Within = Annotated[int, Param("How long to wait for a change, in ms", 0, LONGEST_WAIT_MS)]
Size = Annotated[int, Param("Length of the picture's longer side, in pixels", 100, BIGGEST)]


@screen_stream.tool(title="Watch the screen", read_only=True, secret_reply=Secret.NO)
async def watch_screen(phone: Phone, after: Seen, within: Within, size: Size) -> Reply:
    """Return the screen once it has changed since `after`; no picture if it has not."""
    driver, clock = phone.driver, phone.clock
    asked_at = clock.now()
    changes = await driver.changed(max(0, after), 0 if after < 0 else within)
    if changes == after:
        waited = (clock.now() - asked_at) * 1000
        if waited * 2 >= within:
            return json_text({"changes": changes})
        # This driver counts only its own actions and cannot wait for other changes.
        await clock.sleep(min(_LOOK_SECONDS, within / 1000))
    picture = await driver.capture(size, "jpeg", QUALITY)
    details = {
        "changes": changes,
        "width": picture.width,
        "height": picture.height,
        "secure": list(picture.secure),
    }
    return [json_text(details), Image(picture.data)]


@screen_stream.tool(title="Read the screen", read_only=True, secret_reply=Secret.NO)
async def read_screen(phone: Phone) -> Reply:
    """Return the screen as an agent reads it, with ids that the agent may use, and then the id of
    the focused field, or an empty text."""
    seen = await phone.driver.read_screen()
    snapshot, text = describe_screen(phone, seen)
    place = _focused_field(seen)
    return [text, snapshot.id(place) if place else ""]


def _focused_field(screen: Screen) -> tuple[int, int] | None:
    wanted = Flag.FOCUSED.value | Flag.EDITABLE.value
    for number, window in enumerate(screen.windows):
        if window.focused:
            for position, node in enumerate(window.nodes):
                if node.flags & wanted == wanted:
                    return number, position
    return None


class ConsoleScreens:
    """Reads the screens of this process's phones for its own console and for those of gateways.
    Consoles share requests, because few can wait on a phone at a time."""

    def __init__(self, devices: Devices) -> None:
        options = SurfaceOptions(several=True, bare=True)
        self._surface = LocalSurface((screen_stream,), devices, options)
        self._requests: Sharing[Sequence[Item]] = Sharing()

    async def read(
        self, phone: str, tool: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Sequence[Item]:
        """Raises ToolError."""
        key = (phone, tool, tuple(arguments.items()))
        return await self._requests.ask(
            key, lambda: self._surface.call(tool, arguments, caller, RequestScope(phone))
        )

    async def watch(self, phone: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        """The picture that a gateway's page requests. Raises ToolError."""
        return await self.read(phone, WATCH, arguments, Caller("console", "gateway", person=True))
