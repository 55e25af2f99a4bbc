"""Parsing `uiautomator dump` of many phones, and its failures."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fixtures
from handheld.driver.reading.uiautomator import (
    DEPTH,
    BadDump,
    Dump,
    DumpedWindow,
    Trouble,
    read_dump,
)
from handheld.screen.model import Bounds, Flag, Node, upright
from screen import dumps

SAID = "UI hierchary dumped to: /data/local/tmp/x.xml\n"
HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def node(attributes: str = "", inside: str = "") -> str:
    return f'<node index="0" class="android.view.View" {attributes}>{inside}</node>'


def hierarchy(inside: str) -> str:
    return f'{SAID}{HEAD}<hierarchy rotation="1">{inside}</hierarchy>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "•"),
        ("••b", "•••"),
        ("a••", "•••"),
        ("•😀", "•••"),
        ("Password", "Password"),
        ("", None),
    ],
)
def test_character_of_a_password_is_masked_and_a_hint_is_not(text: str, shown: str | None) -> None:
    printed = hierarchy(node(f'password="true" text="{text}" bounds="[0,0][9,9]"'))
    [window] = read_dump(printed).windows
    assert [found.text for found in window.nodes] == [shown]


def test_single_window_dump_is_parsed() -> None:
    printed = hierarchy(
        '<node NAF="true" index="3" text="a &amp; b" resource-id="x:id/y"'
        ' class="android.widget.EditText" package="org.example" content-desc="d" checkable="false"'
        ' checked="false" clickable="true" enabled="true" focusable="true" focused="true"'
        ' scrollable="false" long-clickable="true" password="false" selected="false"'
        ' bounds="[0,-5][1080,63]" hint="a &amp; b" />'
    )
    flags = (
        Flag.CLICKABLE
        | Flag.ENABLED
        | Flag.FOCUSABLE
        | Flag.FOCUSED
        | Flag.LONG_CLICKABLE
        | Flag.EDITABLE
        | Flag.VISIBLE
        | Flag.SHOWING_HINT
    )
    one = Node(
        0,
        3,
        "",
        "android.widget.EditText",
        "a & b",
        "d",
        "x:id/y",
        Bounds(0, -5, 1080, 63),
        int(flags),
    )
    window = DumpedWindow(package="org.example", nodes=[one])
    assert read_dump(printed) == Dump([window], [], 1, every_window=False)


def test_all_windows_are_parsed_including_empty_ones() -> None:
    printed = (
        f'{HEAD}<displays><display id="0">'
        '<window index="0" title="Bar" bounds="[0,0][1080,63]" active="false" focused="false"'
        ' id="12" layer="1" type="TYPE_SYSTEM" />'
        '<window index="1" title="" bounds="[0,0][1080,2400]" active="true" focused="true"'
        ' id="9" layer="0" type="TYPE_APPLICATION">'
        '<window index="0" title="Inner" bounds="[1,2][3,4]" focused="false" layer="2"'
        f' type="TYPE_APPLICATION"><hierarchy rotation="0">{node()}</hierarchy></window>'
        f'<hierarchy rotation="0">{node()}</hierarchy></window></display></displays>{SAID}'
    )
    dump = read_dump(printed)
    assert dump.every_window
    assert [(one.type, one.title, one.bounds, one.layer) for one in dump.empty] == [
        ("SYSTEM", "Bar", Bounds(0, 0, 1080, 63), 1)
    ]
    assert [(one.title, one.focused, len(one.nodes)) for one in dump.windows] == [
        ("Inner", False, 1),
        (None, True, 1),
    ]


@pytest.mark.parametrize(
    ("printed", "trouble"),
    [
        ("ERROR: could not get idle state.\n", Trouble.RESTLESS),
        (
            "ERROR: null root node returned by UiTestAutomationBridge.\n",
            Trouble.NO_ROOT,
        ),
        ("cat: /x.xml: No such file or directory\nKilled \n", Trouble.KILLED),
        ("\nKilled \n", Trouble.UNWRITABLE),
        (f"{SAID}cat: /data/local/tmp/x.xml: No such file or directory\n", Trouble.NOTHING),
        (SAID, Trouble.NOTHING),
        ("", Trouble.NOTHING),
        ("/system/bin/sh: uiautomator: not found\n", Trouble.NOTHING),
        (f"{SAID}{HEAD}<hierarchy rotation='0'><node", Trouble.MALFORMED),
        (f"{SAID}<hierarchy rotation='0'><node></hierarchy>", Trouble.MALFORMED),
    ],
)
def test_each_failure_of_a_dump_is_recognized(printed: str, trouble: Trouble) -> None:
    with pytest.raises(BadDump) as caught:
        read_dump(printed)
    assert caught.value.trouble is trouble


def test_emoji_are_kept_and_invalid_xml_characters_replaced() -> None:
    printed = hierarchy(node('text="&#55357;&#56832;|&#128512;|&#55357;|&#0;|\x01|&lt;&#10;"'))
    [window] = read_dump(printed).windows
    assert window.nodes[0].text == "😀|😀|\ufffd|\ufffd|\ufffd|<\n"


def test_too_deep_tree_is_rejected() -> None:
    printed = hierarchy("<node>" * (DEPTH + 1) + "</node>" * (DEPTH + 1))
    with pytest.raises(BadDump, match="levels"):
        read_dump(printed)


def test_entity_declarations_are_rejected() -> None:
    printed = '<!DOCTYPE x [<!ENTITY a "aaaa">]><hierarchy><node text="&a;"/></hierarchy>'
    with pytest.raises(BadDump, match="undefined entity"):
        read_dump(printed)


@given(st.text() | st.text(alphabet="<>/ hierarchynodeswplk=\"'[],0123456789&#;-"))
@example("<hierarchy></hierarchy>")
@example("<displays></displays>")
def test_any_text_is_a_dump_or_an_error(printed: str) -> None:
    with suppress(BadDump):
        read_dump(printed)


BARE = Flag.VISIBLE | Flag.ENABLED


@pytest.mark.parametrize(
    ("name", "rotation", "windows"),
    [
        ("settings-list-api26", 0, [("org.example.settings", 21)]),
        ("right-to-left-api28", 0, [("org.example.shop", 8)]),
        ("chat-emoji-api29", 0, [("org.example.chat", 10)]),
        ("web-page-api33", 0, [("org.example.browser", 16)]),
        ("compose-api34", 0, [("org.example.feed", 16)]),
        ("login-hint-api35", 0, [("org.example.bank", 8)]),
        ("turned-game-api30", 1, [("org.example.game", 3)]),
        ("deep-nest-few-attributes", 0, [(None, 25)]),
        ("lock-screen-api36", 0, [("com.android.systemui", 6)]),
        (
            "two-roots-vendor",
            0,
            [("org.example.pay", 3), ("com.android.systemui", 2), ("com.example.vendor.edge", 1)],
        ),
        (
            "every-window-api34",
            0,
            [
                ("com.android.systemui", 2),
                ("org.example.keyboard", 4),
                ("org.example.notes", 3),
                ("org.example.cover", 2),
            ],
        ),
    ],
)
def test_recorded_screen_is_parsed(
    name: str, rotation: int, windows: list[tuple[str | None, int]]
) -> None:
    dump = read_dump(fixtures.text(f"screens/{name}.xml"))
    assert (dump.rotation, dump.every_window) == (rotation, name.startswith("every-window"))
    assert [(window.package, len(window.nodes)) for window in dump.windows] == windows
    expected = dumps.read(fixtures.file(f"screens/{name}.xml"))
    assert sum(len(window.nodes) for window in dump.windows) == expected.nodes
    assert [[seen(each) for each in window.nodes] for window in dump.windows] == [
        [seen(each) for each in window.nodes] for window in expected.screen.windows
    ]


def seen(each: Node) -> tuple[object, ...]:
    """Return what both parsers report of a node, with None for missing attributes."""
    texts = (each.class_name, each.text, each.description, each.resource_id)
    return (each.depth, each.index, *(text or None for text in texts), upright(*each.bounds))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "settings-list-api26",
            Node(
                5, 3, "", "android.widget.Switch", "ON", None, "android:id/switch_widget",
                Bounds(900, 483, 1040, 555),
                int(BARE | Flag.CHECKABLE | Flag.CHECKED | Flag.CLICKABLE | Flag.FOCUSABLE),
            ),
        ),
        (
            "settings-list-api26",
            Node(
                3, 0, "", "android.support.v7.widget.RecyclerView", None, None,
                "org.example.settings:id/list", Bounds(0, 231, 1080, 1794),
                int(BARE | Flag.FOCUSABLE | Flag.SCROLLABLE | Flag.COLLECTION),
            ),
        ),
        (
            "chat-emoji-api29",
            Node(
                2, 1, "", "android.widget.TextView", "👩‍👩‍👧 🇨🇭 ❤️", "Family, Switzerland, heart",
                "org.example.chat:id/body", Bounds(40, 340, 800, 440),
                int(BARE | Flag.LONG_CLICKABLE),
            ),
        ),
        (
            "chat-emoji-api29",
            Node(
                1, 2, "", "android.widget.Button", None, "Send 🚀", "org.example.chat:id/send",
                Bounds(910, 2020, 1040, 2140), int(Flag.VISIBLE | Flag.CLICKABLE | Flag.FOCUSABLE),
            ),
        ),
        (
            "web-page-api33",
            Node(
                4, 0, "", "android.view.View", "Skip to content", None, None,
                Bounds(-24, -120, 1104, -8), int(BARE | Flag.CLICKABLE | Flag.FOCUSABLE),
            ),
        ),
        (
            "web-page-api33",
            Node(
                4, 3, "", "android.view.View", None, None, None, Bounds(540, 900, 540, 900),
                int(Flag.ENABLED),
            ),
        ),
        (
            "login-hint-api35",
            Node(
                2, 1, "", "android.widget.EditText", "Account number", None,
                "org.example.bank:id/account", Bounds(60, 520, 1020, 640),
                int(
                    BARE | Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.FOCUSABLE | Flag.FOCUSED
                    | Flag.EDITABLE | Flag.SHOWING_HINT
                ),
                drawing_order=1,
            ),
        ),
        (
            "login-hint-api35",
            Node(
                2, 2, "", "android.widget.EditText", "••••••", None, "org.example.bank:id/pin",
                Bounds(60, 660, 1020, 780),
                int(
                    BARE | Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.FOCUSABLE | Flag.PASSWORD
                    | Flag.EDITABLE
                ),
                drawing_order=2,
            ),
        ),
        (
            "deep-nest-few-attributes",
            Node(
                24, 0, "", "android.widget.Button", "At the bottom", None,
                "org.example.deep:id/bottom", Bounds(120, 120, 960, 240),
                int(Flag.VISIBLE | Flag.CLICKABLE),
            ),
        ),
    ],
)  # fmt: skip
def test_recorded_node_is_parsed_with_all_attributes(name: str, expected: Node) -> None:
    [window] = read_dump(fixtures.text(f"screens/{name}.xml")).windows
    assert window.nodes.count(expected) == 1


def test_recorded_windows_have_bounds_and_display() -> None:
    dump = read_dump(fixtures.text("screens/every-window-api34.xml"))
    assert [
        (one.type, one.title, one.bounds, one.layer, one.focused, one.display)
        for one in (*dump.windows, *dump.empty)
    ] == [
        ("SYSTEM", None, Bounds(0, 0, 1080, 63), 4, False, 0),
        ("INPUT_METHOD", "Keyboard", Bounds(0, 1500, 1080, 2400), 3, False, 0),
        ("APPLICATION", "Notes", Bounds(0, 0, 1080, 2400), 0, True, 0),
        ("APPLICATION", "Cover", Bounds(0, 0, 720, 748), 0, False, 7),
        ("ACCESSIBILITY_OVERLAY", "Drawn by a program", Bounds(900, 300, 1060, 460), 2, False, 0),
    ]


def test_first_of_several_roots_has_the_focus() -> None:
    dump = read_dump(fixtures.text("screens/two-roots-vendor.xml"))
    assert [window.focused for window in dump.windows] == [True, False, False]


def test_appium_page_source_is_rejected() -> None:
    with pytest.raises(BadDump, match=r"an element 'android\.widget\.FrameLayout'"):
        read_dump(fixtures.text("screens/page-source-appium.xml"))
