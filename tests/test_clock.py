"""The system clock, the tests' clock, and the rule that nothing bypasses them: neither the product,
nor a test, whose verdict must not depend on how fast the machine is or what its memory holds."""

import ast
import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path

import pytest

from handheld.clock import SYSTEM_CLOCK
from harness.machine_time import measurements
from harness.manual_clock import MORNING, ManualClock
from harness.packages import VIRTUAL, sources
from harness.polling import HANG

TESTS = {
    file.relative_to(Path(__file__).resolve().parent).as_posix(): file
    for file in sorted(Path(__file__).resolve().parent.rglob("*.py"))
}

ELSEWHERE = {
    "clock": "It is the clock.",
    VIRTUAL: "The virtual phone has its own clock, independent of the product.",
    "tasks/phone_time": "It advances the virtual phone's clock, turn by turn of the event loop.",
    "library": "Programs wait in their own threads, for a call that runs by the clock in another.",
    "replay": "The same: it waits for calls of the library.",
    "audit/keeper": "Its thread sleeps between rounds. What it deletes it decides by the clock.",
}
"""Modules and packages that may read the time or sleep themselves, and why."""

TIMED = {
    "asyncio": {"sleep", "timeout", "timeout_at", "wait_for"},
    "anyio": {"sleep", "sleep_until", "fail_after", "move_on_after", "current_time"},
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
    "httpx": {"Timeout"},
    "loop": {"time", "call_later", "call_at"},
}
"""Functions that read the time or sleep, by the name before the dot."""
MEASURED_ELSEWHERE = {
    "access/authorization_server: SYSTEM_CLOCK.time": "Access tokens hold when they end.",
    "cli/program: /proc": "It finds programs that were left running, by their environment.",
    "cli/zygote: time": "It sets the time zone.",
    "conformance_tools: SYSTEM_CLOCK.sleep": "The suite wants progress of a call that goes on.",
    "conftest: time": "It prints how long the tests took.",
    "helper/contract/java_stage: /proc": "It passes pipes to a Java program by their names.",
    "fleet/nats/lab: SYSTEM_CLOCK.time": "Certificates hold the day on which they end.",
    "fleet/nats/network: /proc": "It looks which connections a namespace of the test has.",
    "fleet/nats/test_fleet_tokens: SYSTEM_CLOCK.time": "Access tokens hold when they end.",
    "fleet/nats/test_fleet_versions: SYSTEM_CLOCK.time": "Credentials hold when they were made.",
    "fleet/nats/test_store_answers: SYSTEM_CLOCK.time": "Credentials hold when they were made.",
    "fleet/search: time": "It prints how long a search took.",
    "framework/jvm: /proc": "It passes pipes to a Java program by their names.",
    "fuzzing/workers: resource": "It bounds the memory that a runaway parser could take.",
    "library/test_reaching: SYSTEM_CLOCK.time": "Certificates hold the day on which they end.",
    "peers/cost: datetime.now": "It dates a table.",
    "peers/pace": "It measures how fast other servers are: a table, and no verdict.",
    "phone/test_download: replace(OPEN": "A download stalls: no limit is too long for it.",
    "phone/test_package_files: /proc": "The name of a file that must not be read.",
    "harness/polling": "It waits for what nothing tells of, for minutes.",
    "calls/test_garbage: SYSTEM_CLOCK.call_later": "The timer is cancelled at once.",
    "test_clock": "It tests the system's clock.",
    "harness/work: tracemalloc": "It counts bytes that were asked for.",
}
"""What tests may read of the time and the memory, or which limits they may have, by module, and why
no verdict follows from that."""
PATCHED = {"time", "datetime", "asyncio", "anyio", "loop"}
"""What no test may patch."""
READ = r"\b(import time|from time|asyncio|anyio|datetime|date|httpx)\b|loop|\.wait\("
PUT = rf"setattr|patch|({'|'.join(PATCHED)})(\(\))?\.\w+(: \w+)? *[+-]?="


def last_name(node: ast.expr) -> str:
    """`loop` for every expression that returns the event loop."""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        return "loop" if name in ("get_running_loop", "get_event_loop") else name
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = node.id if isinstance(node, ast.Name) else name
    return name.removeprefix("_")


def readings(tree: ast.AST) -> Iterator[str]:
    """Where a module bypasses the clock, with the line."""
    for node in ast.walk(tree):
        found = ""
        if isinstance(node, ast.Import):
            found = next((f"import {one.name}" for one in node.names if one.name == "time"), "")
        elif isinstance(node, ast.ImportFrom):
            timed = TIMED.get(node.module or "", set[str]())
            names = {one.name for one in node.names}
            if node.level == 0 and (node.module == "time" or names & timed - {"now", "today"}):
                found = f"from {node.module} import {', '.join(sorted(names))}"
        elif isinstance(node, ast.Attribute):
            of = last_name(node.value)
            found = f"{of}.{node.attr}" if node.attr in TIMED.get(of, ()) else ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = last_name(node.func.value)
            timed = any(one.arg == "timeout" for one in node.keywords)
            # A thread's; asyncio's own has no seconds but by that name.
            timed = timed or (of != "asyncio" and bool(node.args))
            found = f"{of}.wait" if node.func.attr == "wait" and timed else ""
        if found:
            yield f"{found}, line {getattr(node, 'lineno', 0)}"


def patches(tree: ast.AST) -> Iterator[str]:
    """Where a test patches Python's time, with the line."""
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            given = node.targets if isinstance(node, ast.Assign) else [node.target]
            targets = [one.value for one in given if isinstance(one, ast.Attribute)]
        elif isinstance(node, ast.Call) and last_name(node.func) in ("setattr", "patch", "object"):
            targets = node.args[:1]
        for target in targets:
            named = isinstance(target, ast.Constant) and isinstance(target.value, str)
            words = str(target.value).split(".") if named else [last_name(target)]  # type: ignore[union-attr]
            if PATCHED & set(words):
                yield f"{ast.unparse(node)[:60]}, line {getattr(node, 'lineno', 0)}"


def parsed(files: Mapping[str, Path], words: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules that contain one of the words: no other can break the rule."""
    for name, file in files.items():
        text = file.read_text(encoding="utf-8")
        if re.search(words, text):
            yield name.removesuffix(".py"), ast.parse(text, str(file))


def check(found: dict[str, list[str]], excused: Mapping[str, str]) -> None:
    """Fail for what is found in other modules, and for exceptions that nobody needs any more."""

    def exception(name: str) -> str | None:
        return next((one for one in excused if re.match(rf"{re.escape(one)}(\W|$)", name)), None)

    bypassing = {name: lines for name, lines in found.items() if lines}
    assert {name: lines for name, lines in bypassing.items() if not exception(name)} == {}
    assert {exception(name) for name in bypassing} == set(excused)


def test_only_the_clock_reads_the_time_and_sleeps() -> None:
    check({name: list(readings(tree)) for name, tree in parsed(sources(), READ)}, ELSEWHERE)


def test_no_test_depends_on_the_speed_or_the_memory_of_the_machine() -> None:
    found = {
        f"{name}: {what}": [what] for name, tree in parsed(TESTS, "") for what in measurements(tree)
    }
    check(found, MEASURED_ELSEWHERE)


def test_no_test_patches_pythons_time() -> None:
    found = {name: list(patches(tree)) for name, tree in parsed(TESTS, PUT)}
    assert {name: message for name, message in found.items() if message} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "from time import monotonic",
        "from asyncio import sleep",
        "datetime.now(UTC)",
        "datetime.datetime.utcnow()",
        "date.today()",
        "loop.time()",
        "self._loop.time()",
        "asyncio.get_running_loop().time()",
        "clock = loop.time",
        "asyncio.get_running_loop().call_later(1, done)",
        "asyncio.wait({task}, timeout=1)",
        "event.wait(5)",
        "anyio.move_on_after(2)",
    ],
)
def test_the_scan_finds_code_that_bypasses_the_clock(line: str) -> None:
    # The rule would hold for an empty scan too, so the scan itself is tested.
    assert re.search(READ, line)
    assert len(list(readings(ast.parse(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "self._clock.time()",
        "clock.call_later(1, done)",
        "datetime.min.time()",
        "datetime.fromtimestamp(at, UTC)",
        "from datetime import UTC, datetime",
        "asyncio.wait({task})",
        "await event.wait()",
    ],
)
def test_the_scan_accepts_allowed_code(line: str) -> None:
    assert list(readings(ast.parse(line))) == []


@pytest.mark.parametrize(
    "line",
    [
        "loop.time = lambda: 5",
        "asyncio.get_running_loop().time = later",
        'monkeypatch.setattr(loop, "time", later)',
        'monkeypatch.setattr(time, "monotonic", later)',
        'monkeypatch.setattr("handheld.server.tls.datetime", Later)',
        'monkeypatch.setattr("asyncio.sleep", nothing)',
        'mock.patch("time.time")',
        'mock.patch.object(asyncio, "sleep")',
    ],
)
def test_the_scan_finds_a_test_that_patches_the_time(line: str) -> None:
    assert re.search(PUT, line)
    assert len(list(patches(ast.parse(line)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import time",
        "import time as t",
        "import json, time",
        "from time import monotonic as now",
        "import timeit",
        "import resource as r",
        "import tracemalloc",
        "import psutil",
        "from psutil import Process",
        "os.times()",
        "from os import times; times()",
        "os.getloadavg()",
        'Path("/proc", "self", "statm")',
        'Path("/proc/self/statm").read_text()',
        'open(f"/proc/{pid}/status")',
        "datetime.now(UTC)",
        "import datetime as dt; dt.datetime.now(UTC)",
        "from datetime import datetime as dt; dt.now(UTC)",
        "from datetime import date as day; day.today()",
        "loop.time()",
        "asyncio.get_running_loop().time()",
        "running = asyncio.get_running_loop(); running.time()",
        "self._loop.call_later(0.1, done)",
        "SYSTEM_CLOCK.now()",
        "from handheld.clock import SYSTEM_CLOCK as clock; clock.now()",
        "SystemClock().now()",
        "clock = SYSTEM_CLOCK; clock.now()",
        "clock = SystemClock(); clock.time()",
        "async def rest(clock=SYSTEM_CLOCK): await clock.sleep(1)",
        "await SYSTEM_CLOCK.sleep(1)",
        "await asyncio.sleep(0.1)",
        "await asyncio.sleep(pause)",
        "import asyncio as aio; await aio.sleep(0.3)",
        "from asyncio import sleep; await sleep(0.3)",
        "from asyncio import sleep as pause; await pause(0.3)",
        "pause = asyncio.sleep",
        "await anyio.sleep(1)",
        "asyncio.timeout(5)",
        "asyncio.timeout(60)",
        "asyncio.timeout(delay=2)",
        "asyncio.timeout(0.5 * 4)",
        "asyncio.timeout(HANG / 100)",
        "asyncio.timeout(LIMIT)",
        "SHORT = 2; asyncio.timeout(SHORT)",
        "from asyncio import timeout; timeout(5)",
        "limited = asyncio.timeout; limited(5)",
        "asyncio.wait_for(call, 2)",
        "asyncio.wait_for(call, timeout=2.5)",
        "from asyncio import wait_for as within; within(call, 2)",
        "asyncio.wait({task}, timeout=1)",
        "anyio.move_on_after(2)",
        "from anyio import fail_after; fail_after(2)",
        "event.wait(5)",
        "threading.Event().wait(1)",
        "condition.wait_for(done, 2)",
        "concurrent.futures.wait(calls, timeout=2)",
        "future.result(2)",
        "thread.join(10)",
        "threading.Timer(0.5, done)",
        "from threading import Timer; Timer(0.5, done)",
        "lock.acquire(True, 2)",
        "queue.get(timeout=1)",
        "queue.get(True, 1)",
        "subprocess.run(command, timeout=30)",
        "run = functools.partial(subprocess.run, timeout=30)",
        "def run(command, limit=30): subprocess.run(command, timeout=limit)",
        "from elsewhere import SHORT; subprocess.run(command, timeout=SHORT)",
        "process.communicate(None, 5)",
        "socket.settimeout(3)",
        "socket.setdefaulttimeout(3)",
        "socket.create_connection(address, 3)",
        "urlopen(url, None, 3)",
        "select.select([handle], [], [], 1)",
        "selectors.DefaultSelector().select(timeout=1)",
        "poller.poll(100)",
        "signal.alarm(2)",
        "signal.setitimer(signal.ITIMER_REAL, 1)",
        "httpx.AsyncClient(timeout=5)",
        "httpx.Timeout(5)",
        "settings(deadline=500)",
        "replace(rules, timeout_seconds=0.3)",
    ],
)
def test_the_scan_finds_a_test_that_depends_on_the_machine(code: str) -> None:
    assert len(list(measurements(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "await asyncio.sleep(0)",
        "await clock.sleep(5)",
        "from harness.polling import HANG; asyncio.timeout(HANG)",
        "from harness.polling import HANG; asyncio.wait_for(call, 2 * HANG)",
        "from harness.polling import HANG as LONG; thread.join(LONG)",
        "from harness import polling; event.wait(polling.HANG)",
        "asyncio.timeout(None)",
        "asyncio.wait({task})",
        "await event.wait()",
        "process.poll()",
        '", ".join(words)',
        "select.select([handle], [], [], 0)",
        'settings.get("timeout", 5)',
        "settings(deadline=None)",
        "subprocess.run(command, timeout=600)",
        'await call("wait_for_element", timeout=0)',
        "clock.now()",
        "from handheld_virtual.time import Wall",
    ],
)
def test_the_scan_accepts_a_test_that_does_not(code: str) -> None:
    assert list(measurements(ast.parse(code))) == []


# The system's clock


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="has no such clock")
def test_the_system_clock_counts_the_time_asleep() -> None:
    """The clock of timers does not."""
    which = time.CLOCK_BOOTTIME
    before, now, after = time.clock_gettime(which), SYSTEM_CLOCK.now(), time.clock_gettime(which)
    assert before <= now <= after


async def test_the_system_clock_sleeps_times_out_and_calls() -> None:
    called = asyncio.Event()
    async with asyncio.timeout(HANG):
        await SYSTEM_CLOCK.sleep(0)
        SYSTEM_CLOCK.call_later(0, called.set)
        await called.wait()
        never = SYSTEM_CLOCK.call_later(0, pytest.fail)
        never.cancel()
        over = False
        try:
            async with SYSTEM_CLOCK.timeout(3600) as timeout:
                timeout.reschedule(SYSTEM_CLOCK.deadline(0))
                await asyncio.Event().wait()
        except TimeoutError:
            over = True
        assert over


async def test_timers_of_the_system_clock_expire_in_order_unless_cancelled() -> None:
    seen: list[str] = []
    done = asyncio.Event()
    number: ContextVar[int] = ContextVar("number", default=0)

    def note(word: str) -> None:
        seen.append(f"{word} {number.get()}")

    def end() -> None:
        never.cancel()
        done.set()

    async with asyncio.timeout(HANG):
        began = SYSTEM_CLOCK.now()
        number.set(1)
        timers = [SYSTEM_CLOCK.call_later(delay, note, word) for word, delay in WORDS]
        number.set(2)
        timers[0].cancel()
        SYSTEM_CLOCK.call_later(0.11, end)
        never = SYSTEM_CLOCK.call_later(0.11, pytest.fail)
        SYSTEM_CLOCK.call_later(0.12, done.set)
        await done.wait()
    assert SYSTEM_CLOCK.now() - began >= 0.11
    # A pause of the machine while the timers are made can change which of them is due first.
    due = sorted((timer.due, word) for timer, (word, _) in zip(timers, WORDS, strict=True))  # type: ignore[attr-defined]
    assert seen == [f"{word} 1" for _, word in due if word != "never"]


WORDS = [("never", 0.055), ("third", 0.08), ("first", 0.06), ("second", 0.07)]
"""With their delays, long enough to be no timers of the event loop's own."""


# A test's clock


async def test_waits_end_in_the_order_in_which_they_are_due() -> None:
    clock = ManualClock()
    seen: list[tuple[str, float]] = []

    async def sleep(name: str, *seconds: float) -> None:
        for each in seconds:
            await clock.sleep(each)
            seen.append((name, clock.now()))

    async def give_up() -> None:
        try:
            async with clock.timeout(4):
                await asyncio.Event().wait()
        except TimeoutError:
            seen.append(("gave up", clock.now()))

    clock.call_later(2, lambda: seen.append(("called", clock.now())))
    tasks = [asyncio.create_task(one) for one in (sleep("a", 3, 2, 2), sleep("b", 1), give_up())]
    await clock.until_waits_only(1, 2, 3, 4)
    await clock.advance(6)
    assert seen == [("b", 1), ("called", 2), ("a", 3), ("gave up", 4), ("a", 5)]
    assert (clock.now(), clock.time(), clock.waits) == (6, MORNING + 6, [1])
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert clock.waits == []


async def test_a_finished_timeout_leaves_no_timer_and_a_rescheduled_one_ends_later() -> None:
    clock = ManualClock()
    async with clock.timeout(5) as timeout:
        assert clock.waits == [5]
        timeout.reschedule(clock.deadline(9))
        await clock.advance(8)
        assert clock.waits == [1]
    assert clock.waits == []
    async with clock.timeout(None):
        assert clock.waits == []


async def test_time_advances_only_when_nothing_is_due() -> None:
    clock = ManualClock()
    timer = clock.call_later(5, pytest.fail)
    clock.put_forward(4)
    with pytest.raises(AssertionError, match=r"waits are \[1.0\]"):
        clock.put_forward(1)
    timer.cancel()
    clock.put_forward(1)
    assert clock.now() == 5
