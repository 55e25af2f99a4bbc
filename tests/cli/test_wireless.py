"""`handheld connect`, `pair` and `disconnect` with every answer of an adb server."""

import argparse
import asyncio
import io
import sys
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.ports import keep_port

from cli.fake_adb import FakeAdbServer, fake_adb
from cli.program import ADB_ALONE, Home, need_adb
from handheld.cli.arguments import parse
from handheld.cli.commands.wireless import connect, disconnect, full_address, pair
from handheld.errors import ToolError
from handheld.settings import SettingsError, load
from handheld.settings.editing import ConfigFile
from handheld_virtual.phone import VirtualPhone

BOX = "192.168.1.20:5555"
COMMANDS = {"connect": connect, "pair": pair, "disconnect": disconnect}


@pytest.fixture
async def adb() -> AsyncIterator[FakeAdbServer]:
    async with fake_adb() as server:
        yield server


async def run(adb: FakeAdbServer, home: Path, *words: str) -> int:
    given: argparse.Namespace = parse(list(words))
    environment = {"HANDHELD_HOME": str(home), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
    return await COMMANDS[given.command](given, load(vars(given), environment))


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("box", "box:5555"),
        ("192.168.1.20", BOX),
        ("192.168.1.20:37099", "192.168.1.20:37099"),
        ("[fe80::1]", "[fe80::1]:5555"),
        ("[fe80::1]:37099", "[fe80::1]:37099"),
        ("fe80::1", ""),
        ("fe80::1:5555", ""),
        ("box:", ""),
        ("box:0", ""),
        ("box:99999", ""),
        ("", ""),
        ("a b", ""),
        ("a,b", ""),
    ],
)
def test_an_address_without_a_port_gets_adbs_default(text: str, full: str) -> None:
    assert full_address(text) == full


# connect


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (f"connected to {BOX}", f"{BOX} is connected.\n"),
        (f"already connected to {BOX}", f"{BOX} was already connected.\n"),
    ],
)
async def test_a_phone_is_connected(
    adb: FakeAdbServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str, output: str
) -> None:
    adb.answers[f"host:connect:{BOX}"] = answer
    adb.show(f"{BOX} device product:p model:M transport_id:1")
    assert await run(adb, tmp_path, "connect", "192.168.1.20") == 0
    assert capsys.readouterr() == (output, f"To use it: handheld serve --phone {BOX}\n")
    assert not (tmp_path / "handheld.toml").exists()


@pytest.mark.parametrize(
    ("answer", "state", "output"),
    [
        (
            "failed to connect to '192.168.1.20:5555': Connection refused",
            "",
            "The machine at 192.168.1.20:5555 is there, but no phone listens on that port. "
            "“Developer options > Wireless debugging” shows its address and port",
        ),
        (
            "failed to connect to '192.168.1.20:5555': Connection timed out",
            "",
            "Nothing answers at 192.168.1.20:5555. Is the phone on, and in the same Wi-Fi",
        ),
        (
            "failed to connect to '192.168.1.20:5555': No route to host",
            "",
            "Nothing answers at 192.168.1.20:5555.",
        ),
        (
            "failed to resolve host: '192.168.1.20': Name or service not known",
            "",
            "No computer is called 192.168.1.20: check the name",
        ),
        (
            "failed to connect to 192.168.1.20:5555",
            "",
            "must be paired once: handheld pair HOST:PORT",
        ),
        (
            "failed to authenticate to 192.168.1.20:5555",
            "",
            "The phone 192.168.1.20:5555 has not allowed this computer yet",
        ),
        (
            "connected to 192.168.1.20:5555",
            "unauthorized",
            "The phone 192.168.1.20:5555 has not allowed this computer yet",
        ),
        ("it rains", "", "The adb server cannot connect to 192.168.1.20:5555: it rains."),
        (
            "FAILunknown host service",
            "",
            "The adb server refused 'host:connect:192.168.1.20:5555': unknown host service.",
        ),
    ],
)
async def test_each_failed_connect_suggests_what_to_do(
    adb: FakeAdbServer, tmp_path: Path, answer: str, state: str, output: str
) -> None:
    adb.answers[f"host:connect:{BOX}"] = answer
    if state:
        adb.show(f"{BOX} {state} transport_id:1")
    with pytest.raises(ToolError) as caught:
        await run(adb, tmp_path, "connect", BOX)
    assert output in caught.value.message


async def test_save_adds_the_phone_to_the_file(
    adb: FakeAdbServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    adb.answers[f"host:connect:{BOX}"] = f"connected to {BOX}"
    adb.show(f"{BOX} device transport_id:1")
    assert await run(adb, tmp_path, "connect", BOX, "--save") == 0
    assert f"Added to {tmp_path / 'handheld.toml'}.\n" in capsys.readouterr().out
    assert load({}, {"HANDHELD_HOME": str(tmp_path)}).phones == (BOX,)


@pytest.mark.parametrize(
    "before", ["", "port = 9", "port = 9\n", '[phones.R58M]\nslug = "one"\n', "# Mine.\n"]
)
def test_saving_adds_a_table_and_keeps_what_was_there(tmp_path: Path, before: str) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    file = tmp_path / "handheld.toml"
    if before:
        file.write_text(before, encoding="utf-8")
    config = ConfigFile(load({}, environment), environment)
    assert config.add_phone("[fe80::1]:5")
    assert config.add_phone(BOX)
    assert not config.add_phone(BOX)
    after = file.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert [*tomllib.loads(after)["phones"]][-2:] == ["[fe80::1]:5", BOX]
    assert load({}, environment).phones[-1] == BOX


@pytest.mark.parametrize("before", ["phones = {}\n", "phones = 5\n", "not toml", "[phones"])
def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path, before: str) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    config = ConfigFile(load({}, environment), environment)
    file = tmp_path / "handheld.toml"
    file.write_text(before, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"cannot be added to .* Add this line to it yourself"):
        config.add_phone(BOX)
    assert file.read_text(encoding="utf-8") == before


def test_the_file_is_replaced_atomically_when_a_phone_is_added(tmp_path: Path) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    file = tmp_path / "handheld.toml"
    file.write_text("port = 9\n", encoding="utf-8")
    with file.open(encoding="utf-8") as reader:
        assert ConfigFile(load({}, environment), environment).add_phone(BOX)
        assert reader.read() == "port = 9\n"
    assert load({}, environment).phones == (BOX,)


# pair

PAIRED = "Successfully paired to 192.168.1.20:41233 [guid=adb-R58M-abcdef]"


async def test_a_phone_is_paired(
    adb: FakeAdbServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adb.answers["host:pair:123456:192.168.1.20:41233"] = PAIRED
    assert await run(adb, tmp_path, "pair", "192.168.1.20:41233", "123456") == 0
    assert capsys.readouterr() == (
        "Paired with 192.168.1.20:41233, which is adb-R58M-abcdef.\n",
        "Now connect, to the port that the phone shows under Wireless debugging: "
        "handheld connect 192.168.1.20:PORT\n",
    )


async def test_the_code_may_be_piped_in(
    adb: FakeAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adb.answers["host:pair:123456:192.168.1.20:41233"] = PAIRED
    monkeypatch.setattr(sys, "stdin", io.StringIO("123456\n"))
    assert await run(adb, tmp_path, "pair", "192.168.1.20:41233") == 0


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (
            "Failed: Wrong password or connection was dropped.",
            "192.168.1.20:41233 did not accept the code. The phone shows a new code each time",
        ),
        ("Failed: Unable to start pairing client.", "Unable to start pairing client. Keep “Pair"),
        ("FAILunknown host service", "cannot pair: pairing needs adb 30. Install newer platform"),
        ("FAILout of luck", "The adb server refused to pair: out of luck."),
    ],
)
async def test_each_failed_pairing_suggests_what_to_do_and_hides_the_code(
    adb: FakeAdbServer, tmp_path: Path, answer: str, output: str
) -> None:
    adb.answers["host:pair:654321:192.168.1.20:41233"] = answer
    with pytest.raises(ToolError) as caught:
        await run(adb, tmp_path, "pair", "192.168.1.20:41233", "654321")
    assert output in caught.value.message
    assert "654321" not in caught.value.message
    assert "654321" not in repr(caught.value.__cause__)


@pytest.mark.parametrize(
    "words",
    [("192.168.1.20", "1"), ("192.168.1.20:41233", "12:34"), ("192.168.1.20:41233", "12 34")],
)
async def test_an_invalid_pairing_request_is_not_sent(
    adb: FakeAdbServer, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert await run(adb, tmp_path, "pair", *words) == 2
    assert adb.requests == []


# disconnect


async def test_a_phone_is_disconnected(
    adb: FakeAdbServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adb.answers[f"host:disconnect:{BOX}"] = f"disconnected {BOX}"
    assert await run(adb, tmp_path, "disconnect", "192.168.1.20") == 0
    assert capsys.readouterr().out == f"{BOX} is disconnected.\n"
    adb.answers[f"host:disconnect:{BOX}"] = f"FAILno such device '{BOX}'"
    with pytest.raises(ToolError, match="is not connected"):
        await run(adb, tmp_path, "disconnect", BOX)


# Debian's adb, which is 29: it connects and cannot pair.


@pytest.mark.needs_adb
async def test_debians_adb_connects_disconnects_and_cannot_pair(tmp_path: Path) -> None:
    home = Home(tmp_path, keep_port())
    adb = need_adb()
    environment = {**home.environment, "PATH": str(Path(adb).parent), **ADB_ALONE}

    async def handheld(*words: str) -> tuple[str, str, int | None]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "handheld", *words),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return out.decode(), err.decode(), process.returncode

    async with VirtualPhone() as phone:
        address = f"127.0.0.1:{phone.port}"
        try:
            assert await handheld("connect", address) == (
                f"{address} is connected.\n",
                f"To use it: handheld serve --phone {address}\n",
                0,
            )
            assert (await handheld("connect", address))[0] == f"{address} was already connected.\n"
            assert address in (await handheld("phones"))[0]
            out, err, code = await handheld("pair", address, "123456")
            assert (out, code) == ("", 1)
            assert err.startswith("handheld: The adb server that runs here cannot pair")
            assert await handheld("disconnect", address) == (
                f"{address} is disconnected.\n",
                "",
                0,
            )
            assert (await handheld("disconnect", address))[2] == 1
            out, err, code = await handheld("connect", "127.0.0.1:1")
            assert (out, code) == ("", 1)
            assert err.startswith("handheld: The machine at 127.0.0.1:1 is there, but no phone")
        finally:
            ending = await asyncio.create_subprocess_exec(
                adb, "-P", str(home.adb_port), "kill-server", env=environment
            )
            await ending.wait()
