"""The testbed's awkward screens, and the clipboard."""

import pytest

from handheld.screen.model import Node
from handheld_virtual.system.clipboard import NO_OVERLAY, SENSITIVE, SHELL, Refused
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from testbed import show_scene
from testbed.awkward import Dialogs, SplitScreen

CALCULATOR = "com.android.calculator2"


def texts(world: World) -> list[str]:
    return [
        node.text
        for window in world.automation.read_windows()
        for node in window.nodes
        if node.text
    ]


def view(world: World, text: str) -> Node:
    return next(
        node
        for window in world.automation.read_windows()
        for node in window.nodes
        if node.text == text
    )


def tap(world: World, text: str) -> None:
    left, top, right, bottom = view(world, text).bounds
    x, y = (left + right) / 2, (top + bottom) / 2
    world.touch("down", 0, x, y)
    world.touch("up", 0, x, y)


async def test_a_restless_screen_moves_while_it_is_at_the_front() -> None:
    clock = ManualClock()
    world = World(clock=clock)
    show_scene(world, "restless")
    await clock.advance(160)
    assert "Frame 10" in texts(world)
    seq = world.automation.seq
    await clock.advance(1000)
    assert world.automation.seq - seq == 10, "reported at most every 100 ms"
    world.press("home")
    await clock.advance(100)
    seq = world.automation.seq
    await clock.advance(1000)
    assert world.automation.seq == seq


async def test_a_frozen_app_answers_again_after_its_time() -> None:
    clock = ManualClock()
    world = World(clock=clock)
    scene = show_scene(world, "freezing", ms="3000")
    tap(world, "Freeze")
    assert world.automation.missing() == [
        {"window": scene.window and scene.window.id, "package": scene.app.package,
         "reason": "timeout"}
    ]  # fmt: skip
    await clock.advance(3000)
    assert world.automation.missing() == []
    assert "Awake" in texts(world)


def test_a_secure_screen_is_black_and_named() -> None:
    world = World()
    show_scene(world, "secure")
    assert world.screen.secure_windows == ["Testbed"]
    assert world.picture().getpixel((540, 1200)) == (0, 0, 0)
    world.press("home")
    assert world.screen.secure_windows == []


def test_a_dialog_keeps_touches_from_what_is_below() -> None:
    world = World()
    scene = show_scene(world, "dialogs")
    assert isinstance(scene, Dialogs)
    shown = [
        window.title for window in world.automation.read_windows() if window.type == "APPLICATION"
    ]
    assert shown == ["Allow Testbed to ask?", "Testbed"]
    tap(world, "Ask")
    assert len(scene.dialogs) == 1
    tap(world, "No")
    assert (scene.answers, len(scene.dialogs)) == (["no"], 1)
    tap(world, "Yes")
    assert (scene.answers, scene.dialogs) == (["no", "yes"], [])
    assert "Answered no, yes" in texts(world)


def split(world: World) -> SplitScreen:
    scene = show_scene(world, "split_screen")
    assert isinstance(scene, SplitScreen)
    return scene


def halves(world: World) -> list[tuple[str, str | None, bool]]:
    return [
        (window.type, window.package, window.focused)
        for window in world.automation.read_windows()
        if window.type in ("APPLICATION", "SPLIT_SCREEN_DIVIDER")
    ]


def test_two_apps_share_the_screen() -> None:
    world = World()
    split(world)
    assert halves(world) == [
        ("SPLIT_SCREEN_DIVIDER", "com.android.systemui", False),
        ("APPLICATION", "dev.handheld.testbed", True),
        ("APPLICATION", CALCULATOR, False),
    ]
    upper, lower = view(world, "Upper half").bounds, view(world, "7").bounds
    assert 0 < upper.top < upper.bottom < 1200 < lower.top < lower.bottom < 2400


def test_the_half_that_is_touched_has_the_focus() -> None:
    world = World()
    scene = split(world)
    tap(world, "7")
    assert halves(world)[1:] == [
        ("APPLICATION", CALCULATOR, True),
        ("APPLICATION", "dev.handheld.testbed", False),
    ]
    assert world.front.app.package == CALCULATOR
    assert texts(world).count("7") == 2, "typed, and on its key"
    tap(world, "Tap")
    assert (scene.taps, world.front) == (1, scene)


def test_a_split_screen_is_left_and_found_again() -> None:
    world = World()
    scene = split(world)
    world.press("home")
    assert [part[1] for part in halves(world)] == ["com.android.launcher3"]
    world.launch(CALCULATOR)
    assert len(halves(world)) == 3
    world.tasks.finish(scene)
    assert [part[1] for part in halves(world)] == [CALCULATOR]
    left, top, right, bottom = world.windows()[-1].box
    assert (left, top, right, bottom) == (0, 0, 1080, 2400)


async def test_a_copied_text_is_forgotten_after_an_hour() -> None:
    clock = ManualClock()
    world = World(clock=clock)
    assert world.clipboard.paste() is None
    world.clipboard.copy("one")
    await clock.advance(3_599_000)
    world.clipboard.copy("two")
    await clock.advance(3_599_000)
    assert world.clipboard.paste() == "two"
    await clock.advance(1000)
    assert world.clipboard.paste() is None


async def test_android_12_keeps_what_was_copied() -> None:
    clock = ManualClock()
    world = World(clock=clock, api=32)
    world.clipboard.copy("kept")
    await clock.advance(10_000_000)
    assert world.clipboard.paste() == "kept"


def test_a_policy_keeps_everybody_from_the_clipboard() -> None:
    world = World()
    world.clipboard.refusal = "Disallowed by the device's owner."
    with pytest.raises(Refused, match="owner"):
        world.clipboard.copy("x")
    with pytest.raises(Refused, match="owner"):
        world.clipboard.paste()


def overlay(world: World) -> list[str | None]:
    """The texts that the phone shows about a copied text."""
    return [
        node.text
        for window in world.automation.read_windows()
        if window.title == "ClipboardOverlay"
        for node in window.nodes
        if node.text
    ]


async def test_since_android_13_a_copied_text_is_shown_for_some_seconds() -> None:
    clock = ManualClock()
    world = World(clock=clock, api=33)
    world.show(CALCULATOR)
    focused = world.focused_window
    world.clipboard.copy("one", "org.example.notes")
    assert overlay(world) == ["one"]
    assert world.focused_window is focused
    await clock.advance(3000)
    world.clipboard.copy("two", "org.example.notes")
    assert overlay(world) == ["two"]
    await clock.advance(5999)
    assert overlay(world) == ["two"]
    await clock.advance(1)
    assert overlay(world) == []


@pytest.mark.parametrize(
    ("api", "source", "extras", "shown"),
    [
        (32, "org.example.notes", (), []),
        (33, "org.example.vault", (SENSITIVE,), ["••••••"]),
        (34, SHELL, (), ["copied"]),
        (34, SHELL, (NO_OVERLAY,), []),
        (36, SHELL, (SENSITIVE, NO_OVERLAY), []),
        # The phone ignores the extra in an app's clip.
        (36, "org.example.notes", (NO_OVERLAY,), ["copied"]),
    ],
)
def test_what_is_shown_of_a_clip_goes_by_who_put_it_there_and_how(
    api: int, source: str, extras: tuple[str, ...], shown: list[str]
) -> None:
    world = World(api=api)
    world.clipboard.copy("copied", source, frozenset(extras))
    assert overlay(world) == shown


def test_a_locked_phone_shows_nothing_of_a_clip() -> None:
    world = World()
    world.locked = True
    world.clipboard.copy("copied", "org.example.notes")
    assert overlay(world) == []
