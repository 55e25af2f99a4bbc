"""Crashes, hangs and performance of apps."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.audit import AuditLog, Recorder
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.diagnostics import Performance
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from handheld.settings.rules import Rules
from handheld.tools.main.diagnostics import diagnostics
from handheld.tools.main.utility import utility
from handheld_virtual.packages import deaths
from handheld_virtual.packages.error_reports import JavaException
from handheld_virtual.packages.lifecycle import stop
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.logs import Writer
from handheld_virtual.world import World
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock, reached

from .conftest import LONGEST_SHELL_PAUSE_MS, Bench, pass_time

APP, CLOCK = "com.android.calculator2", "com.android.deskclock"
NONE = "No crash is on record (Android keeps them 3 days)."
RELEASES = [26, 28, 29, 30, 33, 34, 36]


async def listed(bench: Bench, **arguments: Any) -> list[dict[str, Any]]:
    return json.loads(await bench.call("list_crashes", **arguments))["crashes"]


async def told(bench: Bench, id: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(await bench.call("get_crash", crash_id=id, **arguments))


def crash(world: World, package: str = APP, words: str = "0 / 0", frames: int = 1) -> int:
    world.bring(package)
    [pid] = world.running.pids(package)
    at = (f"a.B.c{number}(B.java:{number})" for number in range(frames))
    world.running.crash(
        world.apps[package], JavaException("java.lang.ArithmeticException", words, *at)
    )
    return pid


async def hang(bench: Bench) -> None:
    bench.world.bring(APP)
    bench.world.frozen_packages.add(APP)
    bench.world.key(66)
    await bench.clock.advance(6000)
    bench.world.settle()


# The list


async def test_a_phone_without_crashes_says_so(bench: Bench) -> None:
    reply = json.loads(await bench.call("list_crashes"))
    assert reply == {"crashes": [], "note": NONE}
    reply = json.loads(await bench.call("list_crashes", package_id=APP))
    assert reply["note"] == f"No crash of {APP} is on record (Android keeps them 3 days)."


async def test_a_crash_in_three_records_is_one(bench: Bench) -> None:
    pid = crash(bench.world)
    [found] = await listed(bench)
    assert found == {
        "crash_id": found["crash_id"],
        "kind": "crash",
        "package_id": APP,
        "process": APP,
        "time": "2026-02-11T09:41:00.000",
        "reason": "java.lang.ArithmeticException: 0 / 0",
        "foreground": True,
    }
    reply = await told(bench, found["crash_id"])
    assert reply == {
        **found,
        "pid": pid,
        "trace": "java.lang.ArithmeticException: 0 / 0\n\tat a.B.c0(B.java:0)",
        "line_count": 2,
        "truncated": False,
    }


async def test_each_kind_of_death_is_told(bench: Bench) -> None:
    world = bench.world
    for kill in (
        lambda: crash(world),
        lambda: deaths.crash_natively(world, world.apps[APP], 6, "no beans"),
        lambda: deaths.kill_for_memory(world, world.apps[APP]),
        lambda: deaths.leak(world, world.apps[APP], 400_000),
        lambda: deaths.kill_for_use(world, world.apps[APP]),
    ):
        world.bring(APP)
        kill()
        await bench.clock.advance(1000)
    found = await listed(bench)
    assert [(each["kind"], each["reason"]) for each in found] == [
        ("excessive_resource", "excessive cpu 64200 during 300000 dur=900000 limit=2"),
        ("crash", found[1]["reason"]),
        ("low_memory", "Android needed its memory while it was in use"),
        (
            "native_crash",
            "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------."
            " Abort message: 'no beans'",
        ),
        ("crash", "java.lang.ArithmeticException: 0 / 0"),
    ]
    assert found[1]["reason"].startswith("java.lang.OutOfMemoryError: Failed to allocate a ")
    assert len({each["crash_id"] for each in found}) == 5
    assert {each["foreground"] for each in found} == {True}
    native = await told(bench, found[3]["crash_id"])
    assert "backtrace:" in native["trace"]
    starved = await told(bench, found[2]["crash_id"])
    assert (starved["trace"], starved["note"]) == ("", "Android kept no trace of it.")


async def test_an_app_that_is_killed_in_the_background_is_no_crash(bench: Bench) -> None:
    world = bench.world
    world.bring(APP)
    world.press("home")
    deaths.kill_for_memory(world, world.apps[APP])
    world.bring(APP)
    world.stop(APP)
    assert await listed(bench) == []


async def test_a_hang_is_told_with_its_threads_and_its_end_is_no_other(bench: Bench) -> None:
    await hang(bench)
    [found] = await listed(bench, package_id=APP)
    assert (found["kind"], found["foreground"]) == ("anr", True)
    assert found["reason"].startswith("Input dispatching timed out (")
    await bench.clock.advance(60_000)
    bench.world.frozen_packages.clear()
    stop(bench.world, bench.world.apps[APP], "user request after error")
    [again] = await listed(bench, package_id=APP)
    assert again == found
    reply = await told(bench, found["crash_id"])
    assert '"main" prio=5 tid=1 Sleeping' in reply["trace"]


async def test_the_list_is_limited_to_an_app_a_time_and_a_number(bench: Bench) -> None:
    world = bench.world
    crash(world)
    await bench.clock.advance(120_000)
    crash(world, CLOCK)
    assert [each["package_id"] for each in await listed(bench)] == [CLOCK, APP]
    assert [each["package_id"] for each in await listed(bench, package_id=APP)] == [APP]
    for since in ("2026-02-11T09:42:00", "2026-02-11T09:42:00Z", "2026-02-11T11:42:00+02:00"):
        assert [each["package_id"] for each in await listed(bench, since=since)] == [CLOCK]
    reply = json.loads(await bench.call("list_crashes", limit=1))
    assert (len(reply["crashes"]), reply["more"]) == (1, 1)
    reply = json.loads(await bench.call("list_crashes", since="2026-02-12T00:00:00"))
    assert reply["note"] == (
        "No crash since 2026-02-12 00:00:00 is on record (Android keeps them 3 days)."
    )


async def test_times_are_on_the_phones_clock(bench: Bench) -> None:
    bench.world.wall.set_zone("CET", timedelta(hours=1))
    crash(bench.world)
    [found] = await listed(bench, since="2026-02-11T09:40:00Z")
    assert found["time"] == "2026-02-11T10:41:00.000"
    assert await listed(bench, since="2026-02-11T09:42:00Z") == []


async def test_a_time_zone_that_the_phone_does_not_tell_is_not_guessed(bench: Bench) -> None:
    async def refuse(process: Process) -> int:
        return 1

    crash(bench.world)
    bench.device.programs["date"] = refuse
    failure = await bench.failure("list_crashes", since="2026-02-11T09:40:00Z")
    assert failure.message == "The phone does not report its time zone: give since without one."
    assert len(await listed(bench, since="2026-02-11T09:40:00")) == 1


async def test_a_process_of_a_crash_that_nothing_else_tells_of_is_read_from_the_log(
    bench: Bench,
) -> None:
    crash(bench.world)
    bench.world.dropbox.clear()
    bench.world.running.exits.clear()
    [found] = await listed(bench, package_id=APP)
    assert (found["kind"], found["foreground"]) == ("crash", None)
    assert (await told(bench, found["crash_id"]))["line_count"] == 2


# Ids


async def test_an_id_stays_while_a_record_of_the_crash_is_left(bench: Bench) -> None:
    world = bench.world
    crash(world)
    [first] = await listed(bench)
    world.logs.clear()
    [second] = await listed(bench)
    world.dropbox.clear()
    assert world.android.exit_info
    [third] = await listed(bench)
    assert first["crash_id"] == second["crash_id"] == third["crash_id"]
    assert (await told(bench, first["crash_id"]))["trace"] == ""
    world.running.exits.clear()
    failure = await bench.failure("get_crash", crash_id=first["crash_id"])
    assert type(failure) is ElementNotFound
    assert failure.message == (
        f"Crash {first['crash_id']} is not on record (Android keeps them 3 days), or no longer "
        "distinguishable from another. List the crashes again."
    )


async def test_an_id_does_not_mean_the_next_crash(bench: Bench) -> None:
    world = bench.world
    crash(world, words="first")
    [first] = await listed(bench)
    for records in (world.logs, world.dropbox, world.running.exits):
        records.clear()
    crash(world, words="second")
    assert type(await bench.failure("get_crash", crash_id=first["crash_id"])) is ElementNotFound


async def test_another_process_of_ours_finds_the_crash_by_its_id(bench: Bench) -> None:
    crash(bench.world)
    [found] = await listed(bench)
    bench.phone.crash_ids = type(bench.phone.crash_ids)()
    assert (await told(bench, found["crash_id"]))["crash_id"] == found["crash_id"]


@pytest.mark.parametrize("id", ["abc", "com.android.calculator2", "../../etc", "'; reboot; '"])
async def test_what_is_no_crash_id_is_refused(bench: Bench, id: str) -> None:
    failure = await bench.failure("get_crash", crash_id=id)
    assert type(failure) is InvalidParams
    assert failure.message == f"'{id}' is not a crash id. The list of crashes has them."


@pytest.mark.parametrize("tool", ["list_crashes", "get_performance"])
@pytest.mark.parametrize("package", ["a b", "com.x; reboot", "$(reboot)", "-h", "1com"])
async def test_what_is_no_package_never_reaches_the_shell(
    bench: Bench, tool: str, package: str
) -> None:
    failure = await bench.failure(tool, package_id=package)
    assert type(failure) is InvalidParams
    assert failure.message.startswith("Parameter 'package_id' must be a package such as ")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("list_crashes", {"limit": 0}, "Parameter 'limit' must be between 1 and 200, got: 0"),
        ("list_crashes", {"since": "soon"}, "since must be an ISO 8601 timestamp"),
        ("get_crash", {"crash_id": ""}, "Parameter 'crash_id' must not be empty"),
        (
            "get_crash",
            {"crash_id": "x", "max_lines": 2001},
            "Parameter 'max_lines' must be between 1 and 2000, got: 2001",
        ),
    ],
)
async def test_wrong_arguments_are_refused_by_name(
    bench: Bench, tool: str, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure(tool, **arguments)
    assert type(failure) is InvalidParams
    assert failure.message.startswith(message)


# What apps say


async def test_a_long_trace_is_cut_where_the_caller_says(bench: Bench) -> None:
    crash(bench.world, frames=900)
    [found] = await listed(bench)
    short = await told(bench, found["crash_id"], max_lines=10)
    assert (short["line_count"], short["truncated"]) == (10, True)
    whole = await told(bench, found["crash_id"], max_lines=2000)
    assert (whole["line_count"], whole["truncated"]) == (901, False)


async def test_words_of_an_app_are_made_visible_and_bounded(bench: Bench) -> None:
    crash(bench.world, words="a\u202egnp.exe\x1b[0m " + "x" * 50_000)
    [found] = await listed(bench)
    assert "\u202e" not in found["reason"]
    assert "⟨U+202E⟩" in found["reason"]
    assert len(found["reason"]) < 400
    reply = await told(bench, found["crash_id"])
    assert "\x1b" not in reply["trace"]
    assert len(reply["trace"]) < 3000


async def test_an_app_cannot_put_another_crash_into_its_trace(bench: Bench) -> None:
    rule, head = "=" * 40, "2026-02-11 09:41:00 data_app_crash (text, 20 bytes)"
    forged = f"x\n\n{rule}\n{head}\nProcess: com.bank\nPID: 77\nPackage: com.bank v1\n\nforged"
    crash(bench.world, words=forged)
    found = await listed(bench)
    assert [each["package_id"] for each in found] == [APP]


async def test_crashes_that_share_a_second_keep_their_own_traces(bench: Bench) -> None:
    """The drop box tells entries of one second apart by their sizes alone."""
    crash(bench.world, words="one")
    crash(bench.world, CLOCK, words="two")
    found = {each["package_id"]: each["crash_id"] for each in await listed(bench)}
    for package, words in ((APP, "one"), (CLOCK, "two")):
        assert words in (await told(bench, found[package]))["trace"]


# Records that cannot be read


async def test_a_record_that_cannot_be_read_is_named(bench: Bench) -> None:
    crash(bench.world)
    dumpsys = bench.device.programs["dumpsys"]

    async def refuse(process: Process) -> int:
        if "dropbox" in process.arguments:
            await process.stderr.write(b"Can't find service: dropbox\n")
            return 0
        return await dumpsys(process)

    bench.device.programs["dumpsys"] = refuse
    reply = json.loads(await bench.call("list_crashes"))
    assert [each["kind"] for each in reply["crashes"]] == ["crash"]
    assert reply["note"] == "The drop box could not be read: crashes may be missing."


async def test_a_phone_that_tells_nothing_is_an_error(bench: Bench) -> None:
    async def refuse(process: Process) -> int:
        await process.stdout.write(b"Permission Denial: not allowed\n")
        return 1

    bench.device.programs["dumpsys"] = bench.device.programs["logcat"] = refuse
    failure = await bench.failure("list_crashes")
    assert type(failure) is ActionFailed
    assert "Permission Denial: not allowed" in failure.message


# Rules


def ruled(bench: Bench, *deny: str) -> LocalSurface:
    gate = ApprovalGate(Rules(deny=deny))
    options = SurfaceOptions(policy=ALL_ON, gate=gate, clock=PhoneClock(bench.device))
    bench.surface = bench.counter.surface = LocalSurface((diagnostics,), bench, options)
    return bench.surface


async def test_crashes_of_a_denied_app_are_hidden_and_refused(bench: Bench) -> None:
    crash(bench.world)
    crash(bench.world, CLOCK)
    ids = {each["package_id"]: each["crash_id"] for each in await listed(bench)}
    ruled(bench, f"app:{APP}")
    assert [each["package_id"] for each in await listed(bench)] == [CLOCK]
    for tool, arguments in (
        ("list_crashes", {"package_id": APP}),
        ("get_performance", {"package_id": APP}),
        ("get_crash", {"crash_id": ids[APP]}),
    ):
        failure = await bench.failure(tool, **arguments)
        assert type(failure) is PermissionDenied
        assert "denies it" in failure.message
    assert (await told(bench, ids[CLOCK]))["package_id"] == CLOCK


async def test_a_crash_of_a_denied_app_is_hidden_by_its_user_id(bench: Bench) -> None:
    """Its process may have any name."""
    pid = crash(bench.world)
    bench.world.dropbox.clear()
    bench.world.running.exits.clear()
    [entry] = bench.world.logs.read(["crash"])
    bench.world.logs.clear()
    renamed = entry.message.replace(f"Process: {APP},", "Process: brewing.service,")
    writer = Writer(pid, entry.uid)
    bench.world.logs.write(writer, "E", "AndroidRuntime", renamed, "crash")
    assert [each["process"] for each in await listed(bench)] == ["brewing.service"]
    ruled(bench, f"app:{APP}")
    assert await listed(bench) == []


async def test_a_process_that_a_denied_app_shares_is_not_measured(bench: Bench) -> None:
    bench.world.bring(APP)
    driver = bench.phone.driver
    of_app = await bench.passing(driver.performance(APP))

    async def performance(package: str) -> Performance:
        return of_app  # as of two apps with one user id, whose process has the name of one

    driver.performance = performance  # type: ignore[method-assign]
    bench.world.bring(CLOCK)
    await bench.call("get_performance", package_id=CLOCK)
    ruled(bench, f"app:{APP}")
    failure = await bench.failure("get_performance", package_id=CLOCK)
    assert failure.message == f"{CLOCK} is not running: there is nothing to measure."


@pytest.mark.by_helper("it copies a text")
async def test_a_secret_in_a_trace_is_masked_in_the_record(bench: Bench, tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.db")
    options = SurfaceOptions(policy=ALL_ON, recorder=Recorder(log), clock=PhoneClock(bench.device))
    surface = LocalSurface((utility, diagnostics), bench, options)
    bench.surface = bench.counter.surface = surface
    await bench.call("set_clipboard", text="correct-horse")
    crash(bench.world, words="cannot log in with correct-horse")
    [found] = await listed(bench)
    reply = await told(bench, found["crash_id"])
    assert "correct-horse" in reply["trace"]
    log.close()
    kept = AuditLog(tmp_path / "audit.db")
    entries = kept.entries()
    kept.close()
    assert [entry.tool for entry in entries][-1] == "get_crash"
    assert "cannot log in with (masked)" in str(entries[-1].result)
    assert all("correct-horse" not in str(entry) for entry in entries)


# Performance


async def test_a_running_app_is_measured(bench: Bench) -> None:
    world = bench.world
    world.bring(APP)
    usage = world.usages.of(APP)
    usage.java_heap, usage.user_permille, usage.kernel_permille = 10_000, 29, 5
    reply = json.loads(await bench.call("get_performance", package_id=APP))
    [process] = reply.pop("processes")
    assert process.pop("memory_kb") == {
        "total": usage.pss,
        **({"resident": usage.rss} if world.android.meminfo_rss else {}),
        "java_heap": 10_000,
        "native_heap": 14_336,
        "code": 20_480,
        "stack": 720,
        "graphics": 12_288,
        "private_other": 2_048,
        "system": 6_144,
        "swapped": 84,
    }
    assert process == {"process": APP, "pid": world.running.pids(APP)[0], "cpu_percent": 3.4}
    assert reply == {
        "package_id": APP,
        "memory_kb": usage.pss,
        "cpu_percent": 3.4,
        "cpu_from": "2026-02-11 09:39:58.500",
        "cpu_to": "2026-02-11 09:40:58.500",
        "frames": {
            "rendered": 100,
            "janky": 4,
            "janky_percent": 4.0,
            "p50_ms": 5,
            "p90_ms": 12,
            "p95_ms": 16,
            "p99_ms": 24,
        },
        "last_start": {
            "activity": f"{APP}/.Calculator",
            "ms": 0,
            "time": "2026-02-11T09:41:00.000",
        },
        "notes": [],
    }


async def test_what_was_not_measured_is_said(bench: Bench) -> None:
    world = bench.world
    world.bring(APP)
    world.usages.of(APP).frames.clear()
    world.logs.clear()
    reply = json.loads(await bench.call("get_performance", package_id=APP))
    assert (reply["frames"], reply["cpu_percent"], reply["last_start"]) == (None, None, None)
    assert reply["notes"] == [
        f"{APP} is not among the processes that used the CPU between 2026-02-11 09:39:58.500 and"
        " 2026-02-11 09:40:58.500.",
        f"{APP} has drawn no frame with Android's toolkit: apps that draw by themselves, such as "
        "games and videos, are not measured.",
        "The log does not contain the duration of its last start.",
    ]


@pytest.mark.parametrize("package", [APP, "org.example.nothing"])
async def test_an_app_that_does_not_run_is_not_measured(bench: Bench, package: str) -> None:
    failure = await bench.failure("get_performance", package_id=package)
    assert type(failure) is ActionFailed
    assert failure.message == f"{package} is not running: there is nothing to measure."


# Releases


@asynccontextmanager
async def open_phone(api: int, by: str) -> AsyncGenerator[tuple[World, LocalSurface, ManualClock]]:
    clock = ManualClock()
    async with reached(VirtualPhone(clock=clock, api=api), by) as (device, _, phone):
        options = SurfaceOptions(policy=ALL_ON)
        yield device.world, LocalSurface((diagnostics,), OnePhone(phone), options), clock


@pytest.mark.parametrize("by", ["helper", "shell"])
@pytest.mark.parametrize(
    "api",
    [
        api if api in (28, 30, 36) else pytest.param(api, marks=pytest.mark.matrix)
        for api in RELEASES
    ],
)
async def test_every_release_tells_crashes_hangs_and_performance(api: int, by: str) -> None:
    async with open_phone(api, by) as (world, surface, clock):

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            calling = surface.call(f"android_{tool}", arguments, Caller("test"))
            [text] = await pass_time(clock, calling, LONGEST_SHELL_PAUSE_MS)
            return json.loads(str(text))

        crash(world)
        await clock.advance(1000)
        world.bring(APP)
        deaths.crash_natively(world, world.apps[APP])
        world.system_dialogs.close_all()
        await clock.advance(1000)
        world.bring(CLOCK)
        world.frozen_packages.add(CLOCK)
        world.key(66)
        await clock.advance(6000)
        world.settle()
        found = (await call("list_crashes"))["crashes"]
        assert [each["kind"] for each in found] == ["anr", "native_crash", "crash"]
        assert {each["foreground"] for each in found} == {True}
        words = ('"main" prio=5', ">>> com.android.calculator2 <<<", "0 / 0")
        for each, sign in zip(found, words, strict=True):
            reply = await call("get_crash", crash_id=each["crash_id"])
            assert sign in reply["trace"]
            assert reply["crash_id"] == each["crash_id"]
        measured = await call("get_performance", package_id=CLOCK)
        assert measured["memory_kb"] > 0
        assert measured["frames"]["rendered"] == 100
        assert measured["last_start"]["activity"].startswith(CLOCK)
