"""The eight file tools, over MCP, on the virtual phone's shared storage."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, ToolError, Unreachable
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.files.text_file import SHOWN_BY_CODE
from handheld_virtual.files.entry import ROOT_UID
from handheld_virtual.files.tree import FileTree
from harness.event_stream import course
from harness.phones import link_to
from phone.web import answer, open_web

from .conftest import Bench

DOWNLOADS = "com.android.providers.downloads.documents/downloads"
"""Free to write and delete."""
DOCUMENTS = "com.android.externalstorage.documents/primary:Documents"
"""To be read only."""
CARD = "com.android.externalstorage.documents/1A2B-3C4D:Backup"
FOLDER = "/storage/emulated/0/Download"
SAVED = 1_700_000_000_000
PRICES_SAVED, TODO_SAVED = SAVED + 789_634_000, SAVED + 2 * 789_634_000
MB = 1024 * 1024
TODO = b"Buy groceries\nWalk the dog"


class Drawer:
    """A bench whose phone has three storage locations, and the phone's own file tree."""

    def __init__(self, bench: Bench, storage: StorageFile) -> None:
        self.bench = bench
        self.storage = storage
        self.tree: FileTree = bench.device.files

    async def call(self, name: str, path: str | None = None, **arguments: Any) -> str:
        return await self.bench.call(name, **_given(path, arguments))

    async def failure(
        self, name: str, path: str | None = None, **arguments: Any
    ) -> tuple[type[ToolError], str]:
        return await self.bare_failure(name, **_given(path, arguments))

    async def bare_failure(self, name: str, **arguments: Any) -> tuple[type[ToolError], str]:
        """Without the location that the others have by default."""
        failed = await self.bench.failure(name, **arguments)
        return type(failed), failed.message

    def names(self, folder: str = FOLDER) -> list[str]:
        return self.tree.list(folder)

    def content(self, path: str) -> bytes:
        return self.tree.read(f"{FOLDER}/{path}")


def _given(path: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"location_id": DOWNLOADS} | ({} if path is None else {"path": path}) | arguments


@pytest.fixture
async def drawer(bench: Bench, tmp_path: Path) -> AsyncGenerator[Drawer]:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOADS, allow_write=True, allow_delete=True, description="What was fetched")
    storage.put(DOCUMENTS)
    storage.put(CARD, "elsewhere", allow_write=True)
    async with link_to(bench.device) as link:
        rules = DownloadRules(1, allow_http=True, allow_private_addresses=True)
        bench.phone.files = Files(bench.phone.driver, link.clock, storage, ["virtual"], rules)
        yield Drawer(bench, storage)


# list_storage_locations


@pytest.mark.by_helper("`df` tells what is free in kibibytes")
async def test_locations_are_listed_with_what_may_be_done_there(drawer: Drawer) -> None:
    reply = await drawer.bench.call("list_storage_locations")
    free = drawer.tree.capacity - drawer.tree.used
    assert reply == (
        f'[{{"id":"{DOWNLOADS}","name":"Download","path":"/Download","description":"What was'
        f' fetched","available_bytes":{free},"allow_read":true,"allow_write":true,'
        f'"allow_delete":true}},{{"id":"{DOCUMENTS}","name":"Documents","path":"/Documents",'
        f'"description":"","available_bytes":{free},"allow_read":true,"allow_write":false,'
        '"allow_delete":false}]'
    )


async def test_without_locations_a_further_text_says_how_the_owner_adds_one(drawer: Drawer) -> None:
    drawer.storage.file.unlink()
    assert await drawer.bench.items("list_storage_locations") == [
        "[]",
        "The phone's owner has not offered any folder yet. The command for it, on the computer that"
        " runs Handheld: handheld storage add"
        " com.android.externalstorage.documents/primary:Download (with --allow-write and"
        " --allow-delete where files may be changed and deleted).",
    ]


async def test_a_location_added_meanwhile_is_there_at_once(drawer: Drawer) -> None:
    other = StorageFile(drawer.storage.file)
    other.put(CARD, "virtual", name="Card")
    other.remove(DOWNLOADS)
    listed = json.loads(await drawer.bench.call("list_storage_locations"))
    assert [(one["id"], one["name"]) for one in listed] == [
        (DOCUMENTS, "Documents"),
        (CARD, "Card"),
    ]
    assert await drawer.call("read_file", "contacts.vcf", location_id=CARD) == (
        "1| BEGIN:VCARD\n2| FN:Ada\n3| END:VCARD"
    )


async def test_a_missing_sim_has_no_free_space_to_report(drawer: Drawer) -> None:
    missing = "com.android.externalstorage.documents/FFFF-0000:"
    drawer.storage.put(missing)
    listed = json.loads(await drawer.bench.call("list_storage_locations"))
    assert listed[-1] == {
        "id": missing,
        "name": "FFFF-0000",
        "path": "/",
        "description": "",
        "available_bytes": None,
        "allow_read": True,
        "allow_write": False,
        "allow_delete": False,
    }
    assert await drawer.failure("list_files", location_id=missing) == (
        ActionFailed,
        f"Directory not found: / in location '{missing}': there is no such file or folder.",
    )


async def test_locations_that_cannot_be_read_are_an_error(drawer: Drawer) -> None:
    drawer.storage.file.write_text("[[location]]\nid = 1\n", encoding="utf-8")
    problem = f"Location 1 in {drawer.storage.file}: id must be a text, not 1."
    assert await drawer.bare_failure("list_storage_locations") == (
        ActionFailed,
        f"Failed to list storage locations: {problem}",
    )
    assert await drawer.failure("list_files") == (ActionFailed, problem)


# list_files


async def test_folders_are_listed_first_then_names_ignoring_case(drawer: Drawer) -> None:
    # `path` is what read_file takes.
    for name in ("Zoo.PDF", "apple", "Éclair.txt", ".hidden", "a.tar.gz"):
        drawer.tree.write(f"{FOLDER}/{name}", b"xy")
        drawer.tree.set_time(f"{FOLDER}/{name}", 0)
    drawer.tree.make_folder(f"{FOLDER}/Zebra")
    drawer.tree.set_time(f"{FOLDER}/Zebra", 1_600_000_000)
    drawer.tree.set_time(f"{FOLDER}/notes", 1_600_000_001)

    def row(name: str, folder: bool, size: int, time: int | None, type: str | None) -> Any:
        return {
            "name": name,
            "path": name,
            "is_directory": folder,
            "size": size,
            "last_modified": time,
            "mime_type": type,
        }

    assert json.loads(await drawer.call("list_files")) == {
        "files": [
            row("notes", True, 0, 1_600_000_001_000, None),
            row("Zebra", True, 0, 1_600_000_000_000, None),
            row(".hidden", False, 2, None, "application/octet-stream"),
            row("a.tar.gz", False, 2, None, "application/gzip"),
            row("apple", False, 2, None, "application/octet-stream"),
            row("prices.csv", False, 35, PRICES_SAVED, "text/csv"),
            row("readme.txt", False, 47, SAVED, "text/plain"),
            row("Zoo.PDF", False, 2, None, "application/pdf"),
            row("Éclair.txt", False, 2, None, "text/plain"),
        ],
        "total_count": 9,
        "has_more": False,
    }


async def test_a_listed_path_is_one_that_read_file_takes(drawer: Drawer) -> None:
    reply = await drawer.call("list_files", "notes/")
    assert reply == (
        '{"files":[{"name":"todo.txt","path":"notes/todo.txt","is_directory":false,"size":26,'
        f'"last_modified":{TODO_SAVED},"mime_type":"text/plain"}}],"total_count":1,"has_more":false}}'
    )
    path = json.loads(reply)["files"][0]["path"]
    assert await drawer.call("read_file", path) == "1| Buy groceries\n2| Walk the dog"


async def test_a_long_folder_is_listed_in_pages(drawer: Drawer) -> None:
    drawer.tree.make_folder(f"{FOLDER}/many")
    for number in range(450):
        drawer.tree.write(f"{FOLDER}/many/{number:03}", b"")
    seen: list[str] = []
    offset = 0
    while True:
        page = json.loads(await drawer.call("list_files", "many", offset=offset))
        assert page["total_count"] == 450
        seen += [one["name"] for one in page["files"]]
        offset += 200
        if not page["has_more"]:
            break
    assert seen == [f"{number:03}" for number in range(450)]
    past = json.loads(await drawer.call("list_files", "many", offset=450, limit=1))
    assert past == {"files": [], "total_count": 450, "has_more": False}


async def test_links_are_shown_as_what_they_lead_to_and_never_outside(drawer: Drawer) -> None:
    for name, target in (("in", "notes"), ("file", "notes/todo.txt"), ("out", "/data/local/tmp")):
        drawer.tree.furnish_link(target, f"{FOLDER}/{name}")
    listed = json.loads(await drawer.call("list_files"))["files"]
    assert {one["name"]: (one["is_directory"], one["size"]) for one in listed} == {
        "in": (True, 0),
        "notes": (True, 0),
        "file": (False, 26),
        "out": (False, 0),
        "prices.csv": (False, 35),
        "readme.txt": (False, 47),
    }
    assert await drawer.call("read_file", "in/todo.txt", limit=1) == (
        "1| Buy groceries\n--- More lines available. Use offset=2 to continue reading. Total lines:"
        " 2 ---"
    )
    for tool, path, more in (
        ("list_files", "out", {}),
        ("read_file", "out/x", {}),
        ("write_file", "out/x", {"content": "x"}),
        ("append_file", "out/x", {"content": "x"}),
        ("file_replace", "out/x", {"old_string": "x", "new_string": "y"}),
        ("delete_file", "out", {}),
    ):
        assert await drawer.failure(tool, path, **more) == (
            PermissionDenied,
            f"A link leads out of the storage location: {path} in location '{DOWNLOADS}'",
        )
    assert not drawer.tree.exists("/data/local/tmp/x")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", f"Directory not found: nowhere in location '{DOWNLOADS}'"),
        ("readme.txt", f"Path is not a directory: readme.txt in location '{DOWNLOADS}'"),
        (
            "readme.txt/x",
            f"Directory not found: readme.txt/x in location '{DOWNLOADS}': a part of the path is"
            " not a folder.",
        ),
        (
            "closed",
            f"Failed to list files: {FOLDER}/closed: adb's shell user may not go there.",
        ),
    ],
)
async def test_an_unlistable_folder_is_reported_with_the_reason(
    drawer: Drawer, path: str, message: str
) -> None:
    drawer.tree.furnish(f"{FOLDER}/closed", 0o700, ROOT_UID, ROOT_UID)
    assert await drawer.failure("list_files", path) == (ActionFailed, message)


# read_file


async def test_lines_are_numbered_and_pages_name_the_next_offset(drawer: Drawer) -> None:
    lines = [f"{day}| Day {day}: walked {day * 7 % 13} km." for day in range(1, 501)]

    async def read(**more: int) -> list[str]:
        reply = await drawer.call("read_file", "diary.txt", location_id=DOCUMENTS, **more)
        return reply.split("\n")

    more = "--- More lines available. Use offset={} to continue reading. Total lines: 500 ---"
    assert await read() == [*lines[:200], more.format(201)]
    assert await read(offset=3, limit=2) == [*lines[2:4], more.format(5)]
    assert await read(offset=401) == lines[400:]
    assert await read(offset=500, limit=1) == lines[499:]


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        (b"", "1| "),
        (b"\n", "1| "),
        (b"a", "1| a"),
        (b"a\n", "1| a"),
        (b"a\n\n", "1| a\n2| "),
        (b"a\r\nb\rc\n", "1| a\n2| b\n3| c"),
        ("\ufeffGrüße\t👋🏽".encode(), "1| Grüße\t👋🏽"),
        (b"caf\xe9 au lait, s'il vous pla\xeet", "1| caf� au lait, s'il vous pla�t"),
    ],
)
async def test_text_is_shown_line_by_line(drawer: Drawer, content: bytes, reply: str) -> None:
    drawer.tree.write(f"{FOLDER}/x", content)
    assert await drawer.call("read_file", "x") == reply


async def test_what_cannot_be_seen_in_a_file_is_shown_by_its_code(drawer: Drawer) -> None:
    drawer.tree.write(f"{FOLDER}/x", "a\u2028b\x0c\u202ec\u200b".encode())
    given = {"location_id": DOWNLOADS, "path": "x"}
    assert await drawer.bench.items("read_file", **given) == [
        "1| a⟨U+2028⟩b⟨U+000C⟩⟨U+202E⟩c⟨U+200B⟩",
        SHOWN_BY_CODE,
    ]
    kind, sentence = await drawer.failure(
        "file_replace", "x", old_string="a⟨U+2028⟩b", new_string="ab"
    )
    assert kind is ActionFailed
    assert sentence.endswith("⟨U+2028⟩ stands for the character itself: send that character.")


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n\0\0", b"text\0text", "hello".encode("utf-16"), bytes(range(1, 256))],
)
async def test_a_file_that_is_no_text_is_an_error(drawer: Drawer, content: bytes) -> None:
    drawer.tree.write(f"{FOLDER}/x", content)
    assert await drawer.failure("read_file", "x") == (
        ActionFailed,
        "File is not a text file: x",
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.txt", f"File not found: nowhere.txt in location '{DOWNLOADS}'"),
        ("notes", f"Path is not a file: notes in location '{DOWNLOADS}'"),
        ("big", "File size (1048577 bytes) exceeds the configured limit of 1 MB."),
        (
            "secret",
            f"Failed to read file: {FOLDER}/secret: adb's shell user may not go there.",
        ),
    ],
)
async def test_an_unreadable_file_is_reported_with_the_reason(
    drawer: Drawer, path: str, message: str
) -> None:
    drawer.tree.write(f"{FOLDER}/big", b"x" * (MB + 1))
    drawer.tree.write(f"{FOLDER}/secret", b"x")
    drawer.tree.furnish_mode(f"{FOLDER}/secret", 0o600)
    assert await drawer.failure("read_file", path) == (ActionFailed, message)


async def test_a_line_beyond_the_last_is_no_line(drawer: Drawer) -> None:
    assert await drawer.failure("read_file", "readme.txt", offset=3) == (
        InvalidParams,
        "Parameter 'offset' must be at most 2, the number of lines, got: 3",
    )


# write_file


async def test_a_file_is_written_with_its_folders(drawer: Drawer) -> None:
    assert await drawer.call("write_file", "new/deep/Grüße 👋.txt", content="Ünï\r\n👋") == (
        "File written successfully: new/deep/Grüße 👋.txt"
    )
    assert drawer.content("new/deep/Grüße 👋.txt") == "Ünï\r\n👋".encode()
    assert drawer.names() == ["new", "notes", "prices.csv", "readme.txt"]
    assert await drawer.call("read_file", "new/deep/Grüße 👋.txt") == "1| Ünï\n2| 👋"


async def test_who_asks_is_told_how_much_of_a_large_file_was_sent(drawer: Drawer) -> None:
    given = {"location_id": DOWNLOADS, "path": "secret-name", "content": "x" * (MB - 1)}
    asking = course(drawer.bench.http, "android_write_file", given)
    words, _ = await drawer.bench.passing(asking)
    assert words[0] == (256 * 1024, MB - 1, "Sending the file to the phone")
    given["content"] = "x"
    asking = course(drawer.bench.http, "android_write_file", given)
    assert (await drawer.bench.passing(asking))[0] == []


async def test_a_backslash_is_a_part_of_a_file_s_name(drawer: Drawer) -> None:
    path = r"C:\new\table\c.txt"
    await drawer.call("write_file", path, content="a")
    await drawer.call("append_file", path, content="b")
    assert drawer.content(path) == b"ab"
    assert "ab" in await drawer.call("read_file", path)
    await drawer.call("delete_file", path)
    assert path not in drawer.names()


async def test_a_file_is_overwritten(drawer: Drawer) -> None:
    assert await drawer.call("write_file", "notes/todo.txt", content="") == (
        "File written successfully: notes/todo.txt"
    )
    assert drawer.content("notes/todo.txt") == b""
    assert drawer.names(f"{FOLDER}/notes") == ["todo.txt"]


async def test_a_file_of_the_largest_size_is_written(drawer: Drawer) -> None:
    await drawer.call("write_file", "big", content="x" * MB)
    assert drawer.content("big") == b"x" * MB
    assert await drawer.failure("write_file", "big", content="é" * (MB // 2) + "x") == (
        ActionFailed,
        "Content size exceeds the configured file size limit of 1 MB.",
    )
    assert drawer.content("big") == b"x" * MB


async def test_a_full_phone_keeps_the_old_file(drawer: Drawer) -> None:
    await drawer.call("list_files")
    drawer.tree.capacity = drawer.tree.used + 600
    assert await drawer.failure("write_file", "notes/todo.txt", content="x" * 1000) == (
        ActionFailed,
        f"Failed to write file: notes/todo.txt in location '{DOWNLOADS}': the phone's storage is"
        " full. It is as it was.",
    )
    assert drawer.content("notes/todo.txt") == TODO
    assert drawer.names() == ["notes", "prices.csv", "readme.txt"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("notes", f"Path is not a file: notes in location '{DOWNLOADS}'"),
        (
            "readme.txt/x",
            f"Failed to write file: readme.txt/x in location '{DOWNLOADS}': a part of the path is"
            " not a folder.",
        ),
        (
            "locked/x",
            f"Failed to write file: locked/x in location '{DOWNLOADS}': adb's shell user may not go"
            " there. It is as it was.",
        ),
        (
            "x" * 256,
            f"Failed to write file: {'x' * 256} in location '{DOWNLOADS}': the name is too long."
            " It is as it was.",
        ),
    ],
)
async def test_a_failed_write_is_reported_with_the_reason(
    drawer: Drawer, path: str, message: str
) -> None:
    drawer.tree.furnish(f"{FOLDER}/locked", 0o755, ROOT_UID, ROOT_UID)
    assert await drawer.failure("write_file", path, content="x") == (ActionFailed, message)
    assert drawer.names() == ["locked", "notes", "prices.csv", "readme.txt"]


# append_file


@pytest.mark.parametrize("before", [TODO, b"", b"a\r\n", b"\xff\x00"])
async def test_content_is_put_at_the_end(drawer: Drawer, before: bytes) -> None:
    drawer.tree.write(f"{FOLDER}/notes/todo.txt", before)
    assert await drawer.call("append_file", "notes/todo.txt", content="\nFeed the cat 🐈") == (
        "Content appended successfully to: notes/todo.txt"
    )
    assert drawer.content("notes/todo.txt") == before + "\nFeed the cat 🐈".encode()


async def test_only_a_file_that_is_there_grows(drawer: Drawer) -> None:
    assert await drawer.failure("append_file", "new.txt", content="x") == (
        ActionFailed,
        f"File not found: new.txt in location '{DOWNLOADS}'",
    )
    drawer.tree.write(f"{FOLDER}/big", b"x" * (MB - 2))
    assert await drawer.failure("append_file", "big", content="é!") == (
        ActionFailed,
        "Appending this content would exceed the configured file size limit of 1 MB. Current file"
        f" size: {MB - 2} bytes, content to append: 3 bytes.",
    )
    assert drawer.content("big") == b"x" * (MB - 2)
    assert await drawer.call("append_file", "big", content="é")


# file_replace


async def test_the_first_occurrence_is_replaced_or_all(drawer: Drawer) -> None:
    drawer.tree.write(f"{FOLDER}/x", "\ufeffa.a.a\r\n".encode() + b"\xff\xe4")
    assert await drawer.call("file_replace", "x", old_string="a", new_string="béé") == (
        "Replaced 1 occurrence(s) in: x"
    )
    assert drawer.content("x") == "\ufeffbéé.a.a\r\n".encode() + b"\xff\xe4"
    assert await drawer.call(
        "file_replace", "x", old_string="a", new_string="", replace_all=True
    ) == ("Replaced 2 occurrence(s) in: x")
    assert drawer.content("x") == "\ufeffbéé..\r\n".encode() + b"\xff\xe4"


async def test_a_line_of_a_file_in_a_folder_is_replaced(drawer: Drawer) -> None:
    assert await drawer.call(
        "file_replace",
        "notes/todo.txt",
        old_string="Buy groceries",
        new_string="Buy organic groceries",
        replace_all=False,
    ) == ("Replaced 1 occurrence(s) in: notes/todo.txt")
    assert drawer.content("notes/todo.txt") == b"Buy organic groceries\nWalk the dog"


@pytest.mark.parametrize(
    ("path", "old", "new", "kind", "message"),
    [
        (
            "readme.txt",
            ".*",
            "x",
            ActionFailed,
            "old_string not found in file: readme.txt. Read it again and copy the string exactly.",
        ),
        (
            "prices.csv",
            "price\nmilk",
            "x",
            ActionFailed,
            "old_string not found in file: prices.csv. The file's lines end in CRLF: write \\r\\n"
            " in old_string.",
        ),
        ("readme.txt", "", "x", InvalidParams, "Parameter 'old_string' must be non-empty"),
        (
            "readme.txt",
            "line",
            "x" * MB,
            ActionFailed,
            "Content size exceeds the configured file size limit of 1 MB.",
        ),
        (
            "nowhere",
            "a",
            "b",
            ActionFailed,
            f"File not found: nowhere in location '{DOWNLOADS}'",
        ),
        ("binary", "a", "b", ActionFailed, "File is not a text file: binary"),
        (
            "big",
            "a",
            "b",
            ActionFailed,
            "File size (1048577 bytes) exceeds the configured limit of 1 MB.",
        ),
    ],
)
async def test_a_failed_replacement_is_reported_with_the_reason(
    drawer: Drawer, path: str, old: str, new: str, kind: type[ToolError], message: str
) -> None:
    # No match is an error.
    drawer.tree.write(f"{FOLDER}/binary", b"a\0")
    drawer.tree.write(f"{FOLDER}/big", b"a" * (MB + 1))
    before = {name: drawer.content(name) for name in ("readme.txt", "prices.csv", "binary", "big")}
    assert await drawer.failure("file_replace", path, old_string=old, new_string=new) == (
        kind,
        message,
    )
    assert {name: drawer.content(name) for name in before} == before


async def test_edits_at_once_are_all_made(drawer: Drawer) -> None:
    drawer.tree.write(f"{FOLDER}/x", b"one two three four")
    words = ("one", "two", "three", "four")
    replies = await asyncio.gather(
        *(
            drawer.call("file_replace", "x", old_string=word, new_string=word.upper())
            for word in words
        ),
        *(drawer.call("append_file", "x", content="!") for _ in range(3)),
    )
    assert (
        replies
        == ["Replaced 1 occurrence(s) in: x"] * 4 + ["Content appended successfully to: x"] * 3
    )
    assert drawer.content("x").replace(b"!", b"") == b"ONE TWO THREE FOUR"
    assert drawer.content("x").count(b"!") == 3


# download_from_url


async def test_a_file_is_downloaded_with_its_folders(drawer: Drawer) -> None:
    async with open_web() as web:
        web.pages["/photo.jpg"] = answer(bytes(range(256)) * 100)
        url = f"http://127.0.0.1:{web.port}/photo.jpg"
        assert await drawer.call("download_from_url", "images/photo.jpg", url=url) == (
            "File downloaded successfully: images/photo.jpg"
        )
    assert drawer.content("images/photo.jpg") == bytes(range(256)) * 100
    assert drawer.names() == ["images", "notes", "prices.csv", "readme.txt"]


async def test_a_failed_download_leaves_the_old_file(drawer: Drawer) -> None:
    async with open_web() as web:
        web.pages["/big"] = answer(b"x" * (MB + 1), Content_Length="")
        web.pages["/gone"] = answer(status="410 Gone")
        base = f"http://127.0.0.1:{web.port}"
        for url, kind, message in (
            (
                f"{base}/big",
                ActionFailed,
                "Download exceeds the configured file size limit of 1 MB.",
            ),
            (
                f"{base}/gone",
                ActionFailed,
                f"Download failed with HTTP status 410 for URL: {base}/gone",
            ),
            ("no url", InvalidParams, "Invalid URL: no url"),
        ):
            assert await drawer.failure("download_from_url", "readme.txt", url=url) == (
                kind,
                message,
            )
    assert drawer.content("readme.txt") == b"First line of the file\nSecond line of the file\n"
    assert drawer.names() == ["notes", "prices.csv", "readme.txt"]


async def test_the_phone_is_free_while_a_download_is_on_its_way(drawer: Drawer) -> None:
    async with open_web() as web:
        web.pages["/slow"] = answer(b"begun", Content_Length="100")
        web.silent.add("/slow")
        url = f"http://127.0.0.1:{web.port}/slow"
        slow = asyncio.create_task(drawer.call("download_from_url", "slow", url=url))
        while not web.requests:  # noqa: ASYNC110 - bounded by the suite; it has no event
            await asyncio.sleep(0)
        assert await drawer.bench.call("press_home") == "Home button press executed successfully"
        assert not slow.done()
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
    assert drawer.names() == ["notes", "prices.csv", "readme.txt"]


# delete_file


async def test_a_file_is_deleted(drawer: Drawer) -> None:
    assert await drawer.call("delete_file", "notes/todo.txt") == (
        "File deleted successfully: notes/todo.txt"
    )
    assert drawer.names(f"{FOLDER}/notes") == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "notes",
            "Cannot delete a directory. Only single files can be deleted. Path: notes in location"
            f" '{DOWNLOADS}'",
        ),
        (
            "",
            "Cannot delete a directory. Only single files can be deleted. Path: / in location"
            f" '{DOWNLOADS}'",
        ),
        ("nowhere", f"File not found: nowhere in location '{DOWNLOADS}'"),
        (
            "locked/x",
            f"Failed to delete file: locked/x in location '{DOWNLOADS}': adb's shell user may not"
            " go there.",
        ),
    ],
)
async def test_a_file_that_cannot_be_deleted_is_reported_with_the_reason(
    drawer: Drawer, path: str, message: str
) -> None:
    drawer.tree.make_folder(f"{FOLDER}/locked")
    drawer.tree.write(f"{FOLDER}/locked/x", b"x")
    drawer.tree.furnish(f"{FOLDER}/locked", 0o755, ROOT_UID, ROOT_UID)
    assert await drawer.failure("delete_file", path) == (ActionFailed, message)
    assert drawer.content("notes/todo.txt") == TODO
    assert drawer.content("locked/x") == b"x"


# What all have in common.

CALLS: dict[str, dict[str, Any]] = {
    "list_files": {},
    "read_file": {"path": "diary.txt"},
    "write_file": {"path": "diary.txt", "content": "x"},
    "append_file": {"path": "diary.txt", "content": "x"},
    "file_replace": {"path": "diary.txt", "old_string": "Day", "new_string": "x"},
    "download_from_url": {"path": "diary.txt", "url": "https://example.com/photo.jpg"},
    "delete_file": {"path": "diary.txt"},
}


@pytest.mark.parametrize("name", CALLS)
async def test_an_unknown_location_is_an_error(drawer: Drawer, name: str) -> None:
    assert await drawer.failure(name, **CALLS[name], location_id=CARD) == (
        ActionFailed,
        f"Storage location '{CARD}' not found. list_storage_locations has the ids; the phone's"
        " owner adds one with `handheld storage add`.",
    )


@pytest.mark.parametrize("name", [*CALLS][2:])
async def test_what_is_not_allowed_is_not_done(drawer: Drawer, name: str) -> None:
    """The sentence names the way out."""
    before = drawer.tree.read("/sdcard/Documents/diary.txt")
    what = "Delete" if name == "delete_file" else "Write"
    assert await drawer.failure(name, **CALLS[name], location_id=DOCUMENTS) == (
        PermissionDenied,
        f"{what} not allowed in '{DOCUMENTS}'. The phone's owner allows it with `handheld storage"
        f" add {DOCUMENTS} --allow-{what.lower()}`.",
    )
    assert drawer.tree.read("/sdcard/Documents/diary.txt") == before


async def test_the_way_out_can_be_typed_as_it_is_printed(drawer: Drawer) -> None:
    """With the one phone that the location is on, and quotes where a shell needs them."""
    where = "com.android.externalstorage.documents/primary:My notes"
    drawer.storage.put(where, "virtual")
    assert await drawer.failure("delete_file", "a", location_id=where) == (
        PermissionDenied,
        f"Delete not allowed in '{where}'. The phone's owner allows it with `handheld storage add"
        f" '{where}' --allow-delete --for virtual`.",
    )


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/etc/hosts", "Path must be relative, not absolute"),
        ("../x", "Path must not contain '..' segments"),
        ("notes/../../x", "Path must not contain '..' segments"),
        ("a\nb", "Path must not contain control characters"),
        ("a\x00", "Path must not contain control characters"),
        ("a\x85b", "Path must not contain control characters"),
        ("x" * 5000, "Path must not be longer than 4096 characters"),
    ],
)
@pytest.mark.parametrize("name", CALLS)
async def test_paths_stay_inside_the_location(
    drawer: Drawer, name: str, path: str, message: str
) -> None:
    assert await drawer.failure(name, **(CALLS[name] | {"path": path})) == (
        InvalidParams,
        message,
    )


@pytest.mark.parametrize("name", [*CALLS][1:-1])
async def test_a_file_has_a_name(drawer: Drawer, name: str) -> None:
    for path in ("", ".", "./"):
        assert await drawer.failure(name, **(CALLS[name] | {"path": path})) == (
            InvalidParams,
            "File path cannot be empty",
        )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("list_files", {"offset": -1}, "Parameter 'offset' must be >= 0, got: -1"),
        ("list_files", {"limit": 0}, "Parameter 'limit' must be between 1 and 200, got: 0"),
        ("list_files", {"limit": 201}, "Parameter 'limit' must be between 1 and 200, got: 201"),
        ("read_file", {"offset": 0}, "Parameter 'offset' must be >= 1, got: 0"),
        ("read_file", {"limit": 0}, "Parameter 'limit' must be between 1 and 200, got: 0"),
        ("read_file", {"limit": 201}, "Parameter 'limit' must be between 1 and 200, got: 201"),
    ],
)
async def test_pages_have_bounds(
    drawer: Drawer, name: str, arguments: dict[str, Any], message: str
) -> None:
    path = "" if name == "list_files" else "readme.txt"
    assert await drawer.failure(name, path, **arguments) == (InvalidParams, message)


@pytest.mark.parametrize("name", ["list_storage_locations", *CALLS])
async def test_a_disconnected_phone_is_reported(drawer: Drawer, name: str) -> None:
    await drawer.bench.call("press_home")
    drawer.bench.device.drop_connections()
    arguments = (
        {} if name == "list_storage_locations" else {"location_id": DOWNLOADS, **CALLS[name]}
    )
    if name == "download_from_url":
        async with open_web() as web:
            web.pages["/a"] = answer(b"x")
            arguments["url"] = f"http://127.0.0.1:{web.port}/a"
            failed = await drawer.bench.failure(name, **arguments)
    else:
        failed = await drawer.bench.failure(name, **arguments)
    lost = (
        f"The connection to 127.0.0.1:{drawer.bench.device.port} was lost: the phone or its adbd"
        " went away."
    )
    before = "Failed to list storage locations: " if name == "list_storage_locations" else ""
    after = " Nothing was done." if name == "delete_file" else ""
    assert (type(failed), failed.message) == (Unreachable, before + lost + after)
    assert drawer.names() == ["notes", "prices.csv", "readme.txt"]
