"""One list of crashes from three kinds of records, and the ids in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.diagnostics import CrashRecords, DropRecord, ExitRecord
from handheld.driver.reading.drop_box import read_drop_box
from handheld.driver.reading.exit_records import read_exit_records
from handheld.phone.apps.crash_ids import CrashIds, find_by_id, make_id, parse_id
from handheld.phone.apps.crashes import Crash, merge
from harness.work import PROPORTIONATE, growth

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
AT = datetime.fromisoformat("2026-02-11T09:41:07.312")
APP = "org.example.coffee"
TRACE = "java.lang.IllegalStateException: no water\n\tat a.B.c(B.java:1)\n"


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


def drop(
    tag: str = "data_app_crash",
    at: datetime = AT,
    pid: int = 2013,
    process: str = APP,
    body: str | None = TRACE,
    subject: str = "",
) -> DropRecord:
    return DropRecord(at, tag, process, pid, 10116, (APP,), True, subject, body)


def exited(
    reason: int = 4,
    at: datetime = AT,
    pid: int = 2013,
    importance: int = 100,
    description: str = "crash",
    status: int = 0,
) -> ExitRecord:
    return ExitRecord(APP, APP, pid, 10116, at, reason, status, importance, description)


def logged(at: datetime = AT, pid: int = 2013, uid: int = 10116, process: str = APP) -> str:
    stamp = at.isoformat(" ", "milliseconds")
    head = f"{stamp} +0000 {uid} {pid:>5} {pid:>5} E AndroidRuntime: "
    lines = ["FATAL EXCEPTION: main", f"Process: {process}, PID: {pid}", *TRACE.splitlines()]
    return "".join(f"{head}{line}\n" for line in lines)


def merged(
    *records: DropRecord | ExitRecord, log: str = "", unread: tuple[str, ...] = ()
) -> list[Crash]:
    drops = [each for each in records if isinstance(each, DropRecord)]
    exits = [each for each in records if isinstance(each, ExitRecord)]
    return merge(CrashRecords(exits, drops, log, timedelta(), unread), NOW)


def test_one_crash_in_all_three_records_is_one_crash() -> None:
    [crash] = merged(drop(), exited(at=AT + seconds(1)), log=logged(AT - seconds(0.4)))
    assert (crash.kind, crash.package, crash.process, crash.pid) == ("crash", APP, APP, 2013)
    assert (crash.time, crash.foreground) == (AT, True)
    assert crash.reason == "java.lang.IllegalStateException: no water"
    assert crash.trace == TRACE.splitlines()


@pytest.mark.parametrize("left", ["drop", "log", "exit"])
def test_each_record_alone_tells_of_it(left: str) -> None:
    found = {
        "drop": merged(drop()),
        "log": merged(log=logged()),
        "exit": merged(exited()),
    }[left]
    [crash] = found
    assert (crash.kind, crash.package, crash.pid, crash.time) == ("crash", APP, 2013, AT)
    assert crash.trace == ([] if left == "exit" else TRACE.splitlines())


def test_the_trace_comes_from_the_log_where_the_drop_box_has_none() -> None:
    [crash] = merged(drop(body=None), log=logged())
    assert crash.trace == TRACE.splitlines()


def test_a_tombstone_and_the_apps_report_are_one_native_crash() -> None:
    drops = read_drop_box(
        fixtures.text("dumpsys/dropbox-files-api35.txt"),
        fixtures.text("dumpsys/dropbox-print-api35.txt"),
    )
    log = fixtures.text("logcat/native-crash-api34.txt")
    keyboard, native = merged(*drops, exited(5, status=6), log=log)
    assert keyboard.package == "com.example.keyboard"
    assert (native.kind, native.package, len(native.drops)) == ("native_crash", APP, 2)
    assert native.exit is not None
    assert native.logged is not None
    assert native.reason == (
        "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------. Abort message: 'no beans'"
    )
    assert "backtrace:" in native.trace


def test_a_hang_and_its_end_are_one_and_a_second_hang_is_another() -> None:
    first = drop("data_app_anr", AT, subject="Input dispatching timed out (a)")
    second = drop("data_app_anr", AT + seconds(60), subject="Input dispatching timed out (b)")
    late, early = merged(first, second, exited(6, AT + seconds(90), description="bg anr"))
    assert [crash.kind for crash in (late, early)] == ["anr", "anr"]
    assert (late.exit is not None, early.exit is None) == (True, True)
    assert (late.reason[-3:], early.reason[-3:]) == ("(b)", "(a)")


def test_a_hang_that_ends_in_a_crash_is_two() -> None:
    hang = drop("data_app_anr", AT, subject="Input dispatching timed out")
    crash, hung = merged(hang, drop(at=AT + seconds(3)), exited(at=AT + seconds(3)))
    assert (crash.kind, hung.kind) == ("crash", "anr")
    assert hung.exit is None


def test_crashes_of_different_processes_and_times_are_different() -> None:
    crashes = merged(
        drop(), drop(pid=2014), drop(at=AT + seconds(20)), exited(pid=2015), log=logged(pid=2016)
    )
    assert len(crashes) == 5
    assert [crash.time for crash in crashes] == sorted((c.time for c in crashes), reverse=True)


def test_two_reports_with_the_same_tag_are_two_crashes() -> None:
    assert len(merged(drop(), drop(at=AT + seconds(1)))) == 2


@pytest.mark.parametrize(
    ("record", "kind", "reason"),
    [
        (exited(3, description=""), "low_memory", "Android needed its memory while it was in use"),
        (exited(3, importance=400, description=""), "", ""),
        (exited(2, status=9, description=""), "signaled", "signal 9"),
        (exited(2, status=9, importance=400, description=""), "", ""),
        (exited(5, status=11), "native_crash", "signal 11"),
        (exited(7, description=""), "initialization_failure", "it did not start in time"),
        (exited(9, importance=400, description="excessive cpu 64200 during 300000"),
         "excessive_resource", "excessive cpu 64200 during 300000"),
        (exited(6, description="bg anr"), "anr", "bg anr"),
        (exited(1), "", ""),
        (exited(10, description="stop org.example.coffee"), "", ""),
        (exited(13, description="empty #17"), "", ""),
        (exited(16), "", ""),
    ],
)  # fmt: skip
def test_exits_are_told_if_the_app_did_not_end_as_it_should(
    record: ExitRecord, kind: str, reason: str
) -> None:
    found = merged(record)
    assert [(crash.kind, crash.reason) for crash in found] == ([(kind, reason)] if kind else [])


def test_exits_of_the_fixtures_are_told() -> None:
    assert [crash.kind for crash in merged(
        *read_exit_records(fixtures.text("dumpsys/exit-info-api30.txt")),
        *read_exit_records(fixtures.text("dumpsys/exit-info-api34.txt")),
    )] == ["crash", "anr"]  # fmt: skip


def test_what_another_user_id_logged_of_a_crash_is_not_its_trace() -> None:
    true, forged = sorted(
        merged(drop(body=None), log=logged(uid=10666)), key=lambda crash: crash.logged is not None
    )
    assert (true.trace, true.uids) == ([], {10116})
    assert forged.uids == {10666}


def test_a_process_named_otherwise_is_of_the_app_that_android_names() -> None:
    [crash] = merged(drop(process="brewing.service"))
    assert (crash.package, crash.packages) == (APP, {APP, "brewing.service"})
    [system] = merged(drop("system_server_crash", process="system_server")._replace(packages=()))
    assert system.package == "android"


@pytest.mark.parametrize("process", ["/system/bin/audioserver", "surfaceflinger", "a/b.c"])
def test_a_program_that_is_no_apps_has_no_package(process: str) -> None:
    record = drop("SYSTEM_TOMBSTONE", process=process)._replace(packages=())
    [crash] = merged(record)
    assert (crash.kind, crash.package, crash.process) == ("native_crash", "", process)


def test_a_record_without_a_pid_is_matched_by_the_name_of_the_process() -> None:
    nameless = drop("system_server_crash", pid=0, process="system_server")
    log = logged(pid=1205, process="system_server", uid=1000)
    [crash] = merged(nameless._replace(uid=None, packages=()), log=log)
    assert crash.logged is not None
    assert len(merged(drop(pid=0), drop("data_app_anr", pid=0), drop(pid=0, process="a.b"))) == 3


def test_of_crashes_that_follow_each_other_each_has_its_own_records() -> None:
    """As of a part of the system that has the same pid after each start."""
    second = AT + seconds(8)
    late, early = merged(
        drop(), drop(at=second), exited(at=second + seconds(1)), log=logged(second - seconds(1))
    )
    assert (late.exit is not None, late.logged is not None) == (True, True)
    assert (early.exit, early.logged) == (None, None)


@pytest.mark.matrix
def test_crashes_are_merged_with_work_in_proportion_to_their_number() -> None:
    """A record is compared with those of its process alone, here seven each."""

    def prepare(count: int) -> Callable[[], object]:
        drops = [drop(at=AT + seconds(number), pid=number // 7 + 1) for number in range(count)]
        exits = [exited(at=each.time + seconds(1), pid=each.pid) for each in drops]
        assert len(merged(*drops, *exits)) == count
        return lambda: merged(*drops, *exits)

    assert growth(prepare, 200) <= PROPORTIONATE


# Ids


def test_an_id_says_when_and_which_process() -> None:
    [crash] = merged(drop())
    ref = parse_id(make_id(crash))
    assert ref is not None
    assert (ref.time, ref.pid) == (AT.replace(microsecond=0), 2013)


@pytest.mark.parametrize("first", [("drop",), ("log",), ("drop", "log"), ("drop", "log", "exit")])
@pytest.mark.parametrize("then", [("exit", "log"), ("exit", "drop"), ("exit", "log", "drop")])
def test_an_id_stays_when_records_come_and_go(
    first: tuple[str, ...], then: tuple[str, ...]
) -> None:
    def read(kinds: tuple[str, ...]) -> list[Crash]:
        records: list[DropRecord | ExitRecord] = []
        records += [drop(at=AT + seconds(0.9))] * ("drop" in kinds)
        records += [exited(at=AT + seconds(4))] * ("exit" in kinds)
        return merged(*records, log=logged() if "log" in kinds else "")

    ids = CrashIds()
    [told] = read(first)
    ids.name([told])
    [both] = read(tuple({*first, *then}))
    ids.name([both])
    [left] = read(then)
    ids.name([left])
    [last] = read(("exit",))
    ids.name([last])
    assert told.id == both.id == left.id == last.id
    assert find_by_id([left], told.id) is left


def test_an_id_of_a_process_before_this_one_is_found_by_what_it_says() -> None:
    [told] = merged(drop())
    told.id = make_id(told)
    again = merged(drop(), exited(at=AT + seconds(4)), log=logged(AT - seconds(0.4)))
    CrashIds().name(again)
    assert find_by_id(again, told.id) is again[0]
    [by_log] = merged(log=logged(AT - seconds(1)))
    CrashIds().name([by_log])
    assert find_by_id([by_log], told.id) is by_log


@pytest.mark.parametrize(
    "other",
    [
        drop(at=AT + seconds(30)),
        drop(pid=2014),
        drop(process=f"{APP}:brew"),
        drop("data_app_anr"),
        exited(at=AT + seconds(9)),
    ],
)
def test_an_id_never_means_another_crash(other: DropRecord | ExitRecord) -> None:
    [told] = merged(drop())
    ids = CrashIds()
    ids.name([told])
    found = merged(other)
    ids.name(found)
    assert found[0].id != told.id
    assert find_by_id(found, told.id) is None
    CrashIds().name(found)
    assert find_by_id(found, told.id) is None


def test_an_id_that_fits_two_crashes_means_neither() -> None:
    [told] = merged(drop())
    near = merged(drop(at=AT - seconds(1)), drop(at=AT + seconds(1)))
    CrashIds().name(near)
    assert find_by_id(near, make_id(told)) is None


@pytest.mark.slow
def test_ids_of_very_many_crashes_take_bounded_room() -> None:
    ids = CrashIds()
    for number in range(60):
        ids.name(merged(*(drop(pid=pid, at=AT + seconds(number)) for pid in range(1, 200))))
    assert len(ids._known) <= 5000  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("text", ["", "org.example.coffee", "zzzzzzzz-1-ffff", "a-1-2", "x" * 999])
def test_what_is_no_id_is_not_taken_for_one(text: str) -> None:
    ref = parse_id(text)
    assert ref is None or text == "zzzzzzzz-1-ffff"


@given(st.text())
def test_any_id_is_parsed(text: str) -> None:
    parse_id(text)
