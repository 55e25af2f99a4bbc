"""Clients of the server: over HTTP, and over stdio through the process that owns the phones."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any, Protocol


class NoAnswer(Exception):
    """The call was lost: the connection ended, or what came was no answer to it."""


class Answer:
    """What a client received for a call."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.refused = "error" in message
        """By the server instead of a tool."""
        if self.refused:
            self.failed, self.texts = True, [str(message["error"])]
        elif "result" in message:
            result = message["result"]
            self.failed = bool(result.get("isError"))
            self.texts = [
                str(item["text"]) for item in result["content"] if item.get("type") == "text"
            ]
        else:
            raise NoAnswer(f"neither result nor error: {str(message)[:200]}")

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


class Transport(Protocol):
    async def call(self, tool: str, arguments: dict[str, Any]) -> Answer: ...

    async def aclose(self) -> None: ...


class HttpTransport:
    """One connection, which is opened again after it was closed."""

    def __init__(self, port: int, path: str, token: str, host: str = "127.0.0.1") -> None:
        self._host, self._port = host, port
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "MCP-Protocol-Version: 2025-11-25\r\nContent-Length: "
        ).encode()
        self._id = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        self._id += 1
        params = {"name": tool, "arguments": arguments}
        envelope = {"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params}
        body = json.dumps(envelope).encode()
        if self._streams is not None and self._streams[0].at_eof():
            await self.aclose()  # the server has closed it since the last call
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._host, self._port, limit=2**24)
            reader, writer = self._streams
            writer.write(self._head + str(len(body)).encode() + b"\r\n\r\n" + body)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = head.lower().split("\r\n")
            lengths = [line[15:] for line in lines if line.startswith("content-length:")]
            text = await reader.readexactly(int(lengths[0]))
            message = json.loads(text)
        except (OSError, asyncio.IncompleteReadError, ValueError, IndexError) as problem:
            await self.aclose()
            raise NoAnswer(repr(problem)) from problem
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if "connection: close" in lines:
            await self.aclose()
        if message.get("id", self._id) != self._id:
            raise NoAnswer(f"the answer to another call: {str(message)[:200]}")
        return Answer(message)

    async def aclose(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


class StdioProgram:
    """`handheld stdio`, whose calls run at the same time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._id = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, environment: dict[str, str], *arguments: str) -> "StdioProgram":
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "handheld", "stdio", *arguments),
            env=environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=2**24,
        )
        program = cls(process)
        client = {"name": "chaos", "version": "1"}
        await program.ask(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client},
        )
        program.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return program

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if self._reading.done():
            raise NoAnswer("the stdio program has ended")
        self._id += 1
        number = self._id
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return await future
        finally:
            self._waiting.pop(number, None)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        return Answer(await self.ask("tools/call", {"name": tool, "arguments": arguments}))

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            future = self._waiting.get(message.get("id"))
            if future is not None and not future.done():
                future.set_result(message)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(NoAnswer("the stdio program has ended"))

    async def aclose(self) -> None:
        assert self._process.stdin is not None
        if self._process.returncode is None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(10):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reading
