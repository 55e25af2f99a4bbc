"""Commands about all hosts of an engine, on a gateway's machine and where the engine's keys are."""

import json
from pathlib import Path

import pytest

from audit.test_chain import change
from handheld.cli.arguments import parse
from handheld.cli.commands.lease import lease
from handheld.cli.commands.log import log
from handheld.cli.commands.phones import phones
from handheld.errors import ToolError
from handheld.fleet.nats.jetstream import JetStream
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.plan import EngineError
from handheld.settings import load

from .fleet_lab import Fleet, Gateway, Host
from .test_fleet import TAP
from .test_record import until_copied

pytestmark = pytest.mark.needs_nats

COMMANDS = {"phones": phones, "lease": lease, "log": log}


class Commands:
    """Two hosts and a gateway, with the folder of a computer that has joined as a gateway."""

    def __init__(self, fleet: Fleet, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.fleet = fleet
        self.home = folder / "front"
        self.keys = str(folder / "engine")
        self._capsys = capsys
        self.hosts: dict[str, Host] = {}

    async def set_up(self) -> Gateway:
        for slug in ("left", "right"):
            self.hosts[slug] = await self.fleet.host(slug)
        return await self.fleet.gateway("left", "right")

    def join(self) -> None:
        state = self.home / "state"
        state.mkdir(parents=True)
        joined = Joined("gateway", "front", "main", self.fleet.lab.member("gateway"))
        joined.save(state / "gateway.json")

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """The exit code, and what was printed."""
        given = parse(arguments)
        settings = load(vars(given), {"HANDHELD_HOME": str(self.home)})
        self._capsys.readouterr()
        code = await COMMANDS[given.command](given, settings)
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    async def where_the_keys_are(self, *arguments: str) -> str:
        code, out, _ = await self.run(*arguments, "--folder", self.keys)
        assert code == 0
        return out


@pytest.fixture
def commands(fleet: Fleet, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(fleet, tmp_path, capsys)


async def test_phones_of_all_hosts_are_listed_with_who_has_them(commands: Commands) -> None:
    gateway = await commands.set_up()
    commands.join()
    assert "failed" not in await gateway.call("take_phone", slug="right", minutes=30)
    code, out, note = await commands.run("phones", "--fleet")
    left, right = out.splitlines()
    assert code == 0
    assert left == "left   left   free    Handheld Virtual  API 34  lab, left_tag"
    start = "right  right  leased  Handheld Virtual  API 34  lab, right_tag  tests (token ci), "
    assert right.startswith(start)
    assert note == "1 free, 1 leased\n"
    rows = json.loads(await commands.where_the_keys_are("phones", "--fleet", "--json"))
    assert [(row["host"], row["slug"], row["state"], row["tags"]) for row in rows] == [
        ("left", "left", "free", ["lab", "left_tag"]),
        ("right", "right", "leased", ["lab", "right_tag"]),
    ]
    assert rows[0]["lease"] is None
    assert rows[1]["lease"]["token"] == "ci"
    assert rows[1]["lease"]["until"] - rows[1]["lease"]["since"] == pytest.approx(1800, abs=1)
    assert rows[1]["host_id"] == commands.hosts["right"].id


async def test_leases_at_all_hosts_are_listed(commands: Commands) -> None:
    gateway = await commands.set_up()
    commands.join()
    assert await commands.run("lease", "list", "--fleet") == (0, "", "No phone is leased.\n")
    assert "failed" not in await gateway.call("take_phone", slug="right")
    for out in (
        (await commands.run("lease", "--fleet"))[1],
        await commands.where_the_keys_are("lease", "list", "--fleet"),
    ):
        assert out.startswith("right  right  tests (token ci), ")


@pytest.mark.parametrize("with_keys", [False, True])
async def test_the_host_of_a_phone_ends_its_lease_for_a_person(
    commands: Commands, with_keys: bool
) -> None:
    gateway = await commands.set_up()
    commands.join()
    assert "failed" not in await gateway.call("take_phone", slug="right")
    keys = ("--folder", commands.keys) if with_keys else ()
    code, out, _ = await commands.run("lease", "end", "right", "--fleet", *keys)
    assert (code, out) == (0, "The lease of right by tests (token ci) is ended.\n")
    assert commands.hosts["right"].leases.all() == []
    told = await gateway.call("tap", device="right", **TAP)
    assert "the owner of the phone ended it" in told
    code, out, _ = await commands.run("lease", "end", "left", "--fleet", *keys)
    assert code == 0
    assert out.endswith(" is not leased.\n")
    with pytest.raises(ToolError, match="No phone here is called 'middle'"):
        await commands.run("lease", "end", "middle", "--fleet", *keys)


async def test_a_command_does_not_disturb_the_gateway_that_runs_here(commands: Commands) -> None:
    await commands.set_up()
    commands.join()
    membership = Joined.load(commands.home / "state" / "gateway.json").membership
    gateway = await commands.fleet.gateway("left", "right", membership=membership)
    async with commands.fleet.lab.wires(commands.fleet.lab.admin()) as [admin]:

        async def followers() -> list[str]:
            store = JetStream(admin)
            names = [f"CONSUMER.INFO.KV_{name}.{membership.id}" for name in ("hosts", "phones")]
            return [(await store.ask(name, None))["created"] for name in names]

        before = await followers()
        code, _, _ = await commands.run("phones", "--fleet")
        assert code == 0
        assert await followers() == before
    assert "failed" not in await gateway.call("tap", device="left", **TAP)


async def test_calls_at_all_hosts_are_listed_and_verified(commands: Commands) -> None:
    gateway = await commands.set_up()
    commands.join()
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    assert "failed" in await gateway.call("tap", device="right", x=-1, y=0)
    wire, _ = await commands.fleet.line()
    await until_copied(wire, "done", "failed")
    code, out, _ = await commands.run("log", "--fleet")
    first, second = out.splitlines()
    assert code == 0
    assert "  tests (ci)  left/left  tap device=left x=500 y=900  done " in first
    assert "  tests (ci)  right/-  tap device=right x=-1 y=0  failed " in second
    out = await commands.where_the_keys_are("log", "--fleet", "--host", "right", "--json")
    [entry] = map(json.loads, out.splitlines())
    assert (entry["host"], entry["host_id"]) == ("right", commands.hosts["right"].id)
    assert entry["state"] == "failed"
    for asked in (("--token", "eve"), ("--phone", "middle"), ("--tool", "swipe")):
        code, out, note = await commands.run("log", "--fleet", *asked)
        assert (code, out) == (0, "")
        assert note == "No call that was copied to the engine matches.\n"
    code, out, _ = await commands.run("log", "--fleet", "--verify")
    assert code == 0
    for slug, host in commands.hosts.items():
        assert f"{slug} ({host.id}): OK: 1 call.\n" in out


async def test_a_copy_that_does_not_follow_is_told_with_its_host(commands: Commands) -> None:
    gateway = await commands.set_up()
    commands.join()
    wire, _ = await commands.fleet.line()
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    await until_copied(wire, "done")
    commands.hosts["left"].log.write_ends()
    # Somebody at the host changes what comes next.
    change(commands.hosts["left"].log.file, "UPDATE links SET hash = zeroblob(32)")
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    await until_copied(wire, "done", "done")
    code, out, _ = await commands.run("log", "--fleet", "--verify")
    assert code == 1
    assert f"left ({commands.hosts['left'].id}): The copies are not all" in out
    assert f"right ({commands.hosts['right'].id}): OK: 0 calls.\n" in out


async def test_other_computers_are_told_where_to_run_it(commands: Commands) -> None:
    for command in ("phones", "lease", "log"):
        with pytest.raises(EngineError, match="no gateway of an engine, and has no engine's keys"):
            await commands.run(command, "--fleet")
        with pytest.raises(EngineError, match="There is no tenant nobody: main"):
            await commands.where_the_keys_are(command, "--fleet", "--tenant", "nobody")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("phones --json", "--json is only for --fleet."),
        ("phones release X --fleet", "A phone is released where it is connected"),
        ("lease end --fleet", "Name the phone: handheld lease end PHONE"),
        ("lease --tenant x", "--tenant is only for --fleet."),
        ("log --folder x", "--folder is only for --fleet."),
        ("log --host x", "--host is only for --fleet."),
        ("log --token x", "--token is only for --fleet."),
        ("log --fleet --follow", "--follow and --fleet cannot be combined."),
        ("log --fleet --head", "--head and --fleet cannot be combined."),
        ("log --fleet --verify 1:00", "--verify takes no HEAD with --fleet"),
    ],
)
async def test_flags_that_do_not_go_together_are_refused(
    commands: Commands, line: str, why: str
) -> None:
    code, _, error = await commands.run(*line.split())
    assert code == 2
    assert why in error
