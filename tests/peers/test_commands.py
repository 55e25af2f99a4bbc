"""What other people's programs send, sent again: the phone knows all of it, and answers with what
they look for."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator

import pytest
from peering import COMMANDS

from handheld.adb.direct import DirectLink
from handheld.adb.wire import SHELL_EXIT, SHELL_STDERR, SHELL_STDOUT, ShellDecoder
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.releases import DEFAULT_API
from harness.phones import link_to
from harness.polling import HANG

NOT_FOUND = 127


@pytest.mark.parametrize(
    ("peer", "api"),
    sorted(
        {
            (name, each.get("api", DEFAULT_API))
            for name in COMMANDS
            for each in COMMANDS[name]["commands"]
        }
    ),
)
@pytest.mark.matrix
async def test_the_phone_answers_what_a_peer_sends_with_what_it_looks_for(
    peer: str, api: int
) -> None:
    failed: list[str] = []
    async with _connected(VirtualPhone(api=api)) as link:
        for command in COMMANDS[peer]["commands"]:
            if command.get("api", DEFAULT_API) != api:
                continue
            service = command["service"]
            text, code = await _ask(link, service)
            wanted = command.get("code", 0)
            known = wanted == NOT_FOUND or "inaccessible or not found" not in text
            if code != wanted or not known or not re.search(command.get("reads", ""), text):
                failed.append(f"{service}\n  {code}: {text[:300]!r}")
    assert not failed, "\n".join(failed)


def test_a_command_that_is_not_found_has_a_reason() -> None:
    commands = [command for peer in COMMANDS.values() for command in peer["commands"]]
    assert [each for each in commands if each.get("code") and not each.get("why")] == []


@contextlib.asynccontextmanager
async def _connected(phone: VirtualPhone) -> AsyncGenerator[DirectLink]:
    async with phone, link_to(phone) as link:
        yield link


async def _ask(link: DirectLink, service: str) -> tuple[str, int]:
    """What a program printed, the complaints of one with an exit code left out, and that code."""
    async with asyncio.timeout(HANG):
        stream = await link.open(service)
        try:
            said = bytearray()
            while data := await stream.read():
                said += data
        finally:
            await stream.aclose()
    if not service.startswith("shell,v2"):
        return said.decode(errors="replace"), 0
    packets = list(ShellDecoder().feed(bytes(said)))
    codes = [data[0] for id, data in packets if id == SHELL_EXIT]
    assert len(codes) == 1, packets
    text = b"".join(data for id, data in packets if id == SHELL_STDOUT)
    complaints = b"".join(data for id, data in packets if id == SHELL_STDERR)
    return (text or complaints).decode(errors="replace"), codes[0]


async def test_a_notification_is_told_with_its_words_where_they_are_asked_for() -> None:
    phone = VirtualPhone()
    async with _connected(phone) as link:
        phone.world.notify("com.android.calculator2", "Sum", "12 (a dozen)")
        plain, _ = await _ask(link, "shell,v2,raw:dumpsys notification --noredact")
        redacted, _ = await _ask(link, "shell,v2,raw:dumpsys notification")
    assert re.findall(r"NotificationRecord\(.*?pkg=(\S+)", plain) == ["com.android.calculator2"]
    assert re.findall(r"android\.\w+=.*", plain) == [
        "android.title=String (Sum)",
        "android.text=String (12 (a dozen))",
    ]
    assert re.findall(r"android\.\w+=.*", redacted) == [
        "android.title=String [length=3]",
        "android.text=String [length=12]",
    ]
