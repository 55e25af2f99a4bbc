"""Reports in Android's drop box."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.diagnostics import DropRecord
from handheld.driver.reading.drop_box import RULE, read_drop_box

APP = "org.example.coffee"


def read(api: int) -> list[DropRecord]:
    listed = fixtures.text(f"dumpsys/dropbox-files-api{api}.txt")
    return read_drop_box(listed, fixtures.text(f"dumpsys/dropbox-print-api{api}.txt"))


def test_reports_of_old_releases_are_read() -> None:
    hang, crash = read(28)
    assert hang._replace(body=None) == DropRecord(
        datetime.fromisoformat("2026-02-11T09:40:55.210"),
        "data_app_anr",
        APP,
        2013,
        None,
        (APP,),
        True,
        "Input dispatching timed out (Waiting to send key event.)",
        None,
    )
    assert hang.body is not None
    assert hang.body.startswith("----- pid 2013 at")
    assert crash._replace(body=None) == DropRecord(
        datetime.fromisoformat("2026-02-11T09:41:07.312"),
        "data_app_crash",
        f"{APP}:brew",
        2051,
        None,
        (APP,),
        False,
        "",
        None,
    )
    assert crash.body is not None
    assert crash.body.splitlines()[:2] == [
        "java.lang.IllegalStateException: no water",
        "\tat org.example.coffee.Brewer.heat(Brewer.java:42)",
    ]


def test_reports_of_new_releases_are_read() -> None:
    native, tombstone, crash = read(35)
    for record in (native, tombstone):
        assert (record.process, record.pid, record.uid) == (APP, 2013, 10116)
    assert (native.packages, tombstone.packages) == ((APP,), ())
    assert (native.foreground, tombstone.foreground) == (True, None)
    assert (crash.tag, crash.process, crash.uid) == (
        "system_app_crash",
        "com.example.keyboard",
        10071,
    )


def test_an_entry_that_is_not_listed_ends_the_report_before_it() -> None:
    """What was dropped meanwhile is another app's: it never becomes a part of this trace."""
    listed, printed = (
        fixtures.text(f"dumpsys/dropbox-{part}-api28.txt") for part in ("files", "print")
    )
    printed += f"{RULE}\n2026-02-11 09:59:59 data_app_crash (text, 9 bytes)\nProcess: com.bank\n"
    [_, crash] = read_drop_box(listed, printed)
    assert "com.bank" not in str(crash)


def test_a_report_that_an_app_forged_is_not_taken_for_the_real_one() -> None:
    listed, printed = (
        fixtures.text(f"dumpsys/dropbox-{part}-api28.txt") for part in ("files", "print")
    )
    forged = (
        f"{RULE}\n2026-02-11 09:41:07 data_app_crash (text, 402 bytes)\nProcess: com.bank\n\nmoney"
    )
    printed = printed.replace('"main" prio=5 tid=1 Sleeping', forged)
    hang, crash = read_drop_box(listed, printed)
    assert hang.process == APP
    assert (crash.process, crash.body) == ("", None)


def test_a_head_that_an_app_forged_is_ignored() -> None:
    listed, printed = (
        fixtures.text(f"dumpsys/dropbox-{part}-api28.txt") for part in ("files", "print")
    )
    printed = printed.replace("Foreground: Yes", "Foreground: Yes\nProcess: com.bank\nPID: 1")
    assert (read_drop_box(listed, printed)[0].process, read_drop_box(listed, printed)[0].pid) == (
        APP,
        2013,
    )


@pytest.mark.parametrize(
    "listed",
    [
        "",
        "Can't find service: dropbox\n",
        "Drop box contents: 0 entries\n\n(No entries found.)\n",
        "2026-99-11 09:41:07 data_app_crash (text, 402 bytes)\n",
        "2026-02-11 09:41:07 event_data (text, 402 bytes)\n",
    ],
)
def test_what_is_no_list_of_crashes_has_none(listed: str) -> None:
    assert read_drop_box(listed, fixtures.text("dumpsys/dropbox-print-api28.txt")) == []


@given(st.text(), st.text())
def test_any_drop_box_is_parsed(listed: str, printed: str) -> None:
    assert read_drop_box(listed, printed) == []
    files = fixtures.text("dumpsys/dropbox-files-api28.txt")
    assert all(drop.body is None for drop in read_drop_box(files, printed))
