"""The findings of `handheld doctor`, streamed as they are made."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

from ...app_tools.check.finding import Finding
from ..context import ConsoleContext
from ..events import event
from ..routes import Request, Route, Stream


class DoctorPage:
    def __init__(self, context: ConsoleContext) -> None:
        self._examine = context.examine
        self._lock = asyncio.Lock()

    async def examine(self, request: Request) -> Stream:
        return Stream(self._findings())

    async def _findings(self) -> AsyncGenerator[bytes]:
        # One at a time: each starts a virtual phone.
        async with self._lock:
            examination = cast("AsyncGenerator[Finding]", self._examine())
            async with aclosing(examination) as findings:
                async for finding in findings:
                    yield event("finding", finding.as_json())
        yield event("done", {})


def routes(context: ConsoleContext) -> Sequence[Route]:
    return (Route("GET", "doctor", DoctorPage(context).examine),)
