"""`make chaos WHAT=fleet`: prints what was called, what failed and what was violated; exits with
1 for a violation."""

import argparse
import asyncio
import gc
import json
import logging
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import asdict
from pathlib import Path

from bench.ports import keep_port
from tests.fleet.nats.lab import nats_server
from tests.fleet.nats.network import Mesh, Namespace, Network, NoNamespaces

from handheld.access.tokens import AccessToken, Tokens
from handheld.fleet.nats.kv import Entry
from handheld.fleet.nats.names import TOKENS
from handheld.fleet.tokens import add_token
from handheld.settings.folders import Folders

from ..calls import Outcome
from ..check import Violation
from ..clients import HttpTransport, NoAnswer
from ..programs import READY_SECONDS
from ..relay import Relay
from ..report import print_calls, print_counts, print_violations
from .broken_host import FAULTS
from .check import KINDS, NOT_BACK, OVERWRITTEN, SLACK, Touch, check_fleet, check_got
from .clients import Client, FleetRun, Gateway
from .faults import QUIET_CALLS, Injector, MovingPhone, hosts_of_phones
from .hostile_host import NAME, WITNESS, HostileHost
from .programs import HANDHELD, NODES, Engine, Member, member, phones

HOSTS, GATEWAYS = ("left", "middle", "right"), ("front", "back")
FAR = "far"
"""A host in a network namespace, with its phones, where the system allows it."""
OWNER_TOKEN = "chaos-" + "0" * 32
TELL_SECONDS = 60.0
KNOWN_SECONDS = 2 * READY_SECONDS
SETTLE_SECONDS = 8.0
"""What was lost on its way may still be done, if nobody refuses it."""
WITHOUT_HELPER = "is used without Handheld's helper"
PIECES = Path("build/fleet-chaos.json")


class FleetChaos:
    def __init__(self, home: Path, seed: int, run: FleetRun, options: argparse.Namespace) -> None:
        self._home, self._seed, self.run = home, seed, run
        self._clients, self._broken, self._quiet = options.clients, options.broken, options.quiet
        self._slack = options.slack
        self._fixed = options.phones - 1
        """Phones of each host that stay with it; one more moves."""
        self.injector: Injector | None = None
        self._hostile: HostileHost | None = None
        self.violations: list[Violation] = []
        self.known_after = 0.0
        """Seconds after the run until every phone could be used by every gateway."""
        self.touches = 0
        self.phones = 0
        self.by_shell = 0
        """How often a host began to use a phone by adb's shell alone, without the helper."""
        self.no_namespaces = ""
        """Why there is no far host."""

    @property
    def attacks(self) -> Counter[str]:
        return Counter() if self._hostile is None else self._hostile.counts

    async def go(self) -> None:
        async with AsyncExitStack() as stack:
            mesh, namespace = self._make_namespaces(stack)
            engine = Engine(self._home / "engine", mesh.namespaces if mesh else ())
            stack.callback(engine.close)
            await engine.set_up()
            fixed = {
                f"{host}{number}": f"host-{host}" for host in HOSTS for number in range(self._fixed)
            }
            journal = self._home / "touches"
            moving_names = [f"moving{number}" for number in range(len(HOSTS))]
            ports = await stack.enter_async_context(
                phones([*fixed, *moving_names], journal, self._home)
            )
            moving = [
                await self._cables(stack, name, ports[name], number)
                for number, name in enumerate(moving_names)
            ]
            hosts = [
                await stack.enter_async_context(self._host(engine, number, ports, fixed, moving))
                for number in range(len(HOSTS))
            ]
            if namespace is not None:
                names = [f"{FAR}{number}" for number in range(self._fixed or 1)]
                (self._home / FAR).mkdir()
                far = await stack.enter_async_context(
                    phones(names, journal, self._home / FAR, namespace.inside)
                )
                hosts.append(
                    await stack.enter_async_context(self._open(engine, FAR, far, namespace))
                )
                ports |= far
                fixed |= dict.fromkeys(far, f"host-{FAR}")
            self.phones = len(ports)
            tokens = self._make_tokens()
            gateways, places = list[Member](), list[Gateway]()
            for name in GATEWAYS:
                port = keep_port()  # nobody takes it while the gateway is down
                places.append(Gateway(f"gateway-{name}", port))
                gateways.append(
                    await stack.enter_async_context(
                        member(
                            *(engine, "gateway", f"gateway-{name}", self._home / name),
                            command=(*HANDHELD, "gateway", "--port", str(port)),
                            environment={"HANDHELD_TOKEN": OWNER_TOKEN},
                            port=port,
                        )
                    )
                )
            await self._known(places, ports)
            hostile = self._hostile = HostileHost(
                engine.member("host"),
                [host.id for host in hosts],
                list(ports),
                [f"client{number}" for number in range(self._clients)],
                self._seed,
            )
            await self._names_kept(ports)
            async with engine.administration.table(TOKENS, "main") as table:
                await add_token(table, AccessToken(WITNESS))
                witness = await table.look()
            clients = [
                Client(self.run, f"client{n}", token, places, list(ports), self._seed * 1000 + n)
                for n, token in enumerate(tokens)
            ]
            for client in clients:
                stack.push_async_callback(client.aclose)
            chance = random.Random(self._seed)
            injector = Injector(
                self.run, engine, hosts, gateways, moving, chance, mesh, self._quiet
            )
            self.injector = injector
            gc.collect()
            gc.freeze()
            self.run.begin()
            breaking = asyncio.create_task(injector.go())
            attacking = asyncio.create_task(hostile.go())
            async with asyncio.TaskGroup() as tasks:
                for client in clients:
                    tasks.create_task(client.go())
                tasks.create_task(self._end(breaking, [*hosts, *gateways]))
            over = self.run.now()
            await asyncio.sleep(SETTLE_SECONDS)
            try:
                await self._known(places, ports)
                self.known_after = self.run.now() - over
            except TimeoutError as problem:
                self.violations.append(Violation(NOT_BACK, str(problem)))
            if attacking.done():
                attacking.result()
            attacking.cancel()
            self.violations += await self._compare_tokens(engine, witness)
            got = [each._replace(at=each.at - self.run.begun) for each in hostile.got]
            self.violations += check_got(self.run.fleet_calls, got)
            logs = [(self._home / name / "log").read_text(encoding="utf-8") for name in HOSTS]
            self.by_shell = sum(log.count(WITHOUT_HELPER) for log in logs)
            touches = read_touches(journal, self.run.begun)
            self.touches = len(touches)
            self.violations += check_fleet(
                self.run.fleet_calls,
                touches,
                self.run.grants,
                injector.faults,
                hosts_of_phones(fixed, moving, hosts),
                self._slack,
            )

    async def _cables(self, stack: AsyncExitStack, name: str, port: int, first: int) -> MovingPhone:
        cables = [await stack.enter_async_context(Relay(port)) for _ in HOSTS]
        for cable in cables[1:]:
            cable.cut_off = True
        return MovingPhone(name, cables)

    def _make_namespaces(self, stack: AsyncExitStack) -> tuple[Mesh, Namespace] | tuple[None, None]:
        """Those of the engine's nodes and of the far host."""
        try:
            network = Network()
            stack.callback(network.close)
            return network.mesh(NODES), network.namespace()
        except NoNamespaces as why:
            self.no_namespaces = str(why)
            return None, None

    def _host(
        self,
        engine: Engine,
        number: int,
        ports: dict[str, int],
        fixed: dict[str, str],
        moving: list[MovingPhone],
    ) -> AbstractAsyncContextManager[Member]:
        name = HOSTS[number]
        (self._home / name).mkdir()
        own = {phone: ports[phone] for phone, host in fixed.items() if host == f"host-{name}"}
        for first, phone in enumerate(moving):
            own[phone.name] = phone.cables[(number - first) % len(HOSTS)].port
        return self._open(engine, name, own)

    def _open(
        self, engine: Engine, name: str, own: dict[str, int], namespace: Namespace | None = None
    ) -> AbstractAsyncContextManager[Member]:
        """A host with phones at these ports."""
        home = self._home / name
        tables = [f'[phones."127.0.0.1:{port}"]\nslug = "{phone}"\n' for phone, port in own.items()]
        (home / "handheld.toml").write_text("".join(tables), encoding="utf-8")
        program = ("-m", "chaos.fleet.broken_host", self._broken) if self._broken else HANDHELD
        return member(
            *(engine, "host", f"host-{name}", home),
            command=(*program, "host", "--port", "0"),
            environment={"ANDROID_ADB_SERVER_PORT": "1"},
            namespace=namespace,
        )

    def _make_tokens(self) -> list[str]:
        """The same at every gateway."""
        first, *others = [self._home / name for name in GATEWAYS]
        first.mkdir()
        tokens = Tokens(Folders(first, first / "state").tokens)
        made = [tokens.make(f"client{number}") for number in range(self._clients)]
        for other in others:
            shutil.copytree(first, other)
        return made

    async def _names_kept(self, phones: Collection[str]) -> None:
        """Wait until the gateways would know after a restart whose the names are."""
        for name in GATEWAYS:
            file = Folders(self._home / name, self._home / name / "state").names
            missing = set(phones)
            async with asyncio.timeout(READY_SECONDS):
                while missing:
                    await asyncio.sleep(0.1)
                    with suppress(FileNotFoundError):
                        missing = set(phones) - set(json.loads(file.read_bytes()))

    async def _known(self, gateways: list[Gateway], phones: Collection[str]) -> None:
        """Wait until each phone is free or leased at every gateway. Raises TimeoutError, with those
        that are not at one."""
        for gateway in gateways:
            transport = HttpTransport(gateway.port, "/mcp", OWNER_TOKEN)
            missing = set(phones)
            try:
                async with asyncio.timeout(KNOWN_SECONDS):
                    while missing:
                        await asyncio.sleep(0.2)
                        with suppress(NoAnswer):
                            answer = await transport.call("android_list_phones", {})
                            if not answer.failed:
                                rows = json.loads(answer.texts[0])
                                usable = ("free", "leased")
                                missing = set(phones) - {
                                    row["phone"].rpartition("/")[2]
                                    for row in rows
                                    if row["state"] in usable and not self._is_hostile(row)
                                }
            except TimeoutError:
                raise TimeoutError(f"{gateway.name}: {', '.join(sorted(missing))}") from None
            finally:
                await transport.aclose()

    async def _compare_tokens(self, engine: Engine, before: list[Entry]) -> list[Violation]:
        async with engine.administration.table(TOKENS, "main") as table:
            after = await table.look()
        return [] if after == before else [Violation(OVERWRITTEN, f"{before}, then {after}")]

    def _is_hostile(self, row: dict[str, str]) -> bool:
        own = () if self._hostile is None else (NAME, self._hostile.wire.id)
        return row["phone"].rpartition("/")[0] in own

    async def _end(self, breaking: "asyncio.Task[None]", members: list[Member]) -> None:
        """Tell how it goes; stop the faults with the calls, and fail if they cannot be injected."""
        told = 0.0
        while not self.run.over:
            if breaking.done():
                breaking.result()
            if self.run.now() - told >= TELL_SECONDS:
                told = self.run.now()
                assert self.injector is not None
                done, faults = self.run.done.total(), self.injector.counts.total()
                print(
                    f"{told / 60:.0f} min: {len(self.run.calls)} calls, {done} done, {faults}"
                    " faults",
                    flush=True,
                )
            await asyncio.sleep(0.25)
        breaking.cancel()
        with suppress(asyncio.CancelledError):
            await breaking
        for one in members:
            one.check()


def read_touches(journal: Path, begun: float) -> list[Touch]:
    with journal.open(encoding="utf-8") as lines:
        return [Touch(at - begun, phone, point) for at, phone, point in map(json.loads, lines)]


async def run_piece(options: argparse.Namespace, seed: int) -> int:
    """Returns how many violations there were."""
    run = FleetRun(options.minutes * 60, options.calls)
    with tempfile.TemporaryDirectory(prefix="handheld-fleet-chaos-") as folder:
        home = (options.keep or Path(folder)).resolve()
        home.mkdir(parents=True, exist_ok=True)
        chaos = FleetChaos(home, seed, run, options)
        # The programs end with the run, also when it is stopped.
        own = asyncio.current_task()
        assert own is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, own.cancel)
        await chaos.go()
        with (home / "calls.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(asdict(call)) + "\n" for call in run.calls)
    injector = chaos.injector
    assert injector is not None
    seconds = max(call.began for call in run.calls)
    print(
        f"{len(run.calls)} calls of {options.clients} clients on {chaos.phones} phones of"
        f" {len(injector.hosts)} hosts, {len(run.calls) / seconds:.0f} a second, {len(run.grants)}"
        f" leases, {chaos.touches} touches, seed {seed}\n"
    )
    print_calls(run.calls)
    print_counts("faults", injector.counts)
    print_counts("attacks of the hostile host", chaos.attacks)
    print(f"Hosts used phones {chaos.by_shell} times without the helper.")
    if not injector.engine.own_disks:
        print("No file system could be mounted: the disks of the engine were not filled.")
    if chaos.no_namespaces:
        print(f"Nothing was in a network namespace: {chaos.no_namespaces} No packets vanished.")
    else:
        print(f"The host {FAR} and the engine nodes were in namespaces of their own, and packets")
        print("vanished between them.")
    if chaos.known_after:
        print(f"Every gateway could use every phone {chaos.known_after:.0f} s after the last call.")
    print_violations("violations", chaos.violations, KINDS)
    answered = sum(call.outcome is not Outcome.LOST for call in run.calls)
    found = len(chaos.violations)
    print(f"\n{answered} of {len(run.calls)} calls were answered, {found} violations", flush=True)
    if not options.broken:
        keep_piece(
            {
                "seed": seed,
                "minutes": round(seconds / 60, 1),
                "calls": len(run.calls),
                "touches": chaos.touches,
                "leases": len(run.grants),
                "faults": injector.counts.total(),
                "violations": found,
            }
        )
    return found


def read_pieces() -> list[dict[str, float]]:
    """The runs of before."""
    try:
        return json.loads(PIECES.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []


def keep_piece(piece: dict[str, float]) -> None:
    PIECES.parent.mkdir(exist_ok=True)
    PIECES.write_text(json.dumps([*read_pieces(), piece], indent=1) + "\n", encoding="utf-8")


async def main() -> int:
    # The hostile host is refused again and again.
    logging.getLogger("handheld.fleet.nats").setLevel(logging.CRITICAL)
    parser = argparse.ArgumentParser(prog="python -m chaos.fleet")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--calls", type=int, default=10**9, help="end a run after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--phones", type=int, default=4, help="of each host; one of them moves")
    parser.add_argument(
        "--quiet",
        type=int,
        default=QUIET_CALLS,
        metavar="CALLS",
        help="the most calls done between two faults of a kind of member",
    )
    parser.add_argument(
        "--total",
        type=int,
        default=0,
        help=f"run one seed after the other until {PIECES} has so many calls in all",
    )
    parser.add_argument(
        "--slack",
        type=float,
        default=SLACK,
        metavar="SECONDS",
        help="for what a call takes beside its way; 3 on a quiet machine, to find what is late",
    )
    parser.add_argument("--broken", choices=["", *FAULTS], default="", help="break every host")
    parser.add_argument("--keep", type=Path, help="a folder to keep the run's files in")
    options = parser.parse_args()
    if nats_server() is None:
        print("There is no nats-server: `make chaos WHAT=fleet` installs one.")
        return 1
    if not options.total:
        return 1 if await run_piece(options, options.seed) else 0
    while (done := sum(piece["calls"] for piece in read_pieces())) < options.total:
        seed = 1 + max((int(piece["seed"]) for piece in read_pieces()), default=0)
        print(f"{done:.0f} of {options.total} calls so far; seed {seed}\n", flush=True)
        if await run_piece(options, seed):
            return 1
    pieces = read_pieces()
    faults, violations = (sum(piece[what] for piece in pieces) for what in ("faults", "violations"))
    print(f"{done:.0f} calls, {faults:.0f} faults, {violations:.0f} violations, all runs together")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
