"""The files app shows and changes the phone's storage."""

from io import BytesIO

import pytest
from PIL import Image

from handheld_virtual.apps.files.app import FilesScreen, sized
from handheld_virtual.apps.files.preview import MOST_BYTES, Unreadable, read_image, read_text
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

from .finger import Finger, centre

APP = "com.android.documentsui"
ROOT = "/storage/emulated/0"


@pytest.fixture
def documents(world: World, finger: Finger) -> Finger:
    """The files app in the folder Documents."""
    world.start(APP, FilesScreen.name, {"path": f"{ROOT}/Documents"})
    return finger


def names(finger: Finger) -> list[str]:
    return [n.text or "" for n in finger.nodes() if (n.resource_id or "").endswith("id/title")]


async def hold(world: World, clock: ManualClock, finger: Finger, name: str) -> None:
    x, y = centre(finger.find(name))
    world.touch("down", 0, x, y)
    await clock.advance(600)
    world.settle()
    world.touch("up", 0, x, y)


def test_first_screen_lists_the_storage_volumes(world: World, finger: Finger):
    world.launch(APP)
    assert names(finger) == ["Internal storage", "SD card (1A2B-3C4D)"]
    finger.tap("SD card (1A2B-3C4D)", "Backup")
    assert names(finger) == ["contacts.vcf"]
    assert finger.text("breadcrumb") == "SD card (1A2B-3C4D) › Backup"
    assert finger.text("size") == "32 B"
    for _ in range(2):
        world.press("back")
    assert names(finger) == ["Internal storage", "SD card (1A2B-3C4D)"]


def test_pushed_files_appear_on_return_and_after_a_refresh(world: World, documents: Finger):
    assert names(documents) == ["diary.txt", "Grüße 👋.txt"]
    world.files.write(f"{ROOT}/Documents/New.txt", b"x")
    assert "New.txt" not in names(documents)
    documents.tap("option_menu_refresh")
    assert "New.txt" in names(documents)
    world.press("home")
    world.files.remove(f"{ROOT}/Documents/New.txt")
    world.launch(APP)
    assert "New.txt" not in names(documents)


def test_missing_folder_shows_the_reason(world: World, documents: Finger):
    documents.tap("option_menu_create_dir", "edit")
    world.type_text("Old")
    documents.tap("OK", "Old")
    assert documents.text("empty_text") == "No items"
    world.files.remove_folder(f"{ROOT}/Documents/Old")
    documents.tap("option_menu_refresh")
    assert documents.text("empty_text") == ("This folder can’t be shown: No such file or directory")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("a/b", "Invalid name"), ("diary.txt", "File exists"), ("", "Invalid name")],
)
def test_failed_folder_creation_shows_the_reason(
    world: World, documents: Finger, name: str, reason: str
):
    documents.tap("option_menu_create_dir", "edit")
    world.type_text(name)
    documents.tap("OK")
    assert documents.text("alertTitle") == "Couldn’t create folder"
    assert documents.text("message") == reason


async def test_selection_is_deleted_after_confirmation(
    world: World, documents: Finger, clock: ManualClock
):
    world.files.make_folder(f"{ROOT}/Documents/Deep/er", parents=True)
    world.files.write(f"{ROOT}/Documents/Deep/er/file", b"x")
    documents.tap("option_menu_refresh")
    await hold(world, clock, documents, "Deep")
    documents.tap("diary.txt")
    assert documents.text("toolbar_title") == "2 selected"
    documents.tap("action_menu_delete")
    assert documents.text("alertTitle") == "Delete 2 items?"
    assert (documents.text("button1"), documents.text("button2")) == ("Delete", "Cancel")
    documents.tap("Cancel", "action_menu_delete", "Delete")
    assert names(documents) == ["Grüße 👋.txt"]
    assert world.files.list(f"{ROOT}/Documents") == ["Grüße 👋.txt"]


@pytest.mark.parametrize(
    ("name", "shown", "said"),
    [
        ("Tagebuch 📖.txt", ["Grüße 👋.txt", "Tagebuch 📖.txt"], None),
        ("diary.txt", ["diary.txt", "Grüße 👋.txt"], None),
        ("Grüße 👋.txt", ["diary.txt", "Grüße 👋.txt"], "File exists"),
        ("a/b", ["diary.txt", "Grüße 👋.txt"], "Invalid name"),
    ],
)
async def test_single_file_is_renamed(
    world: World,
    clock: ManualClock,
    documents: Finger,
    name: str,
    shown: list[str],
    said: str | None,
):
    before = {world.files.read(f"{ROOT}/Documents/{one}") for one in names(documents)}
    await hold(world, clock, documents, "diary.txt")
    documents.tap("action_menu_rename", "edit")
    assert documents.text("edit") == "diary.txt"
    world.automation.set_text(documents.find("edit").key, name)
    documents.tap("OK")
    if said is not None:
        assert said in documents.texts()
        documents.tap("OK")
    assert names(documents) == shown
    assert {world.files.read(f"{ROOT}/Documents/{one}") for one in shown} == before


async def test_several_files_cannot_be_renamed(world: World, clock: ManualClock, documents: Finger):
    await hold(world, clock, documents, "diary.txt")
    documents.tap("Grüße 👋.txt")
    assert "Rename" not in [node.description for node in documents.nodes()]


async def test_back_clears_the_selection_first(world: World, documents: Finger, clock: ManualClock):
    await hold(world, clock, documents, "diary.txt")
    world.press("back")
    assert documents.text("toolbar_title") == "Documents"
    world.press("back")
    assert documents.text("toolbar_title") == "Internal storage"


def test_text_and_pictures_open_in_a_preview(world: World, documents: Finger):
    documents.tap("Grüße 👋.txt")
    assert documents.text("text") == "Schöne Grüße aus Köln 👋\n"
    kept = BytesIO()
    Image.new("RGB", (40, 20), (255, 0, 0)).save(kept, "PNG")
    world.files.write(f"{ROOT}/Documents/red.png", kept.getvalue())
    world.press("back")
    documents.tap("red.png")
    assert documents.text("dimensions") == "40 × 20"
    x, y = centre(documents.find("image"))
    assert world.picture().getpixel((round(x), round(y))) == (255, 0, 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [("broken.png", "This picture can’t be shown"), ("data.bin", "No app can open this file")],
)
def test_unreadable_file_shows_a_message(world: World, documents: Finger, name: str, words: str):
    world.files.write(f"{ROOT}/Documents/{name}", b"\x89PNG\xff\x00")
    documents.tap("option_menu_refresh", name)
    assert documents.text("empty_text") == words


def test_a_text_is_cut_between_characters_and_the_rest_is_counted():
    words, rest = read_text(b"x" * (MOST_BYTES - 1) + "ő".encode() * 3)
    assert (len(words), rest) == (MOST_BYTES - 1, 6)
    assert read_text("\ufeffa\r\nb".encode()) == ("a\nb", 0)
    with pytest.raises(Unreadable):
        read_text(b"\xff\xfe")


@pytest.mark.slow
def test_a_picture_is_kept_small():
    kept = BytesIO()
    Image.new("RGB", (3000, 1500)).save(kept, "PNG")
    image, size = read_image(kept.getvalue())
    assert (image.size, size) == ((1080, 540), (3000, 1500))


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (899, "899 B"), (900, "0.90 kB"), (11014, "11.01 kB"), (2_500_000, "2.50 MB")],
)
def test_sizes_are_formatted_as_on_android(size: int, words: str):
    assert sized(size) == words
