"""The accessibility events of the virtual phone: their order and their delays."""

from handheld_virtual.packages.app import Activity, App
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column, Row
from handheld_virtual.views.reading.events import Changed
from handheld_virtual.views.view import View
from handheld_virtual.views.widgets.basic import Button, CheckBox, Text
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.world import World


async def show(clock: ManualClock, *views: View, api: int = 34) -> World:
    """A phone with these views in a column, before any event."""

    class Page(Activity):
        def content(self) -> View:
            return Column(*views)

    class PageApp(App):
        package, label = "org.example.page", "Page"
        screens = (Page,)

    world = World(clock=clock, api=api)
    world.install(PageApp)
    world.bring("org.example.page")
    await clock.advance(1000)
    world.settle()
    world.screen.changes.sent.clear()
    return world


def sent(world: World) -> list[tuple[str, View | None]]:
    world.settle()
    return [(event.kind, event.source) for event in world.screen.changes.sent]


async def test_changes_within_100_ms_are_one_event_of_the_view_around_them() -> None:
    clock, one, two, first = ManualClock(), Text("one"), Text("two"), Text("first")
    both = Row(one, two)
    world = await show(clock, first, both)
    first.text, one.text, two.description = "1", "2", "3"
    await clock.advance(99)
    assert sent(world) == [("WINDOW_CONTENT_CHANGED", first)]
    await clock.advance(1)
    assert sent(world)[1:] == [("WINDOW_CONTENT_CHANGED", both)]
    assert world.screen.changes.sent[-1].changes == Changed.TEXT | Changed.DESCRIPTION


async def test_a_click_is_sent_after_its_listener_and_a_checked_state_100_ms_later() -> None:
    clock, said = ManualClock(), Text("")
    box = CheckBox("Box", on_change=lambda on: setattr(said, "text", str(on)))
    world = await show(clock, box, said)
    box.click()
    assert sent(world) == [("WINDOW_CONTENT_CHANGED", said), ("VIEW_CLICKED", box)]
    await clock.advance(100)
    assert sent(world)[2:] == [("WINDOW_CONTENT_CHANGED", box)]


async def test_a_view_that_closes_its_window_sends_no_click() -> None:
    clock = ManualClock()
    button = Button("Home", lambda: world.press("home"))
    world = await show(clock, button)
    button.click()
    assert ("VIEW_CLICKED", button) not in sent(world)


async def test_a_moved_cursor_is_an_event_but_no_change_of_the_screen() -> None:
    clock, field = ManualClock(), Field("words")
    world = await show(clock, field)
    before = world.automation.seq
    field.edit(lambda: field.editing.select(2, 2))
    assert sent(world) == [("VIEW_TEXT_SELECTION_CHANGED", field)]
    assert world.automation.seq == before


async def test_set_text_reports_the_cursor_at_the_start_then_the_text() -> None:
    clock, field = ManualClock(), Field("words")
    world = await show(clock, field)
    moved, changed = ("VIEW_TEXT_SELECTION_CHANGED", field), ("WINDOW_CONTENT_CHANGED", field)
    field.content = "other words"
    assert sent(world) == [moved, changed]
    assert world.screen.changes.sent[0].details == {"from": 0, "to": 0, "items": 11}
    await clock.advance(200)
    world.screen.changes.sent.clear()
    field.set_text("one")
    assert sent(world) == [moved, changed, moved]
    assert world.screen.changes.sent[2].details == {"from": 3, "to": 3, "items": 3}


async def test_that_a_view_is_gone_is_not_reported_up_to_android_11() -> None:
    for api, expected in ((30, []), (31, ["WINDOW_CONTENT_CHANGED"])):
        clock, note = ManualClock(), Text("note")
        world = await show(clock, note, api=api)
        note.shown = False
        assert [kind for kind, _ in sent(world)] == expected


async def test_a_disabled_view_gives_the_focus_to_the_first_one_unless_a_finger_was_used() -> None:
    for finger in (False, True):
        clock, first, second = ManualClock(), Button("One"), Field("")
        world = await show(clock, first, second)
        world.touch_mode.on = finger
        second.take_focus()
        second.enabled = False
        assert first.focused is not finger
        assert not second.focused
