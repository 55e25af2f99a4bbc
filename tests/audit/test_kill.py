"""A process may be killed at any point: what it recorded is there, and nothing is made up."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from audit.calls import make_call
from handheld.audit import AuditLog, AuditReader
from handheld.audit.verification import verify
from harness.polling import HANG

TESTS = Path(__file__).resolve().parent.parent
DEATHS = 25


@pytest.mark.matrix
def test_whatever_was_recorded_survives_every_kill(tmp_path: Path) -> None:
    file = tmp_path / "audit" / "calls.sqlite"
    done = subprocess.run(
        [sys.executable, "-m", "audit.killed", str(file), str(DEATHS)],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert done.stderr == ""
    lines = [line.split() for line in done.stdout.splitlines()]
    begun = [int(id) for word, id in lines if word == "begun"]
    ended = {int(id) for word, id in lines if word == "ended"}
    assert len(begun) == len(set(begun)) > DEATHS

    reader = AuditReader(file)
    entries = {entry.id: entry for entry in reader.entries(limit=10_000)}
    # By size the oldest go; from the first that is left on, all are there.
    first = min(entries)
    assert [id for id in begun if id >= first and id not in entries] == []
    for id, entry in entries.items():
        if id in ended:
            assert entry.state == "done"
        else:
            # Killed after the end was written and before that was said, or before it was written.
            assert entry.state in ("done", "unknown")
            assert (entry.milliseconds is None) == (entry.state == "unknown")
    # The last life's only call was cut off.
    cut_off = [entry for entry in entries.values() if entry.state == "unknown"]
    assert max(entries) in {entry.id for entry in cut_off}
    reader.close()
    found = verify(file)
    # The last life had no time to link its call.
    [problem] = found.problems
    assert problem.startswith(f"No link covers call {max(entries)}: its process was killed")
    assert found.unfinished == 1  # of the last life: each next one writes down what was cut off

    # The next process writes down what the reader worked out, and tidies up.
    log = AuditLog(file)
    assert [entry.state for entry in log.entries(state="unknown")] == ["unknown"] * len(cut_off)
    log.end(log.begin(make_call()), "done")
    log.close()
    assert {path.name for path in file.parent.iterdir()} == {"calls.sqlite", "calls.head"}
    found = verify(file)
    assert (found.problems, found.unfinished) == ([], 0)
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
