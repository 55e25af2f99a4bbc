"""Awkward properties of Android that the phone has: a stale cache, changing window ids."""

from handheld.screen.model import Window
from handheld_virtual.reference_helper.node_cache import NodeCache
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from testbed import show_scene
from testbed.screens import ChangingText


def counter(windows: list[Window]) -> str | None:
    [text] = [
        node.text
        for window in windows
        for node in window.nodes
        if node.resource_id == "dev.handheld.testbed:id/counter"
    ]
    return text


async def test_uncleared_node_cache_misses_a_change_with_a_delayed_event() -> None:
    clock = ManualClock()
    world = World(clock=clock)
    show_scene(world, "changing_text")
    scene = world.front
    assert isinstance(scene, ChangingText)
    cache = NodeCache(world)
    scene.more()  # its event is sent at once; that of the next change is delayed by 100 ms
    assert counter(cache.windows()) == "1"
    scene.more()
    assert counter(cache.windows()) == "1"
    cache.clear()
    assert counter(cache.windows()) == "2"
    scene.more()
    assert counter(cache.windows()) == "2"
    await clock.advance(100)
    assert counter(cache.windows()) == "3"


def test_window_ids_change_after_accessibility_was_off() -> None:
    world = World(clock=ManualClock())
    world.show("com.android.calculator2")
    world.automation.take("one")
    before = world.automation.read_windows()
    world.automation.release("one")
    world.automation.take("two")
    after = world.automation.read_windows()
    assert not {window.id for window in before} & {window.id for window in after}
    assert [window.title for window in before] == [window.title for window in after]
    old = next(node.key for window in before for node in window.nodes if node.text == "7")
    new = next(node.key for window in after for node in window.nodes if node.text == "7")
    assert world.automation.node(old) is None
    seven = world.automation.node(new)
    assert seven is not None
    assert (seven.key, seven.text) == (new, "7")
    assert world.automation.perform(new, "click")
    [formula] = [
        node.text
        for window in world.automation.read_windows()
        for node in window.nodes
        if node.resource_id == "com.android.calculator2:id/formula"
    ]
    assert formula == "7"


async def test_nothing_becomes_due_between_a_comparison_and_the_action_after_it() -> None:
    clock = ManualClock()
    world = World(clock=clock)
    happened: list[str] = []
    world.timers.after(50, lambda: happened.append("change"))
    with world.timers.one_moment():
        await clock.advance(100)
        world.settle()
        assert happened == []
    world.settle()
    assert happened == ["change"]
