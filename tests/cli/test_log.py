"""`handheld log`, while a server is recording."""

import json
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.program import Home, Program
from handheld.audit import AuditEntry, AuditReader
from handheld.audit.reading import CUT_OFF
from handheld.cli import main
from handheld.cli.commands.log import line, read_since
from harness.polling import wait_until


def recorded(home: Home, **asked: Any) -> list[AuditEntry]:
    """Read the record as another process does."""
    reader = AuditReader(home.folder / "handheld" / "state" / "audit" / "calls.sqlite")
    try:
        return reader.entries(**asked)
    finally:
        reader.close()


@pytest.mark.slow
def test_calls_of_other_processes_are_recorded_by_the_owner(
    served: Program, shared_home: Home
) -> None:
    assert shared_home.run("call", "tap", "x=5", "y=500").returncode == 0
    with shared_home.start("stdio", "--surface", "main") as client:
        client.hello()
        assert client.call("android_press_home") == (
            False,
            "Home button press executed successfully",
        )
    # An end is written a moment after the reply.
    wait_until(lambda: all(each.state == "done" for each in recorded(shared_home, limit=2)))
    tap, home = recorded(shared_home, limit=2)
    assert (tap.transport, tap.client, tap.tool, tap.arguments, tap.state) == (
        *("cli", "handheld", "tap", {"x": 5, "y": 500}),
        "done",
    )
    assert (home.transport, home.client, home.tool, home.state) == (
        "stdio",
        "test",
        "press_home",
        "done",
    )
    assert tap.phone == home.phone != ""
    flags = ("--tool", "android_tap", "--phone", tap.phone, "--since", "1h", "--limit", "1")
    done = shared_home.run("log", "--json", *flags)
    assert json.loads(done.stdout) == tap.as_json()


@pytest.mark.slow
def test_follow_prints_calls_when_they_end(served: Program, shared_home: Home) -> None:
    shared_home.run("call", "press_home")
    with shared_home.start("log", "--follow", "--limit", "1", end=signal.SIGINT) as log:
        assert "press_home" in log.line()
        shared_home.run("call", "tap", "x=5", "y=500")
        assert log.until("tap x=5 y=500  done [0-9]+ ms$")
        shared_home.run("call", "tap", "x=left", "y=500")
        assert log.until("tap x=left y=500  failed [0-9]+ ms: Parameter 'x' must be a number")
    assert log.process.returncode == 130


def test_calls_are_exported(served: Program, shared_home: Home, tmp_path: Path) -> None:
    shared_home.run("call", "press_home")
    wait_until(lambda: all(each.state == "done" for each in recorded(shared_home, limit=1)))
    file = tmp_path / "calls.jsonl"
    done = shared_home.run("log", "--export", "jsonl", str(file))
    rows = [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]
    assert done.stderr == f"Wrote {len(rows)} calls to {file}.\n"
    assert rows[-1]["tool"] == "press_home"
    done = shared_home.run("log", "--export", "pytest", "-", "--tool", "press_home", "--limit", "1")
    assert done.stdout.endswith("        phone.call('press_home')\n")


@pytest.mark.slow
def test_a_call_that_ran_when_the_server_was_killed_is_unknown(home: Home) -> None:
    with home.start("stdio", "--surface", "main", "--phone", "virtual") as program:
        program.hello()
        program.call("android_open_app", package_id="dev.handheld.form")
        found = program.ask(
            "tools/call",
            name="android_find_elements",
            arguments={"by": "resource_id", "value": ":id/notes"},
        )
        elements = json.loads(found["content"][0]["text"])["elements"]
        field = next(one["id"] for one in elements if one["editable"])
        assert program.process.stdin is not None
        slow = {"element_id": field, "text": "x" * 100, "typing_speed": 5000}
        params = {"name": "android_type_append_text", "arguments": slow}
        request = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}
        program.process.stdin.write(json.dumps(request).encode() + b"\n")
        program.process.stdin.flush()
        with home.start("log", "--follow", "--tool", "type_append_text") as log:
            wait_until(lambda: bool(recorded(home, tool="type_append_text", state="running")))
            program.process.send_signal(signal.SIGKILL)
            assert log.until(f"unknown: {CUT_OFF}")
    [entry] = recorded(home, tool="type_append_text")
    assert (entry.state, entry.milliseconds) == ("unknown", None)
    assert entry.arguments == slow
    # The next process marks the call as unknown and cleans up.
    assert home.run("call", "press_home", "--phone", "virtual").returncode == 0
    folder = home.folder / "handheld" / "state" / "audit"
    assert {path.name for path in folder.iterdir()} == {"calls.sqlite", "calls.head"}
    connection = sqlite3.connect(folder / "calls.sqlite")
    rows = connection.execute("SELECT state FROM calls WHERE tool = 'type_append_text'").fetchall()
    connection.close()
    assert rows == [("unknown",)]


@pytest.mark.slow
def test_with_audit_off_nothing_is_recorded(home: Home) -> None:
    done = home.run("call", "press_home", "--phone", "virtual", "--audit-off")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (home.folder / "handheld" / "state" / "audit").exists()


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--no-audit-required",)])
def test_an_unusable_record_refuses_calls_unless_it_is_optional(
    home: Home, flags: tuple[str, ...]
) -> None:
    folder = home.folder / "handheld" / "state" / "audit"
    folder.mkdir(parents=True)
    (folder / "calls.sqlite").write_text("not a database " * 100, encoding="utf-8")
    done = home.run("call", "press_home", "--phone", "virtual", *flags)
    assert "calls.sqlite cannot be used: file is not a database." in done.stderr
    assert done.returncode == (0 if flags else 1)
    assert bool(done.stdout) == bool(flags)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("--since", "yesterday"), "--since takes a span such as 90s, 15m, 1h or 2d"),
        (("--limit", "0"), "--limit takes a whole number above 0, not '0'."),
        (("--limit", "many"), "--limit takes a whole number above 0, not 'many'."),
        (
            ("--export", "xml", "-"),
            "--export takes the format jsonl or pytest, and a file; not 'xml'.",
        ),
        (("--export", "jsonl", "-", "--follow"), "--export and --follow cannot be combined."),
    ],
)
def test_contradictory_arguments_are_refused(
    arguments: tuple[str, ...],
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    assert main(["log", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert output in printed.err


def test_an_exported_file_is_as_private_as_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    fresh, own = tmp_path / "fresh.jsonl", tmp_path / "own.jsonl"
    own.write_text("before", encoding="utf-8")
    own.chmod(0o640)
    for file in (fresh, own):
        assert main(["log", "--export", "jsonl", str(file)]) == 0
    assert [file.stat().st_mode & 0o777 for file in (fresh, own)] == [0o600, 0o640]
    assert own.read_text(encoding="utf-8") == ""


def test_an_empty_record_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    assert main(["log"]) == 0
    assert main(["log", "--tool", "tap"]) == 0
    monkeypatch.setenv("HANDHELD_AUDIT_OFF", "true")
    assert main(["log"]) == 0
    assert capsys.readouterr() == (
        "",
        "No calls have been recorded yet.\n"
        "No recorded call matches.\n"
        "No calls are recorded: audit.off is set.\n",
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 910), ("15m", 100), ("0h", 1000), ("1970-01-01T00:16:40+00:00", 1000)],
)
def test_since_is_parsed_as_a_duration_or_a_time(text: str, seconds: int) -> None:
    assert read_since(text, 1000) == seconds


def test_a_log_line_has_no_terminal_control_characters() -> None:
    evil = "a\x1b[2Jb\nc\u202e"
    entry = AuditEntry(
        id=1,
        at=0.0,
        phone=evil,
        transport="http",
        client=evil,
        token=evil,
        person=False,
        tool="tap",
        arguments={evil: evil, "list": [evil]},
        state="failed",
        result=(evil,),
        milliseconds=1.4,
        note=evil,
    )
    output = line(entry)
    assert output.isprintable()
    assert "tap" in output
    assert "failed 1 ms: " in output
