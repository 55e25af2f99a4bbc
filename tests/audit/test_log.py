"""The record of calls: what goes in comes out, for whoever may read it."""

import asyncio
import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.calls import CALLER, make_call
from handheld.audit import AuditEntry, AuditError, AuditLog, AuditReader
from handheld.audit import log as log_module
from handheld.audit.log import CUT_MARK, TEXT_LIMIT
from handheld.audit.reading import CUT_OFF
from handheld.audit.verification import verify
from handheld.tools.call import Caller
from harness.polling import HANG


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit" / "calls.sqlite"


@pytest.fixture
def log(file: Path) -> Iterator[AuditLog]:
    log = AuditLog(file)
    yield log
    log.close()


def test_a_call_is_on_record_before_it_ends_and_whole_after(log: AuditLog) -> None:
    id = log.begin(make_call())
    [begun] = log.entries()
    expected = AuditEntry(
        id=id,
        at=begun.at,
        phone="pixel",
        transport="http",
        client="an agent",
        token="owner",
        person=False,
        tool="tap",
        arguments={"x": 540, "y": 1200},
        state="running",
        result=(),
        milliseconds=None,
    )
    assert begun == expected
    log.end(id, "done", ["Tap executed at (540, 1200)"], 12.5)
    ended = expected._replace(
        state="done", result=("Tap executed at (540, 1200)",), milliseconds=12.5
    )
    assert log.entries() == [ended]
    assert log.entry(id) == ended
    assert log.entry(id + 1) is None


def test_ends_are_written_when_many_wait(
    log: AuditLog, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "_MOST_PENDING", 1)
    reader = AuditReader(file)

    def states() -> list[str]:
        return [entry.state for entry in reader.entries()]

    first = log.begin(make_call())
    log.end(first, "done", ["yes"], 1.0)
    assert states() == ["running"]
    second = log.begin(make_call())
    assert states() == ["done", "running"]
    log.end(second, "failed", ["no"], 1.0)
    log.write_ends()
    assert states() == ["done", "failed"]
    reader.close()


def test_readers_in_the_writing_process_see_how_calls_ended(log: AuditLog) -> None:
    first, second = log.begin(make_call()), log.begin(make_call())
    log.end(first, "done")
    assert [entry.state for entry in log.entries(state="done")] == ["done"]
    log.end(second, "failed")
    entry = log.entry(second)
    assert entry is not None
    assert entry.state == "failed"


def test_entries_are_found_by_what_they_are(log: AuditLog) -> None:
    def add(tool: str, phone: str, state: Any, text: str) -> int:
        id = log.begin(make_call(tool, {}, phone=phone))
        log.end(id, state, [text], 1.0)
        return id

    first = add("tap", "pixel", "done", "Tapped ÄPFEL")
    second = add("press_home", "pixel", "failed", "No")
    third = add("tap", "nokia", "denied", "Nobody answered")
    fourth = log.begin(make_call())

    def ids(**asked: Any) -> list[int]:
        return [entry.id for entry in log.entries(**asked)]

    assert ids() == [first, second, third, fourth]
    assert ids(limit=2) == [third, fourth]
    assert ids(after=first, before=fourth) == [second, third]
    assert ids(tool="tap") == [first, third, fourth]
    assert ids(phone="nokia") == [third]
    assert ids(state="running") == [fourth]
    assert ids(state="denied") == [third]
    assert ids(text="ANSWERED") == [third]
    assert ids(text="100%'; --") == []
    assert ids(since=log.entries()[-1].at) == [fourth]
    assert ids(limit=0) == []
    log.end(fourth, "done")


def test_pictures_belong_to_their_call(log: AuditLog) -> None:
    id = log.begin(make_call())
    assert log.pictures(id) == (None, None)
    log.picture(id, "after", b"after")
    log.picture(id, "before", b"before")
    assert log.pictures(id) == (b"before", b"after")


def test_only_this_user_can_read_the_file(file: Path) -> None:
    before = os.umask(0)
    try:
        log = AuditLog(file)
        log.begin(make_call())
        modes = {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()}
        log.close()
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}
    assert {"calls.sqlite", "calls.sqlite-wal"} <= set(modes)
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_closing_leaves_the_record_with_its_head_and_no_call_running(file: Path) -> None:
    log = AuditLog(file)
    log.begin(make_call())
    log.close()
    assert {path.name for path in file.parent.iterdir()} == {"calls.sqlite", "calls.head"}
    reader = AuditReader(file)
    [entry] = reader.entries()
    reader.close()
    assert (entry.state, entry.milliseconds) == ("unknown", None)
    assert entry.note == CUT_OFF


def test_an_end_after_the_log_was_closed_changes_nothing(file: Path) -> None:
    log = AuditLog(file)
    id = log.begin(make_call())
    log.close()
    log.end(id, "done", ["late"])
    with pytest.raises(AuditError, match="cannot be used"):
        log.begin(make_call())


@pytest.mark.slow
def test_two_write_and_two_read_at_the_same_time(file: Path) -> None:
    logs = [AuditLog(file), AuditLog(file)]
    reader = AuditReader(file)
    seen: list[int] = []

    def write(log: AuditLog) -> None:
        for _ in range(200):
            log.end(log.begin(make_call()), "done", ["yes"], 1.0)
        log.write_ends()

    def read() -> None:
        while len(seen) < 20:
            seen.append(len(reader.entries(limit=1000)))
            assert verify(file).problems == []

    threads = [threading.Thread(target=write, args=[log]) for log in logs]
    threads.append(threading.Thread(target=read))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    entries = reader.entries(limit=1000)
    assert [entry.state for entry in entries] == ["done"] * 400
    assert seen == sorted(seen)
    reader.close()
    for log in logs:
        log.close()
    found = verify(file)
    assert (found.problems, found.calls, found.unfinished) == ([], 400, 0)


def test_a_reader_sees_nothing_where_nothing_was_recorded(file: Path) -> None:
    reader = AuditReader(file)
    assert reader.entries() == []
    assert reader.pictures(1) == (None, None)
    assert not file.exists()


@pytest.mark.parametrize("data", [b"not a database, but long enough to be one" * 100, b"short"])
def test_a_file_that_is_none_of_ours_is_named(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(data)
    with pytest.raises(AuditError, match=r"calls\.sqlite cannot be used: file is not a database"):
        AuditLog(file)
    with pytest.raises(AuditError, match=r"calls\.sqlite cannot be used: file is not a database"):
        AuditReader(file).entries()
    assert file.read_bytes() == data


def test_a_file_of_another_version_is_left_alone(file: Path) -> None:
    AuditLog(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(AuditError, match="another version of Handheld"):
        AuditLog(file)


async def test_subscribers_see_calls_begin_and_end(log: AuditLog) -> None:
    watcher = log.subscribe()
    id = log.begin(make_call())
    log.end(id, "failed", ["No phone"], 3.0, "a note")
    begun, ended = await anext(watcher), await anext(watcher)
    assert (begun.id, begun.state) == (id, "running")
    assert ended == log.entry(id)
    watcher.close()
    assert [entry async for entry in watcher] == []


async def test_a_slow_reader_loses_the_oldest_entries(log: AuditLog) -> None:
    with log.subscribe() as watcher:
        ids = [log.begin(make_call()) for _ in range(1005)]
        assert watcher.dropped == 5
        assert (await anext(watcher)).id == ids[5]


async def test_watching_ends_with_the_log(file: Path) -> None:
    log = AuditLog(file)
    watcher = log.subscribe()
    log.close()
    async with asyncio.timeout(HANG):
        assert [entry async for entry in watcher] == []


def test_long_texts_are_cut_and_marked(log: AuditLog) -> None:
    long = "ö" * (TEXT_LIMIT + 1)
    call = make_call("open_app", {"package_id": long, "deep": [long]}, caller=Caller(long, long))
    id = log.begin(call)
    log.end(id, "done", ["a", long, "b"], 1.0)
    entry = log.entry(id)
    assert entry is not None
    assert entry.arguments["package_id"] == long[:TEXT_LIMIT] + CUT_MARK
    assert entry.arguments["deep"].endswith(CUT_MARK)
    assert entry.result == ("a", long[: TEXT_LIMIT - 1] + CUT_MARK)
    assert entry.client == "ö" * 200 + f"…(+{TEXT_LIMIT + 1 - 200})"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"a" * 200: 1}, {"a" * 200: 1}),
        ({"a" * 201: 1}, {"a" * 200 + "…(+1)": 1}),
        ({"a" * 200: 1, "a" * 201: 2, "a" * 300: 3}, ["", "…(+1)", "…(+100)"]),
        (
            {"a" * 201: 1, "a" * 200 + "b": 2, "a" * 200 + "c": 3},
            ["…(+1)", "…(+1) (2)", "…(+1) (3)"],
        ),
    ],
    ids=["as long as is kept", "one longer", "different lengths", "different ends"],
)
def test_long_argument_names_are_cut_visibly_and_stay_apart(
    log: AuditLog, given: dict[str, int], kept: dict[str, int] | list[str]
) -> None:
    if isinstance(kept, list):
        kept = {"a" * 200 + end: number for number, end in enumerate(kept, 1)}
    entry = log.entry(log.begin(make_call("tap", given)))
    assert entry is not None
    assert entry.arguments == kept


def test_an_argument_named_like_the_note_on_further_ones_keeps_its_value(log: AuditLog) -> None:
    many = {"…": "mine", **{str(number): 0 for number in range(100)}}
    entry = log.entry(log.begin(make_call("tap", many)))
    assert entry is not None
    assert entry.arguments["…"] == "mine"
    assert entry.arguments["… (2)"] == "1 more are not kept"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text() | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def lasting_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AuditLog]:
    log = AuditLog(tmp_path_factory.mktemp("lasting") / "calls.sqlite")
    yield log
    log.close()


@given(
    # Longer names are cut: the test above says how.
    arguments=st.dictionaries(st.text(max_size=200), JSON, max_size=4),
    texts=st.lists(st.text()),
)
def test_every_json_value_and_text_survives_a_round_trip(
    lasting_log: AuditLog, arguments: dict[str, Any], texts: list[str]
) -> None:
    id = lasting_log.begin(make_call("tap", arguments, caller=CALLER))
    lasting_log.end(id, "done", texts, 1.0)
    entry = lasting_log.entry(id)
    assert entry is not None
    assert dict(entry.arguments) == arguments
    assert list(entry.result) == texts
    assert json.loads(json.dumps(entry.as_json()))["tool"] == "tap"


def test_half_a_character_does_not_stop_the_record(log: AuditLog) -> None:
    halves = {half: number for number, half in enumerate(("\udc00", "\ud800"), 1)}
    id = log.begin(make_call("open_app", {"package_id": "a\ud800b", **halves}))
    log.end(id, "failed", ["c\ud800"], 1.0, "d\ud800")
    entry = log.entry(id)
    assert entry is not None
    assert entry.arguments == {"package_id": "a\ufffdb", "\ufffd": 1, "\ufffd (2)": 2}
    assert (entry.result, entry.note) == (("c\ufffd",), "d\ufffd")


def test_a_call_with_many_arguments_takes_bounded_space(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "calls.sqlite")
    many = {f"argument {number}": "x" for number in range(5000)}
    log.end(log.begin(make_call("tap", many)), "failed", ["Too many."], 1.0)
    [entry] = log.entries()
    log.close()
    assert len(entry.arguments) == 101
    assert entry.arguments["…"] == "4900 more are not kept"
