"""The phones as a person sees and controls them.

Frames and elements are read through the tools of `screen_stream`. Actions go through the agents'
surface and are recorded as the person's.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...access.request_scope import RequestScope
from ...calls.local import Caller
from ...devices import PhoneState, PhoneUnavailable
from ...errors import ElementNotFound, UnknownTool
from ...screen.text import STANDING_NOTES
from ...settings.slug import tool_prefix
from ...tools.main import CATALOG
from ...tools.tool import Image, Item
from ..context import ConsoleContext
from ..routes import PageResponse, Request, Route, bad_request
from ..screen_stream import BIGGEST, LONGEST_WAIT_MS, WATCH, ConsoleScreens

_ACTIONS = frozenset(tool.name for toolset in CATALOG for tool in toolset.tools if tool.console)
"""The tools of the main surface that the phone page may call; typing has its own route."""
_TYPE = "type_append_text"
_TYPING_MS = 10
"""A short pause between characters: the person has already typed them."""
_SCREEN = re.compile(r"screen:(\d+)x(\d+) density:(\d+) orientation:(\w+)")
_COLUMNS = ("id", "class", "text", "desc", "res_id", "bounds", "flags")


class Live:
    def __init__(self, context: ConsoleContext) -> None:
        self._context = context
        self._screens = context.screens or ConsoleScreens(context.devices)

    async def phones(self, request: Request) -> list[dict[str, Any]]:
        switch = self._context.switch
        return [
            {
                "serial": phone.serial,
                "slug": phone.slug,
                "model": phone.model,
                "usable": phone.state is PhoneState.DEVICE,
                "lease": None if switch is None else switch.lease_of(phone),
                "words": ""
                if phone.state is PhoneState.DEVICE
                else str(PhoneUnavailable(phone.serial, phone.state)),
            }
            for phone in await self._context.devices.known()
        ]

    async def frame(self, request: Request) -> Any:
        """Return a JPEG once the screen has changed since `after`, with details in a header; JSON
        if it does not change within `within` ms."""
        text, *pictures = await self._read(request, WATCH, frame_arguments(request))
        assert isinstance(text, str)
        if not pictures:
            return json.loads(text)
        [picture] = pictures
        assert isinstance(picture, Image)
        # Header bytes are Latin-1; window titles may not be.
        details = json.dumps(json.loads(text))
        return PageResponse(picture.data, picture.mime_type, {"x-frame": details})

    async def screen(self, request: Request) -> dict[str, Any]:
        text, focus = await self._read(request, "read_screen", {})
        assert isinstance(text, str)
        return {**read_elements(text), "focus": focus}

    async def act(self, request: Request) -> dict[str, Any]:
        """Call a tool for the person."""
        tool, arguments = request.text("tool"), request.body.get("arguments", {})
        if tool not in _ACTIONS or not isinstance(arguments, dict):
            raise bad_request("The console does not call this tool.")
        return await self._call(request, tool, cast("dict[str, Any]", arguments))

    async def type(self, request: Request) -> dict[str, Any]:
        """Type at the end of the focused field."""
        text = request.text("text")
        _, focus = await self._read(request, "read_screen", {})
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

    async def _read(
        self, request: Request, tool: str, arguments: Mapping[str, Any]
    ) -> Sequence[Item]:
        return await self._screens.read(request.params["phone"], tool, arguments, caller(request))

    async def _call(
        self, request: Request, tool: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        phone = request.params["phone"]
        name = tool_prefix(await self._context.devices.slug_of(phone)) + tool
        try:
            items = await self._context.surface.call(
                name, arguments, caller(request), RequestScope(phone)
            )
        except UnknownTool:
            raise bad_request(f"{tool} is disabled in the settings.") from None
        return {"said": [item for item in items if isinstance(item, str)]}


def frame_arguments(request: Request) -> dict[str, int]:
    """The arguments of a page's request for a picture. Raises HttpRefusal."""
    return {
        "after": request.query_number("after", 0, 0, 2**53) if "after" in request.query else -1,
        "within": request.query_number("within", 0, 0, LONGEST_WAIT_MS),
        "size": request.query_number("size", 1000, 100, BIGGEST),
    }


def caller(request: Request) -> Caller:
    return Caller("console", request.session.name, person=True)


def read_elements(text: str) -> dict[str, Any]:
    """Parse the text of get_screen_state, for the page that draws the elements over the picture.
    Return the size, the notes specific to this screen, the windows and the elements."""
    size = (0, 0)
    notes: list[str] = []
    windows: list[str] = []
    elements: list[dict[str, Any]] = []
    for line in text.split("\n"):
        cells = line.split("\t")
        if len(cells) == len(_COLUMNS):
            if cells[0] != "id":
                elements.append(_element(cells, len(windows) - 1))
        elif line.startswith("--- window:"):
            windows.append(line.strip("- "))
        elif line.startswith("note:"):
            if line not in STANDING_NOTES:
                notes.append(line.removeprefix("note:"))
        elif found := _SCREEN.fullmatch(line):
            size = int(found[1]), int(found[2])
    return {
        "width": size[0],
        "height": size[1],
        "notes": notes,
        "windows": windows,
        "elements": elements,
    }


def _element(cells: list[str], window: int) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(_COLUMNS, cells, strict=True))
    row["bounds"] = [int(part) for part in cells[5].split(",")]
    return {**row, "flags": cells[6].split(","), "window": window}


def routes(context: ConsoleContext) -> Sequence[Route]:
    live = Live(context)
    return (
        Route("GET", "phones", live.phones),
        Route("GET", "phones/{phone}/frame", live.frame),
        Route("GET", "phones/{phone}/screen", live.screen),
        Route("POST", "phones/{phone}/act", live.act),
        Route("POST", "phones/{phone}/type", live.type),
    )
