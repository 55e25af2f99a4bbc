"""The file commands: locate, commit, remove."""

import errno
import hashlib
from typing import Any

import pytest

from handheld_virtual.files.entry import ROOT_UID

from .conftest import Stage
from .host import Answer, Host

ROOT = "primary:Download"
FOLDER = "/storage/emulated/0/Download"
TEMP = ".handheld-0123456789abcdef.part"
OLD, NEW = b"Buy groceries\nWalk the dog", b"new"


def commit(path: str, **changes: Any) -> dict[str, Any]:
    return {"root": ROOT, "temp": TEMP, "path": path, "expect": None, **changes}


def expecting(content: bytes) -> dict[str, Any]:
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def push(stage: Stage) -> None:
    """Do what adb's sync does before a commit."""
    stage.files.write(f"{FOLDER}/{TEMP}", NEW)


def refused(answer: Answer) -> tuple[str, str, object]:
    code, happened = answer.failure
    return code, happened, answer.value.get("data", {}).get("errno")


@pytest.mark.parametrize(
    ("root", "path", "place", "kind", "size"),
    [
        (ROOT, "", FOLDER, "folder", 0),
        (ROOT, "notes", f"{FOLDER}/notes", "folder", 0),
        (ROOT, "notes/todo.txt", f"{FOLDER}/notes/todo.txt", "file", 26),
        (ROOT, "missing/one", f"{FOLDER}/missing/one", None, 0),
        (ROOT, "inner", f"{FOLDER}/notes", "folder", 0),
        (ROOT, "inner/todo.txt", f"{FOLDER}/notes/todo.txt", "file", 26),
        (ROOT, "device", f"{FOLDER}/device", "other", 0),
    ],
)
async def test_locate_reports_kind_and_size(
    stage: Stage, host: Host, root: str, path: str, place: str, kind: str | None, size: int
) -> None:
    stage.files.furnish_link("notes", f"{FOLDER}/inner")
    stage.files.furnish_device(f"{FOLDER}/device")
    answer = await host.do("locate", {"root": root, "path": path})
    assert answer.reply == {
        "root": FOLDER,
        "path": place,
        "kind": kind,
        "size": size,
        "available": stage.files.capacity - stage.files.used,
    }


async def test_volume_roots_and_memory_cards_are_located(host: Host) -> None:
    whole = await host.do("locate", {"root": "primary:", "path": "Download"})
    assert (whole.reply["root"], whole.reply["path"]) == ("/storage/emulated/0", FOLDER)
    card = await host.do("locate", {"root": "1A2B-3C4D:Backup", "path": "contacts.vcf"})
    assert card.reply["path"] == "/storage/1A2B-3C4D/Backup/contacts.vcf"


@pytest.mark.parametrize(
    ("root", "path", "code", "number"),
    [
        ("primary:Nowhere", "", "file_failed", errno.ENOENT),
        ("FFFF-0000:", "", "file_failed", errno.ENOENT),
        (f"{ROOT}/readme.txt", "", "file_failed", errno.ENOTDIR),
        (ROOT, "readme.txt/x", "file_failed", errno.ENOTDIR),
        (ROOT, "closed/x", "file_failed", errno.EACCES),
        (ROOT, "circle", "file_failed", errno.ELOOP),
        (ROOT, "out", "outside", None),
        (ROOT, "out/system", "outside", None),
        (ROOT, "up", "outside", None),
        (ROOT, "beside", "outside", None),
    ],
)
async def test_failed_locate_reports_the_reason(
    stage: Stage, host: Host, root: str, path: str, code: str, number: int | None
) -> None:
    stage.files.furnish(f"{FOLDER}/closed", 0o700, ROOT_UID, ROOT_UID)
    stage.files.furnish("/storage/emulated/0/Downloads")
    for name, target in (
        ("circle", "circle"),
        ("out", "/"),
        ("up", "../Documents"),
        ("beside", "../Downloads"),
    ):
        stage.files.furnish_link(target, f"{FOLDER}/{name}")
    answer = await host.do("locate", {"root": root, "path": path})
    assert refused(answer) == (code, "no", number)


async def test_commit_puts_a_file_in_place_and_makes_its_folders(stage: Stage, host: Host) -> None:
    push(stage)
    await stage.clock.advance(5_000)
    assert (await host.do("commit", commit("a/b/c.txt"), act=True)).reply == {}
    assert stage.files.read(f"{FOLDER}/a/b/c.txt") == NEW
    assert stage.files.stat(f"{FOLDER}/a/b/c.txt").mtime == int(stage.files.now())
    assert TEMP not in stage.files.list(FOLDER)


async def test_commit_replaces_what_was_expected(stage: Stage, host: Host) -> None:
    push(stage)
    asked = commit("notes/todo.txt", expect=expecting(OLD))
    assert (await host.do("commit", asked, act=True)).reply == {}
    assert stage.files.read(f"{FOLDER}/notes/todo.txt") == NEW


@pytest.mark.parametrize(
    ("path", "expected", "refusal"),
    [
        ("notes/todo.txt", b"Buy groceries\nWalk the cat", ("changed", "no", None)),
        ("notes/todo.txt", b"shorter", ("changed", "no", None)),
        ("gone.txt", b"", ("changed", "no", None)),
        ("notes", None, ("file_failed", "no", errno.EISDIR)),
        ("readme.txt/x", None, ("file_failed", "no", errno.ENOTDIR)),
        ("out/x", None, ("outside", "no", None)),
        ("closed/x", None, ("file_failed", "no", errno.EACCES)),
    ],
)
async def test_refused_commit_changes_nothing(
    stage: Stage,
    host: Host,
    path: str,
    expected: bytes | None,
    refusal: tuple[str, str, int | None],
) -> None:
    push(stage)
    stage.files.furnish(f"{FOLDER}/closed", 0o700, ROOT_UID, ROOT_UID)
    stage.files.furnish_link("/data/local/tmp", f"{FOLDER}/out")
    expect = None if expected is None else expecting(expected)
    answer = await host.do("commit", commit(path, expect=expect), act=True)
    assert refused(answer) == refusal
    assert stage.files.read(f"{FOLDER}/notes/todo.txt") == OLD
    assert stage.files.read(f"{FOLDER}/{TEMP}") == NEW
    assert not stage.files.exists("/data/local/tmp/x")


async def test_commit_needs_its_temporary_file(stage: Stage, host: Host) -> None:
    answer = await host.do("commit", commit("notes/todo.txt"), act=True)
    assert refused(answer) == ("file_failed", "no", errno.ENOENT)
    assert stage.files.read(f"{FOLDER}/notes/todo.txt") == OLD


async def test_remove_deletes_a_file_and_reports_a_missing_one(stage: Stage, host: Host) -> None:
    asked = {"root": ROOT, "path": "notes/todo.txt"}
    assert (await host.do("remove", asked, act=True)).reply == {"removed": True}
    assert stage.files.list(f"{FOLDER}/notes") == []
    assert (await host.do("remove", asked, act=True)).reply == {"removed": False}


async def test_remove_deletes_a_link_and_not_its_target(stage: Stage, host: Host) -> None:
    stage.files.furnish_link("notes/todo.txt", f"{FOLDER}/link")
    asked = {"root": ROOT, "path": "link"}
    assert (await host.do("remove", asked, act=True)).reply == {"removed": True}
    assert stage.files.read(f"{FOLDER}/notes/todo.txt") == OLD


async def test_remove_rejects_a_link_that_leads_out_of_the_folder(stage: Stage, host: Host) -> None:
    stage.files.furnish_link("/data/local/tmp", f"{FOLDER}/out")
    for path in ("out", "out/x"):
        answer = await host.do("remove", {"root": ROOT, "path": path}, act=True)
        assert answer.failure == ("outside", "no")
    assert "out" in stage.files.list(FOLDER)


async def test_remove_rejects_a_folder(stage: Stage, host: Host) -> None:
    stage.files.furnish_link("notes", f"{FOLDER}/link")
    for path in ("notes", "link"):
        answer = await host.do("remove", {"root": ROOT, "path": path}, act=True)
        assert refused(answer) == ("file_failed", "no", errno.EISDIR)
    assert "link" in stage.files.list(FOLDER)
    assert stage.files.read(f"{FOLDER}/notes/todo.txt") == OLD


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("locate", {}),
        ("locate", {"root": ROOT}),
        ("locate", {"root": 1, "path": ""}),
        ("locate", {"root": "Download", "path": ""}),
        ("locate", {"root": "..:x", "path": ""}),
        ("locate", {"root": "primary:../x", "path": ""}),
        ("locate", {"root": ROOT, "path": "/etc"}),
        ("locate", {"root": ROOT, "path": "a/../b"}),
        ("locate", {"root": ROOT, "path": "a//b"}),
        ("locate", {"root": ROOT, "path": "a\0b"}),
        ("commit", commit("")),
        ("commit", commit("a", temp="a")),
        ("commit", commit("a", temp=".handheld-0123456789abcdef.part/../b")),
        ("commit", commit("a", expect={})),
        ("commit", commit("a", expect={"size": -1, "sha256": "0" * 64})),
        ("commit", commit("a", expect={"size": 1, "sha256": "x"})),
        ("commit", commit("a", expect="x")),
        ("remove", {"root": ROOT, "path": ""}),
        ("remove", {"root": ROOT, "path": "."}),
    ],
)
async def test_malformed_arguments_are_rejected(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments)).failure == ("bad_call", "no")


# The media index


def shown(stage: Stage) -> set[str]:
    """Return the files that a gallery would find."""
    return set(stage.world.media.rows)


async def noted(stage: Stage, host: Host) -> list[str]:
    await host.settle()
    entries = stage.world.logs.read(("main",))
    return [entry.message for entry in entries if entry.tag == "Handheld"]


async def test_media_index_follows_commits_and_removals(stage: Stage, host: Host) -> None:
    push(stage)
    assert shown(stage) & {f"{FOLDER}/{TEMP}", f"{FOLDER}/a/photo.png"} == set()
    assert (await host.do("commit", commit("a/photo.png"), act=True)).reply == {}
    assert f"{FOLDER}/a/photo.png" in shown(stage)
    gone = {"root": ROOT, "path": "a/photo.png"}
    assert (await host.do("remove", gone, act=True)).reply == {"removed": True}
    assert f"{FOLDER}/a/photo.png" not in shown(stage)
    assert await noted(stage, host) == []


async def test_replaced_file_is_indexed_once(stage: Stage, host: Host) -> None:
    push(stage)
    before = stage.world.media.rows
    await host.do("commit", commit("readme.txt"), act=True)
    assert stage.world.media.rows == before


@pytest.mark.parametrize("path", ["photo.png", "notes/todo.txt"])
async def test_file_is_written_even_if_the_media_index_refuses_it(
    stage: Stage, host: Host, path: str
) -> None:
    push(stage)
    stage.world.media.refusal = "java.lang.IllegalStateException: no volume"
    assert (await host.do("commit", commit(path), act=True)).reply == {}
    assert stage.files.read(f"{FOLDER}/{path}") == NEW
    assert (await host.do("remove", {"root": ROOT, "path": path}, act=True)).reply == {
        "removed": True
    }
    words = "The media index does not know of a file yet:"
    assert await noted(stage, host) == [f"{words} java.lang.IllegalStateException: no volume."] * 2


async def test_commit_waits_two_seconds_for_a_silent_media_index(stage: Stage, host: Host) -> None:
    push(stage)
    stage.world.media.hangs = True
    call = await host.call("commit", commit("photo.png"), act=True)
    await host.advance(1999)
    assert call not in host.answers
    await host.advance(1)
    assert (await host.answer(call)).reply == {}
    assert stage.files.read(f"{FOLDER}/photo.png") == NEW
    words = "The media index does not know of a file yet:"
    assert await noted(stage, host) == [f"{words} it did not answer in time."]
    # It is neither asked nor awaited again.
    gone = {"root": ROOT, "path": "photo.png"}
    assert (await host.do("remove", gone, act=True)).reply == {"removed": True}
    assert (await noted(stage, host))[1:] == [f"{words} it has not answered for another one."]


async def test_write_cancelled_during_the_scan_has_succeeded(stage: Stage, host: Host) -> None:
    push(stage)
    stage.world.media.hangs = True
    call = await host.call("commit", commit("photo.png"), act=True)
    await host.settle()
    await host.cancel(call)
    assert (await host.answer(call)).reply == {}
    assert stage.files.read(f"{FOLDER}/photo.png") == NEW


async def test_write_out_of_time_during_the_scan_has_succeeded(stage: Stage, host: Host) -> None:
    push(stage)
    stage.world.media.hangs = True
    call = await host.call("commit", commit("photo.png"), budget_ms=500, act=True)
    await host.advance(500)
    assert (await host.answer(call)).reply == {}


async def test_hidden_files_are_not_scanned(stage: Stage, host: Host) -> None:
    push(stage)
    stage.world.media.hangs = True
    asked = {"root": ROOT, "path": TEMP}
    assert (await host.do("remove", asked, act=True)).reply == {"removed": True}
