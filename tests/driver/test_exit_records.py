"""Records of exits, in the forms of all releases that have them."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.diagnostics import ExitRecord
from handheld.driver.reading.exit_records import read_exit_records

APP = "org.example.coffee"


def test_records_with_a_line_for_each_value_are_read() -> None:
    crash, stop = read_exit_records(fixtures.text("dumpsys/exit-info-api30.txt"))
    assert crash == ExitRecord(
        APP,
        f"{APP}:brew",
        2013,
        10116,
        datetime.fromisoformat("2026-02-11T09:41:07.310"),
        4,
        0,
        100,
        "crash",
    )
    assert (stop.reason, stop.description) == (10, f"stop {APP} due to from pid 400")


def test_records_with_several_values_on_a_line_are_read() -> None:
    update, hang = read_exit_records(fixtures.text("dumpsys/exit-info-api34.txt"))
    assert (update.reason, update.importance) == (16, 400)
    assert update.description == f"stop {APP} due to installPackageLI"
    assert hang == ExitRecord(
        APP,
        APP,
        2013,
        10116,
        datetime.fromisoformat("2026-02-11T09:40:59.640"),
        6,
        0,
        100,
        "user request after error",
    )


def test_a_description_cannot_change_what_stands_before_it() -> None:
    printed = fixtures.text("dumpsys/exit-info-api34.txt").replace(
        "description=user request after error", "description=x reason=4 process=com.bank pid=1 y"
    )
    hang = read_exit_records(printed)[1]
    assert (hang.reason, hang.process, hang.pid) == (6, APP, 2013)
    assert hang.description == "x reason=4 process=com.bank pid=1 y"


def test_a_description_of_several_lines_is_kept() -> None:
    printed = fixtures.text("dumpsys/exit-info-api30.txt").replace(
        "description=crash", "description=Input\ndispatching"
    )
    assert read_exit_records(printed)[0].description == "Input\ndispatching"


def test_what_is_no_record_is_skipped() -> None:
    half = "  package: a.b\n        ApplicationExitInfo #0:\n          pid=5 reason=4 process=a.b\n"
    assert read_exit_records(half) == []
    assert read_exit_records("Bad activity command, or no activities match: exit-info\n") == []


@given(st.text())
def test_any_exit_info_is_parsed(printed: str) -> None:
    assert read_exit_records(printed) == []
    head = "  package: a.b\n        ApplicationExitInfo #0:\n          timestamp="
    read_exit_records(head + printed)
