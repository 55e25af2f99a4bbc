"""What the doctor says of the engine, on a real server."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handheld import __version__
from handheld.app_tools.check.finding import Finding, Severity
from handheld.cli.doctor.engine import examine_engine
from handheld.clock import SYSTEM_CLOCK, SystemClock
from handheld.fleet.nats.directory import Directory, HostRow, Registrar, encode_row
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import HOSTS
from handheld.fleet.nats.plan import EngineFolder
from handheld.fleet.nats.wire import Membership
from handheld.settings import load

from .lab import Lab, through

pytestmark = pytest.mark.needs_nats


class Computer:
    """The folder of a computer, and the doctor in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.state = self.home / "state"
        self.state.mkdir(parents=True)

    def join(self, role: str, membership: Membership) -> None:
        Joined(role, "desk", "main", membership).save(self.state / f"{role}.json")

    def keep_keys(self, folder: EngineFolder) -> None:
        (self.state / "engine").symlink_to(folder.path)

    async def ask(self) -> dict[str, Finding]:
        """The finding on each subject, which is the last one where there are several."""
        settings = load({}, {"HANDHELD_HOME": str(self.home)})
        return {each.subject: each async for each in examine_engine(settings, SYSTEM_CLOCK)}


@pytest.fixture
async def engine(server: None, tmp_path: Path) -> AsyncGenerator[Lab]:
    lab = Lab(tmp_path / "engine")
    try:
        await lab.set_up()
        yield lab
    finally:
        lab.close()


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


async def test_a_computer_without_an_engine_hears_nothing_of_it(computer: Computer) -> None:
    assert await computer.ask() == {}


async def test_an_engine_that_works_is_told_to_be_so(engine: Lab, computer: Computer) -> None:
    computer.keep_keys(engine.folder)
    computer.join("host", engine.member("host"))
    computer.join("gateway", engine.member("gateway"))
    async with engine.wires(engine.member("host")) as [host]:
        await Kv(host, HOSTS).put(host.id, encode_row(HostRow("rack", __version__)))
        found = await computer.ask()
    assert {finding.verdict for finding in found.values()} == {Severity.OK}
    assert found["host"].sentence.startswith("The engine lets this computer in as the host desk (h")
    address = engine.plan.addresses[0]
    assert found["engine"].sentence.startswith(f"{address} is nats-server 2.")
    assert found["engine"].sentence.endswith("days.")
    assert found["nodes"].sentence == "The clocks of all nodes that answer are right."
    assert "KV_claims" in found["tables"].sentence
    assert found["clocks"].sentence == "This computer and the hosts have the engine's time."
    assert found["hosts"].sentence == f"Connected: rack ({__version__})."


async def test_a_gateway_sees_it_without_the_keys(engine: Lab, computer: Computer) -> None:
    computer.join("gateway", engine.member("gateway"))
    found = await computer.ask()
    assert {finding.verdict for finding in found.values()} == {Severity.OK}
    assert found["hosts"].sentence == "No host is connected."
    assert "nodes" not in found


async def test_an_engine_that_is_down_is_told_with_the_fix(engine: Lab, computer: Computer) -> None:
    computer.join("gateway", engine.member("gateway"))
    engine.kill(1)
    found = await computer.ask()
    assert set(found) == {"gateway", "engine"}
    assert {finding.verdict for finding in found.values()} == {Severity.PROBLEM}
    assert "handheld engine run" in found["engine"].fix


async def test_a_server_with_the_certificate_of_another_engine_is_told(
    engine: Lab, computer: Computer
) -> None:
    stranger = Lab(engine.folder.path.parent / "other")
    try:
        computer.join("gateway", through(stranger.member("gateway"), *engine.plan.addresses))
        found = await computer.ask()
        assert found["gateway"].verdict is Severity.PROBLEM
        assert "certificate is not of this engine" in found["engine"].sentence
    finally:
        stranger.close()


async def test_hosts_with_another_version_or_time_are_named(
    engine: Lab, computer: Computer
) -> None:
    computer.join("gateway", engine.member("gateway"))
    async with engine.wires(engine.member("host")) as [host]:
        row = HostRow("rack", "0.1\u202e", offset=-30.0)
        await Kv(host, HOSTS).put(host.id, encode_row(row))
        found = await computer.ask()
    clocks, hosts = found["clocks"], found["hosts"]
    assert (clocks.verdict, hosts.verdict) == (Severity.WARNING, Severity.WARNING)
    assert "The host rack is 30.0 s behind the engine" in clocks.sentence
    assert "timedatectl" in clocks.fix
    assert "rack (0.1⟨U+202E⟩)" in hosts.sentence
    assert "then gateways, then hosts" in hosts.fix


async def test_a_table_that_is_missing_is_named(engine: Lab, computer: Computer) -> None:
    computer.join("gateway", engine.member("gateway"))
    async with engine.wires(engine.admin()) as [admin]:
        await admin.request("$JS.API.STREAM.DELETE.AUDIT", b"", 60)
    tables = (await computer.ask())["tables"]
    assert (tables.verdict, tables.sentence) == (Severity.PROBLEM, "The engine lacks AUDIT.")
    assert "handheld engine admit" in tables.fix


async def test_too_many_consumers_are_told(engine: Lab, computer: Computer) -> None:
    computer.join("gateway", engine.member("gateway"))
    async with engine.wires(engine.admin()) as [admin]:
        for number in range(101):
            asked = {
                "stream_name": "KV_phones",
                "config": {"name": f"c{number}", "ack_policy": "none", "mem_storage": True},
            }
            subject = f"$JS.API.CONSUMER.CREATE.KV_phones.c{number}"
            await admin.request(subject, json.dumps(asked).encode(), 60)
        found = (await computer.ask())["consumers"]
    assert found.verdict is Severity.WARNING
    assert found.sentence.startswith("KV_phones has 101 consumers")


@asynccontextmanager
async def answering(lab: Lab, line: bytes) -> AsyncGenerator[str]:
    """A server with the engine's certificate that says this."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    node = lab.folder.node(1)
    tls.load_cert_chain(node / "cert.pem", node / "key.pem")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(line)
        await reader.read()
        writer.transport.abort()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    try:
        yield f"localhost:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'INFO {"version":"2.10.27","jetstream":true}\r\n', "needs 2.12 or newer"),
        (b'INFO {"version":"2.12.0"}\r\n', "runs without its store"),
        (b"220 mail.example.com\r\n", "The program that answers there is not a NATS server."),
        (b"x" * 100_000, "limit"),
    ],
)
async def test_servers_of_other_kinds_are_told(
    engine: Lab, computer: Computer, line: bytes, why: str
) -> None:
    async with answering(engine, line) as address:
        computer.join("gateway", through(engine.member("gateway"), address))
        found = (await computer.ask())["engine"]
    assert found.verdict is Severity.PROBLEM
    assert why in found.sentence


async def test_a_host_tells_how_far_its_clock_is_from_the_engines(engine: Lab) -> None:
    class Ahead(SystemClock):
        def time(self) -> float:
            return super().time() + 100

    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        registrar = Registrar(host, HostRow("rack", "1"), Ahead())
        for _ in range(2):
            await registrar.beat()
        directory = Directory(gateway)
        await directory.read()
        [(_, row, _)] = directory.hosts()
        assert row.offset == pytest.approx(100, abs=1.5)
