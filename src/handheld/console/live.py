"""The phones as a person sees and touches them.

Looking is a surface of its own, whose tools no agent is offered and which records nothing: a page
that shows the screen asks for it several times a second. Touching goes through the agents' surface,
marked as the person's.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import UnknownTool
from ..narrowing import Narrowing
from ..parameter import Param
from ..phone import Phone
from ..slug import tool_prefix
from ..surface import Caller, LocalSurface
from ..tool import Image, Reply, Toolset, json_text
from ..tools.screen import get_screen_state
from .desk import Desk
from .elements import read_elements
from .routes import Answer, Request, Route, bad_request
from .sessions import Session

ACTS = frozenset(
    {
        "tap",
        "double_tap",
        "long_press",
        "swipe",
        "press_back",
        "press_home",
        "press_recents",
        "open_notifications",
        "press_key",
        "type_append_text",
    }
)
"""The tools of the main surface that the page of the phone uses."""
QUALITY = 75
LONGEST_WAIT_MS = 25_000
BIGGEST = 2400

eyes = Toolset("console")

Seen = Annotated[int, Param("The count of changes seen already; below 0 is none", -1, 2**53)]
Within = Annotated[int, Param("How long to wait for a change, in ms", 0, LONGEST_WAIT_MS)]
Size = Annotated[int, Param("Pixels of the picture's longer side", 100, BIGGEST)]


@eyes.tool(title="Watch the screen", read_only=True)
async def watch_screen(phone: Phone, after: Seen, within: Within, size: Size) -> Reply:
    """The screen as soon as it has changed since `after`; no picture where it has not."""
    hands = phone.hands
    changes = await hands.changed(max(0, after), 0 if after < 0 else within)
    if changes == after:
        return json_text({"changes": changes})
    picture = await hands.capture(size, "jpeg", QUALITY)
    told = {
        "changes": changes,
        "width": picture.width,
        "height": picture.height,
        "secure": list(picture.secure),
    }
    return [json_text(told), Image(picture.data)]


@eyes.tool(title="Read the screen", read_only=True)
async def read_screen(phone: Phone) -> Reply:
    """What an agent is told of the screen, with ids that it may use."""
    return await get_screen_state(phone)


class Live:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._eyes = LocalSurface((eyes,), desk.fleet, several=True, bare=True)

    async def phones(self, request: Request) -> list[dict[str, Any]]:
        return [
            {
                "serial": one.serial,
                "slug": one.slug,
                "model": one.model,
                "state": one.state.value,
                "usable": one.state is PhoneState.DEVICE,
                "words": ""
                if one.state is PhoneState.DEVICE
                else str(PhoneUnavailable(one.serial, one.state)),
            }
            for one in await self._desk.fleet.known()
        ]

    async def frame(self, request: Request) -> Any:
        """A JPEG, its count of changes in a header; JSON where nothing has changed."""
        asked = {
            "after": request.asked("after", 0, 0, 2**53) if "after" in request.query else -1,
            "within": request.asked("within", 0, 0, LONGEST_WAIT_MS),
            "size": request.asked("size", 1000, 100, BIGGEST),
        }
        text, *pictures = await self._look(request, "watch_screen", asked)
        assert isinstance(text, str)
        if not pictures:
            return json.loads(text)
        [picture] = pictures
        assert isinstance(picture, Image)
        return Answer(picture.data, picture.mime_type, {"x-frame": text})

    async def screen(self, request: Request) -> dict[str, Any]:
        [text] = await self._look(request, "read_screen", {})
        assert isinstance(text, str)
        return read_elements(text)

    async def _look(self, request: Request, tool: str, asked: dict[str, Any]) -> Sequence[Any]:
        narrowing = Narrowing(request.params["phone"])
        return await self._eyes.call(tool, asked, person(request.session), narrowing)

    async def act(self, request: Request) -> dict[str, Any]:
        """A person's call of a tool."""
        tool, arguments = request.text("tool"), request.body.get("arguments", {})
        if tool not in ACTS or not isinstance(arguments, dict):
            raise bad_request("This is not done on the console.")
        phone = request.params["phone"]
        name = tool_prefix(await self._desk.fleet.slug_of(phone)) + tool
        try:
            items = await self._desk.surface.call(
                name,
                arguments,  # pyright: ignore[reportUnknownArgumentType]
                person(request.session),
                Narrowing(phone),
            )
        except UnknownTool:
            raise bad_request(f"The settings have switched {tool} off.") from None
        return {"said": [item for item in items if isinstance(item, str)]}


def person(session: Session) -> Caller:
    return Caller("console", session.name, person=True)


def routes(desk: Desk) -> Sequence[Route]:
    live = Live(desk)
    return (
        Route("GET", "phones", live.phones),
        Route("GET", "phones/{phone}/frame", live.frame),
        Route("GET", "phones/{phone}/screen", live.screen),
        Route("POST", "phones/{phone}/act", live.act),
    )
