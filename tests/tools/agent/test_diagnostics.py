"""Crashes and performance as data."""

import re

import pytest

from handheld.access.approval import ApprovalGate
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from handheld.settings.rules import Rules
from handheld_virtual.packages import deaths
from handheld_virtual.packages.error_reports import JavaException
from harness.phones import PhoneClock

from .conftest import AgentBench

APP, CLOCK = "com.android.calculator2", "com.android.deskclock"
pytestmark = pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True)


def crash(bench: AgentBench, package: str = APP, words: str = 'say "0 / 0"') -> None:
    world = bench.world
    world.bring(package)
    thrown = JavaException(
        "java.lang.ArithmeticException", words, "a.B.c(B.java:1)", "d.E.f(E.java)"
    )
    world.running.crash(world.apps[package], thrown)


@pytest.mark.slow
async def test_crashes_are_rows_and_one_is_read_by_its_id(bench: AgentBench) -> None:
    assert await bench.call("read", what="crashes") == (
        "No crash is on record (Android keeps them 3 days)."
    )
    crash(bench)
    row = await bench.call("read", what="crashes")
    found = re.fullmatch(r"(\S+) crash (\S+) 2026-02-11 09:41:00 (\".*\") in front", row)
    assert found is not None, row
    assert found[2] == APP
    assert found[3] == r'"java.lang.ArithmeticException: say \"0 / 0\""'
    assert await bench.call("read", what="crashes", of=found[1]) == "\n".join(
        [
            row,
            'java.lang.ArithmeticException: say "0 / 0"',
            "\tat a.B.c(B.java:1)",
            "\tat d.E.f(E.java)",
        ]
    )
    assert await bench.call("read", what="crashes", of=found[1], limit=1) == "\n".join(
        [row, 'java.lang.ArithmeticException: say "0 / 0"', "2 more lines: raise limit."]
    )


@pytest.mark.slow
async def test_crashes_of_one_app_are_read_by_its_package(bench: AgentBench) -> None:
    crash(bench)
    bench.world.bring(CLOCK)
    deaths.kill_for_memory(bench.world, bench.world.apps[CLOCK])
    rows = (await bench.call("read", what="crashes", of=CLOCK)).split("\n")
    assert [row.split()[1:3] for row in rows] == [["low_memory", CLOCK]]
    id = rows[0].split()[0]
    told = await bench.call("read", what="crashes", of=id)
    assert told == f"{rows[0]}\nAndroid kept no trace of it."
    rows = (await bench.call("read", what="crashes", limit=1)).split("\n")
    assert (len(rows), rows[1]) == (2, "1 more crashes: raise limit.")
    assert await bench.call("read", what="crashes", of="a.b") == (
        "No crash of a.b is on record (Android keeps them 3 days)."
    )


async def test_what_names_no_crash_is_refused(bench: AgentBench) -> None:
    failure = await bench.failure("read", what="crashes", of="abcdef-2013-ffff")
    assert type(failure) is ElementNotFound
    assert type(await bench.failure("read", what="crashes", of="a; b")) is InvalidParams


async def test_words_of_a_trace_cannot_hide(bench: AgentBench) -> None:
    crash(bench, words='a\u202eb\nk4 "Pay"')
    row = await bench.call("read", what="crashes")
    assert len(row.split("\n")) == 1
    told = await bench.call("read", what="crashes", of=row.split()[0])
    assert "\u202e" not in told


async def test_performance_is_told_in_lines(bench: AgentBench) -> None:
    bench.world.bring(APP)
    usage = bench.world.usages.of(APP)
    usage.user_permille, usage.kernel_permille = 120, 4
    [pid] = bench.world.running.pids(APP)
    lines = (await bench.call("read", what="performance", of=APP)).split("\n")
    assert lines[0].startswith(f"{APP} pid {pid} memory {usage.pss} kB (resident {usage.rss}, java")
    assert lines[0].endswith(" processor 12 %")
    assert lines[1:] == [
        "frames 100, janky 4 (4 %), 50 of 100 within 5 ms, 90 of 100 within 12 ms,"
        " 95 of 100 within 16 ms, 99 of 100 within 24 ms",
        f"last start {APP}/.Calculator 0 ms, 2026-02-11 09:41:00",
    ]


async def test_an_app_that_does_not_run_is_not_measured(bench: AgentBench) -> None:
    failure = await bench.failure("read", what="performance", of=APP)
    assert type(failure) is ActionFailed
    assert failure.message == f"{APP} is not running: there is nothing to measure."
    failure = await bench.failure("read", what="performance")
    assert failure.message == "phone_read performance needs of: the package of a running app."


@pytest.mark.slow
async def test_a_denied_app_has_no_crashes_and_no_performance(bench: AgentBench) -> None:
    crash(bench)
    crash(bench, CLOCK)
    rows = (await bench.call("read", what="crashes")).split("\n")
    ids = {row.split()[2]: row.split()[0] for row in rows}
    options = SurfaceOptions(
        gate=ApprovalGate(Rules(deny=[f"app:{APP}"])), clock=PhoneClock(bench.device)
    )
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]
    told = await bench.call("read", what="crashes")
    assert (APP in told, CLOCK in told) == (False, True)
    for what, of in (("crashes", APP), ("crashes", ids[APP]), ("performance", APP)):
        assert type(await bench.failure("read", what=what, of=of)) is PermissionDenied
    assert CLOCK in await bench.call("read", what="crashes", of=ids[CLOCK])
