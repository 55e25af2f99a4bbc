"""The phones as a person sees and touches them.

Looking is `eyes`' own surface. Touching goes through the agents' surface, marked as the person's.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..access.tool_filter import ToolFilter
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import ElementNotFound, UnknownTool
from ..settings.slug import tool_prefix
from ..surface.local import Caller, LocalSurface
from ..toolkit.tool import Image, Item
from .context import ConsoleContext
from .elements import read_elements
from .routes import Answer, Request, Route, bad_request
from .screen_stream import BIGGEST, LONGEST_WAIT_MS, eyes
from .sharing import Sharing

ACTS = frozenset(
    {
        "tap",
        "double_tap",
        "long_press",
        "swipe",
        "click_element",
        "press_back",
        "press_home",
        "press_recents",
        "open_notifications",
        "press_key",
    }
)
"""The tools of the main surface that the page of the phone uses; and, for typing, one more."""
_TYPE = "type_append_text"
_TYPING_MS = 10
"""Between characters: a person has typed them already."""


class Live:
    def __init__(self, context: ConsoleContext) -> None:
        self._context = context
        self._eyes = LocalSurface((eyes,), context.devices, several=True, bare=True)
        self._looking: Sharing[Sequence[Item]] = Sharing()
        """Two consoles that show one phone ask it once: it has room for few that wait."""

    async def phones(self, request: Request) -> list[dict[str, Any]]:
        return [
            {
                "serial": one.serial,
                "slug": one.slug,
                "model": one.model,
                "usable": one.state is PhoneState.DEVICE,
                "words": ""
                if one.state is PhoneState.DEVICE
                else str(PhoneUnavailable(one.serial, one.state)),
            }
            for one in await self._context.devices.known()
        ]

    async def frame(self, request: Request) -> Any:
        """A JPEG once the screen is another than `after`, with what else there is to say in a
        header; JSON where it stays the same for `within` ms."""
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
        # A header's bytes are Latin-1; titles of windows are not.
        said = json.dumps(json.loads(text))
        return Answer(picture.data, picture.mime_type, {"x-frame": said})

    async def screen(self, request: Request) -> dict[str, Any]:
        text, focus = await self._look(request, "read_screen", {})
        assert isinstance(text, str)
        return {**read_elements(text), "focus": focus}

    async def act(self, request: Request) -> dict[str, Any]:
        """Something that a person does."""
        tool, arguments = request.text("tool"), request.body.get("arguments", {})
        if tool not in ACTS or not isinstance(arguments, dict):
            raise bad_request("This is not done on the console.")
        return await self._call(request, tool, cast("dict[str, Any]", arguments))

    async def type(self, request: Request) -> dict[str, Any]:
        """Type at the end of the field that has the focus."""
        text = request.text("text")
        _, focus = await self._look(request, "read_screen", {})
        if not focus:
            raise ElementNotFound("No field has the focus. Tap one first.")
        return await self._call(
            request,
            _TYPE,
            {
                "element_id": focus,
                "text": text,
                "typing_speed": _TYPING_MS,
                "typing_speed_variance": 0,
            },
        )

    async def _look(self, request: Request, tool: str, asked: Mapping[str, Any]) -> Sequence[Item]:
        phone = request.params["phone"]
        key = (phone, tool, tuple(asked.items()))
        return await self._looking.ask(
            key, lambda: self._eyes.call(tool, asked, person(request), ToolFilter(phone))
        )

    async def _call(
        self, request: Request, tool: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        phone = request.params["phone"]
        name = tool_prefix(await self._context.devices.slug_of(phone)) + tool
        try:
            items = await self._context.surface.call(
                name, arguments, person(request), ToolFilter(phone)
            )
        except UnknownTool:
            raise bad_request(f"The settings have switched {tool} off.") from None
        return {"said": [item for item in items if isinstance(item, str)]}


def person(request: Request) -> Caller:
    return Caller("console", request.session.name, person=True)


def routes(context: ConsoleContext) -> Sequence[Route]:
    live = Live(context)
    return (
        Route("GET", "phones", live.phones),
        Route("GET", "phones/{phone}/frame", live.frame),
        Route("GET", "phones/{phone}/screen", live.screen),
        Route("POST", "phones/{phone}/act", live.act),
        Route("POST", "phones/{phone}/type", live.type),
    )
