"""The output of `uiautomator dump`, and its failures."""

import re
import xml.etree.ElementTree as ET
from typing import ClassVar

import pytest
from dumped import CLASSIC, HEADER, attributes, shapes
from hypothesis import given
from hypothesis import strategies as st
from phone_shell import Result, new_phone, run, run_while_time_passes

import fixtures
from handheld_virtual.automation import AutomationHeld
from handheld_virtual.commands.screen.uiautomator import HOLDER
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.scenes.captured import install_captured, load_captured
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import IconButton, Image, Text
from handheld_virtual.views.widgets.field import Field
from testbed import show_scene

DUMPED = "UI hierchary dumped to: {}\n"


async def dump(phone: VirtualPhone, options: str = "") -> str:
    # A content change is reported within 100 ms; until then the screen is not idle.
    command = f"uiautomator dump {options} /sdcard/x.xml"
    got = await run_while_time_passes(phone, command, 2000)
    assert got == Result(DUMPED.format("/sdcard/x.xml"))
    return phone.files.read("/sdcard/x.xml").decode()


def nodes(text: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter("node"))


def show(phone: VirtualPhone, *views: View) -> None:
    class Screen(Activity):
        name = ".Screen"

        def content(self) -> View:
            return Column(*views, id="column")

    class Shown(App):
        package, label, main = "org.example.shown", "Shown", ".Screen"
        activities: ClassVar = {".Screen": Screen}

    phone.world.install(Shown)
    phone.world.show("org.example.shown")


async def test_a_dump_is_one_line_with_the_attributes_of_real_ones_in_their_order():
    phone = new_phone()
    phone.world.show("dev.handheld.form")
    text = await dump(phone)
    assert text.startswith(f'{HEADER}<hierarchy rotation="0"><node index="0" text="" ')
    assert text.endswith("</node></hierarchy>")
    assert "\n" not in text
    assert {tuple(name for name in node.attrib if name != "NAF") for node in nodes(text)} == {
        tuple(CLASSIC.split())
    }


@pytest.mark.parametrize(
    ("api", "files"),
    [
        (34, ("settings-list-api26", "compose-api34", "turned-game-api30")),
        (35, ("login-hint-api35", "lock-screen-api36")),
    ],
)
async def test_the_tags_of_a_dump_are_those_that_android_writes(api: int, files: tuple[str, ...]):
    real = set[str]().union(*(shapes(fixtures.text(f"screens/{name}.xml")) for name in files))
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    assert shapes(await dump(phone)) <= real
    show(phone, IconButton("check", lambda: None, id="silent"))
    ours = shapes(await dump(phone))
    assert ours <= real
    assert any("NAF" in tag for tag in ours)


@pytest.mark.parametrize(
    "name",
    [
        "chat-emoji-api29",
        "compose-api34",
        "lock-screen-api36",
        "login-hint-api35",
        "permission-dialog-api33",
        "pages-over-one-another-api35",
        "right-to-left-api28",
        "search-fields-api31",
        "settings-list-api26",
        "turned-game-api30",
        "web-page-api33",
    ],
)
async def test_captured_screen_is_dumped_as_captured(name: str):
    screen = load_captured(fixtures.file(f"screens/{name}.xml"))
    phone = VirtualPhone(clock=ManualClock(), width=4096, height=4096)
    (app,) = install_captured(phone.world, [screen])
    phone.world.show(app.package)
    assert attributes(await dump(phone)) == attributes(fixtures.text(f"screens/{name}.xml"))


@pytest.mark.parametrize("api", [26, 29, 33, 34])
async def test_captured_screen_is_not_clipped_by_a_hidden_bar(api: int):
    """Nor is it clipped at the screen edge, because it was clipped when it was captured."""
    name = "screens/settings-list-api26.xml"
    screen = load_captured(fixtures.file(name))
    assert screen.size is not None
    width, height = screen.size
    phone = VirtualPhone(clock=ManualClock(), api=api, width=width, height=height, density=420)
    (app,) = install_captured(phone.world, [screen])
    phone.world.show(app.package)
    assert attributes(await dump(phone)) == attributes(fixtures.text(name))


@pytest.mark.parametrize("name", ["login-hint-api35", "pages-over-one-another-api35"])
async def test_captured_drawing_order_is_dumped(name: str):
    phone = VirtualPhone(clock=ManualClock(), api=35)
    text = fixtures.text(f"screens/{name}.xml")
    (app,) = install_captured(phone.world, [load_captured(fixtures.file(f"screens/{name}.xml"))])
    phone.world.show(app.package)
    orders = [node.get("drawing-order") for node in nodes(text[text.index("<hierarchy") :])]
    assert [node.get("drawing-order") for node in nodes(await dump(phone))] == orders


async def test_dump_has_drawing_order_and_hint_since_android_15():
    phone = new_phone(35)
    show(phone, Field("typed", hint="Say something", id="field"), Text("below"))
    text = await dump(phone)
    assert {tuple(node.keys()) for node in nodes(text)} == {
        (*CLASSIC.split(), "drawing-order", "hint")
    }
    got = [
        (node.get("class"), node.get("text"), node.get("drawing-order"), node.get("hint"))
        for node in nodes(text)[-2:]
    ]
    assert got == [
        ("android.widget.EditText", "typed", "1", "Say something"),
        ("android.widget.TextView", "below", "2", ""),
    ]
    assert nodes(text)[0].get("drawing-order") == "0"


async def test_a_hint_is_text_and_a_password_is_bullets():
    phone = new_phone()
    show(phone, Field(hint="Name"), Field("geheim", password=True))
    got = [(node.get("text"), node.get("password")) for node in nodes(await dump(phone))[-2:]]
    assert got == [("Name", "false"), ("••••••", "true")]


async def test_clickable_node_without_a_text_has_naf():
    phone = new_phone()
    show(
        phone,
        IconButton("check", lambda: None, id="silent"),
        IconButton("check", lambda: None, id="described", description="Check"),
        IconButton("check", lambda: None, id="off", enabled=False),
        Column(Text("words"), id="around", clickable=True),
    )
    marked = {
        (node.get("resource-id") or "").rpartition("/")[2]: node.get("NAF")
        for node in nodes(await dump(phone))
    }
    assert {name: marked[name] for name in ("silent", "described", "off", "around")} == {
        "silent": "true",
        "described": None,
        "off": None,
        "around": None,
    }


async def test_compressed_dump_omits_views_that_only_group_others():
    phone = new_phone()
    show(phone, Column(Text("words"), Image("check"), Image("check", description="Check")))
    got = [
        (node.get("class"), node.get("index"), node.get("text") or node.get("content-desc"))
        for node in nodes(await dump(phone, "--compressed"))
    ]
    assert got == [
        ("android.widget.FrameLayout", "0", ""),
        ("android.widget.TextView", "0", "words"),
        ("android.widget.ImageView", "1", "Check"),
    ]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufffe\uffff"), max_size=30))
async def test_any_text_round_trips_through_the_xml(text: str):
    phone = VirtualPhone(clock=ManualClock(), width=400, height=800, density=160)
    show(phone, Text(text, id="words", most_lines=1, width=MATCH))
    (found,) = [
        node.get("text")
        for node in nodes(await dump(phone))
        if (node.get("resource-id") or "").endswith("/words")
    ]
    # Carriage returns are kept as references; characters that XML cannot represent become full
    # stops.
    forbidden = "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufddf]"
    assert found == re.sub(forbidden, ".", text)


async def test_characters_are_escaped_as_on_android():
    phone = new_phone()
    show(phone, Text("<a> & \"b\" 'c'\nd\te 😀\x07"))
    assert "text=\"&lt;a&gt; &amp; &quot;b&quot; 'c'&#10;d&#9;e &#128512;.\"" in await dump(phone)


async def test_character_that_androids_writer_rejects_kills_the_program():
    phone = new_phone()
    show(phone, Text("lone \ud800 surrogate"))
    got = await run_while_time_passes(phone, "uiautomator dump", 2000)
    assert got == Result("", "Killed \n", 137)
    assert phone.files.read("/sdcard/window_dump.xml") == b""
    assert phone.world.automation.holder is None


async def test_the_file_is_in_shared_storage_unless_another_is_named():
    phone = new_phone()
    assert await run(phone, "uiautomator dump") == Result(DUMPED.format("/sdcard/window_dump.xml"))
    text = phone.files.read("/sdcard/window_dump.xml").decode()
    streamed = await run(phone, "uiautomator dump /dev/tty")
    assert streamed == Result(text + DUMPED.format("/dev/tty"))
    assert await run(phone, "cd /data/local/tmp; uiautomator dump ui.xml; cat ui.xml") == Result(
        DUMPED.format("/data/local/tmp/ui.xml") + text
    )


async def test_unwritable_file_is_reported_as_written():
    phone = new_phone()
    path = "/data/nope/window_dump.xml"
    assert await run(phone, f"uiautomator dump {path}") == Result(DUMPED.format(path))
    assert not phone.files.exists(path)


async def test_every_window_is_dumped_from_android_11_on():
    phone = new_phone(30)
    phone.world.show("com.android.settings")
    tree = ET.fromstring(await dump(phone, "--windows"))
    assert [child.tag for child in tree] == ["display"]
    names = "index title bounds active focused accessibility-focused id layer type"
    assert [" ".join(window.keys()) for window in tree.iter("window")] == [names] * 3
    got = [
        (window.get("title"), window.get("bounds"), window.get("focused"), window.get("type"))
        for window in tree.iter("window")
    ]
    assert got == [
        ("Navigation bar", "[0,2274][1080,2400]", "false", "TYPE_SYSTEM"),
        ("Status bar", "[0,0][1080,63]", "false", "TYPE_SYSTEM"),
        ("Settings", "[0,0][1080,2400]", "true", "TYPE_APPLICATION"),
    ]
    assert [len(window.findall("hierarchy")) for window in tree.iter("window")] == [1, 1, 1]
    phone.world.rootless_packages.add("com.android.settings")
    tree = ET.fromstring(await dump(phone, "--windows"))
    assert [len(window.findall("hierarchy")) for window in tree.iter("window")] == [1, 1, 0]


async def test_before_android_11_the_windows_option_is_ignored():
    phone = new_phone(28)
    assert ET.fromstring(await dump(phone, "--windows --verbose")).tag == "hierarchy"


@pytest.mark.parametrize(("api", "bounds"), [(28, "[0,0][1080,2274]"), (34, "[0,0][1080,2400]")])
async def test_before_android_14_bounds_are_clipped_to_the_app_area(api: int, bounds: str):
    phone = new_phone(api)
    assert nodes(await dump(phone))[0].get("bounds") == bounds


async def test_dump_has_the_rotation():
    phone = new_phone()
    phone.world.show("com.android.settings")
    phone.world.rotate(1)
    root = ET.fromstring(await dump(phone))
    assert root.get("rotation") == "1"
    assert nodes(ET.tostring(root, "unicode"))[0].get("bounds") == "[0,0][2400,1080]"


async def test_screen_that_is_never_idle_is_not_dumped():
    phone = new_phone()
    show_scene(phone.world, "restless")
    got = await run_while_time_passes(phone, "uiautomator dump", 11_000)
    assert got == Result("", "ERROR: could not get idle state.\n", 0)
    assert not phone.files.exists("/sdcard/window_dump.xml")
    assert phone.clock.now() == pytest.approx(10_000, abs=200)
    assert phone.world.automation.holder is None


async def test_a_window_without_a_root_is_an_error_that_exits_0():
    phone = new_phone()
    package = phone.world.front.app.package
    null = Result("", "ERROR: null root node returned by UiTestAutomationBridge.\n", 0)
    phone.world.rootless_packages.add(package)
    assert await run(phone, "uiautomator dump") == null
    phone.world.rootless_packages.clear()
    phone.world.frozen_packages.add(package)
    assert await run_while_time_passes(phone, "uiautomator dump", 6000) == null
    assert phone.clock.now() == 5000


async def test_second_ui_automation_is_refused():
    phone = new_phone()
    world = phone.world
    world.automation.take("another")
    assert await run(phone, "uiautomator dump") == Result("", "Killed \n", 137)
    assert not phone.files.exists("/sdcard/window_dump.xml")
    log = (await run(phone, "logcat -d -b crash -v raw")).stdout
    assert re.search(
        r"^java\.lang\.IllegalStateException: UiAutomationService "
        r"android\.accessibilityservice\.IAccessibilityServiceClient\$Stub\$Proxy@[0-9a-f]+"
        r"already registered!$",
        log,
        re.MULTILINE,
    )
    world.automation.release("another")
    world.automation.take(HOLDER)
    with pytest.raises(AutomationHeld):
        world.automation.take("another")


async def test_window_ids_change_after_a_dump():
    phone = new_phone()

    async def ids() -> list[str | None]:
        tree = ET.fromstring(await dump(phone, "--windows"))
        return [window.get("id") for window in tree.iter("window")]

    first = await ids()
    assert set(first) & set(await ids()) == set()


async def test_unsupported_commands_are_refused_and_help_lists_the_others():
    phone = new_phone()
    events = "uiautomator events is not supported by this phone\n"
    assert await run(phone, "uiautomator events") == Result("", events, 255)
    got = await run(phone, "uiautomator nope")
    assert (got.stdout, got.code) == ("", 0)
    assert re.findall(r"^(\w+): ", got.stderr, re.MULTILINE)[1:] == [
        "help",
        "runtest",
        "dump",
        "events",
    ]
