"""The virtual phone's DevTools, and the kernel's table that lists their sockets."""

import json
import re

import pytest
from phone_shell import new_phone, run

from handheld.adb.link import ServiceRefused
from handheld.driver.devtools.wire import BadAnswer, get
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.scenes.scene import Scene
from harness.phones import link_to
from harness.web_apps import SHOP, ShopApp


async def table(phone: VirtualPhone) -> list[str]:
    return (await run(phone, "cat /proc/net/unix"))[0].splitlines()


def listening(lines: list[str]) -> list[str]:
    return [line.split("@")[1] for line in lines if "_devtools_remote" in line]


async def test_the_table_has_the_sockets_of_apps_that_run_and_allow_it() -> None:
    phone = new_phone(34)
    phone.world.install(ShopApp)
    first, *lines = await table(phone)
    assert first == "Num       RefCount Protocol Flags    Type St Inode Path"
    shape = re.compile(r"[0-9a-f]{16}: [0-9A-F]{8} 0{8} 000[01]0000 0001 0[13] +\d+( \S+)?")
    assert all(map(shape.fullmatch, lines))
    assert listening(lines) == []
    phone.world.launch(SHOP)
    [pid] = phone.world.running.pids(SHOP)
    assert listening(await table(phone)) == [f"webview_devtools_remote_{pid}"]
    phone.world.running.kill(phone.world.apps[SHOP], "test")
    assert listening(await table(phone)) == []


async def test_a_scene_says_which_apps_let_their_pages_be_debugged() -> None:
    scene = Scene(web_debugging=("Browser",), open="Browser")
    phone = VirtualPhone.from_scene(scene)
    assert phone.world.web_debugging == {"com.android.browser"}
    assert len(listening(await table(phone))) == 1


async def test_devtools_answer_only_what_chromium_would() -> None:
    async with VirtualPhone() as phone, link_to(phone) as link:
        phone.world.install(ShopApp)
        phone.world.launch(SHOP)
        [name] = phone.devtools.sockets()

        async def fetch(path: str) -> bytes:
            stream = await link.open(f"localabstract:{name}")
            try:
                return await get(stream, path)
            finally:
                await stream.aclose()

        [page] = json.loads(await fetch("/json"))
        assert page["webSocketDebuggerUrl"] == f"ws://localhost/devtools/page/{page['id']}"
        assert json.loads(await fetch("/json/version"))["Android-Package"] == SHOP
        for path in ("/json/close", "/"):
            with pytest.raises(BadAnswer):
                await fetch(path)
        stream = await link.open(f"localabstract:{name}")
        await stream.write(b"GET /json HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert b" 500 " in await stream.read()
        await stream.aclose()
        stream = await link.open(f"localabstract:{name}")
        asked = f"GET /devtools/page/{page['id']} HTTP/1.1\r\nHost: localhost\r\n"
        asked += "Upgrade: websocket\r\nOrigin: https://evil.example\r\n\r\n"
        await stream.write(asked.encode())
        assert b" 403 " in await stream.read()
        await stream.aclose()
        phone.world.running.kill(phone.world.apps[SHOP], "test")
        with pytest.raises(ServiceRefused):
            await link.open(f"localabstract:{name}")
