"""When the end of a call reaches the file: not before its reply, and soon after."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path

import pytest

from audit.calls import make_call
from handheld.audit import AuditLog, AuditReader, Recorder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


@pytest.fixture
async def recorder(file: Path) -> AsyncGenerator[Recorder]:
    recorder = Recorder(AuditLog(file))
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


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 (nothing tells when)
            await asyncio.sleep(0.001)


async def test_a_reply_does_not_wait_for_the_file_and_the_file_follows(
    recorder: Recorder, reader: AuditReader
) -> None:
    make(recorder)
    assert states(reader) == ["running"]
    await until(lambda: states(reader) == ["done"])
    make(recorder)
    await until(lambda: states(reader) == ["done", "done"])


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
