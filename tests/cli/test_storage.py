"""`handheld storage` and its file."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.program import Home
from handheld.cli import main
from handheld.phone.files.storage import Location, StorageError, StorageFile, check

DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
CARD = "com.android.externalstorage.documents/1A2B-3C4D:"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    return tmp_path / "storage.toml"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["storage", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_location_is_added_listed_changed_and_removed(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hint = f"No folder is listed yet. Add one: handheld storage add {DOWNLOAD}\n"
    assert run(capsys, "list") == (0, "", hint)
    line = f"{DOWNLOAD}  read  on every phone  Download"
    assert run(capsys, "add", DOWNLOAD) == (0, f"Added: {line}\n", "")
    line = f"{DOWNLOAD}  read+write  on every phone  Inbox: Was ankommt 📥"
    assert run(
        capsys,
        "add",
        DOWNLOAD,
        "--allow-write",
        "--name",
        "Inbox",
        "--description",
        "Was ankommt 📥",
    ) == (0, f"Changed: {line}\n", "")
    line = f"{DOWNLOAD}  read+write+delete  on every phone  Inbox: Was ankommt 📥"
    assert run(capsys, "add", DOWNLOAD, "--allow-delete") == (0, f"Changed: {line}\n", "")
    line = f"{DOWNLOAD}  read+delete  on every phone  Inbox: Was ankommt 📥"
    assert run(capsys, "add", DOWNLOAD, "--no-allow-write") == (0, f"Changed: {line}\n", "")
    card = f"{CARD}  read  on R58M  1A2B-3C4D"
    assert run(capsys, "add", CARD, "--for", "R58M") == (0, f"Added: {card}\n", "")
    assert run(capsys, "list") == (0, f"{line}\n{card}\n", "")
    assert run(capsys, "list", "--for", "other") == (0, f"{line}\n", "")
    assert run(capsys, "remove", CARD) == (
        1,
        "",
        f"handheld: {CARD} belongs to another phone: use --for R58M.\n",
    )
    assert run(capsys, "remove", CARD, "--for", "R58M") == (0, f"Removed: {card}\n", "")
    assert run(capsys, "remove", DOWNLOAD) == (0, f"Removed: {line}\n", "")
    assert run(capsys, "remove", DOWNLOAD) == (
        1,
        "",
        f"handheld: There is no location {DOWNLOAD!r}. `handheld storage list` shows them.\n",
    )
    assert StorageFile(place).all() == ()
    assert [path.name for path in place.parent.iterdir()] == ["storage.toml"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("add",), 2, f"Name the folder: handheld storage add {DOWNLOAD}"),
        (("remove",), 2, f"Name the folder: handheld storage remove {DOWNLOAD}"),
        (("list", DOWNLOAD), 2, "handheld storage list takes no ID."),
        (
            ("remove", DOWNLOAD, "--no-allow-write"),
            2,
            "--allow-write is only for handheld storage add.",
        ),
        (
            ("add", DOWNLOAD, "--description", "é" * 501),
            1,
            f"The description of {DOWNLOAD} has 501 characters; the maximum is 500.",
        ),
        (
            ("add", DOWNLOAD, "--description", "👋" * 251),
            1,
            f"The description of {DOWNLOAD} has 502 characters; the maximum is 500.",
        ),
        (
            ("add", DOWNLOAD, "--name", "two\nlines"),
            1,
            f"The name of {DOWNLOAD} contains control characters.",
        ),
        (
            ("add", "/sdcard/Download"),
            1,
            f"'/sdcard/Download' is not a storage location. Write it as in {DOWNLOAD}; a card has "
            "its UUID instead of primary.",
        ),
        (
            ("add", "com.android.providers.downloads.documents/raw:/etc"),
            1,
            "'com.android.providers.downloads.documents/raw:/etc' is not a storage location: adb"
            " can reach only com.android.providers.downloads.documents/downloads of that provider.",
        ),
        *(
            (
                ("add", f"{authority}/{document}"),
                1,
                f"'{authority}/{document}' cannot be offered: Android opens the files of"
                f" {authority} only to apps for which the phone's owner has chosen a folder. Every"
                " release refuses adb's shell user, whose permissions Handheld has. Copy the files"
                f" to a folder of the phone's own storage and offer that, such as {DOWNLOAD}.",
            )
            for authority, document in (
                ("com.google.android.apps.docs.storage", "acc=1;doc=encoded=x"),
                ("com.android.providers.media.documents", "images_root"),
                ("org.example.cloud.documents", "root:"),
            )
        ),
        (
            ("add", f"{DOWNLOAD}/../../data"),
            1,
            f"'{DOWNLOAD}/../../data' must name its folder without empty parts, `.` or `..`. Write"
            f" it as in {DOWNLOAD}.",
        ),
    ],
)
def test_an_invalid_location_is_refused_with_the_reason(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    assert run(capsys, *arguments) == (code, "", f"handheld: {message}\n")
    assert not place.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("location = 1", "`location` must be [[location]] tables."),
        ("[[location]]\n", f"Location 1 in {{file}} has no id. Write it as in {DOWNLOAD}."),
        ("[[place]]\n", "{file} has an unknown key 'place'. It contains [[location]] tables."),
        (
            f'[[location]]\nid = "{DOWNLOAD}"\ncolour = 1\n',
            "Location 1 in {file} has an unknown key 'colour'.",
        ),
        (
            f'[[location]]\nid = "{DOWNLOAD}"\nallow_write = "yes"\n',
            "Location 1 in {file}: allow_write must be true or false, not 'yes'.",
        ),
        (
            f'[[location]]\nid = "{DOWNLOAD}"\n\n[[location]]\nid = "{DOWNLOAD}"\n',
            f"Location 2 in {{file}}: {DOWNLOAD} is there twice for the same phone.",
        ),
        ("[[location]\n", "{file} is not valid TOML: "),
        ("#" * 1_100_000, "{file} is larger than 1048576 bytes."),
    ],
)
def test_a_file_written_by_hand_is_checked(
    place: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    place.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "list")
    assert (code, out) == (1, "")
    assert message.format(file=place) in err
    assert run(capsys, "add", DOWNLOAD)[0] == 1
    assert place.read_text(encoding="utf-8") == text


def test_the_entry_of_one_phone_wins_over_that_of_all_phones(place: Path) -> None:
    file = StorageFile(place)
    file.put(DOWNLOAD, "mine", allow_write=True)
    file.put(DOWNLOAD)
    file.put(CARD, "other")
    assert file.of({"mine"}) == [Location(DOWNLOAD, "mine", allow_write=True)]
    assert file.of({"third"}) == [Location(DOWNLOAD)]
    assert file.of({"other"}) == [Location(DOWNLOAD), Location(CARD, "other")]


def test_a_change_by_another_process_is_noticed(place: Path) -> None:
    mine, other = StorageFile(place), StorageFile(place)
    assert mine.all() == ()
    other.put(DOWNLOAD)
    assert mine.all() == (Location(DOWNLOAD),)
    os.unlink(place)
    assert mine.all() == ()


@pytest.mark.parametrize(
    ("id", "root", "path", "title"),
    [
        (DOWNLOAD, "primary:Download", "/Download", "Download"),
        (f"{DOWNLOAD}/a b", "primary:Download/a b", "/Download/a b", "a b"),
        ("com.android.externalstorage.documents/primary:", "primary:", "/", "Internal Storage"),
        (CARD, "1A2B-3C4D:", "/", "1A2B-3C4D"),
        (
            "com.android.externalstorage.documents/home:",
            "primary:Documents",
            "/Documents",
            "Documents",
        ),
        (
            "com.android.externalstorage.documents/home:Taxes",
            "primary:Documents/Taxes",
            "/Documents/Taxes",
            "Taxes",
        ),
        (
            "com.android.providers.downloads.documents/downloads",
            "primary:Download",
            "/Download",
            "Download",
        ),
    ],
)
def test_an_id_names_a_folder(id: str, root: str, path: str, title: str) -> None:
    location = Location(id)
    check(location)
    assert (location.root, location.path, location.title) == (root, path, title)


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30), st.booleans())
def test_every_saved_location_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, folder: str, name: str, phone: str, write: bool
) -> None:
    file = tmp_path_factory.getbasetemp() / "kept.toml"
    file.unlink(missing_ok=True)
    id = f"com.android.externalstorage.documents/primary:{folder}"
    try:
        kept, new = StorageFile(file).put(id, phone, name=name, allow_write=write)
    except StorageError:
        return
    assert new
    assert StorageFile(file).all() == (kept,)
    assert not {"..", "."} & {*kept.root.partition(":")[2].split("/")}


def test_an_offered_location_is_listed_until_the_file_has_its_own_entry(place: Path) -> None:
    offered = Location(DOWNLOAD, "virtual", allow_write=True)
    file = StorageFile(place, (offered,))
    assert (file.all(), file.of({"virtual"}), file.of({"R58M"})) == ((offered,), [offered], [])
    file.put(CARD)
    assert [one.id for one in file.all()] == [DOWNLOAD, CARD]
    assert [one.id for one in StorageFile(place).all()] == [CARD]
    with pytest.raises(StorageError, match="ends when that is stopped"):
        file.remove(DOWNLOAD, "virtual")
    changed = Location(DOWNLOAD, "virtual", allow_write=True, allow_delete=True)
    assert file.put(DOWNLOAD, "virtual", allow_delete=True) == (changed, False)
    assert file.of({"virtual"}) == [Location(CARD), changed]
    file.remove(DOWNLOAD, "virtual")
    assert file.of({"virtual"}) == [offered, Location(CARD)]


@pytest.mark.slow
def test_a_running_server_notices_changes(home: Home) -> None:
    with home.start(
        "stdio", "--surface", "main", "--phone", "virtual", "--files-size-limit-mb", "1"
    ) as program:
        program.hello()
        assert program.call("android_list_storage_locations") == (False, "[]")
        added = home.run("storage", "add", DOWNLOAD, "--for", "virtual", "--allow-write")
        assert (added.returncode, added.stderr) == (0, "")
        failed, text = program.call("android_list_storage_locations")
        assert [(one["id"], one["allow_write"]) for one in json.loads(text)] == [(DOWNLOAD, True)]
        assert program.call(
            "android_write_file", location_id=DOWNLOAD, path="a/b.txt", content="x"
        ) == (False, "File written successfully: a/b.txt")
        assert program.call(
            "android_write_file", location_id=DOWNLOAD, path="big", content="x" * (1024 * 1024 + 1)
        ) == (True, "Content size exceeds the configured file size limit of 1 MB.")
        assert home.run("storage", "remove", DOWNLOAD, "--for", "virtual").returncode == 0
        failed, text = program.call("android_read_file", location_id=DOWNLOAD, path="a/b.txt")
        assert (failed, text) == (
            True,
            f"Storage location '{DOWNLOAD}' not found. list_storage_locations has the ids; the"
            " phone's owner adds one with `handheld storage add`.",
        )
