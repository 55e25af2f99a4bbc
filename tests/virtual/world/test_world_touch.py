"""Taps, long presses and drags; and that touches reach the view drawn at their point."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.input.touch import target_at
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from testbed import show, show_scene
from testbed.screens import Gestures

from .finger import Finger, centre


@pytest.fixture
def gestures(world: World) -> Gestures:
    screen = show_scene(world, "gestures")
    assert isinstance(screen, Gestures)
    return screen


def test_down_and_up_back_to_back_are_a_click(gestures: Gestures, finger: Finger):
    finger.tap("press")
    assert gestures.log == [("click",)]


async def test_half_second_press_is_a_long_press_and_not_a_click(
    world: World, gestures: Gestures, finger: Finger, clock: ManualClock
):
    x, y = centre(finger.find("press"))
    world.touch("down", 0, x, y)
    await clock.advance(499)
    world.touch("move", 0, x + 1, y)
    assert gestures.log == []
    await clock.advance(1)
    world.settle()
    assert gestures.log == [("long_click",)]
    world.touch("up", 0, x, y)
    assert gestures.log == [("long_click",)]


async def test_a_press_just_too_short_is_a_click(
    world: World, gestures: Gestures, finger: Finger, clock: ManualClock
):
    x, y = centre(finger.find("press"))
    world.touch("down", 0, x, y)
    await clock.advance(499)
    world.touch("up", 0, x, y)
    await clock.advance(1000)
    assert gestures.log == [("click",)]


async def test_two_taps_within_300_ms_are_a_double_tap(
    gestures: Gestures, finger: Finger, clock: ManualClock
):
    finger.tap("twice")
    await clock.advance(301)
    finger.tap("twice")
    assert gestures.log == [("tap",), ("tap",)]
    await clock.advance(100)
    finger.tap("twice")
    assert gestures.log == [("tap",), ("tap",), ("double_tap",), ("tap",)]


def test_a_cancelled_touch_does_nothing(world: World, gestures: Gestures, finger: Finger):
    x, y = centre(finger.find("press"))
    world.touch("down", 0, x, y)
    world.touch("cancel", 0, x, y)
    world.touch("up", 0, x, y)
    assert gestures.log == []


def test_a_finger_that_slides_off_a_button_does_not_click_it(
    world: World, gestures: Gestures, finger: Finger
):
    x, y = centre(finger.find("press"))
    world.touch("down", 0, x, y)
    world.touch("move", 0, x, y + 400)
    world.touch("up", 0, x, y)
    assert gestures.log == []


def test_disabled_button_consumes_the_tap(gestures: Gestures, finger: Finger):
    finger.tap("dead")
    assert gestures.log == []


def test_touch_is_ignored_while_the_screen_is_off(world: World, gestures: Gestures, finger: Finger):
    world.key(223)
    finger.tap("press")
    assert not world.press("home")
    world.key(224)
    assert gestures.log == []
    finger.tap("press")
    assert gestures.log == [("click",)]


def test_several_fingers_are_tracked_independently(
    world: World, gestures: Gestures, finger: Finger
):
    x, y = centre(finger.find("pad"))
    world.touch("down", 0, x, y)
    world.touch("down", 1, x + 50, y)
    world.touch("move", 0, x - 10, y)
    world.touch("move", 1, x + 60, y)
    world.touch("up", 1, x + 60, y)
    world.touch("cancel", 0, x - 10, y)
    assert gestures.log == [
        ("down", 0, x, y),
        ("down", 1, x + 50, y),
        ("move", 0, x - 10, y),
        ("move", 1, x + 60, y),
        ("move", 1, x + 60, y),
        ("up", 1, x + 60, y),
        ("cancel", 0, x, y),
    ]


def test_a_drag_scrolls_by_its_length_less_the_slop(world: World, finger: Finger):
    show_scene(world, "long_list")
    before = finger.find("Row 10").bounds.top
    finger.drag(500, 1500, 1000)
    assert finger.find("Row 10").bounds.top == before - 500 + 21


def test_a_drag_that_begins_on_a_button_does_not_click_it(world: World, finger: Finger):
    world.launch("com.android.settings")
    finger.drag(500, 1500, 1000)
    assert world.foreground == ("com.android.settings", "com.android.settings.Settings")


async def test_fast_swipe_flings_and_slow_swipe_does_not(
    world: World, finger: Finger, clock: ManualClock
):
    async def swipe(step_ms: float, rest_ms: float) -> int:
        show_scene(world, "long_list")
        world.touch("down", 0, 500, 1500)
        for step in range(1, 11):
            await clock.advance(step_ms)
            world.touch("move", 0, 500, 1500 - 50 * step)
        await clock.advance(rest_ms)
        world.touch("up", 0, 500, 1000)
        return int((finger.text("title") or "").removeprefix("Row "))

    assert await swipe(10, 0) > 5
    assert await swipe(10, 200) == 2


SCREENS = (
    "com.android.launcher3",
    "com.android.calculator2",
    "com.android.settings",
    "dev.handheld.form",
    "dev.handheld.gallery",
    "mixed",
    "equal_rows",
    "gestures",
    "long_list",
    "hostile",
)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("turned", [0, 1])
def test_a_touch_on_a_visible_clickable_node_reaches_it_or_one_drawn_above(
    world: World, screen: str, turned: int
):
    world.rotate(turned)
    show(world, screen)
    windows = world.windows()
    checked = 0
    for window, read in zip(windows, world.automation.read_windows(), strict=True):
        order = {window.key_of(view): n for n, view in enumerate(window.root.walk())}
        for node in read.nodes:
            if node.flags & Flag.VISIBLE and node.flags & Flag.CLICKABLE:
                x, y = centre(node)
                above = next(
                    w for w in windows if w.box[0] <= x < w.box[2] and w.box[1] <= y < w.box[3]
                )
                if above is not window:
                    continue
                target = target_at(window.root, x, y, window.box)
                assert target is not None
                assert order[target.key] >= order[node.key]
                checked += 1
    assert checked >= 3
