"""The chain of hashes: a record that is as it was written verifies, and any other does not."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audit.calls import make_call
from handheld.audit import AuditError, AuditLog, AuditReader
from handheld.audit.chain import encode, read_head
from handheld.audit.database import open_for_writing
from handheld.audit.keeper import Keeper
from handheld.audit.rows import RecordRows
from handheld.audit.verification import Verification, read_tip, verify
from handheld.tools.call import Caller
from harness.manual_clock import ManualClock

TABLES = ("calls", "pictures", "links", "groups")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


def record(log: AuditLog, count: int, token: str = "owner") -> list[int]:
    """Acts and reads, in turn."""
    ids: list[int] = []
    for number in range(count):
        tool = "get_screen_state" if number % 2 else "tap"
        ids.append(log.begin(make_call(tool, caller=Caller("http", "agent", token))))
        log.end(ids[-1], "done", [f"reply {number}"], 1.5)
    log.write_ends()
    return ids


def drop(file: Path, ids: list[int]) -> None:
    with closing(open_for_writing(file)) as connection:
        rows = RecordRows(connection, file)
        with rows:
            rows.drop(ids)
        rows.close()


def change(file: Path, *statements: str) -> None:
    """Do what another program can do."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with all that there is: ended and unfinished calls, pictures, dropped ones."""
    file = tmp_path_factory.mktemp("whole") / "calls.sqlite"
    log = AuditLog(file)
    ids = record(log, 6)
    for id in ids:
        log.picture(id, "before", b"before")
    log.picture(ids[-1], "after", b"after")
    record(log, 5, "reader")
    record(log, 1, "guest")
    open_ones = [log.begin(make_call()), log.begin(make_call("press_home"))]
    drop(file, [1, 2, 7, 9])
    drop(file, [3, 8])
    log.end(open_ones[0], "failed", ["No."], 3.0, "a note")
    log.write_ends()
    # As a killed process leaves it, but without its lock file.
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(f"{file}.copy")) as copy:
        source.backup(copy)
    shutil.copy(file.with_suffix(".head"), f"{file}.head")
    log.close()
    shutil.move(f"{file}.copy", file)
    shutil.move(f"{file}.head", file.with_suffix(".head"))
    return file


def test_a_record_as_it_was_written_verifies(whole: Path) -> None:
    found = verify(whole)
    assert (found.problems, found.calls, found.unfinished, found.old) == ([], 8, 1, 0)
    assert found.head == read_tip(whole)
    assert [(one.token, one.act, one.calls) for one in found.dropped] == [
        ("owner", False, 1),
        ("owner", True, 2),
        ("reader", False, 1),
        ("reader", True, 2),
    ]
    reader = AuditReader(whole)
    assert reader.dropped() == found.dropped
    reader.close()


def rows_of(connection: sqlite3.Connection) -> list[Any]:
    return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]


VALUES = (
    st.none() | st.integers(0, 30) | st.text(max_size=4) | st.binary(max_size=4) | st.floats(0, 9)
)


@given(data=st.data())
def test_any_single_change_removal_copy_or_swap_of_rows_is_noticed(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("changed") / "calls.sqlite"
    shutil.copy(whole, file)
    shutil.copy(whole.with_suffix(".head"), file.with_suffix(".head"))
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        before = rows_of(connection)
        table = data.draw(st.sampled_from(TABLES))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rowids = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
        one, other = data.draw(st.sampled_from(rowids)), data.draw(st.sampled_from(rowids))
        how = data.draw(st.sampled_from(("change", "remove", "copy", "swap")))
        try:
            match how:
                case "change":
                    column, value = data.draw(st.sampled_from(columns)), data.draw(VALUES)
                    connection.execute(
                        f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, one)
                    )
                case "remove":
                    connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (one,))
                case "copy":
                    rest = ", ".join(columns[1:])
                    new = data.draw(st.sampled_from((max(rowids) + 1, 1, 2)))
                    connection.execute(
                        f"INSERT INTO {table} ({columns[0]}, {rest})"
                        f" SELECT ?, {rest} FROM {table} WHERE rowid = ?",
                        (new, one),
                    )
                case _:
                    for old, new in ((one, -1), (other, one), (-1, other)):
                        connection.execute(
                            f"UPDATE {table} SET rowid = ? WHERE rowid = ?", (new, old)
                        )
        except sqlite3.IntegrityError:
            assume(False)
        assume(table != "pictures" or how != "swap")  # their order means nothing
        assume(rows_of(connection) != before)
    assert verify(file).problems


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE calls SET tool = 'press_back' WHERE id = 10", "Call 10 was changed."),
        ("UPDATE calls SET result = '[]' WHERE id = 10", "Call 10 was changed."),
        ("UPDATE calls SET state = 'done' WHERE state = 'running'", "Call 14 was changed."),
        ("DELETE FROM calls WHERE id = 10", "Call 10 is missing."),
        ("DELETE FROM pictures WHERE which = 'after'", "The picture after call 6 is missing."),
        (
            "UPDATE pictures SET jpeg = x'00' WHERE call = 6",
            "The picture before call 6 was changed.",
        ),
        ("DELETE FROM links WHERE seq = 35", "Link 35 of the chain is missing."),
        (
            "INSERT INTO calls SELECT 99, at, run, phone, door, client, token, person, tool,"
            " arguments, elements, state, result, milliseconds, note, act FROM calls LIMIT 1",
            "Call 99 was added: no link covers it.",
        ),
        ("UPDATE calls SET at = CAST(x'ff' AS TEXT) WHERE id = 10", "Call 10 was changed."),
    ],
)
def test_what_was_done_to_the_record_is_told(
    whole: Path, file: Path, statement: str, problem: str
) -> None:
    shutil.copy(whole, file)
    shutil.copy(whole.with_suffix(".head"), file.with_suffix(".head"))
    change(file, statement)
    assert problem in verify(file).problems


LAST = "(SELECT max(id) FROM calls)"
CUT = (
    f"DELETE FROM links WHERE of = {LAST} AND kind != 'drop'",
    f"DELETE FROM calls WHERE id = {LAST}",
)


def test_a_removed_end_is_told_by_the_head_and_stays_told_after_further_calls(file: Path) -> None:
    log = AuditLog(file)
    record(log, 3)
    log.close()
    change(file, *CUT)
    [problem] = verify(file).problems
    assert "rows were removed from its end" in problem
    log = AuditLog(file)
    record(log, 3)
    log.close()
    [problem] = verify(file).problems
    assert problem.startswith("When the record was opened at link 6, its head said 7 links")


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff" * 100])
def test_a_damaged_head_is_told_and_stops_nothing(file: Path, data: bytes) -> None:
    log = AuditLog(file)
    record(log, 1)
    log.close()
    file.with_suffix(".head").write_bytes(data)
    assert "missing or damaged" in verify(file).problems[0]
    log = AuditLog(file)
    record(log, 1)
    log.close()
    [problem] = verify(file).problems
    assert "its head was missing or damaged" in problem


def test_a_removed_head_and_a_removed_record_are_told(file: Path) -> None:
    log = AuditLog(file)
    record(log, 3)
    log.close()
    head = file.with_suffix(".head")
    kept = head.read_bytes()
    head.unlink()
    [problem] = verify(file).problems
    assert problem.startswith("The head beside the record is missing")
    AuditLog(file).close()
    [problem] = verify(file).problems
    assert "its head was missing" in problem
    file.unlink()
    assert verify(file).problems == ["The record is missing."]
    head.write_bytes(kept)
    AuditLog(file).close()
    [problem] = verify(file).problems
    assert "its head said 7 links" in problem


def test_a_head_that_somebody_kept_tells_a_record_that_was_made_anew(file: Path) -> None:
    log = AuditLog(file)
    record(log, 3)
    kept = read_tip(file)
    assert kept is not None
    assert read_head(f" {kept}\n") == kept
    record(log, 2)
    assert verify(file, kept).problems == []
    log.close()
    for path in (file, file.with_suffix(".head")):
        path.unlink()
    log = AuditLog(file)
    record(log, 5)
    log.close()
    assert verify(file).problems == []
    assert verify(file, kept).problems == [
        f"The record does not lead to the head {kept}: it was changed later."
    ]


def test_a_head_whose_rows_were_dropped_is_not_called_right(file: Path) -> None:
    log = AuditLog(file)
    ids = record(log, 6)
    kept = read_tip(file)
    record(log, 6)
    drop(file, ids)
    assert verify(file, kept).problems == []
    drop(file, [id + 6 for id in ids])
    assert verify(file, kept).problems == [
        f"The rows around the head {kept} were dropped: it cannot be compared."
    ]
    log.close()


@pytest.mark.parametrize("text", ["", "12", "12:ab", f"-1:{'a' * 64}", f"1:{'A' * 64}"])
def test_other_texts_are_no_head(text: str) -> None:
    with pytest.raises(AuditError, match="is no head"):
        read_head(text)


def unchain(file: Path) -> None:
    """Make it a record of the version without hashes."""
    change(
        file,
        "DROP TABLE links",
        "DROP TABLE groups",
        "ALTER TABLE calls DROP COLUMN act",
        "PRAGMA user_version=1",
    )
    file.with_suffix(".head").unlink()


def test_a_record_from_before_the_chain_goes_on_in_it(file: Path) -> None:
    log = AuditLog(file)
    record(log, 3)
    log.begin(make_call())
    change(file, "UPDATE calls SET run = 'killed' WHERE state = 'running'")
    log.close()
    unchain(file)
    reader = AuditReader(file)
    assert len(reader.entries()) == 4
    assert reader.dropped() == []
    reader.close()
    assert verify(file) == Verification(old=4)
    assert read_tip(file) is None

    log = AuditLog(file)
    assert record(log, 2) == [5, 6]
    assert [entry.state for entry in log.entries()] == [*["done"] * 3, "unknown", *["done"] * 2]
    drop(file, [1, 2, 5])
    log.close()
    found = verify(file)
    assert (found.problems, found.old, found.calls) == ([], 2, 1)
    assert [(one.act, one.calls) for one in found.dropped] == [(None, 2), (True, 1)]
    change(file, "UPDATE groups SET calls = 1 WHERE act IS NULL")
    assert verify(file).problems != []


def test_rows_from_before_the_chain_go_first(file: Path) -> None:
    log = AuditLog(file)
    for _ in range(40):
        log.end(log.begin(make_call()), "done", ["x" * 2000], 1.0)
    log.close()
    unchain(file)
    log = AuditLog(file)
    record(log, 10)
    log.close()
    with closing(open_for_writing(file)) as connection:
        Keeper(file, 50_000, 30, ManualClock())._tidy(connection)
    found = verify(file)
    assert found.problems == []
    assert found.calls == 10
    assert found.old < 40


def test_calls_that_a_killed_process_had_no_time_to_link_are_linked_by_the_next(
    file: Path, tmp_path: Path
) -> None:
    left = tmp_path / "left" / "calls.sqlite"
    left.parent.mkdir()
    log = AuditLog(file)
    log.end(log.begin(make_call()), "done", ["yes"], 1.0)
    log.begin(make_call("get_screen_state"))
    for name in (file, file.with_suffix(".head"), file.with_name(f"{file.name}-wal")):
        shutil.copy(name, left.parent)
    log.close()
    killed = "its process was killed before it wrote one, or the call was added."
    found = verify(left)
    assert found.problems == [f"No link covers call {id}: {killed}" for id in (1, 2)]
    assert (found.calls, found.unfinished) == (2, 2)
    AuditLog(left).close()
    found = verify(left)
    assert (found.problems, found.calls, found.unfinished) == ([], 2, 0)


def test_what_another_program_wrote_into_a_running_call_does_not_stop_the_record(
    file: Path,
) -> None:
    log = AuditLog(file)
    log.close()
    change(
        file,
        "INSERT INTO calls (at, run, phone, door, client, token, person, tool, arguments, elements,"
        " state, result, note, act) VALUES ('x', 'gone', CAST(x'ff' AS TEXT), 1, x'00',"
        " CAST(x'fe' AS TEXT), 0, 'tap', '{}', '{}', 'running', '[]', '', 1)",
    )
    log = AuditLog(file)
    id = log.begin(make_call())
    log.end(id, "done", ["yes"], 1.0)
    entry = log.entry(id)
    log.close()
    assert entry is not None
    assert entry.state == "done"


def test_a_call_that_is_dropped_while_it_runs_leaves_the_chain_whole(file: Path) -> None:
    log = AuditLog(file)
    id, newer = log.begin(make_call()), log.begin(make_call())
    drop(file, [id])
    log.end(id, "done", ["late"], 1.0)
    log.picture(id, "after", b"late")
    log.end(newer, "done")
    log.write_ends()
    log.close()
    found = verify(file)
    assert (found.problems, found.calls) == ([], 1)


def test_no_call_gets_the_number_of_one_that_was_dropped(file: Path) -> None:
    log = AuditLog(file)
    numbers = [log.begin(make_call()) for _ in range(3)]
    drop(file, numbers)
    assert log.begin(make_call()) == numbers[-1] + 1
    log.close()


@pytest.fixture(scope="module")
def apart() -> dict[bytes, Any]:
    return {}


@given(st.lists(st.text() | st.none() | st.integers() | st.floats(allow_nan=False) | st.binary()))
def test_different_values_are_hashed_as_different_bytes(
    apart: dict[bytes, Any], values: list[Any]
) -> None:
    # Equal by repr: 1 and 1.0 are not the same in a file.
    assert apart.setdefault(encode(values), repr(values)) == repr(values)
