"""Captured screens as apps: reading them gives the captured nodes."""

import contextlib
import xml.etree.ElementTree as ET
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import fixtures
from handheld.driver.reading.dumpsys import read_keyboard
from handheld.screen.model import Bounds, Flag, Node
from handheld_virtual import ManualClock, VirtualPhone, World
from handheld_virtual.command_line import _scene
from handheld_virtual.scenes.captured import (
    Captured,
    CapturedError,
    install_captured,
    load_captured,
    screen_size,
    usual_density,
)
from handheld_virtual.scenes.scene import Scene
from handheld_virtual.scenes.staging import show
from handheld_virtual.views.reading.dump import (
    MOST_DEPTH,
    MOST_NODES,
    DumpError,
    DumpNode,
    ScreenDump,
    read_dump,
)

from .conftest import using
from .nodes import count_nodes, flat, kept, seen

PLAIN = (
    "enabled='true' clickable='false' focusable='false' checkable='false' checked='false' "
    "focused='false' scrollable='false' long-clickable='false' password='false' selected='false'"
)
CLICKABLE = PLAIN.replace("clickable='false'", "clickable='true'", 1)
SHOP = f"""<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="org.shop"
 content-desc="" {PLAIN} bounds="[0,0][720,1280]">
<node index="2" text="Grüße 👋" resource-id="title" class="android.widget.TextView"
 package="org.shop" content-desc="" {PLAIN} bounds="[10,20][300,80]" />
<node index="5" text="Buy" resource-id="org.shop:id/buy" class="android.widget.Button"
 package="org.shop" content-desc="Buy now" {CLICKABLE}
 bounds="[100,600][620,700]" />
<node index="6" text="" resource-id="" class="android.view.View" package="org.shop"
 content-desc="" {PLAIN} bounds="[50,90][40,80]" />
</node></hierarchy>"""


def dump(text: str | bytes) -> ScreenDump:
    return read_dump(text if isinstance(text, bytes) else text.encode())


def world_with(*screens: Captured) -> World:
    width, height = screen_size(screens, 1080, 2400)
    density = usual_density(width, height)
    world = World(clock=ManualClock(), width=width, height=height, density=density)
    world.rotate(screens[0].dump.rotation)
    install_captured(world, list(screens))
    return world


def save(folder: Path, name: str = "shop.xml", text: str = SHOP) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_dump_reads_back_node_by_node(tmp_path: Path) -> None:
    world = world_with(load_captured(save(tmp_path)))
    [window] = world.automation.read_windows()
    assert (window.package, window.title, window.focused) == ("org.shop", "shop", True)
    on = Flag.VISIBLE | Flag.ENABLED
    keys = [node.key for node in window.nodes]
    assert window.nodes == [
        Node(
            0,
            0,
            keys[0],
            "android.widget.FrameLayout",
            None,
            None,
            None,
            Bounds(0, 0, 720, 1280),
            on,
        ),
        Node(
            1,
            2,
            keys[1],
            "android.widget.TextView",
            "Grüße 👋",
            None,
            "title",
            Bounds(10, 20, 300, 80),
            on,
        ),
        Node(
            1,
            5,
            keys[2],
            "android.widget.Button",
            "Buy",
            "Buy now",
            "org.shop:id/buy",
            Bounds(100, 600, 620, 700),
            on | Flag.CLICKABLE,
        ),
        Node(
            1,
            6,
            keys[3],
            "android.view.View",
            None,
            None,
            None,
            Bounds(50, 90, 40, 80),
            Flag.ENABLED,
        ),
    ]
    assert len(set(keys)) == 4


def test_a_tap_on_something_clickable_is_recorded_and_logged(tmp_path: Path) -> None:
    world = world_with(load_captured(save(tmp_path)))
    world.touch("down", 0, 360, 650)
    world.touch("up", 0, 360, 650)
    taps = [event.details for event in world.events if event.kind == "captured"]
    assert taps == [
        ("shop", "click", "android.widget.Button", "org.shop:id/buy", "Buy", (100, 600, 620, 700))
    ]
    logged = [entry.message for entry in world.logs.read() if entry.tag == "Captured"]
    assert logged == ["click: android.widget.Button org.shop:id/buy 'Buy' [100,600][620,700]"]


def test_tap_outside_clickable_nodes_is_not_recorded(tmp_path: Path) -> None:
    world = world_with(load_captured(save(tmp_path)))
    world.touch("down", 0, 20, 30)
    world.touch("up", 0, 20, 30)
    assert [event for event in world.events if event.kind == "captured"] == []


def test_back_leads_to_the_next_screen_of_the_app_and_the_launcher_has_it(tmp_path: Path) -> None:
    first = load_captured(save(tmp_path))
    second = load_captured(save(tmp_path, "thanks.xml", SHOP.replace("Buy", "Thanks")))
    other = load_captured(save(tmp_path, "other.xml", SHOP.replace("org.shop", "org.other")))
    world = world_with(first, second, other)
    assert world.foreground == ("org.shop", "org.shop.Screen1")
    world.press("back")
    assert world.foreground == ("org.shop", "org.shop.Screen2")
    world.launch("org.other")
    assert world.foreground == ("org.other", "org.other.Screen1")
    world.press("home")
    assert {"shop", "other"} <= {
        node.text for w in world.automation.read_windows() for node in w.nodes
    }


def test_installed_app_keeps_its_package(tmp_path: Path) -> None:
    text = SHOP.replace("org.shop", "com.android.settings")
    world = world_with(load_captured(save(tmp_path, text=text)))
    assert world.foreground == (
        "com.android.settings.captured",
        "com.android.settings.captured.Screen1",
    )
    assert [window.package for window in world.automation.read_windows()] == [
        "com.android.settings"
    ]
    assert world.apps["com.android.settings"].label == "Settings"


def test_screenshot_is_shown_at_the_screen_size(tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    Image.new("RGB", (1440, 2560), (10, 200, 30)).save(shot)
    captured = load_captured(save(tmp_path), shot)
    assert captured.size == (1440, 2560)
    world = World(clock=ManualClock(), width=720, height=1280, density=320)
    install_captured(world, [captured])
    picture = world.picture()
    assert (picture.size, picture.getpixel((360, 650))) == ((720, 1280), (10, 200, 30))


def test_without_a_screenshot_boxes_are_drawn(tmp_path: Path) -> None:
    world = world_with(load_captured(save(tmp_path)))
    picture = world.picture()
    assert picture.getpixel((110, 610)) != picture.getpixel((50, 1200))


WINDOWS = f"""<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<displays><display id="0">
<window index="0" title="Bar" bounds="[0,0][720,48]" active="false" focused="false"
 id="12" layer="1" type="TYPE_SYSTEM"><hierarchy rotation="0">
<node index="0" text="9:41" resource-id="" class="a.B"
 package="com.android.systemui" content-desc="" {PLAIN} bounds="[0,0][720,48]" />
</hierarchy></window>
<window index="1" title="Shop" bounds="[0,0][720,1280]" active="true" focused="true"
 id="13" layer="0" type="TYPE_APPLICATION"><hierarchy rotation="0">
<node index="0" text="Hello" resource-id="" class="a.C"
 package="org.shop" content-desc="" {PLAIN} bounds="[0,0][720,1280]" /></hierarchy></window>
<window index="2" title="none" bounds="[0,0][1,1]" type="TYPE_SYSTEM" id="14" layer="2" />
</display></displays>"""


def test_every_window_of_a_windows_dump_is_a_window(tmp_path: Path) -> None:
    world = world_with(load_captured(save(tmp_path, text=WINDOWS)))
    assert [
        (w.type, w.package, w.title, w.focused, [node.text for node in w.nodes])
        for w in world.automation.read_windows()
    ] == [
        ("SYSTEM", "com.android.systemui", "Bar", False, ["9:41"]),
        ("APPLICATION", "org.shop", "Shop", True, ["Hello"]),
    ]


def texts(found: ScreenDump) -> list[str]:
    return [window.root.attributes.get("text", "") for window in found.windows]


NODE = "<hierarchy><node text='{}' bounds='[0,0][9,9]'/></hierarchy>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (NODE.format("a").encode(), ["a"]),
        (b"UI hierchary dumped to: /dev/tty\n" + NODE.format("a").encode() + b"\nbye", ["a"]),
        (b"\xef\xbb\xbf" + NODE.format("ä").encode(), ["ä"]),
        (NODE.format("ä").encode("utf-16"), ["ä"]),
        (NODE.format("中文").encode("gb18030"), ["中文"]),
        (NODE.format("a&#55357;&#56832;b").encode(), ["a😀b"]),
        (NODE.format("a&#55357;b&#1;").encode(), ["a\ufffdb\ufffd"]),
        (NODE.format("a\x01b").encode(), ["a\ufffdb"]),
        (b"<?xml version='1.0' encoding='nonsense'?>" + NODE.format("a").encode(), ["a"]),
        (
            NODE.format("a").replace("/></h", "/><node text='b' bounds='[0,0][1,1]'/></h").encode(),
            ["a", "b"],
        ),
        (b"<hierarchy><a.b.Button text='x' bounds='[0,0][-5,9]'/></hierarchy>", ["x"]),
    ],
)
def test_dumps_are_read_in_every_saved_form(data: bytes, expected: list[str]) -> None:
    assert texts(read_dump(data)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "it has no <hierarchy> and no <displays>"),
        (b"<hierarchy rotation='0'/>", "it has no nodes"),
        (b"<hierarchy><node bounds='[0,0][1,1]'>", "it ends before its </hierarchy>"),
        (b"<hierarchy><node/></hierarchy>", "a <node> in line 1 has no bounds"),
        (
            b"<hierarchy>\n<node bounds='0,0,1,1'/></hierarchy>",
            "a <node> in line 2 has the bounds '0,0,1,1'",
        ),
        (b"<hierarchy><node bounds='[0,0][1,1]'></hierarchy>", "its XML is broken: mismatched tag"),
        (
            b"<hierarchy><node bounds='[0,0][9999999,1]'/></hierarchy>",
            "a <node> in line 1 is beyond any screen",
        ),
        (
            b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><hierarchy>&b;</hierarchy>",
            "it has a DTD, unlike any dump",
        ),
        (
            b"<hierarchy>" + b"<node bounds='[0,0][1,1]'>" * MOST_DEPTH + b"</hierarchy>",
            f"its nodes are nested more than {MOST_DEPTH} deep",
        ),
        (
            b"<hierarchy>" + b"<node bounds='[0,0][1,1]'/>" * (MOST_NODES + 1) + b"</hierarchy>",
            f"it has more than {MOST_NODES} nodes",
        ),
    ],
)
def test_invalid_dump_is_rejected_with_a_reason(data: bytes, error: str) -> None:
    with pytest.raises(DumpError) as caught:
        read_dump(data)
    assert str(caught.value).startswith(error)


@given(st.binary(max_size=300), st.integers(0, len(SHOP)), st.integers(0, 40))
def test_damaged_dumps_are_read_or_rejected(noise: bytes, place: int, length: int) -> None:
    whole = SHOP.encode()
    damaged = whole[:place] + noise + whole[place + length :]
    with contextlib.suppress(DumpError):
        assert read_dump(damaged).windows


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("none.xml", None, "cannot be read: No such file or directory."),
        (
            "vast.xml",
            b"<hierarchy><node bounds='[0,0][900000,9]'/></hierarchy>",
            "cannot be shown: no phone has a screen of 900000 x 9.",
        ),
        ("bad.xml", b"x", "cannot be shown: it has no <hierarchy> and no <displays>."),
    ],
)
def test_error_names_a_file_that_cannot_be_shown(
    tmp_path: Path, name: str, content: bytes | None, error: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CapturedError) as caught:
        load_captured(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name} {error}"


def test_error_names_an_invalid_screenshot(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(b"no picture")
    with pytest.raises(CapturedError, match=r"shot\.png is not a readable picture\."):
        load_captured(save(tmp_path), tmp_path / "shot.png")


async def test_helper_and_uiautomator_read_the_same_nodes(tmp_path: Path) -> None:
    scene = show(Scene(), [load_captured(save(tmp_path))])
    async with using(VirtualPhone.from_scene(scene)) as used:
        screen = await used.driver.read_screen()
        assert [node.text for node in screen.windows[0].nodes] == [None, "Grüße 👋", "Buy", None]
        assert (screen.width, screen.height, screen.density) == (720, 1280, 280)
        await used.driver.release()
        out, _, _ = await used.adb("uiautomator dump /dev/tty")
        again = read_dump(out)
        assert _comparable(again.windows[0].root) == _comparable(dump(SHOP).windows[0].root)


_ASKED = (
    *("text", "resource-id", "class", "package", "content-desc", "checkable", "checked"),
    *("clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable"),
    *("password", "selected"),
)


def _comparable(node: DumpNode) -> Any:
    values = [node.attributes.get(name, "") for name in _ASKED]
    return (node.index, values, node.bounds, [_comparable(child) for child in node.children])


@pytest.mark.parametrize("name", fixtures.names("screens/*.xml"))
def test_a_screen_in_a_file_reads_back_whole(name: str) -> None:
    captured = load_captured(fixtures.file(name))
    world = world_with(captured)
    nodes = [node for window in world.automation.read_windows() for node in window.nodes]
    expected = [item for window in captured.dump.windows for item in flat(window.root)]
    assert [seen(node) for node in nodes] == expected


async def test_captured_screens_round_trip_through_the_helper_and_uiautomator() -> None:
    device = VirtualPhone(width=4096, height=4096)
    async with using(device) as used:
        for name in fixtures.names("screens/*.xml"):
            captured = load_captured(fixtures.file(name))
            [app] = install_captured(used.world, [captured])
            expected = [item for window in captured.dump.windows for item in flat(window.root)]
            screen = await used.driver.read_screen()
            nodes = [node for window in screen.windows for node in window.nodes]
            assert [seen(node) for node in nodes] == expected, name
            await used.driver.release()
            out, _, _ = await used.adb("uiautomator dump --windows /dev/tty")
            again = read_dump(out)
            roots = [window.root for window in captured.dump.windows]
            assert [kept(w.root) for w in again.windows] == [kept(root) for root in roots], name
            used.world.uninstall(app.package)


@pytest.mark.parametrize("name", fixtures.names("screens/*.xml"))
def test_the_reader_agrees_with_a_plain_xml_parser(name: str) -> None:
    text = fixtures.text(name)
    end = text.rindex("</") + text[text.rindex("</") :].index(">") + 1
    tree = ET.fromstring(text[text.index("<?xml") : end])
    elements = [
        element
        for element in tree.iter()
        if element.tag not in ("displays", "display", "window", "hierarchy")
        and element.get("bounds")
    ]
    found = read_dump(fixtures.file(name).read_bytes())
    assert sum(count_nodes(window.root) for window in found.windows) == len(elements)


@pytest.mark.parametrize(
    ("name", "package", "size", "upright"),
    [
        ("settings-list-api26", "org.example.settings", (1080, 1794), (1080, 1794)),
        ("turned-game-api30", "org.example.game", (2274, 1080), (1080, 2274)),
        # System windows belong to no app: the package is named after the file.
        ("lock-screen-api36", "captured.s_lock_screen_api36", (1080, 2400), (1080, 2400)),
        (
            "deep-nest-few-attributes",
            "captured.s_deep_nest_few_attributes",
            (1080, 2400),
            (1080, 2400),
        ),
        ("two-roots-vendor", "org.example.pay", (1080, 2316), (1080, 2316)),
        ("every-window-api34", "org.example.notes", (1080, 2400), (1080, 2400)),
        # The screen is larger than its root, which leaves space for the bar.
        ("page-source-toast-appium", "org.example.shop", (1600, 720), (720, 1600)),
        # A dialog: the phone keeps its default size.
        ("permission-dialog-api33", "com.android.permissioncontroller", None, (1080, 2000)),
    ],
)
def test_package_and_size_are_read_from_the_file(
    name: str, package: str, size: tuple[int, int] | None, upright: tuple[int, int]
) -> None:
    captured = load_captured(fixtures.file(f"screens/{name}.xml"))
    assert (captured.package, captured.size) == (package, size)
    assert screen_size([captured], 1080, 2000) == upright


def rooted(*bounds: str, rotation: int = 0, more: str = "") -> str:
    nodes = "".join(f"<node package='org.a' bounds='{each}'/>" for each in bounds)
    return f"<hierarchy rotation='{rotation}' {more}>{nodes}</hierarchy>"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (rooted("[0,0][720,1280]"), (720, 1280)),
        # A sheet at the lower edge, or a keyboard.
        (rooted("[0,900][720,1280]"), (720, 1280)),
        # Beside the cutout of a phone in landscape.
        (rooted("[90,0][1600,720]", rotation=1), (1600, 720)),
        (rooted("[40,300][680,900]"), None),
        (rooted("[40,300][680,900]", more="width='720' height='1280'"), (720, 1280)),
        (rooted("[40,300][680,900]", more="width='720' height='high'"), None),
        # The status bar gives the screen's width, not its height.
        (rooted("[0,0][720,48]"), None),
        (rooted("[0,0][0,0]"), None),
        (rooted("[0,0][-5,9]"), None),
        (rooted("[0,0][720,48]", "[0,0][720,1280]"), (720, 1280)),
    ],
)
def test_screen_size_is_that_of_roots_at_its_edges(text: str, size: tuple[int, int] | None) -> None:
    assert dump(text).size == size


def captured(folder: Path, *texts: str) -> list[Captured]:
    return [load_captured(save(folder, f"{n}.xml", text)) for n, text in enumerate(texts)]


DIALOG = rooted("[40,300][680,900]")


def test_dialog_uses_the_size_of_another_captured_screen(tmp_path: Path) -> None:
    screens = captured(tmp_path, DIALOG, rooted("[0,0][720,1280]"))
    assert screen_size(screens, 1080, 2400) == (720, 1280)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (DIALOG, (1080, 2400)),
        (rooted("[800,624][1520,2064]"), (1520, 2400)),
        (rooted("[1371,163][1595,451]", rotation=3), (1080, 2400)),
        (rooted("[100,1063][900,1451]", rotation=1), (1451, 2400)),
    ],
)
def test_single_dialog_keeps_the_phone_size_if_it_fits(
    tmp_path: Path, text: str, size: tuple[int, int]
) -> None:
    assert screen_size(captured(tmp_path, text), 1080, 2400) == size
    scene = show(Scene(), captured(tmp_path, text))
    assert (scene.width, scene.height) == size


def test_a_scene_with_a_dialog_has_the_default_size_or_its_own(tmp_path: Path) -> None:
    save(tmp_path, "dialog.xml", DIALOG)
    shown = '[[show]]\ndump = "dialog.xml"\n'
    plain = Scene.load(save(tmp_path, "plain.toml", shown))
    assert (plain.width, plain.height, plain.density) == (1080, 2400, 420)
    sized = "[phone]\nwidth = 720\nheight = 1280\n" + shown
    own = Scene.load(save(tmp_path, "own.toml", sized))
    assert (own.width, own.height, own.density) == (720, 1280, 280)


def test_screen_size_can_be_set_by_a_flag(tmp_path: Path) -> None:
    file = save(tmp_path, "dialog.xml", DIALOG)
    options = Namespace(
        **dict.fromkeys(("scene", "api", "serial", "latency")),
        show=[str(file)],
        size=(720, 1280),
        fault=[],
        auth=False,
    )
    scene = _scene(options)
    assert (scene.width, scene.height, scene.density) == (720, 1280, 280)


def test_windows_of_another_display_are_ignored() -> None:
    captured = load_captured(fixtures.file("screens/every-window-api34.xml"))
    world = world_with(captured)
    assert [(w.type, w.package) for w in world.automation.read_windows()] == [
        ("SYSTEM", "com.android.systemui"),
        ("INPUT_METHOD", "org.example.keyboard"),
        ("APPLICATION", "org.example.notes"),
    ]


# Several roots


def tapped(world: World, x: int, y: int) -> list[str]:
    """Return the views of a captured screen that received the tap, from the log."""
    before = len(recorded(world))
    world.touch("down", 0, x, y)
    world.touch("up", 0, x, y)
    return recorded(world)[before:]


def recorded(world: World) -> list[str]:
    return [entry.message for entry in world.logs.read() if entry.tag == "Captured"]


def test_a_keyboard_is_an_input_method_over_its_app_whatever_the_order_of_the_file() -> None:
    world = world_with(load_captured(fixtures.file("screens/keyboard-beside-app-androidx.xml")))
    assert [(w.type, w.package, w.focused) for w in world.automation.read_windows()] == [
        ("SYSTEM", "com.android.systemui", False),
        ("INPUT_METHOD", "org.example.inputmethod.small", False),
        ("APPLICATION", "org.example.mail", True),
    ]
    assert world.foreground is not None
    assert world.foreground[0] == "org.example.mail"
    send = "click: android.widget.Button org.example.mail:id/send 'Send' [40,1000][1040,1140]"
    assert tapped(world, 500, 1070) == [send]
    # The app also has a button there, below the key.
    assert tapped(world, 100, 1770) == ["click: android.view.View - 'q' [0,1700][108,1840]"]


@pytest.mark.parametrize("api", [28, 30])
async def test_dumpsys_reports_the_keyboard_at_its_keys(api: int) -> None:
    screen = load_captured(fixtures.file("screens/keyboard-beside-app-androidx.xml"))
    scene = replace(show(Scene(), [screen]), api=api)
    async with using(VirtualPhone.from_scene(scene)) as used:
        out, _, _ = await used.adb("dumpsys window windows")
        assert read_keyboard(out.decode()) == (Bounds(0, 1700, 216, 1840),)


def test_touch_beside_the_keyboard_keys_reaches_the_app(tmp_path: Path) -> None:
    app = "<node text='under' clickable='true' bounds='[0,700][720,1280]'/>"
    key = "<node content-desc='Dictate' clickable='true' bounds='[20,700][140,1000]'/>"
    text = (
        f"<hierarchy><node package='org.a' bounds='[0,0][720,1280]'>{app}</node>"
        f"<node package='org.a.keyboard' bounds='[0,700][720,1280]'>{key}</node></hierarchy>"
    )
    world = world_with(*captured(tmp_path, text))
    assert tapped(world, 80, 800) == ["click: android.view.View - 'Dictate' [20,700][140,1000]"]
    assert tapped(world, 500, 800) == ["click: android.view.View - 'under' [0,700][720,1280]"]


def test_window_has_the_bounds_of_the_dump(tmp_path: Path) -> None:
    text = WINDOWS.replace(
        'title="Bar" bounds="[0,0][720,48]"', 'title="Bar" bounds="[0,0][300,40]"'
    )
    world = world_with(*captured(tmp_path, text))
    assert [window.box for window in world.windows()] == [(0, 0, 300, 40), (0, 0, 720, 1280)]


@pytest.mark.parametrize(
    ("package", "beside", "type"),
    [
        ("com.google.android.inputmethod.latin", True, "INPUT_METHOD"),
        ("com.samsung.android.honeyboard", True, "INPUT_METHOD"),
        ("com.touchtype.swiftkey", True, "INPUT_METHOD"),
        ("com.lge.ime", True, "INPUT_METHOD"),
        ("com.baidu.input_mi", True, "INPUT_METHOD"),
        ("org.example.times", True, "APPLICATION"),
        ("org.example.inputs.list", True, "APPLICATION"),
        # The settings of a keyboard are an ordinary screen.
        ("com.google.android.inputmethod.latin", False, "APPLICATION"),
    ],
)
def test_keyboard_with_an_app_is_detected_by_its_package(
    tmp_path: Path, package: str, beside: bool, type: str
) -> None:
    app = "<node package='org.a' bounds='[0,0][720,1280]'/>" if beside else ""
    bar = "<node package='com.android.systemui' bounds='[0,0][720,48]'/>"
    keys = f"<node package='{package}' bounds='[0,800][720,1280]'/>"
    [shown] = captured(tmp_path, f"<hierarchy>{app}{bar}{keys}</hierarchy>")
    found = {window.root.attributes["package"]: window.type for window in shown.dump.windows}
    assert found[package] == type
    assert found["com.android.systemui"] == "SYSTEM"


def test_keyboard_alone_is_detected_by_its_key_area(tmp_path: Path) -> None:
    keys = "<node resource-id='android:id/inputArea' bounds='[0,800][720,1280]'/>"
    text = f"<hierarchy><node package='org.a' bounds='[0,800][720,1280]'>{keys}</node></hierarchy>"
    [shown] = captured(tmp_path, text)
    [window] = world_with(shown).automation.read_windows()
    assert (window.type, shown.size) == ("INPUT_METHOD", (720, 1280))


def test_smaller_of_several_roots_is_above_the_larger() -> None:
    world = world_with(load_captured(fixtures.file("screens/two-roots-vendor.xml")))
    assert [(w.type, w.package, w.focused) for w in world.automation.read_windows()] == [
        ("SYSTEM", "com.android.systemui", False),
        ("APPLICATION", "com.example.vendor.edge", False),
        ("APPLICATION", "org.example.pay", True),
    ]
    # A floating window takes only its own touches.
    [ball] = tapped(world, 800, 1700)
    assert ball == "click: android.widget.FrameLayout - 'Assistive ball' [700,1600][1040,1940]"
    [pay] = tapped(world, 500, 2070)
    assert pay.startswith("click: android.widget.Button org.example.pay:id/pay 'Pay 12.50'")


# Attributes that a dump does not have


def test_toast_without_bounds_is_ignored() -> None:
    found = read_dump(fixtures.file("screens/page-source-toast-appium.xml").read_bytes())
    assert [window.root.attributes["class"] for window in found.windows] == [
        "android.widget.FrameLayout"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "<node bounds='[0,0][9,9]'><node class='android.widget.Toast' text='gone'/>"
            "<node text='stays' bounds='[0,0][1,1]'/></node>",
            ["", "stays"],
        ),
        (
            "<android.widget.Toast text='gone'><node text='too'/></android.widget.Toast>"
            "<node text='stays' bounds='[0,0][1,1]'/>",
            ["stays"],
        ),
        (
            "<node class='android.widget.Toast' text='placed' bounds='[0,0][1,1]'/>",
            ["placed"],
        ),
    ],
)
def test_only_the_toast_itself_is_ignored(text: str, words: list[str]) -> None:
    found = dump(f"<hierarchy>{text}</hierarchy>")
    reported = [item for window in found.windows for item in flat(window.root)]
    assert [item[1] or "" for item in reported] == words


async def test_empty_bounds_are_invisible_and_text_inputs_are_editable() -> None:
    scene = show(Scene(), [load_captured(fixtures.file("screens/search-fields-api31.xml"))])
    async with using(VirtualPhone.from_scene(scene)) as used:
        reported = await used.call("get_screen_state")
        rows = [
            line.split("\t") for line in reported.splitlines() if "org.example.search:id/" in line
        ]
        flags = {row[4].removeprefix("org.example.search:id/"): row[6] for row in rows}
        field = "on,clk,lclk,foc,edt,ena"
        assert flags == {
            "city": field,
            "people": field,
            "search_src_text": field,
            "name": field,
            "note": field,
            "street": field,
            "results": "on,ena",
            "later": "off,clk,ena",
        }
        [below] = [line for line in reported.splitlines() if "Below the edge" in line]
        assert below.endswith("off,clk,ena")


@pytest.mark.parametrize(
    ("kind", "more", "editable"),
    [
        ("android.widget.EditText", "", True),
        ("org.example.PinEditText", "", True),
        ("org.example.Box$SearchAutoComplete", "", True),
        ("android.widget.TextView", "", False),
        ("android.widget.TextView", "password='true'", True),
        ("android.widget.TextView", "editable='true'", True),
        ("org.example.EditTextLabel", "", False),
        ("org.example.AutoCompleteList", "", False),
    ],
)
def test_editable_views_are_detected_by_class(
    tmp_path: Path, kind: str, more: str, editable: bool
) -> None:
    text = f"<hierarchy><node class='{kind}' {more} bounds='[0,0][720,1280]'/></hierarchy>"
    [window] = world_with(*captured(tmp_path, text)).automation.read_windows()
    assert bool(window.nodes[0].flags & Flag.EDITABLE) is editable
