"""Repeats recorded calls, for the scripts that `handheld log --export pytest` writes."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from .access.tool_filter import EVERYTHING
from .clock import SYSTEM_CLOCK, Clock
from .devices import Devices
from .devices.opening import open_devices
from .errors import ElementNotFound
from .kept.reading import read_way
from .settings import Settings
from .settings.slug import tool_prefix
from .surface.agent_tools import make_agent_surface
from .surface.kept_way import plan_steps
from .surface.local import LocalSurface, Surface, SurfaceOptions
from .surface.step_run import StepRun
from .toolkit.call import Caller
from .toolkit.listing import PHONE_PREFIX
from .toolkit.recording import ReplayMode
from .toolkit.tool import Item
from .tools import CATALOG

_APPEARS_SECONDS = 10.0
_LOOK_SECONDS = 0.1
_REST_MS = 10_000
_WHEN_IDLE = frozenset(
    tool.name
    for toolset in CATALOG
    for tool in toolset.tools
    if tool.replay is ReplayMode.WHEN_IDLE
)
_SEARCH_KEYS = {
    "resource_id": ("resource_id", "resourceId"),
    "text": ("text", "text"),
    "description": ("content_desc", "contentDescription"),
    "class_name": ("class_name", "className"),
}
"""For each recorded property of an element: the search criterion and the key in the result."""

_log = logging.getLogger(__name__)


class Replay:
    """The tools on the phone at an address, for a test that is not asynchronous."""

    def __init__(self, address: str, clock: Clock = SYSTEM_CLOCK) -> None:
        """`address` is HOST:PORT."""
        self._clock = clock
        self._settings = Settings(phone=(address,))
        self._runner = asyncio.Runner()
        self._devices: Devices | None = None
        self._surface: LocalSurface | None = None
        self._for_models: Surface | None = None

    def __enter__(self) -> "Replay":
        self._runner.__enter__()
        try:
            self._devices = self._runner.run(open_devices(self._settings, _log.debug, self._clock))
            self._surface = LocalSurface(CATALOG, self._devices)
            self._for_models = make_agent_surface(self._devices, SurfaceOptions())
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._devices is not None:
                self._runner.run(self._devices.aclose())
        finally:
            self._runner.close()

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Sequence[Item]:
        """Call a tool by its bare name. Raises ToolError, as it fails."""
        if tool in _WHEN_IDLE:
            self._call("wait_for_idle", {"timeout": _REST_MS})
        return self._call(tool, arguments or {})

    def element(self, *, within: float = _APPEARS_SECONDS, **stood_for: str) -> str:
        """Return the id of the only element with the recorded properties, waiting for it for
        `within` seconds. Raises ElementNotFound."""
        by = next((name for name in _SEARCH_KEYS if stood_for.get(name)), None)
        if by is None:
            raise ElementNotFound("Nothing was recorded by which this element could be found.")
        deadline = self._clock.now() + within
        while True:
            search = {"by": _SEARCH_KEYS[by][0], "value": stood_for[by], "exact_match": False}
            found = [
                element["id"] for element in self._found(search) if _matches(element, stood_for)
            ]
            if len(found) == 1:
                return found[0]
            if self._clock.now() > deadline:
                raise ElementNotFound(
                    f"{len(found) or 'No'} elements on the screen are what was recorded: "
                    f"{stood_for}."
                )
            self._runner.run(self._clock.sleep(_LOOK_SECONDS))

    def find(self, arguments: Mapping[str, Any], *, within: float = _APPEARS_SECONDS) -> None:
        """Call find_elements until it finds something, for up to `within` seconds. Raises
        ElementNotFound."""
        deadline = self._clock.now() + within
        while not self._found(arguments):
            if self._clock.now() > deadline:
                raise ElementNotFound(f"Nothing is found any more by {dict(arguments)}.")
            self._runner.run(self._clock.sleep(_LOOK_SECONDS))

    def run(self, steps: Sequence[Mapping[str, Any]], **values: str) -> Sequence[Item]:
        """Do kept steps, as `handheld steps export` writes them, with the values of their
        parameters. Raises ToolError at the first that does not fit."""
        assert self._for_models is not None, "it is used in a with statement"
        parameters = [{"name": name} for name in values]
        planned = plan_steps(read_way({"steps": list(steps), "parameters": parameters}), values)
        caller = Caller("replay")
        run = StepRun(self._for_models, caller, EVERYTHING, {}, self._clock)
        return self._runner.run(run.run(planned))

    def _found(self, search: Mapping[str, Any]) -> list[dict[str, Any]]:
        [reply] = self._call("find_elements", search)
        assert isinstance(reply, str)
        return json.loads(reply)["elements"]

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        of_models = tool.startswith(PHONE_PREFIX)
        surface = self._for_models if of_models else self._surface
        assert surface is not None, "it is used in a with statement"
        name = tool if of_models else tool_prefix("") + tool
        return self._runner.run(surface.call(name, arguments, Caller("replay")))


def _matches(element: Mapping[str, Any], stood_for: Mapping[str, str]) -> bool:
    """Whether the element has the recorded properties, which may be shortened."""
    return all(
        (element[_SEARCH_KEYS[name][1]] or "").startswith(text) for name, text in stood_for.items()
    )
