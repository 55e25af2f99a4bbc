"""What Android knows beyond a dump, in the rows that a model gets."""

import pytest

from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene
from testbed.screens import Described, LongList

from .conftest import AgentBench
from .test_actions import both


def described(bench: AgentBench, **extras: str) -> Described:
    scene = show_scene(bench.world, "described", **extras)
    assert isinstance(scene, Described)
    return scene


async def test_rows_have_the_states_that_views_tell(bench: AgentBench) -> None:
    described(bench, waiting="yes")
    header, *rows = await bench.look()
    assert header == 'dev.handheld.testbed "Testbed | Profile" s1'
    assert rows == [
        '"Account" heading',
        'a1 field "Email" empty error "Not an address" hint "name@example.com"',
        'a2 "Ringer" = "Vibrate"',
        'a3 slider "Level, 40%" = 40 of 0–100',
        "progress #done = 2500 of 0–10000",
        'a4 "More" collapsed',
        'a5 check "All files" off',
        "loading",
    ]


@pytest.mark.parametrize("agent_by", ["shell"], indirect=True)
@pytest.mark.by_shell
async def test_without_the_helper_nothing_is_guessed(bench: AgentBench) -> None:
    described(bench, waiting="yes")
    header, *rows = await bench.look()
    assert header == 'dev.handheld.testbed "Testbed" s1'
    assert "heading" not in "".join(rows)
    assert not any("loading" in row or "= 40" in row for row in rows)


async def test_a_state_that_changes_is_the_answer_to_an_action(bench: AgentBench) -> None:
    described(bench)
    await bench.look()
    assert (await bench.call("tap", at="More")).split("\n")[1:] == [
        "s2:",
        '~ a4 "More" expanded',
    ]


async def test_another_pane_is_another_screen(bench: AgentBench) -> None:
    described(bench)
    await bench.look()
    reply = (await bench.call("tap", at="Ringer")).split("\n")
    assert reply[1] == 'dev.handheld.testbed "Testbed | Security" s2'
    assert 'a4 "More" collapsed' in reply


async def test_a_field_with_content_keeps_its_name(bench: AgentBench) -> None:
    scene = described(bench)
    scene.email.content = "a@b.c"
    assert scene.email.told is not None
    scene.email.told.error = None
    assert 'a1 field "Email" = "a@b.c"' in await bench.look()
    scene.email.told = None
    assert any(' field "name@example.com" = "a@b.c"' in row for row in await bench.look())


async def test_a_field_is_found_by_its_label_and_by_its_hint(bench: AgentBench) -> None:
    described(bench)
    for words in ("Email", "name@example.com"):
        assert 'field "Email"' in await bench.call("tap", at=words)


async def test_a_list_says_which_rows_are_shown_and_where_more_are(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "long_list", count="200")
    assert isinstance(scene, LongList)
    [rows] = [
        view
        for window in bench.world.windows()
        for view in window.root.walk()
        if isinstance(view, RecycledList)
    ]
    header = (await bench.look())[1]
    assert header == f"list a1, 1–{len(rows.children)} of 200, more below:"
    rows.scroll_by(rows.viewport)
    header = (await bench.look())[1]
    first, last = rows.first + 1, rows.first + len(rows.children)
    assert header == f"list a1, {first}–{last} of 200, more above, more below:"
    rows.scroll_by(rows.extent)
    assert (await bench.look())[1].endswith(" of 200, more above:")


@both
async def test_a_locked_phone_and_a_dark_screen_are_in_the_first_line(bench: AgentBench) -> None:
    bench.world.locked = True
    header, *rows = await bench.look()
    assert header.endswith(" s1, locked")
    bench.world.awake = False
    header, *rows = await bench.look()
    assert header.endswith(" s2, locked, screen off")
    assert not any("is locked" in row or "screen is off" in row for row in rows)
