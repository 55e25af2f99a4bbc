"""get_screen_state."""

import json
import re
from io import BytesIO

import PIL.Image
import pytest

from handheld.driver import Screenshot
from handheld.errors import ActionFailed, PermissionDenied
from handheld.phone.phone import Phone
from handheld.screen.model import Bounds
from handheld_virtual.views.widgets.field import Field
from phone.world import World, root, view
from testbed import show_nodes, show_scene
from testbed.screens import HOSTILE, ChangingText

from .conftest import Bench

NOTES = """\
note:structural-only nodes are omitted from the tree
note:certain elements are custom and will not be properly reported, if needed or if tools are not \
working as expected set include_screenshot=true to see the screen and take what you see into account
note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable \
scr=scrollable edt=editable ena=enabled chk=checked unchk=unchecked sel=selected inf=inputFocus \
pwd=password hint=emptyShowsHint exp=expanded col=collapsed
note:offscreen items require scroll_to_element before interaction
"""
COLUMNS = "id\tclass\ttext\tdesc\tres_id\tbounds\tflags\n"


def without_bars(text: str) -> str:
    """The text without the sections of the system's own windows."""
    return re.sub(r"--- window:\d+ type:SYSTEM [^\n]* ---\n(?:(?!--- ).*\n)*", "", text)


@pytest.mark.by_helper("another note and other numbers of windows stand in it")
async def test_the_screen_is_listed_completely(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    shown = await bench.call("get_screen_state")
    assert scene.counter.parent is not None
    counter, more = (",".join(map(str, view.place)) for view in scene.counter.parent.children)
    ids = re.findall(r"^node_[0-9a-f]{1,8}_w(\d+)\t", shown, re.MULTILINE)
    assert set(ids) == {"1", "2", "4"}
    assert re.sub(r"^node_[0-9a-f]{1,8}_", "ID_", without_bars(shown), flags=re.MULTILINE) == (
        NOTES + "screen:1080x2400 density:420 orientation:portrait\n"
        "--- window:4 type:APPLICATION pkg:dev.handheld.testbed title:Testbed"
        " activity:.ChangingText layer:0 focused:true ---\n"
        + COLUMNS
        + "ID_w4\tFrameLayout\t-\t-\tandroid:id/content\t0,63,1080,2274\ton,ena\n"
        f"ID_w4\tTextView\t0\t-\tdev.handheld.testbed:id/counter\t{counter}\ton,ena\n"
        f"ID_w4\tButton\tMore\t-\tdev.handheld.testbed:id/more\t{more}\ton,clk,foc,ena"
    )


async def test_every_window_has_its_section_top_first(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    await bench.call("click_element", element_id=await bench.id_of("Ask"))
    shown = await bench.call("get_screen_state")
    titles = re.findall(
        r"^--- window:\d+ type:(\w+) .* title:(.*?) (?:activity|layer):", shown, re.M
    )
    assert titles == [
        ("SYSTEM", "Navigation bar"),
        ("SYSTEM", "Status bar"),
        ("APPLICATION", "Really?"),
        ("APPLICATION", "Testbed"),
    ]


@pytest.mark.by_helper("the first says once that the helper is not used")
async def test_two_reads_of_one_screen_are_the_same(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    assert await bench.call("get_screen_state") == await bench.call("get_screen_state")
    assert bench.events() == []


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_offscreen_elements_are_flagged(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    flags = {row[2]: row[6] for row in await bench.rows()}
    assert flags["Title"] == "on,ena"
    assert flags["Far below"].startswith("off")


async def states_of(bench: Bench) -> dict[str, list[str]]:
    """Text, description and flags of the elements with an id of the app."""
    return {
        row[4].rpartition("/")[2]: [row[2], row[3], row[6]]
        for row in await bench.rows()
        if row[4].startswith("dev.handheld.testbed:id/")
    }


async def test_a_state_is_shown_only_of_elements_that_have_it(bench: Bench) -> None:
    scene = show_scene(bench.world, "mixed")
    states = await states_of(bench)
    assert states["box"] == ["Box", "-", "on,clk,foc,ena,unchk"]
    assert states["button"] == ["Button", "-", "on,clk,foc,ena"]
    await bench.call("click_element", element_id=await bench.id_of("Box"))
    assert scene.window is not None
    views = {view.id: view for view in scene.window.root.walk()}
    views["title"].selected = True
    field = views["field"]
    assert isinstance(field, Field)
    field.content = "typed"
    field.take_focus()
    states = await states_of(bench)
    assert states["box"] == ["Box", "-", "on,clk,foc,ena,chk"]
    assert states["title"] == ["Title", "-", "on,ena,sel"]
    assert states["field"][0] == "typed"
    assert states["field"][2].endswith(",edt,ena,inf")


@pytest.mark.by_helper("a dump of Android 14 does not tell them: see test_without_helper")
async def test_a_hint_and_an_expanded_group_are_shown(bench: Bench) -> None:
    scene = show_scene(bench.world, "mixed")
    assert scene.window is not None
    views = {view.id: view for view in scene.window.root.walk()}
    views["title"].expanded, views["button"].expanded = True, False
    states = await states_of(bench)
    assert states["field"] == ["-", "Hint", "on,clk,lclk,foc,edt,ena,hint"]
    assert states["title"][2] == "on,ena,exp"
    assert states["button"][2] == "on,clk,foc,ena,col"
    [name] = [row[0] for row in await bench.rows() if row[4].endswith("/field")]
    details = await bench.call("get_element_details", ids=[name])
    assert details == f"id\ttext\tdesc\n{name}\t-\tHint"
    assert (await bench.call("type_clear_text", element_id=name)).endswith("\nField content: ")


@pytest.mark.matrix
async def test_a_screenshot_of_many_elements_says_how_many_have_a_label(bench: Bench) -> None:
    show_nodes(bench.world, 2000)
    text, _, note = await bench.items("get_screen_state", include_screenshot=True)
    assert isinstance(text, str)
    listed = sum(line.startswith("node_") and "\ton," in line for line in text.split("\n"))
    assert note == (
        f"The screenshot has labels for the first 600 of {listed} visible elements in the list."
    )


@pytest.mark.by_helper(
    "Android's dump breaks off at the scene's control characters: see test_without_helper"
)
async def test_no_app_forges_a_line(bench: Bench) -> None:
    show_scene(bench.world, "hostile")
    shown = await bench.call("get_screen_state")
    assert shown.splitlines() == shown.split("\n")
    shown.encode()
    rows = await bench.rows()
    assert all(len(row) == 7 for row in rows)
    texts = {row[4]: row[2] for row in rows}
    prefix = "dev.handheld.testbed:id/text_"
    assert texts[f"{prefix}0"] == "tab new⏎line⏎return null [31mred"
    assert texts[f"{prefix}1"] == "⏎line⏎paragraph separators"
    assert texts[f"{prefix}2"] == "lone \ufffd surrogate \ufffd"
    assert texts[f"{prefix}3"] == HOSTILE[3]
    assert texts[f"{prefix}5"] == "node_1_w42 Button OK"
    assert texts[f"{prefix}6"] == "x" * 100 + "...truncated"
    assert texts[f"{prefix}9"] == "-"


@pytest.mark.by_helper("a dump has its title, and no number: see test_without_helper")
async def test_an_unresponsive_window_is_reported_as_missing(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    bench.world.rootless_packages.add("com.android.calculator2")
    shown = await bench.call("get_screen_state")
    lines = shown.split("\n")
    assert lines[4:6] == [
        "note:window 4 com.android.calculator2 gave no content and is missing",
        "screen:1080x2400 density:420 orientation:portrait",
    ]
    assert "title:Calculator" not in shown


@pytest.mark.by_helper("the shell's dump has no part of a window")
async def test_a_window_that_hangs_is_listed_as_far_as_it_was_read(bench: Bench) -> None:
    package = "com.android.calculator2"
    bench.world.show(package)
    [window] = [w for w in bench.world.automation.read_windows() if w.package == package]
    place = next(n for n, node in enumerate(window.nodes) if node.text == "7")
    bench.world.last_views[package] = place + 1
    screen = await bench.passing(bench.call("get_screen_state"))
    note = f"note:window {window.id} {package} gave only a part of its content\n"
    assert note in screen
    assert "\t7\t" in screen
    assert "\t3\t" not in screen


async def test_a_turned_phone_is_landscape(bench: Bench) -> None:
    bench.world.rotate(1)
    assert "screen:2400x1080 density:420 orientation:landscape" in await bench.call(
        "get_screen_state"
    )


@pytest.mark.by_helper("the first says once that the helper is not used")
async def test_a_screenshot_is_small_and_marked(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    text, image = await bench.picture()
    assert text == await bench.call("get_screen_state")
    assert image.mime_type == "image/jpeg"
    with PIL.Image.open(BytesIO(image.data)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (315, 700))
        pixels = picture.convert("RGB").tobytes()
    red = sum(
        r > 200 and g < 80 and b < 80
        for r, g, b in zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True)
    )
    assert red > 5000


@pytest.mark.parametrize("value", ["true", "TRUE", True])
async def test_a_quoted_true_asks_for_the_screenshot_too(bench: Bench, value: object) -> None:
    assert len(await bench.items("get_screen_state", include_screenshot=value)) == 2


@pytest.mark.by_helper("it has another name in dumpsys: see test_without_helper")
async def test_a_secure_window_fails_the_screenshot_and_is_named(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    bench.world.secure_packages.add("com.android.calculator2")
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert type(failure) is ActionFailed
    assert failure.message == (
        "Screenshot capture failed: the secure window 'Calculator' may not be captured and would be"
        " black. Work with the element list."
    )
    assert failure.details == (await bench.call("get_screen_state"),)


@pytest.mark.by_helper("the first says once that the helper is not used")
async def test_a_failed_screenshot_still_returns_the_screen_text(bench: Bench) -> None:
    bench.world.awake = False
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Screenshot capture failed: the screen is off.",
    )
    assert failure.details == (await bench.call("get_screen_state"),)
    assert "note:the screen is off" in failure.details[0]


async def test_ids_of_a_failed_screenshots_text_act_as_any_other(bench: Bench) -> None:
    show_scene(bench.world, "changing_text")
    bench.world.secure_packages.add("dev.handheld.testbed")
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    [row] = [line for line in failure.details[0].split("\n") if "\tMore\t" in line]
    await bench.call("click_element", element_id=row.split("\t")[0])
    assert [row[2] for row in await bench.rows() if row[4].endswith("counter")] == ["1"]


class Scrambled(World):
    """A phone whose screenshots are no pictures."""

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot:
        return Screenshot(b"not a picture", 315, 700, "jpeg")


async def test_an_invalid_screenshot_still_returns_the_screen_text(bench: Bench) -> None:
    bench.phone = Phone("scrambled", Scrambled(root(), view("a", text="OK")))
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Screenshot annotation failed: The screenshot is not a JPEG or PNG picture.",
    )
    assert failure.details == (await bench.call("get_screen_state"),)


async def test_the_holder_of_uiautomation_is_named(bench: Bench) -> None:
    bench.world.automation.holder = "uiautomator2"
    for screenshot in (False, True):
        failure = await bench.failure("get_screen_state", include_screenshot=screenshot)
        assert type(failure) is PermissionDenied
        assert "uiautomator2" in failure.message


async def test_a_screen_without_any_root_is_no_screen(bench: Bench) -> None:
    bench.world.rootless_packages |= {"com.android.launcher3", "com.android.systemui"}
    failure = await bench.failure("get_screen_state")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "All windows returned null root nodes.",
    )


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_bounds_of_what_is_out_of_sight_are_empty_and_never_inverted(bench: Bench) -> None:
    """Android clips them to the parents, so that the far edge may come first."""
    show_scene(bench.world, "mixed")
    windows = bench.world.automation.read_windows()
    boxes = [node.bounds for window in windows for node in window.nodes]
    assert any(box.top > box.bottom for box in boxes)
    found = json.loads(await bench.call("find_elements", by="text", value="Far below"))
    boxes = [Bounds(*map(int, row[5].split(","))) for row in await bench.rows()]
    boxes += [Bounds(**element["bounds"]) for element in found["elements"]]
    assert [box for box in boxes if box.left > box.right or box.top > box.bottom] == []
    assert any(box.top == box.bottom for box in boxes)
