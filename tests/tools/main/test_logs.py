"""get_device_logs."""

import json
from datetime import timedelta
from typing import Any

import pytest

from handheld.driver.by_adb import logcat
from handheld.errors import ActionFailed, InvalidParams, TimedOut
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock
from harness.manual_clock import ManualClock as LinkClock

from .conftest import Bench

CALCULATOR = "com.android.calculator2"
FORM = "dev.handheld.form"
SETTINGS = "com.android.settings"
KEEPER = "dev.handheld.keeper"


@pytest.fixture
def quiet(bench: Bench) -> Bench:
    """A phone whose log is empty: nothing but what the test writes."""
    bench.world.logs.clear()
    return bench


def write(bench: Bench, message: str, *, level: str = "I", tag: str = "Test", by: str = KEEPER):
    bench.world.apps[by].log(level, tag, message)


async def advance(bench: Bench, ms: float) -> None:
    clock = bench.device.clock
    assert isinstance(clock, ManualClock)
    await clock.advance(ms)


async def read(bench: Bench, **arguments: Any) -> list[str]:
    """The lines, after a look at the rest of the reply."""
    reply = json.loads(await bench.call("get_device_logs", **arguments))
    lines = reply["logs"].split("\n") if reply["logs"] else []
    assert reply == {
        "logs": reply["logs"],
        "line_count": len(lines),
        "truncated": reply["truncated"],
    }
    return lines


async def test_a_line_has_time_level_tag_and_message(quiet: Bench) -> None:
    tag = "Sync:Mail"
    write(quiet, "Inbox is fetched", level="D", tag=tag)
    await advance(quiet, 1333)
    write(quiet, "Two new letters", tag=tag)
    assert await quiet.call("get_device_logs") == (
        r'{"logs":"02-11 09:41:00.000 D/Sync:Mail: Inbox is fetched\n'
        r'02-11 09:41:01.333 I/Sync:Mail: Two new letters",'
        '"line_count":2,"truncated":false}'
    )
    assert quiet.events() == []


async def test_an_empty_log_is_an_empty_reply(quiet: Bench) -> None:
    assert await quiet.call("get_device_logs") == '{"logs":"","line_count":0,"truncated":false}'


@pytest.mark.by_helper("the commands take time, and the log has it")
async def test_what_is_done_on_the_phone_can_be_read_in_its_log(quiet: Bench) -> None:
    await quiet.call("open_app", package_id=CALCULATOR)
    for key in "6×7=":
        await quiet.call("click_element", element_id=await quiet.id_of(key))
    (pid,) = quiet.world.running.pids(CALCULATOR)
    uid = quiet.world.running.uid(quiet.world.apps[CALCULATOR])
    assert await read(quiet) == [
        "02-11 09:41:00.000 I/ActivityTaskManager: START u0"
        " {cmp=com.android.calculator2/.Calculator} from uid 1000",
        f"02-11 09:41:00.000 I/ActivityManager: Start proc {pid}:{CALCULATOR}/u0a{uid - 10000} for"
        f" next-top-activity {{{CALCULATOR}/{CALCULATOR}.Calculator}}",
        "02-11 09:41:00.000 I/ActivityTaskManager: Displayed"
        " com.android.calculator2/.Calculator for user 0: +0ms",
        "02-11 09:41:00.000 D/Calculator: 6×7 = 42",
    ]


# How many


async def test_the_newest_lines_are_given_oldest_first(quiet: Bench) -> None:
    for number in range(150):
        write(quiet, str(number))
    expected = [f"02-11 09:41:00.000 I/Test: {number}" for number in range(50, 150)]
    reply = json.loads(await quiet.call("get_device_logs"))
    assert reply == {"logs": "\n".join(expected), "line_count": 100, "truncated": True}
    assert await read(quiet, last_lines=1) == expected[-1:]


@pytest.mark.parametrize(("asked", "truncated"), [(9, True), (10, False), (11, False)])
async def test_truncated_means_that_older_lines_match_too(
    quiet: Bench, asked: int, truncated: bool
) -> None:
    for number in range(10):
        write(quiet, str(number))
        write(quiet, "another", tag="Other")
    reply = json.loads(await quiet.call("get_device_logs", last_lines=asked, tag="Test"))
    assert (reply["line_count"], reply["truncated"]) == (min(asked, 10), truncated)


@pytest.mark.matrix
async def test_a_rare_line_is_found_however_old_it_is(quiet: Bench) -> None:
    write(quiet, "long ago", tag="Rare:Tag")
    for number in range(5000):
        write(quiet, str(number))
    assert await read(quiet, tag="Rare:Tag") == ["02-11 09:41:00.000 I/Rare:Tag: long ago"]


# What


@pytest.mark.parametrize(
    ("level", "letters"),
    [("V", "VDIWEF"), ("D", "DIWEF"), ("i", "IWEF"), ("W", "WEF"), ("E", "EF"), ("F", "F")],
)
async def test_a_level_is_the_least_that_is_listed(quiet: Bench, level: str, letters: str) -> None:
    for letter in "VDIWEF":
        write(quiet, letter, level=letter)
    assert [line[-1] for line in await read(quiet, level=level)] == list(letters)


async def test_without_a_level_everything_but_verbose_is_listed(quiet: Bench) -> None:
    for letter in "VDIWEF":
        write(quiet, letter, level=letter)
    assert [line[-1] for line in await read(quiet)] == list("DIWEF")


@pytest.mark.parametrize(
    "tag", ["Net", "Net.Http", "a:b", "DHCP/wlan0", "[x] y", "設定", "-s", "*"]
)
async def test_a_tag_is_matched_as_a_whole(quiet: Bench, tag: str) -> None:
    for other in ("Net", "Net.Http", "net", "Network", "a", "a:b", "a:b:c"):
        write(quiet, "another", tag=other)
    write(quiet, "this", tag=tag)
    assert (await read(quiet, tag=tag))[-1] == f"02-11 09:41:00.000 I/{tag}: this"
    assert {line.split(" ", 2)[2].rsplit(": ", 1)[0] for line in await read(quiet, tag=tag)} == {
        f"I/{tag}"
    }


async def test_a_multi_line_log_message_is_returned_line_by_line(quiet: Bench) -> None:
    write(quiet, "FATAL EXCEPTION: main\n\tat a.b(C.java:1)\n", level="E", tag="AndroidRuntime")
    assert await read(quiet) == [
        "02-11 09:41:00.000 E/AndroidRuntime: FATAL EXCEPTION: main",
        "02-11 09:41:00.000 E/AndroidRuntime: \tat a.b(C.java:1)",
    ]


async def test_no_app_can_forge_a_line(quiet: Bench) -> None:
    write(quiet, "a\n02-11 09:41:00.000 E/Bank: all is well\rb\u2028c \U0001f642 \ud800")
    assert await read(quiet) == [
        "02-11 09:41:00.000 I/Test: a",
        "02-11 09:41:00.000 I/Test: 02-11 09:41:00.000 E/Bank: all is well b c \U0001f642 ?",
    ]


# When


async def at_ten_minutes(bench: Bench) -> None:
    """A line at 09:41, 09:42 and so on, ten of them."""
    for number in range(10):
        write(bench, str(number))
        await advance(bench, 60_000)


@pytest.mark.parametrize(
    ("span", "numbers"),
    [
        ({"since": "2026-02-11T09:48:00"}, "789"),
        ({"since": "2026-02-11T09:48:00.001"}, "89"),
        ({"until": "2026-02-11T09:43:00"}, "012"),
        ({"until": "2026-02-11T09:42:59.999999"}, "01"),
        ({"since": "2026-02-11T09:43:00", "until": "2026-02-11T09:45:00"}, "234"),
        ({"since": "2026-02-11T09:45:00", "until": "2026-02-11T09:43:00"}, ""),
        ({"since": "2025-02-11T09:48:00"}, "0123456789"),
        ({"since": "2027-01-01T00:00:00"}, ""),
        ({"since": "2026-02-11T09:48:00Z"}, "789"),
        ({"since": "2026-02-11T11:48:00+02:00"}, "789"),
        ({"until": "2026-02-11T04:13:00-0530"}, "012"),
    ],
)
async def test_a_span_of_time_includes_both_its_ends(
    quiet: Bench, span: dict[str, str], numbers: str
) -> None:
    await at_ten_minutes(quiet)
    assert "".join(line[-1] for line in await read(quiet, **span)) == numbers


@pytest.mark.parametrize(
    ("until", "numbers"), [("2026-02-11T15:13:00", "012"), ("2026-02-11T09:43:00Z", "012")]
)
async def test_a_time_without_a_zone_is_the_phones(quiet: Bench, until: str, numbers: str) -> None:
    quiet.device.set_zone("Asia/Kolkata", timedelta(hours=5, minutes=30))
    await at_ten_minutes(quiet)
    lines = await read(quiet, until=until)
    assert "".join(line[-1] for line in lines) == numbers
    assert lines[0] == "02-11 15:11:00.000 I/Test: 0"


async def test_a_clock_that_was_set_back_changes_no_order(quiet: Bench) -> None:
    write(quiet, "before")
    quiet.world.wall.jump(timedelta(hours=-3))
    write(quiet, "after")
    assert await read(quiet) == [
        "02-11 09:41:00.000 I/Test: before",
        "02-11 06:41:00.000 I/Test: after",
    ]
    assert await read(quiet, until="2026-02-11T07:00:00") == ["02-11 06:41:00.000 I/Test: after"]


# Whose


async def test_an_apps_log_lines_are_separated_from_others(quiet: Bench) -> None:
    write(quiet, "mine", by=FORM)
    write(quiet, "another's")
    assert (await read(quiet, package_name=FORM)) == ["02-11 09:41:00.000 I/Test: mine"]


async def test_an_app_that_has_ended_is_known_by_its_uid(quiet: Bench) -> None:
    write(quiet, "first life", by=FORM)
    await quiet.call("close_app", package_id=FORM)
    write(quiet, "another's")
    assert await read(quiet, package_name=FORM) == ["02-11 09:41:00.000 I/Test: first life"]
    write(quiet, "second life", by=FORM)
    assert await read(quiet, package_name=FORM) == [
        "02-11 09:41:00.000 I/Test: first life",
        "02-11 09:41:00.000 I/Test: second life",
    ]


async def test_an_app_with_a_shared_uid_is_known_by_its_process(quiet: Bench) -> None:
    """The system itself logs under the same uid."""
    write(quiet, "mine", by=SETTINGS)
    assert [line for line in await read(quiet) if "Start proc" in line]
    assert await read(quiet, package_name=SETTINGS) == ["02-11 09:41:00.000 I/Test: mine"]


async def test_past_lines_under_a_shared_uid_are_not_guessed(quiet: Bench) -> None:
    write(quiet, "first life", by=SETTINGS)
    await quiet.call("close_app", package_id=SETTINGS)
    assert await quiet.call("get_device_logs", package_name=SETTINGS) == (
        '{"logs":"","line_count":0,"truncated":false,"note":"com.android.settings is not running,'
        " and its earlier lines cannot be told from those of other apps that share its uid."
        ' Filter by tag instead."}'
    )


async def test_an_app_that_is_not_installed_has_no_lines(quiet: Bench) -> None:
    write(quiet, "another's")
    assert await quiet.call("get_device_logs", package_name="com.nothing") == (
        '{"logs":"","line_count":0,"truncated":false,"note":"com.nothing is not installed."}'
    )


# What goes wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"last_lines": 0}, "last_lines must be between 1 and 1000, got 0"),
        ({"last_lines": 1001}, "last_lines must be between 1 and 1000, got 1001"),
        ({"level": "X"}, "level must be one of: V, D, I, W, E, F. Got: 'X'"),
        ({"tag": ""}, "Parameter 'tag' must be non-empty"),
        (
            {"package_name": "a; reboot"},
            "package_name contains invalid characters. Must start with a letter and contain only"
            " letters, digits, '.', '_'. Got: 'a; reboot'",
        ),
        (
            {"package_name": ""},
            "package_name contains invalid characters. Must start with a letter and contain only"
            " letters, digits, '.', '_'. Got: ''",
        ),
        *(
            (
                {name: value},
                f"{name} must be an ISO 8601 timestamp (e.g., '2024-01-15T10:30:00')."
                f" Got: '{shown}'",
            )
            for name in ("since", "until")
            for value, shown in [
                ("yesterday", "yesterday"),
                ("2024-01-15", "2024-01-15"),
                ("2024-02-30T10:30:00", "2024-02-30T10:30:00"),
                ("2024-01-15T10:30:00\n", "2024-01-15T10:30:00⏎"),
                (1705314600, "1705314600"),
            ]
        ),
    ],
)
async def test_ambiguous_values_are_rejected(
    quiet: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await quiet.failure("get_device_logs", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)


async def test_a_logcat_that_fails_is_an_error(bench: Bench) -> None:
    async def fail(process: Process) -> int:
        await process.stdout.write(b"--------- beginning of main\n")
        await process.stderr.write(b"logcat: Logcat read failure: Invalid argument\n")
        return 1

    bench.device.programs["logcat"] = fail
    failure = await bench.failure("get_device_logs")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "logcat command failed (exit 1): logcat: Logcat read failure: Invalid argument",
    )


@pytest.mark.slow
async def test_a_logcat_that_does_not_end_is_given_up(bench: Bench) -> None:
    async def hang(process: Process) -> int:
        await process.phone.clock.sleep(1e9)
        return 0

    bench.link.clock = clock = LinkClock()
    bench.device.programs["logcat"] = hang
    failing = bench.beside(bench.failure("get_device_logs"))
    await bench.until(lambda: bool(bench.device.processes.find("logcat")))
    await clock.until_waits(logcat.SECONDS)
    await clock.advance(logcat.SECONDS)
    failure = await failing
    assert (type(failure), failure.message) == (
        TimedOut,
        "Logcat command timed out after 30s",
    )
    await bench.until(lambda: not bench.device.processes.find("logcat"))


async def test_a_log_beyond_all_bounds_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logcat, "LIMIT", 10)
    failure = await bench.failure("get_device_logs")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Failed to retrieve device logs: the phone's log is larger than 10 bytes. Make the logger"
        " buffers smaller in its developer options, or ask for a higher level.",
    )
