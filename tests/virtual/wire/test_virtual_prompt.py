"""The prompt on the phone's screen when an unknown computer connects."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from wire_client import WireClient, connect, until

from handheld.adb import wire
from handheld.adb.keys import AdbKey, encode_public_key, generate_key
from handheld.screen.model import Flag, Node, Window
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.wire.authority import fingerprint
from handheld_virtual.wire.debugging_prompt import TITLE
from handheld_virtual.world import World


@pytest.fixture(scope="module")
def keys() -> list[AdbKey]:
    return [generate_key("me@here"), generate_key("you@there")]


@pytest.fixture
async def phone() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone(authorize=True) as phone:
        yield phone


async def knock(client: WireClient, phone: VirtualPhone, key: AdbKey) -> None:
    """Send an unknown key, and wait for the prompt."""
    before = len(phone.authority.waiting)
    await client.greet()
    client.send(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, encode_public_key(key.public))
    await until(lambda: len(phone.authority.waiting) > before)


async def is_in(client: WireClient) -> bool:
    answer = await client.receive()
    return answer is not None and answer.command == wire.CNXN


def prompts(world: World) -> list[Window]:
    return [window for window in world.automation.read_windows() if window.title == TITLE]


def node(world: World, id: str) -> Node:
    (prompt,) = prompts(world)
    return next(node for node in prompt.nodes if node.resource_id == id)


def tap(world: World, id: str) -> None:
    bounds = node(world, id).bounds
    x, y = (bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2
    world.touch("down", 0, x, y)
    world.touch("up", 0, x, y)


ALLOW, CANCEL = "android:id/button1", "android:id/button2"
ALWAYS = "android:id/alwaysUse"


@pytest.mark.slow
async def test_an_unknown_key_is_asked_about_on_the_screen(phone: VirtualPhone, keys: list[AdbKey]):
    assert prompts(phone.world) == []
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        (prompt,) = prompts(phone.world)
        assert (prompt.package, prompt.type, prompt.focused) == (
            "com.android.systemui",
            "SYSTEM",
            True,
        )
        assert [node.text for node in prompt.nodes if node.text] == [
            "Allow USB debugging?",
            f"The computer's RSA key fingerprint is:\n{fingerprint(keys[0].public)}",
            "Always allow from this computer",
            "Cancel",
            "Allow",
        ]
        assert not node(phone.world, ALWAYS).flags & Flag.CHECKED
    await until(lambda: not phone.authority.waiting)
    assert prompts(phone.world) == []


async def test_allow_authorizes_this_connection(phone: VirtualPhone, keys: list[AdbKey]):
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        tap(phone.world, ALLOW)
        assert await is_in(client)
        assert await client.shell("echo hi") == (b"hi\n", b"", 0)
        assert (prompts(phone.world), phone.allowed_keys) == ([], frozenset())
    async with connect(phone.port, greet=False) as again:
        await knock(again, phone, keys[0])


async def test_always_allowed_key_survives_a_reboot(phone: VirtualPhone, keys: list[AdbKey]):
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        tap(phone.world, ALWAYS)
        assert node(phone.world, ALWAYS).flags & Flag.CHECKED
        tap(phone.world, ALLOW)
        assert await is_in(client)
        phone.reboot()
        assert await client.receive() is None
    async with connect(phone.port, greet=False) as client:
        asked = await client.greet()
        assert asked is not None
        client.send(wire.AUTH, wire.AUTH_SIGNATURE, 0, keys[0].sign(asked.data))
        assert await is_in(client)


@pytest.mark.parametrize("refuse", ["cancel", "back"])
async def test_refused_computer_stays_unauthorized(
    phone: VirtualPhone, keys: list[AdbKey], refuse: str
):
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        tap(phone.world, ALWAYS)
        if refuse == "cancel":
            tap(phone.world, CANCEL)
        else:
            phone.world.press("back")
        assert (prompts(phone.world), phone.authority.waiting) == ([], ())
        assert phone.allowed_keys == frozenset()
        client.send(wire.OPEN, 1, 0, b"exec:true\0")
        assert await client.receive() is None


async def test_a_second_computer_waits_its_turn(phone: VirtualPhone, keys: list[AdbKey]):
    async with (
        connect(phone.port, greet=False) as first,
        connect(phone.port, greet=False) as second,
    ):
        await knock(first, phone, keys[0])
        await knock(second, phone, keys[1])
        assert fingerprint(keys[0].public) in (node(phone.world, "android:id/message").text or "")
        tap(phone.world, CANCEL)
        assert fingerprint(keys[1].public) in (node(phone.world, "android:id/message").text or "")
        tap(phone.world, ALLOW)
        assert await is_in(second)
        assert prompts(phone.world) == []


async def test_prompt_covers_every_app_and_takes_its_touches(
    phone: VirtualPhone, keys: list[AdbKey]
):
    world = phone.world
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        world.show("com.android.calculator2")
        (prompt,) = prompts(world)
        assert prompt.focused
        before = world.automation.seq
        world.touch("down", 0, world.width / 2, world.height * 0.9)
        world.touch("up", 0, world.width / 2, world.height * 0.9)
        assert world.automation.seq == before
        world.press("home")
        assert prompts(world) != []


async def test_decision_made_elsewhere_closes_the_prompt(phone: VirtualPhone, keys: list[AdbKey]):
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        phone.allow(keys[0].public)
        assert await is_in(client)
        assert prompts(phone.world) == []


async def test_late_answer_is_ignored(phone: VirtualPhone, keys: list[AdbKey]):
    async with connect(phone.port, greet=False) as client:
        await knock(client, phone, keys[0])
        bounds = node(phone.world, ALLOW).bounds
    await until(lambda: not phone.authority.waiting)
    phone.world.touch("down", 0, bounds.left + 5, bounds.top + 5)
    phone.world.touch("up", 0, bounds.left + 5, bounds.top + 5)
    await asyncio.sleep(0)
    assert phone.allowed_keys == frozenset()
