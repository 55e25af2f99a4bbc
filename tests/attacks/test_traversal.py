"""Paths that lead out of the folders that the owner shares: nothing outside is read or changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import Target
from handheld.access.approval import ApprovalGate
from handheld.errors import ToolError
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageError, StorageFile
from handheld.settings.rules import Rules
from handheld_virtual.files.entry import ROOT
from handheld_virtual.files.tree import FileTree
from harness.patient_clock import PatientClock

ATTACK = "traversal"

EXTERNAL = "com.android.externalstorage.documents"
SHARED = f"{EXTERNAL}/primary:Download/Shared"
READABLE = f"{EXTERNAL}/primary:Documents"
STORAGE = "/storage/emulated/0"
FOLDER = f"{STORAGE}/Download/Shared"
SECRET = "what nobody shared"
OUTSIDE = (
    f"{STORAGE}/Download/secret.txt",
    f"{STORAGE}/Download/Shared2/secret.txt",
    f"{STORAGE}/secret.txt",
    "/data/local/tmp/secret.txt",
)
LINKS = {"up": "..", "file": "../secret.txt", "root": "/", "data": "/data/local/tmp"}
"""In the shared folder, with where they lead."""

UPWARDS = (
    "../secret.txt",
    "up/secret.txt",
    "file",
    "../../secret.txt",
    "x/../../secret.txt",
    "./../secret.txt",
    "..//secret.txt",
    ".././secret.txt",
    "sub/../../secret.txt",
    "sub/./../../secret.txt",
    "/sdcard/secret.txt",
    "/data/local/tmp/secret.txt",
    "//data/local/tmp/secret.txt",
    "///storage/emulated/0/secret.txt",
    "/storage/self/primary/secret.txt",
    "../Shared2/secret.txt",
    "../../../../../../data/local/tmp/secret.txt",
    "..\\secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "..%c0%afsecret.txt",
    "..;/secret.txt",
    "...//secret.txt",
    "....//secret.txt",
    ".. /secret.txt",
    " ../secret.txt",
    "../secret.txt ",
    "..\u200b/secret.txt",
    "․․/secret.txt",
    "‥/secret.txt",
    "．．/secret.txt",
    "..∕secret.txt",
    "..／secret.txt",
    "../secret.txt\x00.jpg",
    "..\x00/secret.txt",
    "..\n/secret.txt",
    "..\r/secret.txt",
    "\x1b../secret.txt",
    "~/secret.txt",
    "$HOME/../secret.txt",
    "*/../../secret.txt",
    "file:///sdcard/secret.txt",
    "content://media/external/file/1",
    "\ud800/../../secret.txt",
    "up/Shared2/secret.txt",
    "up/../secret.txt",
    "sub/../up/secret.txt",
    "./file",
    "sub/../file",
    "root/data/local/tmp/secret.txt",
    "root/storage/emulated/0/secret.txt",
    "data/secret.txt",
    "data/../tmp/secret.txt",
    "root/sdcard/Download/Shared/up/secret.txt",
    "a/" * 2040 + "../secret.txt",
    "x" * 300 + "/../../secret.txt",
)
NEIGHBOURS = (
    f"{EXTERNAL}/primary:Download",
    f"{EXTERNAL}/primary:",
    f"{EXTERNAL}/primary:Download/Shared/..",
    f"{EXTERNAL}/primary:Download/Shared/../",
    f"{EXTERNAL}/primary:Download/Shared2",
    f"{EXTERNAL}/primary:Download/./Shared/..",
    f"{EXTERNAL}/primary:/data/local/tmp",
    f"{EXTERNAL}/PRIMARY:Download/Shared",
    f"{EXTERNAL}/primary%3ADownload",
    f"{EXTERNAL}/emulated:Download",
    f"{EXTERNAL}/../primary:Download",
    f"{EXTERNAL}/home:",
    f"{EXTERNAL}/home:..",
    f"{SHARED}/up",
    "com.android.providers.downloads.documents/downloads",
    "com.android.providers.downloads.documents/raw:/sdcard/secret.txt",
    "com.android.providers.media.documents/document:1",
    f"content://{SHARED}",
    f" {SHARED}/..",
    f"{SHARED}\x00/..",
    "/data/local/tmp",
    "/sdcard",
    ".",
    "..",
    "",
)
"""Ids of folders that are not shared."""


def calls(location: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """By every tool that takes a path."""
    place = {"location_id": location, "path": path}
    yield "list_files", place
    yield "read_file", place
    yield "write_file", {**place, "content": "gone"}
    yield "append_file", {**place, "content": "gone"}
    yield "file_replace", {**place, "old_string": "nobody", "new_string": "all"}
    yield "download_from_url", {**place, "url": "https://files.test/a"}
    yield "delete_file", place
    whole = f"{location}/{path}"
    for what in ("files", "file"):
        yield "phone_read", {"what": what, "of": whole}
    for action in ("write", "append", "replace", "delete", "download"):
        given = {"text": "gone", "old": "nobody", "url": "https://files.test/a"}
        yield "phone_file", {"action": action, "path": whole, **given}


async def nowhere(host: str, port: int) -> list[str]:
    return []


def outside(files: FileTree) -> dict[str, bytes | None]:
    """What is outside of the shared folder, by path; None for folders."""
    found: dict[str, bytes | None] = {}

    def walk(folder: str) -> None:
        for name in files.list(folder, ROOT):
            path = f"{folder}/{name}"
            if (
                path == FOLDER
                or files.stat(path, follow=False, user=ROOT).mode & 0o170000 == 0o120000
            ):
                continue
            folders = files.is_folder(path, ROOT)
            found[path] = None if folders else files.read(path, ROOT)
            if folders:
                walk(path)

    for root in (STORAGE, "/data/local/tmp"):
        walk(root)
    return found


@pytest.fixture
def shared(target: Target, tmp_path: Path) -> Target:
    files = target.device.files
    for folder in (FOLDER, f"{FOLDER}/sub", f"{FOLDER}2"):
        files.make_folder(folder)
    for path in OUTSIDE:
        files.write(path, SECRET.encode(), user=ROOT)
    for name, leads_to in LINKS.items():
        files.furnish_link(leads_to, f"{FOLDER}/{name}")
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(SHARED, allow_write=True, allow_delete=True)
    storage.put(READABLE)
    target.phone.files = Files(
        target.phone.driver, PatientClock(), storage, ["virtual"], resolve=nowhere
    )
    target.rule(ApprovalGate(Rules()))
    return target


async def attack(
    shared: Target, places: Sequence[tuple[str, str]], tried: Callable[[], None]
) -> None:
    files = shared.device.files
    await shared.call("list_storage_locations")  # the helper leaves its own files
    before = outside(files)
    for location, path in places:
        for tool, arguments in calls(location, path):
            tried()
            with suppress(ToolError):
                reply = await shared.call(tool, **arguments)
                assert SECRET not in str(reply), (tool, location, path)
        assert outside(files) == before, (location, path)


some = pytest.mark.parametrize(
    "part", [slice(3), pytest.param(slice(None), marks=pytest.mark.matrix)]
)


@some
async def test_no_path_leads_out_of_a_shared_folder(
    shared: Target, part: slice, tried: Callable[[], None]
) -> None:
    await attack(shared, [(SHARED, path) for path in UPWARDS[part]], tried)


@some
async def test_no_id_stands_for_a_folder_that_is_not_shared(
    shared: Target, part: slice, tried: Callable[[], None]
) -> None:
    places = [
        (id, path) for id in NEIGHBOURS[part] for path in ("secret.txt", "Shared2/secret.txt")
    ]
    await attack(shared, places, tried)


@some
async def test_a_folder_that_is_only_read_is_not_changed(
    shared: Target, part: slice, tried: Callable[[], None]
) -> None:
    """`outside` looks into it."""
    files = shared.device.files
    [name, *_] = files.list(f"{STORAGE}/Documents", ROOT)
    paths = [name, f"./{name}", "new.txt", "new/new.txt", f"{name}/x", "", "."][part]
    await attack(shared, [(READABLE, path) for path in paths], tried)


async def test_an_attack_that_gets_out_is_noticed(shared: Target) -> None:
    files = shared.device.files
    before = outside(files)
    assert before[OUTSIDE[0]] == SECRET.encode()
    files.write(OUTSIDE[0], b"gone", user=ROOT)
    assert outside(files) != before


@pytest.mark.parametrize("id", [id for id in NEIGHBOURS if ".." in id or "/" not in id])
def test_an_owner_cannot_share_what_is_no_folder_of_its_storage(tmp_path: Path, id: str) -> None:
    with pytest.raises(StorageError):
        StorageFile(tmp_path / "storage.toml").put(id)
