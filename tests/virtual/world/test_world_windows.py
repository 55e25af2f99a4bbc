"""Windows, focus, keys of views, and accessibility events."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.model import Flag
from handheld_virtual.automation import AutomationHeld
from handheld_virtual.boot import reboot
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Scroll
from handheld_virtual.views.widgets.basic import Text
from handheld_virtual.world import Event, World
from harness.polling import HANG
from testbed import show, show_nodes, show_scene
from testbed.screens import EqualRows, LongList

from .finger import Finger, centre

SCREENS = ("com.android.settings", "dev.handheld.form", "com.android.calculator2", "mixed")
HOME = ("com.android.launcher3", "com.android.launcher3.uioverrides.QuickstepLauncher")


async def begun(clock: ManualClock) -> None:
    """Wait until a task waits for the clock."""
    async with asyncio.timeout(HANG):
        while not clock.sleepers:  # noqa: ASYNC110 (the clock has no event for it)
            await asyncio.sleep(0)


def test_windows_are_listed_top_first_with_falling_layers(world: World):
    world.launch("com.android.calculator2")
    assert [
        (w.id, w.type, w.package, w.title, w.layer, w.focused)
        for w in world.automation.read_windows()
    ] == [
        (2, "SYSTEM", "com.android.systemui", "Navigation bar", 2, False),
        (1, "SYSTEM", "com.android.systemui", "Status bar", 1, False),
        (4, "APPLICATION", "com.android.calculator2", "Calculator", 0, True),
    ]


def test_back_closes_pages_and_then_goes_home(world: World, finger: Finger):
    world.launch("com.android.settings")
    finger.tap("Apps")
    world.press("back")
    assert world.foreground == ("com.android.settings", "com.android.settings.Settings")
    world.press("back")
    assert world.foreground == HOME
    world.press("back")
    assert world.foreground == HOME


def test_the_buttons_of_the_navigation_bar_press(world: World, finger: Finger):
    world.launch("com.android.settings")
    finger.tap("Apps", "back")
    assert world.foreground == ("com.android.settings", "com.android.settings.Settings")
    finger.tap("home")
    assert world.foreground == HOME


def test_a_window_id_is_never_used_again(world: World, finger: Finger):
    world.launch("com.android.settings")
    seen = {world.automation.read_windows()[-1].id}
    for _ in range(3):
        finger.tap("Apps")
        page = world.automation.read_windows()[-1].id
        assert page not in seen
        seen.add(page)
        world.press("back")
    assert world.automation.read_windows()[-1].id == min(seen)


@pytest.mark.parametrize(("api", "kept"), [(30, False), (31, True)])
def test_back_on_the_first_screen_keeps_it_since_android_12(api: int, kept: bool):
    world = World(clock=ManualClock(), api=api)
    world.launch("com.android.calculator2")
    before = world.automation.read_windows()[-1].id
    world.press("back")
    world.launch("com.android.calculator2")
    assert (world.automation.read_windows()[-1].id == before) is kept


def test_unsupported_button_is_refused(world: World):
    assert not world.press("fire")


def test_a_dialog_is_a_window_that_keeps_touches_from_what_is_below(world: World, finger: Finger):
    show_scene(world, "mixed")
    finger.tap("ask")
    windows = world.automation.read_windows()
    assert [w.title for w in windows] == ["Navigation bar", "Status bar", "Really?", "Testbed"]
    assert [w.focused for w in windows] == [False, False, True, False]
    box = finger.find("box")
    finger.tap("box")
    assert not finger.find("box").flags & Flag.CHECKED
    assert world.automation.node(box.key) == box
    finger.tap("Cancel")
    finger.tap("box")
    assert finger.find("box").flags & Flag.CHECKED
    finger.tap("ask")
    world.press("back")
    assert len(world.automation.read_windows()) == 3


def test_scrolling_a_recycled_list_reuses_views_and_their_keys(world: World, finger: Finger):
    world.launch("com.android.settings")
    rows = {n.key: n.text for n in finger.nodes() if n.resource_id == "android:id/title"}
    finger.drag(500, 1800, 600)
    after = {n.key: n.text for n in finger.nodes() if n.resource_id == "android:id/title"}
    again = rows.keys() & after.keys()
    assert any(rows[key] != after[key] for key in again)
    assert {rows[key] for key in again} & set(after.values())
    assert len(after) <= len(rows) + 1


def test_rows_off_the_screen_are_not_in_the_tree(world: World, finger: Finger):
    show_scene(world, "long_list", count="100000")
    titles = [n.text for n in finger.nodes() if (n.resource_id or "").endswith("/title")]
    assert titles == [f"Row {number}" for number in range(len(titles))]
    assert len(titles) < 20
    collection = finger.find("list")
    assert collection.flags & Flag.COLLECTION
    assert collection.flags & Flag.SCROLLABLE


def test_a_row_acts_for_its_own_position_after_recycling(world: World, finger: Finger):
    screen = show_scene(world, "long_list")
    assert isinstance(screen, LongList)
    for _ in range(3):
        world.automation.perform(finger.find("list").key, "scroll_forward")
    shown = finger.text("title")
    button = finger.find("open")
    assert world.automation.perform(button.key, "click")
    assert [f"Row {position}" for position in screen.clicked] == [shown]


def test_a_view_keeps_its_key_wherever_it_scrolls(world: World, finger: Finger):
    show_scene(world, "mixed")
    far = finger.find("far")
    assert not far.flags & Flag.VISIBLE
    assert world.automation.perform(finger.find("scroll").key, "scroll_forward")
    while world.automation.perform(finger.find("scroll").key, "scroll_forward"):
        pass
    near = finger.find("far")
    assert near.key == far.key
    assert near.flags & Flag.VISIBLE
    assert near.bounds != far.bounds
    assert world.automation.node(far.key) == near


def test_an_action_that_a_view_does_not_take_is_refused(world: World, finger: Finger):
    show_scene(world, "gestures")
    assert not world.automation.perform(finger.find("dead").key, "click")
    assert not world.automation.perform(finger.find("pad").key, "scroll_forward")
    assert not world.automation.perform(finger.find("pad").key, "focus")
    with pytest.raises(KeyError):
        world.automation.perform("999:1:-1", "click")
    assert world.automation.node("999:1:-1") is None


def test_equal_rows_have_keys_of_their_own(world: World, finger: Finger):
    screen = show_scene(world, "equal_rows")
    assert isinstance(screen, EqualRows)
    deletes = [n for n in finger.nodes() if n.text == "Delete"]
    assert len({n.key for n in deletes}) == 4
    world.automation.perform(deletes[2].key, "click")
    assert screen.deleted == ["Cy"]


def test_a_screen_of_so_many_nodes_has_exactly_so_many(world: World, finger: Finger):
    for count in (50, 500, 501, 997):
        show_nodes(world, count)
        assert len(finger.nodes()) == count
    assert all(n.flags & Flag.VISIBLE for n in finger.nodes())
    described = [n.description for n in finger.nodes() if (n.description or "").startswith("Row")]
    assert described[:3] == ["Row 0", "Row 5", "Row 10"]


def test_nodes_are_in_pre_order_with_depth_and_index(world: World):
    world.launch("com.android.calculator2")
    for window in world.automation.read_windows():
        path: list[int] = []
        for node in window.nodes:
            assert node.depth <= len(path)
            expected = path[node.depth] + 1 if node.depth < len(path) else 0
            del path[node.depth :]
            path.append(expected)
            assert node.index == expected


async def test_content_changes_are_reported_once_per_100_ms_for_a_window(
    world: World, finger: Finger, clock: ManualClock
):
    show_scene(world, "changing_text")
    await clock.advance(1000)
    sent = world.screen.changes.sent
    sent.clear()

    def changed() -> int:
        world.settle()
        return [event.kind for event in sent].count("WINDOW_CONTENT_CHANGED")

    finger.tap("more", "more", "more")
    assert changed() == 1
    await clock.advance(99)
    assert changed() == 1
    await clock.advance(1)
    assert changed() == 2
    await clock.advance(1000)
    assert changed() == 2


async def test_waiting_for_a_change_ends_with_the_change(
    world: World, finger: Finger, clock: ManualClock
):
    show_scene(world, "changing_text")
    await clock.advance(1000)
    waiting = asyncio.create_task(world.automation.wait_changed(world.automation.seq, 5000))
    await begun(clock)
    assert not waiting.done()
    finger.tap("more")
    assert await waiting == world.automation.seq


async def test_waiting_for_a_change_ends_when_its_time_is_over(world: World, clock: ManualClock):
    before = world.automation.seq
    waiting = asyncio.create_task(world.automation.wait_changed(before, 5000))
    await begun(clock)
    await clock.advance(4999)
    assert not waiting.done()
    await clock.advance(1)
    assert await waiting == before


def test_reboot_counts_one_event_for_the_home_screen(world: World):
    before = world.automation.seq
    reboot(world)
    assert (world.automation.seq, world.foreground) == (before + 1, HOME)


async def test_delayed_change_still_wakes_waiters(world: World, finger: Finger, clock: ManualClock):
    show_scene(world, "changing_text")
    await clock.advance(1000)
    finger.tap("more", "more")
    count = world.automation.seq
    waiting = asyncio.create_task(world.automation.wait_changed(count, 5000))
    await begun(clock)
    await clock.advance(100)
    assert await waiting == count + 1


async def test_a_wait_that_is_cancelled_leaves_nothing_behind(world: World, clock: ManualClock):
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(world.automation.wait_changed(world.automation.seq, 5000))
    await begun(clock)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert clock.sleepers == 0
    assert asyncio.all_tasks() == before


async def test_a_screen_changes_by_itself_as_the_clock_goes(
    world: World, finger: Finger, clock: ManualClock
):
    show_scene(world, "changing_text", every="250")
    await clock.advance(1000)
    assert finger.text("counter") == "4"
    world.press("home")
    left = world.automation.seq
    await clock.advance(10_000)
    assert world.automation.seq == left


async def test_the_status_bar_tells_the_time(world: World, finger: Finger, clock: ManualClock):
    assert finger.text("clock") == "9:41"
    before = world.automation.seq
    await clock.advance(60_000)
    assert (finger.text("clock"), world.automation.seq) == ("9:42", before + 1)


def test_a_frozen_app_gives_no_root_and_takes_no_touch(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    x, y = centre(finger.find("digit_5"))
    world.frozen_packages.add("com.android.calculator2")
    assert [w.package for w in world.automation.read_windows()] == ["com.android.systemui"] * 2
    assert world.automation.missing() == [
        {"window": 4, "package": "com.android.calculator2", "reason": "timeout"}
    ]
    finger.tap_at(x, y)
    world.frozen_packages.clear()
    assert world.automation.missing() == []
    assert finger.text("formula") == ""
    finger.tap_at(x, y)
    assert finger.text("formula") == "5"


async def test_a_new_window_may_have_no_root_for_a_moment(world: World, clock: ManualClock):
    world.transition_ms = 300
    world.launch("com.android.calculator2")
    assert [m["reason"] for m in world.automation.missing()] == ["no_root"] * len(
        world.automation.missing()
    )
    assert "com.android.calculator2" in {m["package"] for m in world.automation.missing()}
    await clock.advance(300)
    assert world.automation.missing() == []


def test_there_is_one_automation_at_a_time(world: World):
    world.automation.take("one")
    world.automation.take("one")
    with pytest.raises(AutomationHeld, match="held by one"):
        world.automation.take("two")
    world.automation.release("two")
    assert world.automation.holder == "one"
    world.automation.release("one")
    world.automation.take("two")
    assert world.automation.holder == "two"


@pytest.mark.parametrize(("way", "turned"), [("release", 1), ("keep", 0), ("lose", 0)])
def test_disconnecting_ui_automation_restores_the_rotation_lock(
    world: World, way: str, turned: int
):
    world.rotate(1)
    world.display.fix(False)
    world.automation.take("one")
    world.preferences.put("system", "user_rotation", "0")
    if way == "lose":
        world.automation.lose("one")
    else:
        world.automation.release("one", keep_rotation=way == "keep")
    assert (world.automation.holder, world.rotation) == (None, turned)


def test_disconnecting_ui_automation_locks_the_rotation_of_the_app(world: World):
    world.display.fix(False)
    world.display.force(1)
    world.automation.take("one")
    world.automation.release("one")
    world.display.force(None)
    assert (world.display.auto_rotate, world.rotation) == (False, 1)


def test_disconnecting_ui_automation_unlocks_the_rotation_if_it_was_free(world: World):
    world.automation.take("one")
    world.display.fix(False)
    world.automation.release("one")
    assert world.display.auto_rotate


def test_operations_are_recorded_in_order(world: World):
    world.launch("com.android.settings")
    world.touch("down", 0, 1, 2)
    world.touch("up", 0, 1, 2)
    world.press("back")
    world.key(66)
    world.type_text("x")
    assert world.events == [
        Event("launch", ("com.android.settings",)),
        Event("touch", ("down", 0, 1, 2)),
        Event("touch", ("up", 0, 1, 2)),
        Event("press", ("back",)),
        Event("key", (66,)),
        Event("type", ("x",)),
    ]


def test_the_log_of_events_is_bounded(world: World):
    for number in range(10_050):
        world.touch("cancel", 0, number, 0)
    assert len(world.events) <= 10_000
    assert world.events[-1] == Event("touch", ("cancel", 0, 10_049, 0))
    world.type_text("x" * 100_000)
    assert world.events[-1] == Event("type", ("x" * 1000,))


def test_a_turned_phone_is_laid_out_anew(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    world.rotate(1)
    assert (world.width, world.height, world.rotation) == (2400, 1080, 1)
    finger.tap("digit_7", "op_mul", "digit_6", "eq")
    assert finger.text("result") == "42"
    assert max(n.bounds.right for n in finger.nodes()) == 2400
    world.rotate(0)
    assert (world.width, world.height) == (1080, 2400)


def test_a_focused_field_is_scrolled_above_the_keyboard(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    notes = finger.find("notes")
    world.automation.perform(notes.key, "focus")
    keyboard = world.automation.read_windows()[2]
    assert keyboard.type == "INPUT_METHOD"
    assert finger.find("notes").bounds.bottom <= keyboard.nodes[0].bounds.top
    assert finger.find("notes").flags & Flag.FOCUSED


def test_an_empty_scroll_does_not_scroll():
    scroll = Scroll()
    assert not scroll.can_scroll()
    assert not scroll.scroll_by(10)


@given(st.lists(st.integers(0, 10_000), max_size=12), st.sampled_from(SCREENS))
def test_a_layout_that_reuses_what_did_not_change_equals_a_new_one(
    operations: list[int], screen: str
):
    world = World(clock=ManualClock())
    show(world, screen)
    for operation in operations:
        window = world.windows()[-1]
        view = list(window.root.walk())[operation % len(list(window.root.walk()))]
        if operation % 7 == 0:
            world.rotate(world.rotation + 1)
        elif operation % 7 == 1 and view.parent is not None:
            view.shown = not view.shown
        elif isinstance(view, Scroll):
            view.scroll_by(operation % 700 - 200)
        elif isinstance(view, Text):
            view.text = "word " * (operation % 23)
        else:
            view.take_focus()
        world.automation.read_windows()
    reused = world.automation.read_windows()
    for window in world.windows():
        for view in window.root.walk():
            view.stale = True
        window.tree_dirty()
    assert world.automation.read_windows() == reused
