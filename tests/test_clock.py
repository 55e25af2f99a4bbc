"""The system clock, the tests' clock, and the rule that nothing bypasses them."""

import ast
import asyncio
import re
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest

from handheld.clock import SYSTEM_CLOCK
from manual_clock import MORNING, ManualClock

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "handheld"

ELSEWHERE = {
    "clock": "It is the clock.",
    "virtual": "The virtual phone has its own clock, independent of the product.",
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


def parsed(folder: Path, words: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules that contain one of the words: no other can break the rule."""
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if re.search(words, text):
            yield file.relative_to(folder).with_suffix("").as_posix(), ast.parse(text, str(file))


def excused(name: str) -> str | None:
    return next((one for one in ELSEWHERE if name == one or name.startswith(f"{one}/")), None)


@pytest.mark.matrix
def test_only_the_clock_reads_the_time_and_sleeps() -> None:
    found = {name: list(readings(tree)) for name, tree in parsed(SOURCE, READ)}
    assert {name: message for name, message in found.items() if message and not excused(name)} == {}
    used = {excused(name) for name, message in found.items() if message}
    assert used - {None} == set(ELSEWHERE), "no exception stays that nobody needs"


@pytest.mark.matrix
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


# The system's clock


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="has no such clock")
def test_the_system_clock_counts_the_time_asleep() -> None:
    """The clock of timers does not."""
    which = time.CLOCK_BOOTTIME
    before, now, after = time.clock_gettime(which), SYSTEM_CLOCK.now(), time.clock_gettime(which)
    assert before <= now <= after


async def test_the_system_clock_sleeps_times_out_and_calls() -> None:
    called = asyncio.Event()
    async with asyncio.timeout(60):
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

    async with asyncio.timeout(60):
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
    assert seen == ["first 1", "second 1", "third 1"]


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
