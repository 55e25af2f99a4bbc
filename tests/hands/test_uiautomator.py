"""What uiautomator writes, from many phones, and what it writes instead."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.hands.uiautomator import (
    DEPTH,
    BadDump,
    Dump,
    DumpedWindow,
    Trouble,
    read_dump,
)
from handheld.ui.model import Bounds, Flag, Node
from ui import corpus, trees

SAID = "UI hierchary dumped to: /data/local/tmp/x.xml\n"
HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
DUMPS = [name for name in corpus.names() if name.endswith(".xml")]


def node(attributes: str = "", inside: str = "") -> str:
    return f'<node index="0" class="android.view.View" {attributes}>{inside}</node>'


def hierarchy(inside: str) -> str:
    return f'{SAID}{HEAD}<hierarchy rotation="1">{inside}</hierarchy>'


def test_one_window_is_read_whole() -> None:
    said = hierarchy(
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
    assert read_dump(said) == Dump([window], [], 1, every_window=False)


def test_every_window_is_read_with_those_that_gave_nothing() -> None:
    said = (
        f'{HEAD}<displays><display id="0">'
        '<window index="0" title="Bar" bounds="[0,0][1080,63]" active="false" focused="false"'
        ' id="12" layer="1" type="TYPE_SYSTEM" />'
        '<window index="1" title="" bounds="[0,0][1080,2400]" active="true" focused="true"'
        ' id="9" layer="0" type="TYPE_APPLICATION">'
        '<window index="0" title="Inner" bounds="[1,2][3,4]" focused="false" layer="2"'
        f' type="TYPE_APPLICATION"><hierarchy rotation="0">{node()}</hierarchy></window>'
        f'<hierarchy rotation="0">{node()}</hierarchy></window></display></displays>{SAID}'
    )
    dump = read_dump(said)
    assert dump.every_window
    assert [(one.type, one.title, one.bounds, one.layer) for one in dump.empty] == [
        ("SYSTEM", "Bar", Bounds(0, 0, 1080, 63), 1)
    ]
    assert [(one.title, one.focused, len(one.nodes)) for one in dump.windows] == [
        ("Inner", False, 1),
        (None, True, 1),
    ]


@pytest.mark.parametrize(
    ("said", "trouble"),
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
def test_what_is_printed_instead_is_told_apart(said: str, trouble: Trouble) -> None:
    with pytest.raises(BadDump) as caught:
        read_dump(said)
    assert caught.value.trouble is trouble


def test_emoji_come_whole_and_what_no_xml_may_hold_is_replaced() -> None:
    said = hierarchy(node('text="&#55357;&#56832;|&#128512;|&#55357;|&#0;|\x01|&lt;&#10;"'))
    [window] = read_dump(said).windows
    assert window.nodes[0].text == "😀|😀|\ufffd|\ufffd|\ufffd|<\n"


def test_a_tree_without_end_is_refused() -> None:
    said = hierarchy("<node>" * (DEPTH + 1) + "</node>" * (DEPTH + 1))
    with pytest.raises(BadDump, match="levels"):
        read_dump(said)


def test_no_entity_is_declared() -> None:
    said = '<!DOCTYPE x [<!ENTITY a "aaaa">]><hierarchy><node text="&a;"/></hierarchy>'
    with pytest.raises(BadDump, match="undefined entity"):
        read_dump(said)


@given(st.text() | st.text(alphabet="<>/ hierarchynodeswplk=\"'[],0123456789&#;-"))
@example("<hierarchy></hierarchy>")
@example("<displays></displays>")
def test_any_text_is_a_dump_or_a_reason(said: str) -> None:
    with suppress(BadDump):
        read_dump(said)


@pytest.mark.skipif(not DUMPS, reason="the captured screens are not here")
@pytest.mark.parametrize("name", DUMPS)
def test_screens_of_real_phones_are_read(name: str) -> None:
    said = (trees.SHARED / "corpus" / name).read_bytes().decode("utf-8", "replace")
    if "<node" not in said:
        with pytest.raises(BadDump, match="The dump has an element 'android"):
            read_dump(said)  # a page source of Appium's, which no phone writes
        return
    [captured] = corpus.read(name)
    dump = read_dump(said)
    assert sum(len(window.nodes) for window in dump.windows) == captured.nodes
