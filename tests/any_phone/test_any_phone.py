"""What must work on every phone. No change remains: the test folder is removed and the clipboard
restored."""

import io
import json
import re
from typing import Any

import pytest
from PIL import Image

from handheld.errors import ToolError

from .conftest import DOWNLOADS, FOLDER, SETTINGS, Hand

pytestmark = pytest.mark.any_phone

NOTE = f"{FOLDER}/note.txt"
SCANNED = f"{FOLDER}/scanned.txt"
TEXT = "Handheld äöü 東京 👍🏽"
COPIED = "Handheld copies unseen"


async def test_the_screen_is_read_and_shown(hand: Hand) -> None:
    await hand.call("press_home")
    screen = await hand.see("type:APPLICATION")
    size = re.search(r"^screen:(\d+)x(\d+) ", screen, re.MULTILINE)
    assert size is not None
    with Image.open(io.BytesIO(await hand.picture())) as picture:
        assert picture.format == "JPEG"
        # A picture of another panel, as in a foldable phone, would have other sides or be black.
        assert abs(picture.width / picture.height - int(size[1]) / int(size[2])) < 0.02
        assert picture.convert("L").getextrema() != (0, 0)


async def test_a_rotation_lock_changed_during_a_call_is_kept(hand: Hand) -> None:
    lock = ("system", "accelerometer_rotation")
    before = await hand.shell("settings", "get", *lock)
    if before not in ("0", "1"):
        pytest.skip("The phone has no rotation lock.")
    await hand.call("get_screen_state")
    other = "0" if before == "1" else "1"
    try:
        await hand.shell("settings", "put", *lock, other)
        await hand.let_go()
        assert await hand.shell("settings", "get", *lock) == other
    finally:
        await hand.shell("settings", "put", *lock, before)


async def test_an_app_is_opened_and_closed_with_home(hand: Hand) -> None:
    assert await hand.call("open_app", package_id=SETTINGS) == (
        f"App opened successfully: {SETTINGS}"
    )
    await hand.see(f"pkg:{SETTINGS} ")
    assert await hand.call("press_home") == "Home button press executed successfully"
    await hand.see(f"pkg:{SETTINGS} ", shown=False)


async def test_the_screen_becomes_idle(hand: Hand) -> None:
    await hand.call("open_app", package_id=SETTINGS)
    reply = json.loads(await hand.call("wait_for_idle", timeout=10_000, match_percentage=90))
    assert reply["message"] == "UI is idle"
    assert reply["similarity"] >= 90


async def test_an_element_is_found_and_waited_for(hand: Hand) -> None:
    await hand.call("open_app", package_id=SETTINGS)
    await hand.see(f"pkg:{SETTINGS} ")
    message = await hand.call(
        "wait_for_element", by="class_name", value="android.widget.TextView", timeout=10_000
    )
    assert json.loads(message)["found"] is True


async def start_settings(hand: Hand) -> None:
    """Show the first page of the settings from its top: an app that was left continues where it
    was, and how far a swipe scrolled it depends on how fast the machine is."""
    await hand.call("press_home")
    await hand.shell("am", "force-stop", SETTINGS)
    await hand.call("open_app", package_id=SETTINGS)
    await hand.see(f"pkg:{SETTINGS} ")


async def open_settings(hand: Hand) -> dict[str, Any]:
    """The first page of the settings; a row that opens another page."""
    await start_settings(hand)
    await hand.call("wait_for_idle", timeout=5000, match_percentage=95)
    for one in await hand.find("class_name", "android.widget.LinearLayout"):
        if one["clickable"] and one["enabled"] and one["bounds"]["top"] > 0:
            return one
    pytest.skip("The settings app has no row of the usual kind.")


async def test_a_finger_scrolls(hand: Hand) -> None:
    await open_settings(hand)
    top = await hand.front()
    reply = await hand.call("scroll", direction="down", amount="large")
    assert reply.startswith("Scroll down (large) executed\nMoved ")
    await hand.elsewhere(top)
    assert await hand.call("swipe", x1=300, y1=600, x2=300, y2=1200, duration=300)


async def test_after_a_pinch_the_next_touch_works(hand: Hand) -> None:
    """The effect cannot be checked: no app that every phone has reports its zoom."""
    await open_settings(hand)
    size = re.search(r"^screen:(\d+)x(\d+) ", await hand.call("get_screen_state"), re.MULTILINE)
    assert size is not None
    x, y = int(size[1]) // 2, int(size[2]) // 2
    for scale, zoom in ((1.5, "in"), (0.67, "out")):
        message = await hand.call("pinch", center_x=x, center_y=y, scale=scale)
        assert (
            message == f"Pinch (zoom {zoom}) executed at ({x}, {y}) with scale {scale} over 300ms"
        )
    row = await open_settings(hand)
    before = await hand.front()
    await hand.call("tap", **_middle(row))
    await hand.elsewhere(before)
    await hand.call("press_back")


def _middle(element: dict[str, Any]) -> dict[str, int]:
    bounds = element["bounds"]
    return {
        "x": (bounds["left"] + bounds["right"]) // 2,
        "y": (bounds["top"] + bounds["bottom"]) // 2,
    }


async def test_a_tap_opens_a_page_and_back_leaves_it(hand: Hand) -> None:
    row = await open_settings(hand)
    before = await hand.front()
    place = _middle(row)
    assert await hand.call("tap", **place) == "Tap executed at ({x}, {y})".format(**place)
    await hand.elsewhere(before)
    page = await hand.front()
    assert await hand.call("press_back") == "Back button press executed successfully"
    await hand.elsewhere(page)


async def test_an_id_resolves_to_its_element(hand: Hand) -> None:
    row = await open_settings(hand)
    before = await hand.front()
    await hand.call("click_element", element_id=row["id"])
    await hand.elsewhere(before)
    await hand.call("press_back")


async def search_field(hand: Hand) -> dict[str, Any] | None:
    """Open the search of the settings, which is a field on some phones and a button on others."""
    for attempt in range(2):
        found = await hand.find("resource_id", "search")
        for one in found:
            if one["editable"]:
                return one
        buttons = [one for one in found if one["clickable"]]
        if attempt or not buttons:
            break
        await hand.call("click_element", element_id=buttons[0]["id"])
        await hand.call("wait_for_idle", timeout=5000, match_percentage=90)
    for one in await hand.find("class_name", "android.widget.EditText"):
        if one["editable"]:
            return one
    return None


@pytest.mark.parametrize("text", ["Handheld 42", TEXT], ids=["ASCII", "Unicode"])
async def test_text_goes_into_the_search_of_the_settings(hand: Hand, text: str) -> None:
    await start_settings(hand)
    field = await search_field(hand)
    if field is None:
        pytest.skip("The settings app of this phone shows no search.")
    message = await hand.call(
        "type_append_text", element_id=field["id"], text=text, typing_speed=20
    )
    assert text in message
    field = await search_field(hand)
    assert field is not None
    await hand.call("type_clear_text", element_id=field["id"])
    await hand.call("press_back")


async def test_keys_act_in_the_search_of_the_settings(hand: Hand) -> None:
    await start_settings(hand)

    async def field() -> dict[str, Any]:
        found = await search_field(hand)
        if found is None:
            pytest.skip("The settings app of this phone shows no search.")
        return found

    async def append(text: str) -> str:
        return await hand.call(
            "type_append_text", element_id=(await field())["id"], text=text, typing_speed=20
        )

    # The second time, focus and cursor are already in place.
    for text, content in (("wi", "wi"), ("fi", "wifi")):
        assert content in await append(text)
    for key, content in (("SPACE", "wifi "), ("DEL", "wifi"), ("DEL", "wif")):
        assert await hand.call("press_key", key=key) == f"Key '{key}' pressed successfully"
        assert (await field())["text"] == content
    assert await hand.call("press_key", key="ENTER") == "Key 'ENTER' pressed successfully"
    await hand.call("press_home")


async def test_files_are_written_read_changed_and_deleted(hand: Hand) -> None:
    place = {"location_id": DOWNLOADS, "path": NOTE}
    assert await hand.call("write_file", **place, content=f"one\n{TEXT}\n") == (
        f"File written successfully: {NOTE}"
    )
    try:
        assert await hand.call("append_file", **place, content="three\n") == (
            f"Content appended successfully to: {NOTE}"
        )
        await hand.call("file_replace", **place, old_string="one", new_string="first")
        message = await hand.call("read_file", **place)
        assert [line in message for line in ("first", TEXT, "three")] == [True] * 3
        listed = await hand.call("list_files", location_id=DOWNLOADS, path=FOLDER)
        assert "note.txt" in listed
    finally:
        await hand.call("delete_file", **place)
    assert "note.txt" not in await hand.call("list_files", location_id=DOWNLOADS, path=FOLDER)


async def test_a_gallery_finds_a_file_as_long_as_it_is_there(hand: Hand) -> None:
    place = {"location_id": DOWNLOADS, "path": SCANNED}
    await hand.call("write_file", **place, content="one\n")
    try:
        await hand.index(SCANNED)
    finally:
        await hand.call("delete_file", **place)
    await hand.index(SCANNED, shown=False)


async def test_copied_text_is_not_shown_on_the_screen(hand: Hand) -> None:
    before = json.loads(await hand.call("get_clipboard"))["text"]
    await hand.call("press_home")
    try:
        await hand.call("set_clipboard", text=COPIED)
        # Long enough for an overlay to appear.
        await hand.call("wait_for_idle", timeout=5000, match_percentage=90)
        assert COPIED not in await hand.call("get_screen_state")
    finally:
        await hand.call("set_clipboard", text=before or "")


async def test_the_clipboard_is_set_read_and_restored(hand: Hand) -> None:
    before = json.loads(await hand.call("get_clipboard"))["text"]
    try:
        await hand.call("set_clipboard", text=TEXT)
        assert json.loads(await hand.call("get_clipboard")) == {"text": TEXT}
    finally:
        await hand.call("set_clipboard", text=before or "")


async def test_logs_are_read(hand: Hand) -> None:
    message = json.loads(await hand.call("get_device_logs", last_lines=20))
    assert message["logs"]


async def test_apps_are_listed_with_their_names(hand: Hand) -> None:
    system = json.loads(await hand.call("list_apps", filter="system"))
    assert SETTINGS in [app["package_id"] for app in system]
    assert all(app["name"] for app in system)


async def test_an_app_in_the_background_is_closed(hand: Hand) -> None:
    await hand.call("open_app", package_id=SETTINGS)
    await hand.see(f"pkg:{SETTINGS} ")
    with pytest.raises(ToolError, match="only apps in the background"):
        await hand.call("close_app", package_id=SETTINGS)
    await hand.call("press_home")
    await hand.see(f"pkg:{SETTINGS} ", shown=False)
    message = await hand.call("close_app", package_id=SETTINGS)
    assert message.startswith(f"App closed successfully: {SETTINGS}")


async def test_notifications_are_opened_and_closed(hand: Hand) -> None:
    assert await hand.call("open_notifications")
    await hand.call("wait_for_idle", timeout=5000, match_percentage=90)
    assert await hand.call("press_back") == "Back button press executed successfully"


async def test_a_notification_comes_is_listed_and_dismissed(hand: Hand) -> None:
    if int(await hand.shell("getprop", "ro.build.version.sdk")) < 29:
        pytest.skip("Before Android 10 the shell posts no notifications.")
    post = ("cmd", "notification", "post", "-t", "Handheld", "handheld-test", TEXT)
    await hand.shell(*post)
    waited = json.loads(await hand.call("wait_for_notification", text=TEXT, timeout=10_000))
    told = waited["notification"]
    assert (told["title"], told["text"]) == ("Handheld", TEXT)
    assert told["package_name"] == "com.android.shell"
    id = told["notification_id"]
    assert await hand.call("notification_dismiss", notification_id=id) == "Notification dismissed"
    assert id not in await hand.call("notification_list")
