"""Parsing of logcat output: single lines and recorded logs."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.apps import AppProcesses
from handheld.phone.apps.logs import LogFilter, LogLine, newest, parse_logs, parse_moment

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def line(**changes: object) -> LogLine:
    known = LogLine(2026, "02-11 16:30:00.123", "+0100", 10123, 1234, "D", "Tag", "message")
    return known._replace(**changes)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("2026-02-11 16:30:00.123 +0100 10123  1234  1240 D Tag     : message", line()),
        ("02-11 16:30:00.123  1234  1240 D Tag: message", line(year=None, zone="", uid=None)),
        ("02-11 16:30:00.123 10123  1234  1240 D Tag: message", line(year=None, zone="")),
        ("2026-02-11 16:30:00.123456 +0100 10123 1 2 D Tag: message", line(pid=1)),
        ("2026-02-11 16:30:00.123 +0100        1234  1240 D Tag: message", line(uid=None)),
        ("2026-02-11 16:30:00.123 +0100  root  1234  1240 D Tag: message", line(uid=0)),
        ("2026-02-11 16:30:00.123 +0100 radio  1234  1240 D Tag: message", line(uid=1001)),
        ("2026-02-11 16:30:00.123 +0100 u0_a1  1234  1240 D Tag: message", line(uid=10001)),
        ("2026-02-11 16:30:00.123 +0100 u11_a7 1234  1240 D Tag: message", line(uid=1110007)),
        ("2026-02-11 16:30:00.123 +0100 vendor 1234  1240 D Tag: message", line(uid=None)),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D A:B: c: d",
         line(tag="A:B", message="c: d")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D A b: c", line(tag="A b", message="c")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D Tag: ", line(message="")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D Tag:", line(message="")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D         : x", line(tag="", message="x")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D Tag:   x ", line(message="  x ")),
        ("2026-02-11 16:30:00.123 +0100 10123 1234 1240 D Tag: 日志\u2028🙂",
         line(message="日志\u2028🙂")),
    ],
)  # fmt: skip
def test_a_line_is_parsed_in_each_of_logcats_formats(text: str, parsed: LogLine) -> None:
    assert list(parse_logs(text)) == [parsed]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "--------- beginning of main",
        "--------- switch to crash",
        "E AndroidRuntime: FATAL EXCEPTION: main",
        "E/AndroidRuntime( 1234): FATAL EXCEPTION: main",
        "02-11 16:30:00.123 D/Tag: as a tool prints it",
        "logcat: unknown option",
    ],
)
def test_lines_that_are_not_log_entries_are_skipped(text: str) -> None:
    assert list(parse_logs(text)) == []


def test_a_line_without_a_header_continues_the_previous_entry() -> None:
    text = (
        "--------- beginning of main\n"
        "2026-02-11 16:30:00.123 +0100 10123  1234  1240 D Tag: message\n"
        "\tat somewhere\n"
        "\n"
        "--------- beginning of crash\n"
        "2026-02-11 16:30:00.123 +0100 10123  1234  1240 E Tag: message\n"
    )
    assert list(parse_logs(text)) == [line(), line(message="\tat somewhere"), line(level="E")]


@given(st.text())
def test_any_text_is_parsed_without_an_exception(text: str) -> None:
    newest(text, LogFilter(since=NOW, until=NOW), 10, NOW)


_CLEAN = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)
TAGS = _CLEAN.filter(lambda tag: ":" not in tag and tag == tag.strip(" "))


@given(TAGS, _CLEAN)
def test_any_tag_and_message_are_parsed_completely(tag: str, message: str) -> None:
    text = f"2026-02-11 16:30:00.123 +0100 10123  1234  1240 D {tag:<8}: {message}\n"
    assert list(parse_logs(text)) == [line(tag=tag, message=message)]
    assert newest(text, LogFilter(), 1, NOW) == ([f"02-11 16:30:00.123 D/{tag}: {message}"], False)


# Time


@pytest.mark.parametrize(
    ("stamp", "year"),
    [
        ("03-01 12:00:00.000", 2026),
        ("03-02 11:59:59.999", 2026),
        ("03-02 12:00:00.001", 2025),
        ("12-31 23:59:59.999", 2025),
        ("01-01 00:00:00.000", 2026),
        ("02-29 00:00:00.000", 2024),
    ],
)
def test_a_date_without_a_year_is_the_latest_possible(stamp: str, year: int) -> None:
    time = line(year=None, stamp=stamp).local_time(NOW)
    assert time is not None
    assert (time.year, f"{time:%m-%d %H:%M:%S}") == (year, stamp[:-4])


def test_a_date_across_new_year_is_not_a_year_off() -> None:
    just_after = datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    last, first = (
        line(year=None, stamp="12-31 23:59:59.999"),
        line(year=None, stamp="01-01 00:00:00.000"),
    )
    assert last.local_time(just_after) == datetime(2025, 12, 31, 23, 59, 59, 999000)  # noqa: DTZ001
    assert first.local_time(just_after) == datetime(2026, 1, 1)  # noqa: DTZ001


@pytest.mark.parametrize("zone", ["+0000", "-0330", "+0545", "+1400"])
def test_a_time_zone_is_applied(zone: str) -> None:
    sign = -1 if zone[0] == "-" else 1
    offset = sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
    assert line(zone=zone).time(NOW) == datetime(2026, 2, 11, 16, 30, 0, 123000, timezone(offset))


def test_an_invalid_date_matches_no_time_range() -> None:
    text = "2026-02-30 16:30:00.123 +0100 10123  1234  1240 D Tag: message\n"
    assert newest(text, LogFilter(since=datetime(2000, 1, 1)), 10, NOW) == ([], False)  # noqa: DTZ001
    assert newest(text, LogFilter(until=datetime(2100, 1, 1, tzinfo=UTC)), 10, NOW) == ([], False)
    assert newest(text, LogFilter(), 10, NOW) == (["02-30 16:30:00.123 D/Tag: message"], False)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-15T10:30:00", datetime(2024, 1, 15, 10, 30)),  # noqa: DTZ001
        ("2024-01-15T10:30:00.5", datetime(2024, 1, 15, 10, 30, 0, 500000)),  # noqa: DTZ001
        ("2024-01-15T10:30:00.123456789", datetime(2024, 1, 15, 10, 30, 0, 123456)),  # noqa: DTZ001
        ("2024-01-15T10:30:00Z", datetime(2024, 1, 15, 10, 30, tzinfo=UTC)),
        ("2024-01-15T10:30:00+0200", datetime(2024, 1, 15, 8, 30, tzinfo=UTC)),
        ("2024-01-15T10:30:00-02:00", datetime(2024, 1, 15, 12, 30, tzinfo=UTC)),
        ("2024-01-15", None),
        ("2024-01-15 10:30:00", None),
        ("2024-13-15T10:30:00", None),
        ("2024-01-15T24:30:00", None),
        ("2024-01-15T10:30", None),
        ("2024-01-15T10:30:00+99:99", None),
        ("２０２４-01-15T10:30:00", None),
        ("", None),
    ],
)
def test_a_moment_is_iso_8601(text: str, moment: datetime | None) -> None:
    assert parse_moment(text) == moment


# Lines of an app


@pytest.mark.parametrize(
    ("app", "uid", "pid", "wrote"),
    [
        (AppProcesses(10123, False, frozenset({7})), 10123, 7, True),
        (AppProcesses(10123, False, frozenset({7})), 10123, 8, True),
        (AppProcesses(10123, False, frozenset({7})), 10124, 7, False),
        (AppProcesses(10123, False, frozenset()), 10123, 7, True),
        (AppProcesses(1000, True, frozenset({7})), 1000, 7, True),
        (AppProcesses(1000, True, frozenset({7})), 1000, 8, False),
        (AppProcesses(1000, True, frozenset({7})), 10123, 7, False),
        (AppProcesses(10123, False, frozenset({7})), None, 7, True),
        (AppProcesses(10123, False, frozenset({7})), None, 8, False),
    ],
)
def test_lines_of_an_app_are_matched_by_uid_and_process(
    app: AppProcesses, uid: int | None, pid: int, wrote: bool
) -> None:
    """Process ids are reused, uids are not."""
    assert LogFilter(owner=app).matches(line(uid=uid, pid=pid), NOW) is wrote


# Recorded logs


def parsed(name: str) -> list[LogLine]:
    return list(parse_logs(fixtures.text(f"logcat/{name}.txt")))


def test_a_recorded_log_is_parsed_entry_by_entry() -> None:
    notes = line(year=None, zone="", uid=None, stamp="03-02 09:41:00.120", pid=4821, tag="Notes")
    assert parsed("threadtime") == [
        notes._replace(
            stamp="03-02 09:41:00.007",
            pid=640,
            level="I",
            tag="ActivityTaskManager",
            message="START u0 {act=android.intent.action.MAIN flg=0x10000000"
            " cmp=org.example.notes/.NotesActivity} from uid 2000",
        ),
        notes._replace(message="onCreate: state=null"),
        notes._replace(
            stamp="03-02 09:41:00.121",
            level="V",
            tag="NetworkMonitor/108",
            message="PROBE_HTTPS https://notes.example/generate_204 ret=204",
        ),
        notes._replace(
            stamp="03-02 09:41:00.133",
            pid=510,
            level="I",
            tag="vendor.example.bluetooth@1.0-ibs_handler",
            message="Received: 0xFD",
        ),
        notes._replace(stamp="03-02 09:41:00.140", level="W", message="读取失败：/sdcard/备忘.txt"),
        notes._replace(stamp="03-02 09:41:00.141", level="I", message=""),
        notes._replace(stamp="03-02 09:41:00.150", level="E", message="sync failed"),
        notes._replace(
            stamp="03-02 09:41:00.150",
            level="E",
            message="java.io.IOException: no route to host",
        ),
        notes._replace(
            stamp="03-02 09:41:00.150",
            level="E",
            message="\tat org.example.notes.Sync.pull(Sync.java:42)",
        ),
        notes._replace(
            stamp="03-02 09:41:00.151",
            level="I",
            tag="chatty",
            message="uid=10244(org.example.notes) expire 3 lines",
        ),
        notes._replace(
            stamp="03-02 09:41:02.000",
            pid=12345,
            level="F",
            tag="libc",
            message="Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 12399"
            " (RenderThread), pid 12345 (example.drawing)",
        ),
    ]


def test_year_zone_and_uid_are_parsed_from_a_recorded_log() -> None:
    assert [
        (entry.year, entry.zone, entry.uid, entry.pid, entry.level, entry.tag)
        for entry in parsed("year-zone-uid")
    ] == [
        (2026, "+0100", 10244, 4821, "D", "Notes"),
        (2026, "+0100", 10244, 4821, "I", "Notes"),
        (2026, "+0100", 1000, 640, "W", "WindowManager"),
        (2026, "+0100", 1001, 910, "I", "RILJ"),
        (2026, "+0100", 0, 220, "I", "init"),
        (2026, "+0100", 10244, 4821, "E", "Notes"),
    ]
    owner = AppProcesses(10244, False, frozenset())
    text = fixtures.text("logcat/year-zone-uid.txt")
    since = datetime(2026, 3, 2, 8, 41, 0, 121000, UTC)
    assert newest(text, LogFilter(since=since, owner=owner), 10, NOW) == (
        ["03-02 09:41:00.121 I/Notes: by name", "03-02 09:41:00.125 E/Notes: disk: full: /data"],
        False,
    )


def test_events_are_parsed_from_a_recorded_log() -> None:
    assert [(entry.tag, entry.message[:14]) for entry in parsed("events")] == [
        ("auditd", "type=1400 audi"),
        ("wm_on_resume_called", "[97543210,org."),
        ("am_pss", "[4821,10244,or"),
    ]


@pytest.mark.parametrize("name", ["threadtime", "year-zone-uid", "crash-api34", "events"])
def test_no_line_of_a_recorded_log_is_lost(name: str) -> None:
    text = fixtures.text(f"logcat/{name}.txt")
    entries = [
        part for part in text.split("\n") if part.strip() and not part.startswith("--------- ")
    ]
    found = parsed(name)
    assert len(found) == len(entries)
    for entry, one in zip(entries, found, strict=True):
        assert one.message in entry
        assert one.time(NOW) is not None
    assert len(newest(text, LogFilter(), 10**6, NOW)[0]) == len(entries)


def test_a_recorded_crash_is_returned_unchanged() -> None:
    text = fixtures.text("logcat/crash-api34.txt")
    span = LogFilter("E", "AndroidRuntime", since=datetime(2026, 3, 2, 9))  # noqa: DTZ001
    expected = [
        "03-02 09:41:05.300 E/AndroidRuntime: FATAL EXCEPTION: SyncThread",
        "03-02 09:41:05.300 E/AndroidRuntime: Process: org.example.notes, PID: 4821",
        "03-02 09:41:05.300 E/AndroidRuntime: java.lang.IllegalStateException: closed",
        "03-02 09:41:05.300 E/AndroidRuntime: \tat org.example.notes.Sync.push(Sync.java:77)",
    ]
    later = datetime(2026, 3, 9, tzinfo=UTC)
    assert newest(text, span, 4, later) == (expected, False)
    assert newest(text, span, 3, later) == (expected[1:], True)


@pytest.mark.parametrize("name", ["brief", "tag", "time"])
def test_other_formats_of_logcat_are_not_parsed(name: str) -> None:
    assert parsed(name) == []
