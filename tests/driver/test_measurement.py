"""What an app uses, from what Android prints of it."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.by_adb.measurement import (
    read_duration,
    read_frames,
    read_memory,
    read_printed,
    read_shares,
    read_span,
    read_start,
)
from handheld.driver.diagnostics import CpuSpan, Frames, Memory, Start

APP = "org.example.coffee"


def test_memory_of_old_releases_is_read() -> None:
    [(name, pid, memory)] = read_memory(fixtures.text("dumpsys/meminfo-api28.txt"))
    assert (name, pid) == (APP, 2013)
    assert memory == Memory(41220, None, 5916, 7104, 11220, 620, 8012, 1432, 6916, 32)


def test_memory_of_several_processes_is_read() -> None:
    first, second = read_memory(fixtures.text("dumpsys/meminfo-api34.txt"))
    assert first == (
        APP,
        2013,
        Memory(41220, 131044, 5916, 7104, 11220, 620, 8012, 1432, 6916, 32),
    )
    assert second == (f"{APP}:brew", 2051, Memory(12000, 31044, 1916, swapped=0))


def test_frames_are_those_of_the_process_and_not_of_a_window() -> None:
    [(pid, frames)] = read_frames(fixtures.text("dumpsys/gfxinfo-api34.txt"))
    assert (pid, frames) == (2013, Frames(420, 21, {50: 7, 90: 14, 95: 19, 99: 48}))


def test_shares_of_the_processor_are_by_pid() -> None:
    printed = fixtures.text("dumpsys/cpuinfo-api34.txt")
    assert dict(read_shares(printed)) == {1205: 12.0, 2013: 3.4, 2051: 0.0, 12: 0.1}
    assert read_span(printed) == CpuSpan("2026-02-11 09:40:00.120", "2026-02-11 09:41:00.120")


def test_the_last_start_is_what_the_system_logged() -> None:
    printed = fixtures.text("logcat/started-api34.txt")
    last = Start(datetime.fromisoformat("2026-02-11T09:41:13.100"), f"{APP}/.BrewActivity", 350)
    assert read_start(printed) == last
    first = printed.partition("\n")[0]
    assert read_start(first) == Start(
        datetime.fromisoformat("2026-02-11T09:40:12.100"), f"{APP}/.MainActivity", 1250
    )


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0", 0),
        ("350ms", 350),
        ("1s2ms", 1002),
        ("1m0s5ms", 60_005),
        ("1d2h3m4s5ms", 93_784_005),
        ("", None),
        ("5", None),
        ("soon", None),
    ],
)
def test_durations_are_read_as_android_writes_them(text: str, ms: int | None) -> None:
    assert read_duration(text) == ms


def test_processes_with_the_names_of_others_are_left_out() -> None:
    memory = fixtures.text("dumpsys/meminfo-api34.txt")
    other = memory.replace(f"[{APP}:brew]", "[com.example.other]")
    assert [each.pid for each in read_printed(APP, memory, "", "", "").processes] == [2013, 2051]
    assert [each.pid for each in read_printed(APP, other, "", "", "").processes] == [2013]


def test_an_app_that_does_not_run_has_no_processes() -> None:
    printed = f"No process found for: {APP}\n"
    assert read_printed(APP, printed, printed, "", "").processes == ()


@given(st.text())
def test_any_output_is_parsed(printed: str) -> None:
    assert read_printed(APP, printed, printed, printed, printed).processes == ()
    head = f"** MEMINFO in pid 5 [{APP}] **\n App Summary\n"
    assert [each.pid for each in read_printed(APP, head + printed, "", "", "").processes] == [5]
