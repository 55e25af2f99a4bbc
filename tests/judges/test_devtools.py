"""DevTools judged from both sides: our client reads and scripts pages of Debian's Chromium, which
stands behind a virtual phone's socket; and Node's own HTTP and WebSocket clients talk to the
virtual phone's DevTools."""

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from judging import NODE_TOOLS, need

from handheld.adb.link import AdbError, ByteStream
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, TimedOut, ToolError
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.tools.main.web import web, web_scripts
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.streams import Duplex
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import link_to
from harness.polling import HANG, until, until_true
from harness.web_apps import SHOP, ShopApp

HOSTILE = """\
JSON.stringify = () => '{"url":"https://bank.example/","title":"t","parts":["forged"],"matches":1}';
String.prototype.slice = () => "forged";
document.querySelectorAll = () => [{innerText: "forged"}];
Object.defineProperty(Document.prototype, "title", {get: () => "forged"});
var bought = 0;
"""
PAGE = f"""<!doctype html><html><head><title>The cart</title><script>{HOSTILE}</script></head><body>
<h1 id=top>Your cart</h1><p class=row>Two <b>red</b> apples, <a href=/edit>change</a>.</p>
<p class=row>Ünïcode 😀 \u202e!</p><p style="display: none">hidden</p>
<div style="margin-top: 9000px">far below</div><iframe src=/inner></iframe>
<form name=querySelectorAll>form</form><img name=title><form name=body></form>
<form name=documentElement id=asking><input name=innerText><input name=textContent>asked</form>
</body></html>"""
"""Elements with the names of what a document and a form have stand in their place."""
STRICT = (
    "default-src 'none'; script-src 'unsafe-inline'; frame-src 'self'; style-src 'unsafe-inline'"
)
"""Without eval: DevTools may run scripts all the same."""


@contextlib.asynccontextmanager
async def open_server(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
) -> AsyncGenerator[int]:
    """Yield the port. Every connection is closed at the end: browsers and clients leave some in the
    middle, and connect ahead of what they may need."""
    connections: list[tuple[asyncio.Task[None], asyncio.StreamWriter]] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append((asyncio.ensure_future(take(reader, writer)), writer))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task, _ in connections:
            task.cancel()
        await asyncio.gather(*(task for task, _ in connections), return_exceptions=True)
        for _, writer in connections:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A site with one page, and another behind /inner."""
    head = await reader.readuntil(b"\r\n\r\n")
    body = b"<p>inside" if b" /inner " in head else PAGE.encode()
    lines = (
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Security-Policy: {STRICT}",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    writer.write("\r\n".join((*lines, "", "")).encode() + body)
    await writer.drain()


@contextlib.asynccontextmanager
async def open_chromium(home: Path, url: str) -> AsyncGenerator[int]:
    """Yield the port of its DevTools."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("chromium is not here. Install it: bash .ci/run")
    flags = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--disable-sync", "--remote-debugging-port=0", f"--user-data-dir={home}"),
    )
    process = await asyncio.create_subprocess_exec(
        program,
        *flags,
        url,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        told = home / "DevToolsActivePort"
        await until(
            lambda: (
                process.returncode is not None
                or (told.exists() and told.read_text(encoding="ascii").strip())
            )
        )
        assert process.returncode is None
        yield int(told.read_text(encoding="ascii").split()[0])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def towards(port: int) -> Any:
    """Lead a socket of the phone to Chromium."""

    async def serve(peer: Duplex) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def there() -> None:
            while data := await peer.read():
                writer.write(data)
                await writer.drain()

        async def back() -> None:
            while data := await reader.read(65536):
                await peer.write(data)

        pumps = [asyncio.ensure_future(there()), asyncio.ensure_future(back())]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            writer.close()

    return serve


class Judged:
    def __init__(self, surface: LocalSurface, site: str) -> None:
        self._surface = surface
        self.site = site

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        [item] = await self._surface.call(f"android_{name}", arguments, Caller("judge"))
        assert isinstance(item, str)
        return json.loads(item)

    async def failure(self, name: str, **arguments: Any) -> ToolError:
        with pytest.raises(ToolError) as failed:
            await self.call(name, **arguments)
        return failed.value

    async def page(self) -> str:
        """The id of the site's page, once it has loaded."""
        found: list[str] = []

        async def has_loaded() -> bool:
            for each in (await self.call("list_web_pages"))["pages"]:
                if each["url"].startswith(self.site) and each["title"] == "The cart":
                    found.append(each["page_id"])
            return bool(found)

        await until_true(has_loaded)
        return found[0]


@pytest.fixture
async def judged(tmp_path: Path) -> AsyncGenerator[Judged]:
    async with (
        open_server(answer) as served,
        open_chromium(tmp_path, site := f"http://127.0.0.1:{served}/") as port,
        VirtualPhone() as device,
    ):
        device.world.install(ShopApp)
        device.world.launch(SHOP)
        [name] = device.devtools.sockets()
        device.sockets.listen(f"localabstract:{name}", towards(port))
        async with link_to(device) as link:
            phone = Phone("virtual", FallbackDriver(HelperClient(link)))
            options = SurfaceOptions(policy=ALL_ON)
            yield Judged(LocalSurface((web, web_scripts), OnePhone(phone), options), site)
            await phone.aclose()


@pytest.mark.needs_browser
async def test_pages_of_chromium_are_listed_read_and_scripted(judged: Judged) -> None:
    id = await judged.page()
    [listed] = [
        each for each in (await judged.call("list_web_pages"))["pages"] if each["page_id"] == id
    ]
    assert (listed["package_id"], listed["url"]) == (SHOP, judged.site)

    # What the page has put in place of the browser's own functions is not used.
    read = await judged.call("read_web_page", page_id=id)
    assert read["title"] == "The cart"
    assert read["url"] == judged.site
    assert read["text"].startswith("Your cart\n\nTwo red apples, change.\n\nÜnïcode 😀 ⟨U+202E⟩!")
    assert "far below" in read["text"]
    assert "hidden" not in read["text"]
    assert "forged" not in json.dumps(read)
    asked = await judged.call("read_web_page", page_id=id, selector="#asking")
    assert asked["text"] == "asked"
    assert (read["frames"], read["truncated"]) == (1, False)

    rows = await judged.call("read_web_page", page_id=id, selector="p.row > b, a")
    assert (rows["text"], rows["matches"]) == ("red\nchange", 2)
    cut = await judged.call("read_web_page", page_id=id, max_chars=9)
    assert (cut["text"], cut["truncated"]) == ("Your cart", True)
    wrong = await judged.failure("read_web_page", page_id=id, selector="p[")
    assert type(wrong) is InvalidParams
    assert (
        type(await judged.failure("read_web_page", page_id=id, selector="nav")) is ElementNotFound
    )

    async def run(script: str, **more: Any) -> tuple[str, str]:
        told = await judged.call("run_web_script", page_id=id, script=script, **more)
        return told["type"], told["value"]

    assert await run("bought += 1; bought") == ("number", "1")
    assert await run("bought") == ("number", "1")
    assert await run("[1, {a: null}]") == ("object", '[1,{"a":null}]')
    assert await run("Promise.resolve('later')") == ("string", '"later"')
    assert await run("undefined") == ("undefined", "undefined")
    assert await run("NaN") == ("number", "NaN")
    assert await run("eval('1 + 1')") == ("number", "2")
    threw = await judged.failure("run_web_script", page_id=id, script="throw new Error('no')")
    assert (threw.message, *threw.details) == ("The script threw:", "Error: no")
    unwritable = await judged.failure("run_web_script", page_id=id, script="window")
    assert unwritable.message == (
        f"{SHOP} did not report the result: Object reference chain is too long. The script may"
        " or may not have run."
    )
    late = await judged.failure("run_web_script", page_id=id, script="while (true) {}", timeout=300)
    assert type(late) is TimedOut
    assert late.message.endswith("The script may or may not have run.")
    assert await run("bought") == ("number", "1")
    left = await judged.failure(
        "run_web_script", page_id=id, script="location.reload(); new Promise(() => {})"
    )
    assert type(left) is ActionFailed
    assert left.message == (
        f"Web page {id} loaded another document. The script may or may not have run."
    )


@pytest.mark.needs_browser
async def test_an_id_does_not_follow_a_page_of_chromium_to_another_site(judged: Judged) -> None:
    id = await judged.page()
    await judged.call("run_web_script", page_id=id, script="location.href = 'about:blank'; 1")

    async def is_gone() -> bool:
        return judged.site not in json.dumps(await judged.call("list_web_pages"))

    await until_true(is_gone)
    for name, more in (("read_web_page", {}), ("run_web_script", {"script": "1"})):
        moved = await judged.failure(name, page_id=id, **more)
        assert type(moved) is ElementNotFound
        assert "no longer shows its listed site" in moved.message


@pytest.mark.needs_node
async def test_nodes_own_clients_speak_to_the_virtual_phones_devtools() -> None:
    node = NODE_TOOLS / "node_modules" / ".bin" / "node"
    need(node, "Install it: make node-tools")
    async with VirtualPhone() as device, link_to(device) as link:
        device.world.install(ShopApp)
        device.world.launch(SHOP)
        [name] = device.devtools.sockets()

        async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            stream: ByteStream = await link.open(f"localabstract:{name}")

            async def there() -> None:
                while data := await reader.read(65536):
                    await stream.write(data)

            pump = asyncio.ensure_future(there())
            try:
                with contextlib.suppress(ConnectionError, AdbError):
                    while data := await stream.read():
                        writer.write(data)
                        await writer.drain()
            finally:
                pump.cancel()
                await asyncio.gather(pump, return_exceptions=True)
                await stream.aclose()

        async with open_server(forward) as port:
            process = await asyncio.create_subprocess_exec(
                str(node),
                str(NODE_TOOLS / "devtools.mjs"),
                str(port),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=sys.stderr,
            )
            async with asyncio.timeout(HANG):
                output, _ = await process.communicate()
    assert process.returncode == 0
    found = json.loads(output)
    assert found["package"] == SHOP
    assert found["page"] == ["Cart", "page"]
    assert found["value"] == {"type": "string", "value": "Cart"}
    assert found["context"] is True
    assert found["unknown"] == -32601
    assert found["long"] == 200_000
