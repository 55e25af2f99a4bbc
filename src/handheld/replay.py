"""Repeats recorded calls, for the scripts that `handheld log --export pytest` writes."""

import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .access.request_scope import AGENT, RequestScope
from .calls.kept_way import plan_steps
from .calls.step_run import StepRun
from .clock import SYSTEM_CLOCK, Clock
from .errors import ElementNotFound
from .library.loop_thread import LoopThread
from .library.session import Session
from .tools.call import Caller
from .tools.main import CATALOG
from .tools.recording import ReplayMode
from .tools.steps.reading import read_sequence
from .tools.tool import Item

if TYPE_CHECKING:
    from .library.connections import PhoneConnection

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


class Replay:
    """The tools on the phone at an address, for a test that is not asynchronous."""

    def __init__(self, address: str, clock: Clock = SYSTEM_CLOCK) -> None:
        """`address` is HOST:PORT."""
        self._clock = clock

        async def connect() -> "PhoneConnection":
            from .library.connections import connect_address

            return await connect_address(address, clock)

        self._session = Session(address, LoopThread("replay"), connect)

    def __enter__(self) -> "Replay":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.close()

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
            self._session.wait(self._pause)

    def find(self, arguments: Mapping[str, Any], *, within: float = _APPEARS_SECONDS) -> None:
        """Call find_elements until it finds something, for up to `within` seconds. Raises
        ElementNotFound."""
        deadline = self._clock.now() + within
        while not self._found(arguments):
            if self._clock.now() > deadline:
                raise ElementNotFound(f"Nothing is found now by {dict(arguments)}.")
            self._session.wait(self._pause)

    def run(self, steps: Sequence[Mapping[str, Any]], **values: str) -> Sequence[Item]:
        """Do kept steps, as `handheld steps export` writes them, with the values of their
        parameters. Raises ToolError at the first that does not fit."""
        parameters = [{"name": name} for name in values]
        planned = plan_steps(
            read_sequence({"steps": list(steps), "parameters": parameters}), values
        )

        async def work(connection: "PhoneConnection") -> Sequence[Item]:
            for_models = RequestScope(surface=AGENT)
            run = StepRun(connection.surface, Caller("replay"), for_models, {}, self._clock)
            return await run.run(planned)

        return self._session.wait(work)

    async def _pause(self, connection: object) -> None:
        await self._clock.sleep(_LOOK_SECONDS)

    def _found(self, search: Mapping[str, Any]) -> list[dict[str, Any]]:
        [reply] = self._call("find_elements", search)
        assert isinstance(reply, str)
        return json.loads(reply)["elements"]

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        return self._session.wait(self._session.call(tool, arguments))


def _matches(element: Mapping[str, Any], stood_for: Mapping[str, str]) -> bool:
    """Whether the element has the recorded properties, which may be shortened."""
    return all(
        (element[_SEARCH_KEYS[name][1]] or "").startswith(text) for name, text in stood_for.items()
    )
