"""A web server on loopback with fixed responses."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """A complete HTTP response, with its length unless given."""
    lines = {"Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}Connection: close\r\n\r\n".encode() + body


class Web:
    """`pages` are complete responses by path. Requests are recorded."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        """Path and Host of each request."""
        self.names: list[str | None] = []
        """The name each TLS client asked for."""
        self.port = 0
        self.silent: set[str] = set()
        """Paths whose answer does not end."""
        self._clients: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split(" ")[1]
            host = next(
                line.partition(": ")[2]
                for line in head.split("\r\n")
                if line.lower().startswith("host: ")
            )
            self.requests.append((path, host))
            writer.write(self.pages.get(path, answer(status="404 Not Found")))
            await writer.drain()
            if path in self.silent:
                await asyncio.Event().wait()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._clients.discard(task)
            writer.close()
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()

    async def aclose(self) -> None:
        for task in self._clients:
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)


@asynccontextmanager
async def open_web(tls: ssl.SSLContext | None = None) -> AsyncGenerator[Web]:
    web = Web()
    if tls is not None:

        def note(_: object, name: str | None, __: object) -> None:
            web.names.append(name)

        tls.sni_callback = note
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0, ssl=tls)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
        await web.aclose()
        await server.wait_closed()
