"""A server with a tool that runs until it is cancelled, and one that reports whether it was.

python patient.py FOLDER --port N, which prints its address, or without a port over stdio.
"""

import argparse
import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller
from handheld.errors import UnknownTool
from handheld.server.http import serve_http
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from handheld.server.stdio import serve_stdio
from handheld.tools.tool import Item, Listing
from harness.polling import HANG

NAMES = ["go_on", "is_over"]


class Patience:
    """A surface that needs no phone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cancelled = asyncio.Event()

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return ""

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        return [Listing(name, name, name, {"type": "object"}) for name in NAMES]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        if name == "go_on":
            return await self._go_on()
        if name == "is_over":
            async with asyncio.timeout(HANG):
                await self._cancelled.wait()
            return ["cancelled"]
        raise UnknownTool(name)

    async def _go_on(self) -> Sequence[Item]:
        (self._folder / "begun").touch()
        try:
            await asyncio.Event().wait()
            return []
        finally:
            self._cancelled.set()

    async def aclose(self) -> None: ...


def say(address: Address) -> None:
    print(address.url, flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int)
    given = parser.parse_args()
    surface = Patience(given.folder)
    with contextlib.suppress(KeyboardInterrupt):
        if given.port is not None:
            options = HttpOptions(port=given.port, token="")
            asyncio.run(serve_http(surface, options, say))
        else:
            asyncio.run(serve_stdio(surface))


if __name__ == "__main__":
    main()
