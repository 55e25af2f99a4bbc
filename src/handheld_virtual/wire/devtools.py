"""DevTools of apps that allow their web pages to be debugged: each has an abstract socket for
Chromium's HTTP and WebSocket protocol. Only listing, reading and scripting of pages are
implemented."""

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..sh.streams import Duplex
from ..views.widgets.web import WebView
from .forward import Listener
from .page_scripts import Terminated, evaluate

if TYPE_CHECKING:
    from ..packages.app import Activity, App
    from ..phone import VirtualPhone

PREFIX = "localabstract:"
LONGEST_REQUEST = 64 * 1024
LARGEST_MESSAGE = 16 * 1024 * 1024
FIRST_INODE = 40_000
"""The first inode of app sockets, to which the pid is added."""
HEADER = "Num       RefCount Protocol Flags    Type St Inode Path\n"
_HOST = re.compile(r"(localhost|[0-9.]+|\[[0-9a-f:]+\])(:[0-9]+)?")
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class DevTools:
    def __init__(self, phone: "VirtualPhone") -> None:
        self._phone = phone
        self.old = False
        """Whether it is too old to run scripts in an isolated world."""
        self.claims: dict[str, str] = {}
        """By package: the package that an app pretends to be."""
        self.taken: set[str] = set()
        """The ids of pages that another client debugs."""

    def sockets(self) -> dict[str, "App"]:
        """The running apps that allow debugging, by the names of their sockets."""
        world = self._phone.world
        found: dict[str, App] = {}
        for app in world.apps.values():
            process = world.running.process(app)
            if process is not None and (app.web_debugging or app.package in world.web_debugging):
                found[app.devtools or f"webview_devtools_remote_{process.pid}"] = app
        return found

    def table(self) -> str:
        """The content of /proc/net/unix: listening sockets, and others that every phone has."""
        world = self._phone.world
        rows = [(512, "/dev/socket/property_service"), (601, "@jdwp-control")]
        for name, app in self.sockets().items():
            process = world.running.process(app)
            rows.append((FIRST_INODE + (0 if process is None else process.pid), f"@{name}"))
        lines = [
            f"0000000000000000: 00000002 00000000 00010000 0001 01 {inode:>5} {path}\n"
            for inode, path in rows
        ]
        connected = "0000000000000000: 00000003 00000000 00000000 0001 03 47110\n"
        return (HEADER + "".join(lines) + connected).rstrip("\n")

    def find(self, name: str) -> Listener | None:
        app = self.sockets().get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
        if app is None:
            return None

        async def serve(peer: Duplex) -> None:
            await _Connection(self._phone, self, app, peer).serve()

        return serve

    def pages(self, app: "App") -> "dict[str, tuple[Activity, WebView]]":
        found: dict[str, tuple[Activity, WebView]] = {}
        for activity in self._phone.world.tasks.all:
            window = activity.window
            if activity.app is app and window is not None:
                for view in window.root.walk():
                    if isinstance(view, WebView):
                        found[self._id(view)] = activity, view
        return found

    def _id(self, view: WebView) -> str:
        if not view.target:
            view.target = uuid4().hex.upper()
        return view.target


class _Connection:
    def __init__(self, phone: "VirtualPhone", tools: DevTools, app: "App", peer: Duplex) -> None:
        self._phone = phone
        self._tools = tools
        self._app = app
        self._peer = peer
        self._data = bytearray()

    async def serve(self) -> None:
        while (head := await self._head()) is not None:
            if self._app.package in self._phone.world.frozen_packages:
                while await self._peer.read():
                    pass
                return
            request, *lines = head.split("\r\n")
            method, _, rest = request.partition(" ")
            path = rest.partition(" ")[0].partition("?")[0]
            headers = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines)
            }
            if method != "GET" or not _HOST.fullmatch(headers.get("host", "")):
                await self._answer(500, "text/html", "Host header is specified and is not an IP")
                return
            if headers.get("upgrade", "").lower() == "websocket":
                await self._upgrade(path, headers)
                return
            await self._get(path)

    async def _head(self) -> str | None:
        while (at := self._data.find(b"\r\n\r\n")) < 0:
            data = await self._peer.read()
            if not data or len(self._data) > LONGEST_REQUEST:
                return None
            self._data += data
        head = self._data[:at].decode("latin-1")
        del self._data[: at + 4]
        return head

    async def _get(self, path: str) -> None:
        claims = self._tools.claims
        match path.rstrip("/"):
            case "/json" | "/json/list":
                listed = [
                    self._describe(id, activity, view)
                    for id, (activity, view) in self._tools.pages(self._app).items()
                ]
                await self._json(listed)
            case "/json/version":
                await self._json(
                    {
                        "Android-Package": claims.get(self._app.package, self._app.package),
                        "Browser": "Chrome/120.0.6099.230",
                        "Protocol-Version": "1.3",
                        "webSocketDebuggerUrl": "ws://localhost/devtools/browser",
                    }
                )
            case _:
                await self._answer(404, "text/html", f"Unknown command: {path}")

    def _describe(self, id: str, activity: "Activity", view: WebView) -> dict[str, str]:
        left, top, right, bottom = view.place
        place = {
            "attached": True,
            "empty": False,
            "height": bottom - top,
            "screenX": left,
            "screenY": top,
            "visible": self._phone.world.tasks.front is activity,
            "width": right - left,
        }
        found = {
            "description": json.dumps(place, separators=(",", ":")),
            "devtoolsFrontendUrl": f"/devtools/inspector.html?ws=localhost/devtools/page/{id}",
            "id": id,
            "title": view.page.title,
            "type": "page",
            "url": view.url,
        }
        if id not in self._tools.taken:
            found["webSocketDebuggerUrl"] = f"ws://localhost/devtools/page/{id}"
        return found

    async def _json(self, value: Any) -> None:
        await self._answer(200, "application/json; charset=UTF-8", json.dumps(value, indent=3))

    async def _answer(self, status: int, kind: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        words = {200: "OK", 404: "Not Found", 500: "Internal Server Error", 403: "Forbidden"}
        head = f"HTTP/1.1 {status} {words[status]}\r\nContent-Length:{len(data)}\r\n"
        await self._peer.write(head.encode() + f"Content-Type:{kind}\r\n\r\n".encode() + data)

    async def _upgrade(self, path: str, headers: dict[str, str]) -> None:
        if "origin" in headers:
            await self._answer(403, "text/html", "Rejected an incoming WebSocket connection")
            return
        id = path.removeprefix("/devtools/page/")
        if id not in self._tools.pages(self._app) or id in self._tools.taken:
            await self._answer(500, "text/html", f"No such target id: {id}")
            return
        key = headers.get("sec-websocket-key", "") + _GUID
        accept = base64.b64encode(hashlib.sha1(key.encode(), usedforsecurity=False).digest())
        await self._peer.write(
            b"HTTP/1.1 101 WebSocket Protocol Handshake\r\nUpgrade: WebSocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        while (text := await self._receive()) is not None:
            for answer in await self._dispatch(id, json.loads(text)):
                await self._send(answer)

    async def _exactly(self, count: int) -> bytes | None:
        while len(self._data) < count:
            data = await self._peer.read()
            if not data:
                return None
            self._data += data
        found = bytes(self._data[:count])
        del self._data[:count]
        return found

    async def _receive(self) -> str | None:
        """Return the next text; None once the client has closed or broken the protocol."""
        whole = b""
        while (head := await self._exactly(2)) is not None:
            first, second = head
            size = second & 0x7F
            if size > 125:
                more = await self._exactly(2 if size == 126 else 8)
                if more is None:
                    return None
                size = int.from_bytes(more, "big")
            mask = await self._exactly(4)
            if not second & 0x80 or mask is None or size + len(whole) > LARGEST_MESSAGE:
                return None  # a client has to mask its frames
            data = await self._exactly(size)
            if data is None or first & 0x0F == 8:
                return None
            if first & 0x0F in (0, 1):
                whole += bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
                if first & 0x80:
                    return whole.decode()
        return None

    async def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, separators=(",", ":")).encode()
        size = len(data)
        if size < 126:
            head = bytes((0x81, size))
        elif size < 1 << 16:
            head = bytes((0x81, 126)) + size.to_bytes(2, "big")
        else:
            head = bytes((0x81, 127)) + size.to_bytes(8, "big")
        await self._peer.write(head + data)

    async def _dispatch(self, id: str, message: dict[str, Any]) -> list[dict[str, Any]]:
        number, method = message.get("id"), str(message.get("method"))
        params: dict[str, Any] = message.get("params") or {}
        found = self._tools.pages(self._app).get(id)
        if found is None:
            return [_error(number, -32000, "Target closed")]
        view = found[1]
        main, own = view.document * 2, view.document * 2 + 1
        frame = {"id": id, "loaderId": f"L{view.document}", "url": view.url}
        match method:
            case "Page.getFrameTree":
                return [_result(number, {"frameTree": {"frame": frame}})]
            case "Page.createIsolatedWorld" if not self._tools.old:
                if params.get("frameId") != id:
                    return [_error(number, -32602, "No frame for given id found")]
                return [_result(number, {"executionContextId": own})]
            case "Runtime.enable":
                told = {"isDefault": True, "type": "default", "frameId": id}
                context = {"id": main, "origin": view.url, "name": "", "auxData": told}
                created = {
                    "method": "Runtime.executionContextCreated",
                    "params": {"context": context},
                }
                return [created, _result(number, {})]
            case "Runtime.evaluate":
                if params.get("contextId", main) not in (main, own):
                    return [_error(number, -32000, "Cannot find context with specified id")]
                return [await self._evaluate(number, view, params)]
            case _:
                return [_error(number, -32601, f"'{method}' wasn't found")]

    async def _evaluate(
        self, number: object, view: WebView, params: dict[str, Any]
    ) -> dict[str, Any]:
        expression, world = str(params.get("expression")), self._phone.world
        world.record("script", self._app.package, expression)
        try:
            return _result(number, await evaluate(view, expression))
        except Terminated:
            await self._phone.clock.sleep(float(params.get("timeout", 0)))
            return _error(number, -32603, "Internal error")


def _result(number: object, result: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "result": result}


def _error(number: object, code: int, message: str) -> dict[str, Any]:
    return {"id": number, "error": {"code": code, "message": message}}
