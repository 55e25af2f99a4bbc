"""Crashes in the crash log."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.phone.apps.crash_log import read_crash_log

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
APP = "org.example.coffee"


def line(
    message: str, pid: int = 2013, at: str = "09:41:07.310", tag: str = "AndroidRuntime"
) -> str:
    level = "F" if tag == "DEBUG" else "E"
    return f"2026-02-11 {at} +0000 10116 {pid:>5} {pid:>5} {level} {tag}: {message}\n"


def java(pid: int = 2013, at: str = "09:41:07.310", process: str = APP) -> str:
    lines = (
        "FATAL EXCEPTION: main",
        f"Process: {process}, PID: {pid}",
        "java.lang.IllegalStateException: no water",
        "\tat a.B.c(B.java:1)",
    )
    return "".join(line(each, pid, at) for each in lines)


def test_exceptions_are_read_with_their_process() -> None:
    [early, late] = read_crash_log(fixtures.text("logcat/crash-api34.txt"), NOW)
    assert (early.process, early.pid, early.lines) == ("org.example.early", 4100, [])
    assert (late.process, late.pid, late.native) == ("org.example.notes", 4821, False)
    assert late.lines == [
        "java.lang.IllegalStateException: closed",
        "\tat org.example.notes.Sync.push(Sync.java:77)",
    ]


def test_a_tombstone_is_read_with_the_process_that_it_is_of() -> None:
    [crash] = read_crash_log(fixtures.text("logcat/native-crash-api34.txt"), NOW)
    assert (crash.process, crash.pid, crash.uid, crash.native) == (APP, 2013, 10116, True)
    assert crash.lines[0].startswith("*** ***")
    assert crash.lines[-1].endswith("(abort+164)")


def test_an_exception_in_the_system_is_the_systems() -> None:
    text = line("*** FATAL EXCEPTION IN SYSTEM PROCESS: main", 1205) + line("java.lang.Error", 1205)
    [crash] = read_crash_log(text, NOW)
    assert (crash.process, crash.pid, crash.lines) == ("system_server", 1205, ["java.lang.Error"])


def test_a_process_cannot_write_that_another_has_crashed() -> None:
    text = java().replace("PID: 2013", "PID: 1999")
    assert read_crash_log(text, NOW) == []


def test_an_exception_whose_words_look_like_a_crash_is_one_crash() -> None:
    [crash] = read_crash_log(java() + java(process="com.bank"), NOW)
    assert crash.process == APP
    assert "Process: com.bank, PID: 2013" in crash.lines


def test_a_pid_that_is_used_again_later_is_another_crash() -> None:
    crashes = read_crash_log(java() + java(at="09:55:00.000"), NOW)
    assert [crash.time.minute for crash in crashes] == [41, 55]


def test_lines_of_others_in_between_belong_to_them() -> None:
    first, second = java().splitlines(keepends=True), java(3000, process="a.b").splitlines(True)
    mixed = "".join(each for pair in zip(first, second, strict=True) for each in pair)
    one, other = read_crash_log(mixed, NOW)
    assert (one.process, other.process) == (APP, "a.b")
    assert one.lines == other.lines


@given(st.text())
def test_any_log_is_parsed(text: str) -> None:
    read_crash_log(text, NOW)
    read_crash_log(java() + text, NOW)
    read_crash_log(fixtures.text("logcat/native-crash-api34.txt") + text, NOW)
