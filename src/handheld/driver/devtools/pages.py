"""Web pages through DevTools, the debugging interface of Chromium and WebView. An app that allows
debugging of its pages opens a socket, which adb reaches without a forward.

Page and app are untrusted: their answers are limited in size, count and time, and checked before
use. A page is read by a script in an isolated world, whose functions the page cannot replace.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

from ...adb.link import AdbError, Link, NoAnswer, ServiceRefused
from ...helper.protocol import Happened
from ...helper.session import HelperLost
from ..by_adb.commands import Commands
from ..web import PageFailed, PageProblem, PageText, ScriptResult, WebPage, WebPages, is_same_site
from .answers import MOST_TEXT, read_json, read_package, read_pages, read_text
from .session import READ_SECONDS, DevToolsSession
from .sockets import DevToolsSocket, DevToolsSockets, find_inode, find_sockets
from .wire import BadAnswer, Ended, TooLarge, WebSocket, get

LIST_SECONDS = 5.0
"""The time limit for an app to list its pages; an app that Android has frozen never does."""
SLACK_SECONDS = 5.0

READ = """\
(function (selector, most) {
  var found = {url: String(location.href), title: String(document.title), parts: []}, roots;
  try {
    roots = selector === null ? [document.body || document.documentElement]
      : document.querySelectorAll(selector);
  } catch (problem) {
    found.problem = String(problem.message);
    return JSON.stringify(found);
  }
  // A form's inputs stand in place of what it has by their names; getters are not asked by name.
  var shown = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "innerText").get,
    whole = Object.getOwnPropertyDescriptor(Node.prototype, "textContent").get, length = 0;
  found.matches = roots.length;
  found.frames = document.querySelectorAll("iframe, frame").length;
  for (var at = 0; at < roots.length && length <= most; at++) {
    var root = roots[at], read = root instanceof HTMLElement ? shown : whole,
      text = String(root && read.call(root) || "").slice(0, most + 1 - length);
    found.parts.push(text);
    length += text.length + 1;
  }
  return JSON.stringify(found);
})"""
"""Called with a selector or null, and the maximum number of UTF-16 units."""


class DevTools:
    def __init__(self, link: Link) -> None:
        self._link = link
        self._commands = Commands(link)

    async def pages(self) -> WebPages:
        """Raises AdbError."""
        found = await find_sockets(self._commands)
        listed = await asyncio.gather(*(self._list(found, socket) for socket in found.sockets))
        return WebPages(
            tuple(page for one in listed for page in one.pages),
            frozenset(package for one in listed for package in one.packages),
            tuple(dict.fromkeys(one.packages[0] for one in listed if one.silent and one.packages)),
            tuple(
                socket.name
                for socket, one in zip(found.sockets, listed, strict=True)
                if one.silent and not one.packages
            ),
            found.unasked,
            found.hidden,
        )

    async def _list(self, found: DevToolsSockets, socket: DevToolsSocket) -> "_Listed":
        packages, silent = socket.packages, False
        pages: tuple[WebPage, ...] = ()
        try:
            async with self._link.clock.timeout(LIST_SECONDS):
                if not socket.pid:
                    packages = found.apps.running(await self._ask_package(socket.name))
                if packages:
                    data = await self._get(socket.name, "/json/list")
                    pages = read_pages(data, socket._replace(packages=packages))
        except (TimeoutError, Ended, BadAnswer, AdbError):
            silent = True
        return _Listed(pages, packages, silent)

    async def _ask_package(self, socket: str) -> str:
        """Return the package name that an app reports. Raises BadAnswer, Ended, AdbError."""
        return read_package(await self._get(socket, "/json/version"))

    async def _get(self, socket: str, path: str) -> bytes:
        stream = await self._link.open(f"localabstract:{socket}")
        try:
            return await get(stream, path)
        finally:
            await stream.aclose()

    async def read(self, page: WebPage, selector: str | None, most: int) -> PageText:
        """Raises PageFailed, AdbError."""
        async with self._session(page, READ_SECONDS) as session:
            call = f"{READ}({json.dumps(selector)}, {most})"
            answer = await session.evaluate(call, await session.own_world())
            told = read_json(answer.value) if answer.type == "string" else None
            found = read_text(read_json(told) if isinstance(told, str) else None, most)
        if not is_same_site(found.url, page.url):
            raise PageFailed(PageProblem.MOVED)
        return found

    async def run(self, page: WebPage, script: str, timeout_ms: int) -> ScriptResult:
        """Raises PageFailed, AdbError, HelperLost."""
        async with self._session(page, timeout_ms / 1000 + SLACK_SECONDS) as session:
            # A context belongs to one document: if the page loads another, nothing runs in it.
            context = await session.main_world()
            address = await session.evaluate("location.href", context)
            url = read_json(address.value) if address.type == "string" else None
            # Cut to the length of the address that it is compared with.
            if not isinstance(url, str) or not is_same_site(url := url[:MOST_TEXT], page.url):
                raise PageFailed(PageProblem.MOVED)
            session.sent = True
            answer = await session.evaluate(script, context, timeout_ms=timeout_ms)
        return ScriptResult(url, answer.type, answer.value)

    @asynccontextmanager
    async def _session(self, page: WebPage, seconds: float) -> "AsyncGenerator[DevToolsSession]":
        """Connect to the page, which is the listed one if its app's socket is still the same.
        Failures inside the block become PageFailed, or HelperLost if the connection to the phone
        was lost after a script was sent."""
        session: DevToolsSession | None = None
        path = f"/devtools/page/{page.id}"
        try:
            async with self._link.clock.timeout(seconds):
                stream = await self._link.open(f"localabstract:{page.socket}")
                try:
                    # Checked after connecting: a name has one socket at a time, and this one
                    # existed before.
                    if await find_inode(self._commands, page.socket) != page.inode:
                        raise PageFailed(PageProblem.GONE)
                    try:
                        session = DevToolsSession(await WebSocket.open(stream, path))
                    except BadAnswer:
                        raise PageFailed(await self._explain_refusal(page)) from None
                    yield session
                finally:
                    await stream.aclose()
        except PageFailed as failure:
            failure.may_have_run |= session is not None and session.sent
            raise
        except (TimeoutError, NoAnswer):
            raise _failed(PageProblem.SILENT, session) from None
        except TooLarge:
            raise _failed(PageProblem.TOO_LARGE, session) from None
        except BadAnswer:
            raise _failed(PageProblem.UNUSUAL, session) from None
        except (Ended, ServiceRefused):
            raise _failed(PageProblem.GONE, session) from None
        except AdbError as problem:
            if session is not None and session.sent:
                raise HelperLost(str(problem), Happened.MAYBE) from problem
            raise

    async def _explain_refusal(self, page: WebPage) -> PageProblem:
        """Return why the connection to a page failed: it is gone, or another program debugs it."""
        try:
            data = await self._get(page.socket, "/json/list")
        except (BadAnswer, Ended):
            return PageProblem.UNUSUAL
        socket = DevToolsSocket(page.socket, page.inode, 0, page.packages)
        still = any(each.id == page.id for each in read_pages(data, socket))
        return PageProblem.TAKEN if still else PageProblem.GONE


class _Listed(NamedTuple):
    pages: tuple[WebPage, ...]
    packages: tuple[str, ...]
    silent: bool


def _failed(problem: PageProblem, session: DevToolsSession | None) -> PageFailed:
    return PageFailed(problem, may_have_run=session is not None and session.sent)
