"""Files on a phone: interrupted writes, concurrent changes, lost connections."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from handheld.adb.link import ByteStream, LinkLost
from handheld.driver.by_helper.driver import HelperDriver
from handheld.errors import ActionFailed, InvalidParams
from handheld.helper.client import HelperClient
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper.commands.commands import COMMANDS
from handheld_virtual.reference_helper.helper import Helper
from handheld_virtual.reference_helper.protocol.command import Answer
from handheld_virtual.reference_helper.protocol.job import Job
from harness.phones import WatchedLink, link_to
from harness.polling import HANG

LOCATION = "com.android.externalstorage.documents/primary:Download"
FOLDER = "/storage/emulated/0/Download"
TODO = b"Buy groceries\nWalk the dog"
WHERE = f"notes/todo.txt in location '{LOCATION}'"
BEFORE = ["notes", "prices.csv", "readme.txt"]

OnWrite = Callable[[bytes], Awaitable[None]]


class ObservedStream:
    """A stream that reports every write before it happens."""

    def __init__(self, stream: ByteStream, on_write: OnWrite) -> None:
        self._stream = stream
        self._on_write = on_write

    async def read(self, limit: int = 65536) -> bytes:
        return await self._stream.read(limit)

    async def follow(self, take: Callable[[bytes], object]) -> None:
        await self._stream.follow(take)

    async def write(self, data: bytes) -> None:
        await self._on_write(data)
        await self._stream.write(data)

    async def aclose(self) -> None:
        await self._stream.aclose()


class ObservedLink(WatchedLink):
    """A link that reports the writes on its sync streams."""

    on_write: OnWrite | None = None

    async def open(self, service: str) -> ByteStream:
        stream = await super().open(service)
        if self.on_write and service == "sync:":
            return ObservedStream(stream, self.on_write)
        return stream


class Scene:
    def __init__(self, device: VirtualPhone, link: ObservedLink, files: Files) -> None:
        self.device, self.link, self.files = device, link, files
        self.tree = device.files

    def names(self) -> list[str]:
        return self.tree.list(FOLDER)

    @property
    def todo(self) -> bytes:
        return self.tree.read(f"{FOLDER}/notes/todo.txt")

    async def write(self, content: str = "new") -> str:
        async with asyncio.timeout(HANG):
            return await self.files.write(LOCATION, "notes/todo.txt", content)

    async def write_failure(self, content: str = "new") -> str:
        with pytest.raises(ActionFailed) as caught:
            await self.write(content)
        return caught.value.message


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncGenerator[Scene]:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(LOCATION, allow_write=True, allow_delete=True)
    async with VirtualPhone() as device, link_to(device) as direct:
        link = ObservedLink(direct)
        async with aclosing(HelperDriver(HelperClient(link))) as driver:
            scene = Scene(device, link, Files(driver, link.clock, storage, (), DownloadRules(4)))
            # The helper is started: from now on sync streams carry only files.
            await scene.files.list(LOCATION, "")
            yield scene


def during_push(scene: Scene, mark: bytes, happen: Callable[[], None]) -> None:
    """Call `happen` when the mark is written to a sync stream for the first time."""
    done = False

    async def on_write(data: bytes) -> None:
        nonlocal done
        if mark in data and not done:
            done = True
            happen()

    scene.link.on_write = on_write


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG):
        while not true():  # noqa: ASYNC110 - the phone has no event for it
            await asyncio.sleep(0)


# Interrupted writes.


async def test_an_interrupted_write_leaves_the_old_file_intact(scene: Scene) -> None:
    during_push(scene, b"middle", scene.device.drop_connections)
    message = await scene.write_failure("x" * 1_500_000 + "middle" + "x" * 1_500_000)
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It is as it was.")
    assert scene.todo == TODO
    # The phone removes the partial file when the connection ends.
    await until(lambda: scene.names() == BEFORE)


async def test_a_dead_helper_is_restarted_and_the_file_written(
    scene: Scene,
) -> None:
    killed: list[int] = []
    during_push(scene, b"DONE", lambda: killed.append(scene.device.kill("handheld")))
    assert await scene.write() == "notes/todo.txt"
    assert killed == [1]
    assert (scene.todo, scene.names()) == (b"new", BEFORE)


def dying_commit(monkeypatch: pytest.MonkeyPatch, die: Callable[[], object], *, done: bool) -> None:
    """The helper dies during the commit."""
    command = COMMANDS["commit"]

    async def run(helper: Helper, job: Job) -> Answer:
        if done:
            await command.run(helper, job)
        die()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setitem(COMMANDS, "commit", replace(command, run=run))


async def test_a_lost_commit_that_did_not_happen_is_reported(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying_commit(monkeypatch, lambda: scene.device.kill("handheld"), done=False)
    message = await scene.write_failure()
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It is as it was.")
    assert (scene.todo, scene.names()) == (TODO, BEFORE)


async def test_a_lost_commit_that_happened_is_a_success(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying_commit(monkeypatch, lambda: scene.device.kill("handheld"), done=True)
    assert await scene.write() == "notes/todo.txt"
    assert (scene.todo, scene.names()) == (b"new", BEFORE)


@pytest.mark.parametrize("done", [True, False])
async def test_a_lost_connection_during_commit_is_reported_as_uncertain(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    dying_commit(monkeypatch, scene.device.drop_connections, done=done)
    message = await scene.write_failure()
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It may or may not be written; read it before going on.")
    assert scene.todo == (b"new" if done else TODO)


async def test_leftovers_of_a_lost_write_are_removed_by_the_next(scene: Scene) -> None:
    scene.tree.write(f"{FOLDER}/.handheld-00000000000000ab.part", b"half")
    scene.tree.write(f"{FOLDER}/.handheld-mine.part", b"not ours")
    await scene.write()
    assert scene.names() == [".handheld-mine.part", *BEFORE]


async def test_a_cancelled_write_leaves_nothing(scene: Scene) -> None:
    reached = asyncio.Event()

    async def on_write(data: bytes) -> None:
        if b"middle" in data:
            reached.set()
            await asyncio.Event().wait()

    scene.link.on_write = on_write
    task = asyncio.create_task(scene.write("x" * 1_000_000 + "middle"))
    async with asyncio.timeout(HANG):
        await reached.wait()
    task.cancel()
    assert (await asyncio.gather(task, return_exceptions=True))[0].__class__ is (
        asyncio.CancelledError
    )
    assert scene.todo == TODO
    await until(lambda: scene.names() == BEFORE)
    scene.link.on_write = None
    assert await scene.write() == "notes/todo.txt"


# Files that an app changes meanwhile.


@pytest.mark.parametrize("other", [b"Buy groceries\nWalk the cat", b"", None])
async def test_a_concurrently_changed_file_is_not_overwritten(
    scene: Scene, other: bytes | None
) -> None:
    path = f"{FOLDER}/notes/todo.txt"

    def change() -> None:
        if other is None:
            scene.tree.remove(path)
        else:
            scene.tree.write(path, other)

    for edit in (
        lambda: scene.files.append(LOCATION, "notes/todo.txt", "!"),
        lambda: scene.files.replace(LOCATION, "notes/todo.txt", "Buy", "Sell", False),
    ):
        scene.tree.write(path, TODO)
        during_push(scene, b"DONE", change)
        with pytest.raises(ActionFailed) as caught:
            await edit()
        assert caught.value.message == (
            f"The file was changed on the phone in the meantime: {WHERE}. Nothing was written. "
            "Read it"
            " again and repeat the change."
        )
        assert scene.tree.exists(path) is (other is not None)
        assert other is None or scene.todo == other
        assert scene.names() == BEFORE


async def test_a_file_is_fetched_while_it_is_located(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, fetched = COMMANDS["locate"], asyncio.Event()

    async def run(helper: Helper, job: Job) -> Answer:
        async with asyncio.timeout(HANG):
            await fetched.wait()
        return await command.run(helper, job)

    async def on_write(data: bytes) -> None:
        fetched.set()

    scene.link.on_write = on_write
    monkeypatch.setitem(COMMANDS, "locate", replace(command, run=run))
    assert await read(scene) == TODO.decode()
    fetched.clear()
    assert [row.name for row in await scene.files.list(LOCATION, "notes")] == ["todo.txt"]


async def read(scene: Scene) -> str:
    lines, _ = await scene.files.read(LOCATION, "notes/todo.txt", lambda file: file.lines(1, 200))
    return "\n".join(lines)


async def test_a_file_whose_location_moved_is_read_from_there(scene: Scene) -> None:
    scene.tree.rename(FOLDER, f"{FOLDER}-2")
    scene.tree.furnish_link("Download-2", FOLDER)
    assert await read(scene) == TODO.decode()


async def test_a_failed_early_fetch_is_retried(scene: Scene) -> None:
    lost = False

    async def on_write(data: bytes) -> None:
        nonlocal lost
        if not lost:
            lost = True
            raise LinkLost("The way to the phone ended.")

    scene.link.on_write = on_write
    assert await read(scene) == TODO.decode()
    assert lost


async def test_an_uncertain_delete_is_reported(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = COMMANDS["remove"]

    async def run(helper: Helper, job: Job) -> Answer:
        scene.device.kill("handheld")
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setitem(COMMANDS, "remove", replace(command, run=run))
    with pytest.raises(ActionFailed) as caught:
        await scene.files.delete(LOCATION, "notes/todo.txt")
    assert caught.value.message.startswith(f"Failed to delete file: {WHERE}: ")
    assert caught.value.message.endswith(
        " It may or may not be deleted; list the folder before going on."
    )


async def test_a_lone_surrogate_is_not_written(scene: Scene) -> None:
    for name, call in (
        ("content", lambda: scene.write("x\ud83d")),
        ("content", lambda: scene.files.append(LOCATION, "readme.txt", "\udc80")),
        ("new_string", lambda: scene.files.replace(LOCATION, "readme.txt", "a", "\ud83d", False)),
    ):
        with pytest.raises(InvalidParams) as caught:
            await call()
        assert caught.value.message == (
            f"Parameter '{name}' has a lone surrogate (half a character), which no text file can"
            " hold"
        )
    assert scene.todo == TODO


async def test_names_that_are_not_text_are_listed(scene: Scene) -> None:
    scene.tree.write(f"{FOLDER}/\udcff", b"x")
    rows = await scene.files.list(LOCATION, "")
    assert [row.name for row in rows] == [*BEFORE, "\udcff"]
