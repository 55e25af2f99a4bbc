"""When the end of a call reaches the file: not before its reply, and soon after."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from audit.calls import make_call
from handheld.audit import AuditLog, AuditReader, Record, Recorder
from handheld.audit.verification import read_tip, verify
from harness.manual_clock import ManualClock


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def recorder(file: Path, clock: ManualClock) -> AsyncGenerator[Recorder]:
    recorder = Recorder(AuditLog(file, clock=clock), clock=clock)
    yield recorder
    await recorder.aclose()


@pytest.fixture
def reader(file: Path) -> Iterator[AuditReader]:
    """Another process, as far as the file knows."""
    reader = AuditReader(file)
    yield reader
    reader.close()


def make(recorder: Recorder) -> None:
    call = make_call()
    call = call._replace(id=recorder.begin(call))
    recorder.end(call, "done", ["yes"], 1.0, "")


def states(reader: AuditReader) -> list[str]:
    return [entry.state for entry in reader.entries()]


async def test_a_reply_does_not_wait_for_the_file_and_the_file_follows(
    recorder: Recorder, reader: AuditReader, clock: ManualClock
) -> None:
    make(recorder)
    assert states(reader) == ["running"]
    await clock.advance(0.019)
    assert states(reader) == ["running"]
    await clock.advance(0.001)
    assert states(reader) == ["done"]
    make(recorder)
    await clock.advance(0.02)
    assert states(reader) == ["done", "done"]
    assert clock.waits == []


async def test_calls_one_after_the_other_do_not_wait_for_the_file_either(
    recorder: Recorder, reader: AuditReader, clock: ManualClock
) -> None:
    make(recorder)
    await clock.advance(0.003)
    make(recorder)
    # Their ends are written together.
    assert states(reader) == ["running", "running"]
    await clock.advance(0.019)
    assert states(reader) == ["running", "running"]
    await clock.advance(0.001)
    assert states(reader) == ["done", "done"]


async def test_a_call_that_lasts_is_in_the_chain_while_it_runs(
    recorder: Recorder, file: Path, clock: ManualClock
) -> None:
    before = read_tip(file)
    call = make_call()
    call = call._replace(id=recorder.begin(call))
    await clock.advance(60)
    # It may still be refused, and would count as no act then.
    assert read_tip(file) == before
    assert verify(file).problems == []
    recorder.runs(call)
    assert read_tip(file) == before
    await clock.advance(0.02)
    assert read_tip(file) != before
    assert (verify(file).unfinished, verify(file).problems) == (1, [])


async def test_a_watcher_hears_of_an_end_before_the_file_does(
    recorder: Recorder, reader: AuditReader
) -> None:
    with recorder.log.subscribe() as watcher:
        make(recorder)
        assert [(await anext(watcher)).state, (await anext(watcher)).state] == ["running", "done"]
        assert states(reader) == ["running"]
        assert [entry.state for entry in recorder.log.entries()] == ["done"]


async def test_what_has_ended_is_in_the_file_when_the_recorder_is_closed(
    recorder: Recorder, reader: AuditReader
) -> None:
    make(recorder)
    make(recorder)
    await recorder.aclose()
    assert states(reader) == ["done", "done"]


async def test_how_long_a_call_took_is_told_by_the_clock(
    recorder: Recorder, reader: AuditReader, clock: ManualClock
) -> None:
    record = Record(recorder, make_call())
    await clock.advance(1.25)
    record.failed("no")
    await clock.advance(1)
    assert [entry.milliseconds for entry in reader.entries()] == [1250.0]
