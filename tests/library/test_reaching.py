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
from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.nats.certificates import make_authority, make_node
from handheld.library.connections import connect_address, split_url
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.tls import load_tls, self_signed
from handheld_virtual import VirtualPhone
from harness.passing_clock import PassingClock
from harness.patient_clock import PatientClock

TOKEN = "a-secret-token"


@pytest.fixture
async def fast() -> AsyncIterator[VirtualPhone]:
    """A virtual phone that waits for nothing; several programs use it."""
    async with VirtualPhone.from_scene(clock=PassingClock()) as phone:
        yield phone


@pytest.fixture
async def server(fast: VirtualPhone) -> AsyncIterator[str]:
    """The address of a server with that phone."""
    connection = await connect_address(fast.address, PatientClock())
    options = HttpOptions(port=0, token=TOKEN, agent=True)
    async with open_http(connection.surface, options) as address:
        yield address.url.removesuffix("/mcp")
    await connection.close()


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "url",
    [
        "http://[",
        "http://host:99999",
        "http://host:port",
        "http://a b",
        "http://me:secret@host",
        "http://host/mcp?phone=desk",
        "http://host#desk",
    ],
)
def test_addresses_that_would_not_be_used_as_given_are_refused(url: str) -> None:
    with pytest.raises(InvalidParams, match="is not the address of a server") as refused:
        Phone.remote(url)
    assert "secret" not in refused.value.message


async def test_a_token_goes_into_a_header_and_nothing_else_does(server: str) -> None:
    async with AsyncPhone.remote(server, f"{TOKEN}\n") as phone:  # as a file has it
        assert (await phone.look()).app
    for token in ("a\r\nX-Other: b", "tökén", "two words"):
        with pytest.raises(InvalidParams, match="The token has characters that no token can have"):
            AsyncPhone.remote(server, token)


async def test_what_is_wrong_with_a_certificate_is_told(fast: VirtualPhone, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    other, _ = self_signed(tmp_path / "other")
    connection = await connect_address(fast.address, PatientClock())
    options = HttpOptions(port=0, token=TOKEN, agent=True, tls=load_tls(certificate, key))
    async with open_http(connection.surface, options) as address:
        url = address.url.removesuffix("/mcp")
        async with AsyncPhone.remote(url, TOKEN, cert=certificate) as phone:
            assert (await phone.look()).app
        for cert in ("", other):
            with pytest.raises(ActionFailed, match=f"{url} has a certificate that is not trusted"):
                await AsyncPhone.remote(url, TOKEN, cert=cert).look()
        with pytest.raises(ActionFailed, match=r"127.0.0.1:\d+ does not answer"):
            await AsyncPhone.remote(url.replace("https", "http"), TOKEN).look()
    await connection.close()
    for file in (tmp_path / "none.pem", key):
        with pytest.raises(InvalidParams, match=f"{file} has no readable certificate"):
            AsyncPhone.remote("https://host", TOKEN, cert=file)


async def test_https_to_a_server_without_tls_is_told(server: str) -> None:
    with pytest.raises(ActionFailed, match="does not speak TLS as this program does"):
        await AsyncPhone.remote(server.replace("http:", "https:"), TOKEN).look()


@pytest.mark.slow
async def test_a_certificate_stands_for_its_server_and_an_authority_for_the_names_it_signed(
    fast: VirtualPhone, tmp_path: Path
) -> None:
    now = SYSTEM_CLOCK.time()
    authority, signer = make_authority(now)
    files: dict[str, Path] = {}
    for name, names in (("ours", ["127.0.0.1"]), ("theirs", ["example.com"])):
        certificate, key = make_node(authority, signer, names, now)
        files[name] = tmp_path / f"{name}.pem"
        files[name].write_bytes(certificate + authority)  # with its chain, as servers have it
        files[name].with_suffix(".key").write_bytes(key)
    files["authority"] = tmp_path / "authority.pem"
    files["authority"].write_bytes(authority)
    connection = await connect_address(fast.address, PatientClock())

    async def trusts(cert: str, served: str) -> bool:
        tls = load_tls(files[served], files[served].with_suffix(".key"))
        options = HttpOptions(port=0, token=TOKEN, agent=True, tls=tls)
        async with open_http(connection.surface, options) as address:
            try:
                async with AsyncPhone.remote(address.url, TOKEN, cert=files[cert]):
                    return True
            except ActionFailed as problem:
                return "is not trusted" not in problem.message

    assert await trusts("ours", "ours")
    assert await trusts("theirs", "theirs"), "whatever its name"
    assert not await trusts("ours", "theirs"), "another of the same authority"
    assert await trusts("authority", "ours")
    assert not await trusts("authority", "theirs")
    await connection.close()


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
