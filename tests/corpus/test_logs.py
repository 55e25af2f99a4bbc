"""Logs of real phones."""

from datetime import UTC, datetime

from handheld.phone.apps.logs import LogFilter, newest, parse_logs

from .files import found, text

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_no_line_of_a_real_log_is_lost() -> None:
    files = [*found("shell/*logcat*.txt"), *found("shell/loghub__*.txt")]
    assert len(files) >= 10
    for path in files:
        output = path.read_text(encoding="utf-8", errors="replace")
        lines = [part for part in output.split("\n") if part.strip()]
        entries = [part for part in lines if not part.startswith("--------- ")]
        parsed = list(parse_logs(output))
        assert len(parsed) == len(entries), path.name
        for entry, line in zip(entries, parsed, strict=True):
            assert line.message in entry, path.name
            assert line.time(NOW) is not None, path.name
        shown, more = newest(output, LogFilter(), 10**6, NOW)
        assert (len(shown), more) == (len(entries), False), path.name


def test_a_crash_in_a_real_log_is_returned_unchanged() -> None:
    output = text("shell/ghost__logcat-crash.txt")
    span = LogFilter("E", "AndroidRuntime", since=datetime(2026, 6, 24, 4), owner=None)  # noqa: DTZ001
    assert newest(output, span, 3, datetime(2026, 7, 1, tzinfo=UTC)) == (
        [
            "06-24 04:10:10.000 E/AndroidRuntime: Process: com.late.crash, PID: 999",
            "06-24 04:10:10.000 E/AndroidRuntime: java.lang.NullPointerException: boom",
            "06-24 04:10:10.000 E/AndroidRuntime: \tat com.late.Thing.run(Thing.java:1)",
        ],
        True,
    )


def test_the_brief_format_is_not_parsed() -> None:
    for path in found("shell/themis__*-brief.txt"):
        assert list(parse_logs(path.read_text(encoding="utf-8"))) == []
