"""Serves the phone of a task over MCP, and the channel through which other commands control it."""

import asyncio
import hmac
import json
import secrets
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from ..clock import SYSTEM_CLOCK
from ..errors import ToolError
from ..server.http import open_http
from ..server.options import HttpOptions
from ..settings.private_file import private_folder, write_private
from .loading import tasks_of
from .played_phone import PlayedPhone
from .playing import Count, result
from .task import BadTask, Task

HOST = "127.0.0.1"
LONGEST_LINE = 65_536
PATIENCE_SECONDS = 30.0
"""A real phone is asked for dozens of facts, which takes time."""


class TaskServerGone(Exception):
    """No process serves a task."""


@asynccontextmanager
async def serving(
    phone: PlayedPhone, surface: str = "agent", port: int = 0
) -> AsyncGenerator[tuple[str, str]]:
    """Serve the phone; yields the URL of the surface, and the token. Raises CannotServe."""
    token = secrets.token_urlsafe(24)
    options = HttpOptions(host=HOST, port=port, token=token, agent=True)
    async with open_http(phone.surface, options) as address:
        yield f"{address.url}/agent" if surface == "agent" else address.url, token


class Control:
    """Lets this user's other commands reset and check the phone. It does not listen on the agent's
    port: an agent must not grade itself."""

    def __init__(
        self,
        phone: PlayedPhone,
        url: str,
        token: str,
        count: Count,
        surface: str = "agent",
        name: str = "",
    ) -> None:
        """`name` is the argument that chose the phone; "" is the default virtual phone."""
        self._phone = phone
        self._name = name
        self._surface = surface
        self._url, self._token = url, token
        self._count = count
        self._key = secrets.token_urlsafe(24)
        self._turn = asyncio.Lock()
        self._began = SYSTEM_CLOCK.now()

    @asynccontextmanager
    async def listening(self, file: Path) -> AsyncGenerator[None]:
        """Listen, and publish the address in a file that only this user can read."""
        server = await asyncio.start_server(self._serve, HOST, 0, limit=LONGEST_LINE)
        port = server.sockets[0].getsockname()[1]
        _publish(file, {"port": port, "key": self._key})
        try:
            yield
        finally:
            _forget(file)
            server.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with SYSTEM_CLOCK.timeout(PATIENCE_SECONDS):
                asked = json.loads(await reader.readline())
                if not hmac.compare_digest(str(asked.get("key", "")).encode(), self._key.encode()):
                    return
                async with self._turn:
                    writer.write(json.dumps(await self._answer(asked)).encode() + b"\n")
                    await writer.drain()
        except (OSError, ValueError, AttributeError, TimeoutError):
            pass  # the client is gone, or is not one of our commands
        finally:
            writer.close()

    async def _answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return await self._do(asked)
        except (BadTask, ToolError) as problem:
            return {"problem": str(problem)}

    async def _do(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked.get("do") == "start":
            if str(asked.get("phone", "")) != self._name:
                shown = self._name or "a virtual phone"
                return {"problem": f"Tasks are served on {shown}: stop that with Ctrl-C first."}
            try:
                task = tasks_of(str(asked.get("book", "")))[str(asked.get("task"))]
                sentence = await self._phone.start(task, int(asked.get("seed", 0)))
            except KeyError:
                return {"problem": f"There is no task {asked.get('task')}."}
            self._began = SYSTEM_CLOCK.now()
            return {"sentence": sentence, "url": self._url, "token": self._token}
        seconds = SYSTEM_CLOCK.now() - self._began
        answer = str(asked.get("answer", ""))
        found = await result(self._phone, answer, "", seconds, self._surface, self._count)
        return found.as_json()


def _publish(file: Path, address: Mapping[str, Any]) -> None:
    private_folder(file.parent)
    write_private(file, json.dumps(address).encode())


def _read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_bytes())


def _forget(file: Path) -> None:
    file.unlink(missing_ok=True)


async def ask(file: Path, **request: object) -> dict[str, Any]:
    """Ask the process that serves a task. Raises TaskServerGone."""
    try:
        known = _read(file)
        async with SYSTEM_CLOCK.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_connection(
                HOST, int(known["port"]), limit=LONGEST_LINE
            )
            try:
                writer.write(json.dumps({"key": known["key"], **request}).encode() + b"\n")
                line = await reader.readline()
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
        return json.loads(line)
    except (OSError, ValueError, KeyError, TypeError, TimeoutError) as problem:
        raise TaskServerGone(
            "No task is being served: `handheld tasks start NAME` starts one."
        ) from problem


async def serve_task(
    phone: PlayedPhone,
    task: Task,
    seed: int,
    *,
    surface: str,
    port: int,
    name: str,
    file: Path,
    count: Count,
    ready: Callable[[str, str, str], object],
) -> None:
    """Serve the phone of a task until cancelled; `ready` receives the sentence, the URL and the
    token. `name` is the argument that chose the phone. Raises BadTask, ToolError."""
    try:
        sentence = await phone.start(task, seed)
        async with (
            serving(phone, surface, port) as (url, token),
            Control(phone, url, token, count, surface, name).listening(file),
        ):
            ready(sentence, url, token)
            await asyncio.get_running_loop().create_future()
    finally:
        await phone.aclose()
