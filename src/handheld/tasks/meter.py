"""Counts an agent's calls, between the server and the tools."""

import json
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handheld_virtual import Clock, ManualClock

from ..errors import ToolError
from ..tools.tool import Item
from .phone_time import passing

MOST_CALLS = 10_000
"""The most calls that are kept; later calls are not counted."""


@dataclass(frozen=True, slots=True)
class MeteredCall:
    tool: str
    request: str
    reply: str
    pictures: int = 0
    failed: bool = False


class Meter:
    """Wraps a surface and lists the calls on it."""

    def __init__(self) -> None:
        self.clock: Clock | None = None
        """The phone's clock; a manual clock advances during calls."""
        self.calls: list[MeteredCall] = []

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], calling: Coroutine[Any, Any, Sequence[Item]]
    ) -> Sequence[Item]:
        request = f"{name}{json.dumps(dict(arguments), ensure_ascii=False)}"
        try:
            clock = self.clock
            items = await (passing(clock, calling) if isinstance(clock, ManualClock) else calling)
        except ToolError as failure:
            texts = (failure.message, *failure.details)
            self._keep(MeteredCall(name, request, "\n".join(texts), failed=True))
            raise
        texts = [item for item in items if isinstance(item, str)]
        self._keep(MeteredCall(name, request, "\n".join(texts), len(items) - len(texts)))
        return items

    def _keep(self, call: MeteredCall) -> None:
        if len(self.calls) < MOST_CALLS:
            self.calls.append(call)
