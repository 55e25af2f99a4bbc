"""Files on a phone: what a write leaves behind when it is cut off, and the pure parts."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.adb.direct import DirectLink
from handheld.adb.link import ByteStream, LinkLost
from handheld.clock import Clock
from handheld.driver.helper_driver import HelperDriver
from handheld.errors import ActionFailed, InvalidParams
from handheld.helper.client import HelperClient
from handheld.phone.download import DownloadRules
from handheld.phone.files import Files
from handheld.phone.paths import clean_path, mime_type
from handheld.phone.storage import StorageFile
from handheld.phone.text_file import REPLY_LIMIT, decode_text, page, split_lines
from handheld.virtual.phone import VirtualPhone
from handheld.virtual.reference_helper.command import Answer
from handheld.virtual.reference_helper.commands import COMMANDS
from handheld.virtual.reference_helper.helper import Helper, Job
from patient_clock import PatientClock

LOCATION = "com.android.externalstorage.documents/primary:Download"
FOLDER = "/storage/emulated/0/Download"
TODO = b"Buy groceries\nWalk the dog"
WHERE = f"notes/todo.txt in location '{LOCATION}'"
BEFORE = ["notes", "prices.csv", "readme.txt"]

Heard = Callable[[bytes], Awaitable[None]]


class HeardStream:
    """A stream whose every write is told first."""

    def __init__(self, stream: ByteStream, heard: Heard) -> None:
        self._stream = stream
        self._heard = heard

    async def read(self, limit: int = 65536) -> bytes:
        return await self._stream.read(limit)

    async def write(self, data: bytes) -> None:
        await self._heard(data)
        await self._stream.write(data)

    async def aclose(self) -> None:
        await self._stream.aclose()


class HeardLink:
    """A link on whose sync streams something can happen in the middle."""

    def __init__(self, link: DirectLink) -> None:
        self.link = link
        self.heard: Heard | None = None

    @property
    def serial(self) -> str:
        return self.link.serial

    @property
    def clock(self) -> Clock:
        return self.link.clock

    async def features(self) -> frozenset[str]:
        return await self.link.features()

    async def open(self, service: str) -> ByteStream:
        stream = await self.link.open(service)
        return HeardStream(stream, self.heard) if self.heard and service == "sync:" else stream

    async def aclose(self) -> None:
        await self.link.aclose()


class Scene:
    def __init__(self, device: VirtualPhone, link: HeardLink, files: Files) -> None:
        self.device, self.link, self.files = device, link, files
        self.tree = device.files

    def names(self) -> list[str]:
        return self.tree.list(FOLDER)

    @property
    def todo(self) -> bytes:
        return self.tree.read(f"{FOLDER}/notes/todo.txt")

    async def write(self, content: str = "new") -> str:
        async with asyncio.timeout(60):
            return await self.files.write(LOCATION, "notes/todo.txt", content)

    async def write_failure(self, content: str = "new") -> str:
        with pytest.raises(ActionFailed) as caught:
            await self.write(content)
        return caught.value.message


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncGenerator[Scene]:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(LOCATION, allow_write=True, allow_delete=True)
    async with VirtualPhone() as device:
        link = HeardLink(await DirectLink.connect("127.0.0.1", device.port, clock=PatientClock()))
        driver = HelperDriver(HelperClient(link))
        scene = Scene(device, link, Files(link, driver, storage, (), DownloadRules(4)))
        # The helper is there from now on: what goes over sync is the files' own.
        await scene.files.list(LOCATION, "")
        yield scene
        await driver.aclose()
        await link.aclose()


def during_push(scene: Scene, mark: bytes, happen: Callable[[], None]) -> None:
    """`happen` when the mark goes over a sync stream for the first time."""
    done = False

    async def heard(data: bytes) -> None:
        nonlocal done
        if mark in data and not done:
            done = True
            happen()

    scene.link.heard = heard


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - the phone has no event for it
            await asyncio.sleep(0)


# A write that is cut off.


async def test_a_cable_pulled_in_the_middle_leaves_the_old_file_whole(scene: Scene) -> None:
    during_push(scene, b"middle", scene.device.drop_connections)
    message = await scene.write_failure("x" * 1_500_000 + "middle" + "x" * 1_500_000)
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It is as it was.")
    assert scene.todo == TODO
    # The phone takes away what it had of the file when it sees the connection end.
    await until(lambda: scene.names() == BEFORE)


async def test_a_helper_that_died_before_is_started_again_and_the_file_written(
    scene: Scene,
) -> None:
    killed: list[int] = []
    during_push(scene, b"DONE", lambda: killed.append(scene.device.kill("handheld")))
    assert await scene.write() == "notes/todo.txt"
    assert killed == [1]
    assert (scene.todo, scene.names()) == (b"new", BEFORE)


def dying_commit(monkeypatch: pytest.MonkeyPatch, die: Callable[[], object], *, done: bool) -> None:
    """The helper goes away with the commit in its hands."""
    command = COMMANDS["commit"]

    async def run(helper: Helper, job: Job) -> Answer:
        if done:
            await command.run(helper, job)
        die()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setitem(COMMANDS, "commit", replace(command, run=run))


async def test_a_lost_commit_that_was_not_done_is_told_as_that(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying_commit(monkeypatch, lambda: scene.device.kill("handheld"), done=False)
    message = await scene.write_failure()
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It is as it was.")
    assert (scene.todo, scene.names()) == (TODO, BEFORE)


async def test_a_lost_commit_that_was_done_is_a_success(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying_commit(monkeypatch, lambda: scene.device.kill("handheld"), done=True)
    assert await scene.write() == "notes/todo.txt"
    assert (scene.todo, scene.names()) == (b"new", BEFORE)


@pytest.mark.parametrize("done", [True, False])
async def test_a_lost_phone_leaves_it_open_whether_the_file_was_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    dying_commit(monkeypatch, scene.device.drop_connections, done=done)
    message = await scene.write_failure()
    assert message.startswith(f"Failed to write file: {WHERE}: ")
    assert message.endswith(" It may or may not be written; read it before going on.")
    assert scene.todo == (b"new" if done else TODO)


async def test_what_a_lost_write_left_goes_with_the_next(scene: Scene) -> None:
    scene.tree.write(f"{FOLDER}/.handheld-00000000000000ab.part", b"half")
    scene.tree.write(f"{FOLDER}/.handheld-mine.part", b"not ours")
    await scene.write()
    assert scene.names() == [".handheld-mine.part", *BEFORE]


async def test_a_cancelled_write_leaves_nothing(scene: Scene) -> None:
    reached = asyncio.Event()

    async def heard(data: bytes) -> None:
        if b"middle" in data:
            reached.set()
            await asyncio.Event().wait()

    scene.link.heard = heard
    task = asyncio.create_task(scene.write("x" * 1_000_000 + "middle"))
    async with asyncio.timeout(60):
        await reached.wait()
    task.cancel()
    assert (await asyncio.gather(task, return_exceptions=True))[0].__class__ is (
        asyncio.CancelledError
    )
    assert scene.todo == TODO
    await until(lambda: scene.names() == BEFORE)
    scene.link.heard = None
    assert await scene.write() == "notes/todo.txt"


# A file that an app changes meanwhile.


@pytest.mark.parametrize("other", [b"Buy groceries\nWalk the cat", b"", None])
async def test_a_file_that_changed_meanwhile_is_not_overwritten(
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
            f"The file was changed on the phone meanwhile: {WHERE}. Nothing was written. Read it"
            " again and repeat the change."
        )
        assert scene.tree.exists(path) is (other is not None)
        assert other is None or scene.todo == other
        assert scene.names() == BEFORE


async def test_a_file_is_fetched_while_it_is_asked_where_it_is(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, fetched = COMMANDS["locate"], asyncio.Event()

    async def run(helper: Helper, job: Job) -> Answer:
        async with asyncio.timeout(60):
            await fetched.wait()
        return await command.run(helper, job)

    async def heard(data: bytes) -> None:
        fetched.set()

    scene.link.heard = heard
    monkeypatch.setitem(COMMANDS, "locate", replace(command, run=run))
    assert await scene.files.read(LOCATION, "notes/todo.txt") == TODO.decode()
    fetched.clear()
    assert [row.name for row in await scene.files.list(LOCATION, "notes")] == ["todo.txt"]


async def test_a_file_that_is_elsewhere_now_is_read_from_there(scene: Scene) -> None:
    scene.tree.rename(FOLDER, f"{FOLDER}-2")
    scene.tree.furnish_link("Download-2", FOLDER)
    assert await scene.files.read(LOCATION, "notes/todo.txt") == TODO.decode()


async def test_a_content_that_did_not_come_is_asked_for_once_more(scene: Scene) -> None:
    lost = False

    async def heard(data: bytes) -> None:
        nonlocal lost
        if not lost:
            lost = True
            raise LinkLost("The way to the phone ended.")

    scene.link.heard = heard
    assert await scene.files.read(LOCATION, "notes/todo.txt") == TODO.decode()
    assert lost


async def test_a_delete_in_doubt_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_half_a_character_is_not_written(scene: Scene) -> None:
    for name, call in (
        ("content", lambda: scene.write("x\ud83d")),
        ("content", lambda: scene.files.append(LOCATION, "readme.txt", "\udc80")),
        ("new_string", lambda: scene.files.replace(LOCATION, "readme.txt", "a", "\ud83d", False)),
    ):
        with pytest.raises(InvalidParams) as caught:
            await call()
        assert caught.value.message == (
            f"Parameter '{name}' holds half a character (a lone surrogate), which no text file can"
            " hold"
        )
    assert scene.todo == TODO


async def test_names_that_are_no_text_are_listed_and_do_no_harm(scene: Scene) -> None:
    scene.tree.write(f"{FOLDER}/\udcff", b"x")
    rows = await scene.files.list(LOCATION, "")
    assert [row.name for row in rows] == [*BEFORE, "\udcff"]


# The pure parts.


@given(st.text(alphabet="ab\n\r\u2028\x0bé👋", max_size=60), st.integers(1, 20))
def test_pages_together_are_the_file(text: str, limit: int) -> None:
    lines = split_lines(text)
    assert "\n".join(lines) == text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    shown: list[str] = []
    offset = 1
    while True:
        rows = page(lines, offset, limit).split("\n")
        assert len(rows) <= limit + 1
        if not rows[-1].startswith("--- More"):
            shown += rows
            break
        assert rows[-1] == (
            f"--- More lines available. Use offset={offset + limit} to continue reading. Total"
            f" lines: {len(lines)} ---"
        )
        shown += rows[:-1]
        offset += limit
    assert shown == [f"{number}| {line}" for number, line in enumerate(lines, 1)]


def test_a_page_of_very_long_lines_ends_early() -> None:
    lines = ["x" * (REPLY_LIMIT // 2)] * 3 + ["y" * (REPLY_LIMIT * 2)]
    first = page(lines, 1, 200).split("\n")
    assert first[2] == (
        "--- More lines available. Use offset=3 to continue reading. Total lines: 4 ---"
    )
    assert page(lines, 4, 200) == "4| " + "y" * (REPLY_LIMIT * 2)


@given(st.binary(max_size=200))
def test_text_is_decoded_or_refused(data: bytes) -> None:
    text = decode_text(data)
    assert (text is None) or b"\0" not in data


@given(st.text(min_size=1, max_size=100))
def test_every_printed_text_is_text(text: str) -> None:
    printed = "".join(char for char in text if char.isprintable() and char != "\ufffd")
    assert decode_text(printed.encode()) == printed.removeprefix("\ufeff")


@given(st.text(max_size=30))
def test_a_path_that_is_taken_stays_inside(path: str) -> None:
    try:
        cleaned = clean_path(path)
    except InvalidParams:
        return
    assert clean_path(cleaned) == cleaned
    assert not path.startswith("/")
    parts = cleaned.split("/") if cleaned else []
    assert not {"", ".", ".."} & {*parts}
    assert all(char.isprintable() or not ord(char) < 32 for char in cleaned)
    assert parts == [part for part in path.split("/") if part not in ("", ".")]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/a", "Path must be relative, not absolute"),
        ("..", "Path must not contain '..' segments"),
        ("a/../b", "Path must not contain '..' segments"),
        ("a\tb", "Path must not contain control characters"),
        ("\ud83d", "Path must not contain half a character (a lone surrogate)"),
    ],
)
def test_a_path_that_leads_away_is_refused(path: str, message: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        clean_path(path)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("a.JPG", "image/jpeg"),
        ("a.b.txt", "text/plain"),
        (".txt", "application/octet-stream"),
        ("txt", "application/octet-stream"),
        ("a.", "application/octet-stream"),
        ("a.unheard", "application/octet-stream"),
    ],
)
def test_a_file_is_known_by_its_ending(name: str, type: str) -> None:
    assert mime_type(name) == type
