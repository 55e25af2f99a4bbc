"""`make chaos`: prints what was called, what failed and what was violated; exits with 1 for a
violation."""

import argparse
import asyncio
import gc
import json
import os
import resource
import signal
import sys
import tempfile
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict
from pathlib import Path

from bench.ports import keep_port

from handheld.access.tokens import Tokens
from handheld.phone.files.storage import StorageFile
from handheld.settings.folders import Folders

from .calls import Outcome
from .check import (
    GROWTH,
    LIMIT,
    Journal,
    Violation,
    check_calls,
    check_memory,
    compare_memory,
    read_journal,
)
from .clients import HttpTransport, StdioProgram, Transport
from .faults import Broken, Injector
from .hostile import KINDS as HOSTILE_KINDS
from .hostile import Arms, HttpLane, StdioLane, Tally, Witness, split
from .programs import (
    RECORD_MB,
    PhonePlan,
    PhoneProgram,
    Server,
    adb_server,
    handheld_server,
    phone_program,
)
from .relay import Relay
from .report import print_calls, print_counts, print_reasons, print_violations
from .streams import LOCATION, AgentStream, MainStream, Names, Run

PHONES = (
    PhonePlan("one", api=36, helper=True, by_server=True, change_ms=300),
    PhonePlan("two", api=30, helper=True, by_server=False, change_ms=300),
    PhonePlan("three", api=33, helper=False, by_server=False, change_ms=20_000, clients=(1, 4, 7)),
    # Nothing of it fails: what is not done there was refused.
    PhonePlan("four", api=34, helper=True, by_server=False, change_ms=20_000, clients=()),
)
ATTACKED, ALSO_READ = "four", "one"
WITNESS = "beside the hostile client"
CLIENTS = 8
TELL_SECONDS = 60.0
SAMPLE_SECONDS = 0.25
SETTLE_SECONDS = 2.0
STEADY_SECONDS, STEADY_CALLS = 300.0, 20_000
"""In a shorter run the memory is printed but not judged: caches fill up meanwhile."""
KINDS = (
    "call without an answer",
    "done twice",
    "call beyond its budget",
    "call refused by the server",
    "acted on another element",
    "said done, was not",
    "said not done, was",
    "asked by nobody",
    "memory grew",
    *HOSTILE_KINDS,
)


class Chaos:
    def __init__(self, home: Path, seed: int, run: Run) -> None:
        self._home, self._seed, self._run = home, seed, run
        self._names = {plan.slug: Names() for plan in PHONES}
        self.memory: list[float] = []
        self.faults: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.own_disk = False
        self.tally = Tally()

    async def go(self) -> None:
        async with AsyncExitStack() as stack:
            programs = [
                await stack.enter_async_context(phone_program(plan, self._home, self._seed + n))
                for n, plan in enumerate(PHONES)
            ]
            relays = [await stack.enter_async_context(Relay(one.port)) for one in programs]
            adb = await stack.enter_async_context(adb_server(self._home))
            addresses = [f"127.0.0.1:{relay.port}" for relay in relays]
            for plan, address in zip(PHONES, addresses, strict=True):
                if adb is not None and plan.by_server:
                    await adb.connect(address)
            environment = self._write_settings(addresses, adb.port if adb else 1)
            port = keep_port()
            arguments = [word for address in addresses for word in ("--phone", address)]
            server = await stack.enter_async_context(
                handheld_server(self._home, environment, arguments, port)
            )
            self.own_disk = server.own_disk
            streams = await self._streams(stack, environment, arguments, port)
            hostile = await self._hostile(stack, environment, arguments, port)
            targets = [
                Broken(program, relay)
                for program, relay in zip(programs, relays, strict=True)
                if program.plan.slug != ATTACKED
            ]
            injector = Injector(targets, adb, server, self._run.done, self._seed)
            self.faults = injector.counts
            self._run.begin()
            sampling = asyncio.create_task(self._sample(server))
            breaking = asyncio.create_task(injector.go())
            async with asyncio.TaskGroup() as tasks:
                for stream in (*streams, *hostile):
                    tasks.create_task(stream.go())
                tasks.create_task(self._end(breaking))
            sampling.cancel()
            # What was lost on its way may still be done.
            await asyncio.sleep(SETTLE_SECONDS)
            journals = {one.plan.slug: await self._journal(one) for one in programs}
            asked = [
                (effect.kind, effect.what)
                for call in self._run.calls
                if call.phone == ATTACKED
                for effect in call.effects
            ]
            journals[ATTACKED], rest = split(journals[ATTACKED], asked)
            self.violations = check_calls(self._run.calls, journals) + self.tally.check(rest)
            if server.process.returncode is not None:
                ended = f"exit code {server.process.returncode}"
                self.violations.append(Violation("the server ended", ended))

    def _write_settings(self, addresses: list[str], adb_port: int) -> dict[str, str]:
        tables = [
            f'[phones."{address}"]\nslug = "{plan.slug}"\n'
            for plan, address in zip(PHONES, addresses, strict=True)
        ]
        # Half of its disk, so that there is room for its log.
        kept = f"[audit]\nmost_mb = {RECORD_MB // 2}\n"
        # Nobody is there to be asked.
        sending = '[sms]\nparts_per_minute = 30\n[policy]\nallow = ["send_sms"]\n'
        text = "".join(tables) + kept + sending
        (self._home / "handheld.toml").write_text(text, encoding="utf-8")
        folders = Folders(self._home, self._home / "state")
        StorageFile(folders.storage).put(LOCATION, allow_write=True, allow_delete=True)
        tokens = Tokens(folders.tokens)
        self._tokens = [tokens.make(f"client{number}") for number in range(4)]
        self._hostile_tokens = tokens.make("hostile"), tokens.make("hostile-reader", read_only=True)
        return os.environ | {
            "HANDHELD_HOME": str(self._home),
            "HANDHELD_TOKEN": "chaos-" + "0" * 32,
            "HANDHELD_ADB_SERVER": f"127.0.0.1:{adb_port}",
            "HANDHELD_LOG_LEVEL": "warning",
        }

    async def _streams(
        self, stack: AsyncExitStack, environment: dict[str, str], arguments: list[str], port: int
    ) -> "list[MainStream | AgentStream]":
        """Each client has a stream of calls for each phone, so that a phone that hangs does not
        keep it from the others."""
        owner = environment["HANDHELD_TOKEN"]
        tokens = [owner, *self._tokens, owner]
        streams: list[MainStream | AgentStream] = []
        for number in range(CLIENTS):
            agent = number in (3, 4, 6)
            program = None
            if number >= 6:
                surface = () if agent else ("--surface", "main")
                program = await StdioProgram.start(environment, *arguments, *surface)
                stack.push_async_callback(program.aclose)
            for place, plan in enumerate(PHONES):
                if number not in plan.clients:
                    continue
                prefix = ""
                device = {"phone" if agent else "device": plan.slug}
                transport: Transport
                if program is not None:
                    transport, name = program, "stdio"
                else:
                    path = "/mcp/agent" if agent else "/mcp"
                    if number == 5:
                        path, device = f"/phones/{plan.slug}/mcp", {}
                        prefix = f"android_{plan.slug}_"
                    transport, name = HttpTransport(port, path, tokens[number]), "http"
                    stack.push_async_callback(transport.aclose)
                kind = AgentStream if agent else MainStream
                stream = kind(
                    self._run,
                    f"{name} {number}",
                    transport,
                    plan.slug,
                    device,
                    self._names[plan.slug],
                    self._seed * 1000 + number * 10 + place,
                    prefix=prefix,
                    leaves=number in (2, 4),
                )
                streams.append(stream)
        return streams

    async def _hostile(
        self, stack: AsyncExitStack, environment: dict[str, str], arguments: list[str], port: int
    ) -> "list[Witness | HttpLane | StdioLane]":
        """The hostile client, and one that uses the same phone meanwhile."""
        transport = HttpTransport(port, "/mcp", environment["HANDHELD_TOKEN"])
        stack.push_async_callback(transport.aclose)
        names, device = self._names[ATTACKED], {"device": ATTACKED}
        witness = Witness(self._run, WITNESS, transport, ATTACKED, device, names, self._seed)
        arms = [
            # Only the token that may not write tries to.
            Arms(ATTACKED, ALSO_READ, lane, self._seed * 1000 + 900 + lane, writes=lane == 1)
            for lane in range(3)
        ]
        stdio = await StdioLane.start(self._run, self.tally, arms[2], environment, *arguments)
        stack.push_async_callback(stdio.aclose)
        lanes = [
            HttpLane(self._run, self.tally, each, port, token)
            for each, token in zip(arms, self._hostile_tokens, strict=False)
        ]
        return [witness, *lanes, stdio]

    async def _sample(self, server: Server) -> None:
        told = 0.0
        while not self._run.over:
            with suppress(OSError):
                self.memory.append(server.resident_mb())
            if self._run.now() - told >= TELL_SECONDS:
                told = self._run.now()
                minutes = f"{told / 60:.0f} min"
                memory = f"{self.memory[-1]:.1f} MB" if self.memory else "unknown memory"
                print(
                    f"{minutes}: {len(self._run.calls)} calls, and {self._run.hostile} of the"
                    f" hostile client; the server has {memory}",
                    flush=True,
                )
            await asyncio.sleep(SAMPLE_SECONDS)

    async def _end(self, breaking: "asyncio.Task[None]") -> None:
        """Stop the faults with the calls, and fail if they cannot be injected."""
        while not self._run.over:
            if breaking.done():
                breaking.result()
            await asyncio.sleep(SAMPLE_SECONDS)
        breaking.cancel()
        with suppress(asyncio.CancelledError):
            await breaking

    async def _journal(self, program: PhoneProgram) -> Journal:
        files = (await program.ask("files"))["files"]
        with program.journal.open(encoding="utf-8") as notes:
            return read_journal(map(json.loads, notes), files)


def _keep_calls(file: Path, run: Run) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(call)) + "\n" for call in run.calls)


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--calls", type=int, default=1_000_000, help="end after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder to keep the run's files in")
    options = parser.parse_args()
    run = Run(options.minutes * 60, options.calls)
    with tempfile.TemporaryDirectory(prefix="handheld-chaos-") as folder:
        home = options.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        chaos = Chaos(home, options.seed, run)
        # The programs end with the run, also when it is stopped.
        own = asyncio.current_task()
        assert own is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, own.cancel)
        gc.freeze()
        await chaos.go()
        _keep_calls(home / "calls.jsonl", run)
    seconds = max(call.began for call in run.calls)
    violations = chaos.violations
    print(f"{len(run.calls)} calls of {CLIENTS} clients on {len(PHONES)} phones, "
          f"{len(run.calls) / seconds:.0f} a second, seed {options.seed}\n")  # fmt: skip
    print_calls(run.calls)
    print_reasons(run.calls)
    print_counts("faults", chaos.faults)
    print_counts("replies to the hostile client", chaos.tally.replies)
    waited = max((call.took for call in run.calls if call.client == WITNESS), default=0.0)
    by = ", ".join(f"{count} over {name}" for name, count in sorted(chaos.tally.calls.items()))
    print(f"\n{run.hostile} calls of the hostile client ({by}); the longest wait was {waited:.2f} s"
          f" for one who used the same phone, {chaos.tally.longest:.2f} s for itself")  # fmt: skip
    second, last = compare_memory(chaos.memory)
    print(f"\nmemory of the server: {chaos.memory[0]:.1f} MB before, {chaos.memory[-1]:.1f} MB"
          f" after; {second:.1f} MB in the second tenth, {last:.1f} MB in the last")  # fmt: skip
    if seconds >= STEADY_SECONDS and len(run.calls) >= STEADY_CALLS:
        violations += check_memory(chaos.memory)
    else:
        least = f"{STEADY_SECONDS:.0f} s and {STEADY_CALLS} calls"
        print(f"(not judged in less than {least}; the limit is {GROWTH:g} times)")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    spent = sum(one.ru_utime + one.ru_stime for one in used)
    print(f"processor time of all programs: {1000 * spent / len(run.calls):.0f} ms a call")
    if not chaos.own_disk:
        print("The disk of the record was replaced by a limit on the size of the server's files.")
    print_violations("violations", [one for one in violations if one.kind != LIMIT], KINDS)
    limits = [one for one in violations if one.kind == LIMIT]
    print_violations("known limits", limits, [LIMIT])
    faults = len(violations) - len(limits)
    answered = sum(call.outcome is not Outcome.LOST for call in run.calls)
    print(f"\n{answered} of {len(run.calls)} calls were answered, {faults} violations")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
