"""The record keeps within its bounds while it is written, and fails as it should when it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from audit.calls import make_call
from handheld.audit import AuditError, AuditLog, AuditReader
from handheld.audit.database import WAL_BYTES, open_for_writing
from handheld.audit.keeper import Keeper
from handheld.audit.verification import verify
from harness.manual_clock import MORNING, ManualClock
from harness.polling import HANG, wait_until

TESTS = Path(__file__).resolve().parent.parent
DAY = 86_400.0


def size(file: Path) -> int:
    return sum(path.stat().st_size for path in file.parent.iterdir())


@pytest.mark.slow
def test_the_oldest_go_when_there_is_too_much_while_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    log = AuditLog(file, most_bytes=1_000_000)
    for number in range(600):
        id = log.begin(make_call())
        log.picture(id, "after", os.urandom(4000))
        log.end(id, "done", ["x" * 3000], float(number))
        if not number % 20:
            wait_until(lambda: size(file) < 4_000_000)
    log.close()  # with a last round, however far the thread had come
    assert file.stat().st_size < 1_200_000
    reader = AuditReader(file)
    entries = reader.entries(limit=10_000)
    assert entries[-1].milliseconds == 599.0
    numbers = [entry.milliseconds for entry in entries]
    assert numbers == [float(number) for number in range(600 - len(numbers), 600)]
    assert 50 < len(numbers) < 300
    gone = entries[0].id - 1
    assert reader.pictures(gone) == (None, None)
    assert reader.pictures(entries[-1].id)[1] is not None
    reader.close()
    found = verify(file)
    assert found.problems == []
    assert [(one.token, one.act, one.calls) for one in found.dropped] == [("owner", True, gone)]


@pytest.mark.slow
def test_one_round_frees_the_space_of_deleted_calls(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    log = AuditLog(file)
    for _ in range(200):
        log.picture(log.begin(make_call()), "after", os.urandom(8000))
    log.close()
    assert file.stat().st_size > 1_500_000
    connection = open_for_writing(file)
    Keeper(file, 1_000_000, 30, ManualClock())._tidy(connection)
    connection.close()
    assert file.stat().st_size < 1_000_000


@pytest.mark.matrix
def test_the_log_of_changes_stays_small_while_calls_are_deleted(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    log = AuditLog(file)
    for number in range(1500):
        log.end(log.begin(make_call()), "done", ["x" * 4000], float(number))
    log.close()
    assert file.stat().st_size > 6_000_000
    connection = open_for_writing(file)
    keeper = Keeper(file, 1_000_000, 30, ManualClock())
    sizes: list[int] = []
    connection.set_progress_handler(lambda: sizes.append(keeper._log_bytes()), 100)
    keeper._tidy(connection)
    connection.close()
    assert file.stat().st_size < 1_000_000
    assert 0 < max(sizes) < 3 * WAL_BYTES


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    clock = ManualClock()
    log = AuditLog(file, clock=clock)
    for number in range(100):
        if number == 70:
            clock.put_forward(8 * DAY)
        log.end(log.begin(make_call()), "done")
    log.close()
    log = AuditLog(file, most_days=7, clock=clock)
    wait_until(lambda: len(log.entries()) == 30)
    assert [entry.id for entry in log.entries()] == list(range(71, 101))
    id = log.begin(make_call())
    assert id == 101
    log.close()


def test_what_is_too_old_goes_though_the_clock_was_ahead_before(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    clock = ManualClock(MORNING + 4000 * DAY)
    log = AuditLog(file, clock=clock)
    for number in range(50):
        if number in (40, 45):
            clock.set_time(MORNING - 8 * DAY if number == 40 else MORNING)
        log.end(log.begin(make_call()), "done")
    log.close()
    log = AuditLog(file, most_days=7, clock=clock)
    wait_until(lambda: len(log.entries()) == 45)
    assert [entry.id for entry in log.entries()] == [*range(1, 41), *range(46, 51)]
    log.close()
    assert verify(file).problems == []


FULL = """
import resource, signal, sys
from pathlib import Path
from audit.calls import make_call
from handheld.audit import AuditError, AuditLog, AuditReader
from handheld.audit.database import open_for_writing
from handheld.audit.keeper import Keeper
from handheld.audit.verification import verify
from harness.polling import wait_until

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = AuditLog(Path(sys.argv[1]))
first = log.begin(make_call())
second = log.begin(make_call())
log.end(first, "done", ["fits"], 1.0)
usual = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, usual[1]))
log.end(second, "done", ["late"], 2.0)
for attempt in (lambda: log.begin(make_call()), log.write_ends):
    try:
        attempt()
        print("it went on")
    except AuditError as problem:
        print(problem)
resource.setrlimit(resource.RLIMIT_FSIZE, usual)
wait_until(lambda: not log._keeper.problem)  # a round that failed is tried again
log.end(log.begin(make_call()), "done", ["room again"], 3.0)
print([(entry.state, *entry.result) for entry in log.entries()])
log.close()
found = verify(Path(sys.argv[1]))
print(found.problems, found.calls, found.unfinished)
"""


@pytest.mark.slow
def test_where_nothing_can_be_written_nothing_begins_and_ends_wait(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file)],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith(f"The record of calls in {file} cannot be used: ")
    assert lines[1].startswith(f"The record of calls in {file} cannot be used: ")
    assert lines[2] == "[('done', 'fits'), ('done', 'late'), ('done', 'room again')]"
    assert lines[3] == "[] 3 0"


def test_a_file_that_is_damaged_is_named_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    file.write_bytes(b"not a database" * 1000)
    with pytest.raises(AuditError) as failure:
        AuditLog(file)
    assert str(failure.value) == (
        f"The record of calls in {file} cannot be used: file is not a database. Move it away, and"
        " Handheld starts a new one."
    )


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("a file", encoding="utf-8")
    with pytest.raises(AuditError, match="cannot be used: File exists"):
        AuditLog(tmp_path / "audit" / "calls.sqlite")
