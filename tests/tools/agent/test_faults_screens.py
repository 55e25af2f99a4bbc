"""Screens that never rest, do not answer, are huge, deep or full of strange letters."""

import json

import pytest

from handheld.errors import ToolError
from handheld.screen.rows.screen import rows_of
from handheld_virtual.views.layout import Column, Frame
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from screen.trees import node, screen, window
from testbed import show_nodes, show_scene
from testbed.screens import ChangingText, Nodes

from .conftest import AgentBench
from .pages import items, show

pytestmark = pytest.mark.matrix

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


@pytest.mark.parametrize("every", ["50", "200"])
async def test_a_screen_that_never_rests_is_tapped_once_and_shown(
    bench: AgentBench, every: str
) -> None:
    scene = show_scene(bench.world, "changing_text", every=every)
    assert isinstance(scene, ChangingText)
    pressed: list[int] = []
    scene.button.on_click = lambda: pressed.append(1)
    await bench.look()
    before = bench.clock.now()
    reply = await bench.call("tap", at="More")
    assert "Still changing." in reply
    assert '"More"' in reply.partition("\n")[2]
    assert pressed == [1]
    assert bench.clock.now() - before <= 4000


async def test_waiting_for_a_screen_that_never_rests_ends(bench: AgentBench) -> None:
    show_scene(bench.world, "changing_text", every="50")
    before = bench.clock.now()
    failed = await bench.failure("wait", seconds=2)
    assert failed.message == "Not yet after 2 s. Call phone_wait again to go on waiting."
    assert bench.clock.now() - before <= 3000


@both
async def test_an_app_that_does_not_answer_is_not_shown_as_an_empty_screen(
    bench: AgentBench,
) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    ref = await bench.ref("More")
    bench.device.faults.freeze("dev.handheld.testbed")
    result = await bench._result("look", {})
    text = "\n".join(part["text"] for part in result["content"])
    assert "Testbed" in text or "dev.handheld.testbed" in text
    result = await bench._result("tap", {"at": ref})
    assert result.get("isError")
    text = "\n".join(part["text"] for part in result["content"])
    assert "is gone" not in text
    assert scene.count == 0


@pytest.mark.matrix
async def test_five_thousand_nodes_are_shown_and_tapped(bench: AgentBench) -> None:
    show_nodes(bench.world, 5000)
    scene = bench.world.front
    assert isinstance(scene, Nodes)
    rows = await bench.look()
    named = [(ref, words) for row in rows[1:] for ref, words in items(row) if ref]
    assert len({ref for ref, _ in named}) == len(named) > 100
    ref, words = named[len(named) // 2]
    assert (await bench.call("tap", at=ref)).startswith(f'Tapped {ref} "{words}".')


async def test_a_deep_tree_is_shown_and_tapped(bench: AgentBench) -> None:
    tapped: list[int] = []

    def content() -> View:
        view: View = Button("Deep", lambda: tapped.append(1))
        for _ in range(60):
            view = Frame(view, width=MATCH)
        return view

    show(bench, content)
    await bench.call("tap", at="Deep")
    assert tapped == [1]


def test_a_tree_of_any_depth_is_printed() -> None:
    deep = [node(depth) for depth in range(5000)]
    deep.append(node(5000, 0, "android.widget.TextView", "Deep", bounds=(0, 0, 100, 100)))
    rows = rows_of(screen(window(*deep)), lambda place: "k1")
    assert [row.text for row in rows.rows] == ['"Deep"']


STRANGE = [
    "עברית",
    "العربية",
    "漢字かな",
    "한국어",
    "हिन्दी",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈 Pride",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
    "ｗｉｄｅ",
    "Café",
    "\u202eevil\u202c",
    "lone \ud800 surrogate",
    "icon \ue001 font",
]


@pytest.mark.matrix
@both
async def test_what_is_printed_can_be_tapped_by_its_words(bench: AgentBench) -> None:
    tapped: list[str] = []

    def button(text: str) -> Button:
        return Button(text, lambda: tapped.append(text), height=40)

    # uiautomator itself breaks off at a lone surrogate.
    strange = [text for text in STRANGE if bench.by == "helper" or "\ud800" not in text]
    show(bench, lambda: Column(*map(button, strange)))
    rows = (await bench.look())[1:]
    json.dumps(rows, ensure_ascii=False).encode()
    printed = [words for row in rows for ref, words in items(row) if ref]
    assert len(printed) == len(strange)
    for words in printed:
        await bench.call("tap", at=words)
    assert sorted(tapped) == sorted(strange)
    tapped.clear()
    given = [text for text in strange if "\ud800" not in text]
    for words in given:
        await bench.call("tap", at=words)
    assert tapped == given


async def test_texts_without_letters_have_a_row(bench: AgentBench) -> None:
    """Only private glyphs: an icon font. It is not lost, and named by its id or place."""
    show(
        bench,
        lambda: Column(
            Button("\ue001", lambda: None, id="menu"), Button("\u200b", lambda: None), Text("x")
        ),
    )
    rows = "\n".join(await bench.look())
    assert "#menu" in rows
    assert "unnamed" in rows


async def test_an_error_never_carries_a_lone_surrogate(bench: AgentBench) -> None:
    show(bench, lambda: Column(Button("x\ud800", lambda: None)))
    failed = await bench.failure("tap", at="x y")
    assert isinstance(failed, ToolError)
    failed.message.encode()
