"""The ways to a phone: a running server, and the phone that a command would use."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handheld import (
    ActionFailed,
    AsyncPhone,
    ElementNotFound,
    InvalidParams,
    PermissionDenied,
    Phone,
    TimedOut,
    ToolError,
)
from handheld.audit import AuditReader
from handheld.library.connections import connect_address, split_url
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.virtual import RealClock, VirtualPhone

TOKEN = "a-secret-token"


@pytest.fixture
async def fast() -> AsyncIterator[VirtualPhone]:
    """A virtual phone in a hurry: its time is real, since several programs use it."""
    async with VirtualPhone.from_scene(clock=RealClock(20)) as phone:
        yield phone


@pytest.fixture
async def server(fast: VirtualPhone) -> AsyncIterator[str]:
    """The address of a server with that phone."""
    connection = await connect_address(fast.address)
    options = HttpOptions(port=0, token=TOKEN, agent=True)
    async with open_http(connection.surface, options) as address:
        yield address.url.removesuffix("/mcp")
    await connection.close()


async def test_a_phone_of_a_server_is_used_with_a_token(server: str) -> None:
    async with AsyncPhone.remote(f"{server}/mcp/agent", TOKEN) as phone:
        assert (await phone.open("Settings")).startswith('Opened "Settings".')
        screen = await phone.look(picture="clean")
        assert screen.app == "com.android.settings"
        assert screen.picture is not None
        assert (await phone.call("get_screen_state"))[0]
        with pytest.raises(ElementNotFound, match='No "Nothing" is visible') as failed:
            await phone.tap("Nothing")
        assert failed.value.code == -32002
        with pytest.raises(TimedOut, match="Call wait again"):
            await phone.wait("Nothing", seconds=0)
        with pytest.raises(InvalidParams, match=r"^tap needs at"):
            await phone.tap(None)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidParams, match="There is no tool 'android_nothing' here"):
            await phone.call("nothing")

    def plainly() -> str:
        with Phone.remote(server, TOKEN) as phone:
            return phone.look().app

    assert await asyncio.to_thread(plainly) == "com.android.settings"


async def test_a_server_that_refuses_or_is_not_there_is_told_at_once(server: str) -> None:
    with pytest.raises(PermissionDenied, match=f"The server at {server} does not take this token"):
        await AsyncPhone.remote(server, "another").look()
    with pytest.raises(ToolError, match="No phone here is called 'desk'"):
        await AsyncPhone.remote(server, TOKEN, phone="desk").look()
    gone = AsyncPhone.remote("http://127.0.0.1:1", TOKEN)
    with pytest.raises(ActionFailed, match=r"127.0.0.1:1 does not answer. Nothing was done"):
        await gone.look()
    await gone.close()


@pytest.mark.parametrize(
    ("url", "address", "phone"),
    [
        ("http://host:8080", "http://host:8080", ""),
        ("http://host:8080/", "http://host:8080", ""),
        ("https://host/mcp", "https://host", ""),
        ("https://host/mcp/agent", "https://host", ""),
        ("http://host/phones/desk", "http://host", "desk"),
        ("http://host/phones/192.168.1.2%3A5555/mcp/agent", "http://host", "192.168.1.2:5555"),
    ],
)
def test_addresses_are_taken_as_servers_print_them(url: str, address: str, phone: str) -> None:
    assert split_url(url) == (address, phone)


async def test_a_chosen_phone_is_used_as_a_command_uses_it(
    fast: VirtualPhone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    (tmp_path / "handheld.toml").write_text('tools.off = ["phone_message"]\n', encoding="utf-8")
    async with AsyncPhone(fast.address) as phone:
        assert (await phone.press("home")).startswith("Pressed home")
        with pytest.raises(InvalidParams, match="There is no tool 'message' here"):
            await phone.message("+1", "off in the settings")
        with pytest.raises(ActionFailed, match="has opened this phone already"):
            await AsyncPhone(fast.address).look()
    reader = AuditReader(tmp_path / "state" / "audit" / "calls.sqlite")
    recorded = [(entry.tool, entry.transport, entry.state) for entry in reader.entries()]
    reader.close()
    assert ("phone_press", "library", "done") in recorded
    async with AsyncPhone(fast.address) as again:
        assert (await again.look()).app == "com.android.launcher3"


async def test_a_phone_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    phone = AsyncPhone("127.0.0.1:1")
    with pytest.raises(ActionFailed, match=r"127\.0\.0\.1:1"):
        await phone.look()
    await phone.close()
    (tmp_path / "handheld.toml").write_text("nothing = 1\n", encoding="utf-8")
    other = AsyncPhone("127.0.0.1:1")
    with pytest.raises(InvalidParams, match="nothing"):
        await other.look()
    await other.close()
