"""Two agents on one phone, and screens that change between two calls."""

import asyncio

from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import View
from handheld_virtual.views.widgets.basic import Button, Text
from testbed import show_scene
from testbed.screens import ChangingText

from .conftest import AgentBench
from .pages import items, show


class Lines:
    """A page with several lines that the test changes."""

    def __init__(self, bench: AgentBench) -> None:
        self.tapped = 0
        self.texts = [Text(f"Line {number} of this page") for number in range(12)]
        show(bench, self._content)

    def _content(self) -> View:
        self.column = Column(*self.texts, Button("Tap", self._tap), gap=24)
        return self.column

    def replace_button(self) -> None:
        self.column.remove(self.column.children[-1])
        self.column.add(Button("Tap", self._tap, id="again"))

    def _tap(self) -> None:
        self.tapped += 1
        self.texts[11].text = f"Tapped {self.tapped}"


async def test_what_changed_before_an_action_is_in_its_reply(bench: AgentBench) -> None:
    """The screen that words are looked up on was not shown to anybody."""
    page = Lines(bench)
    await bench.look()
    page.texts[0].text = "Payment failed"
    assert '~ "Payment failed"' in (await bench.call("tap", at="Tap")).split("\n")


async def test_what_changed_is_told_though_the_known_element_was_replaced(
    bench: AgentBench,
) -> None:
    """The element that was shown is tried first: that it is gone is no reply to anybody."""
    page = Lines(bench)
    await bench.look()
    page.texts[0].text = "Payment failed"
    page.replace_button()
    assert '~ "Payment failed"' in (await bench.call("tap", at="Tap")).split("\n")
    assert page.tapped == 1


async def test_what_changed_before_a_failure_is_shown_with_the_next_action(
    bench: AgentBench,
) -> None:
    page = Lines(bench)
    await bench.look()
    page.texts[0].text = "Payment failed"
    failed = await bench.failure("tap", at="Nothing like it")
    assert any('"Payment failed"' in detail for detail in failed.details)
    assert '"Payment failed"' not in await bench.call("tap", at="Tap")


async def test_two_agents_that_look_have_the_same_refs_and_screens(bench: AgentBench) -> None:
    page = Lines(bench)
    one = await bench.look()
    other = await bench.look()
    assert one == other
    page.texts[0].text = "New"
    third = await bench.look()
    changed = await bench.call("look", since=one[0].split(" ")[-1])
    assert changed.split("\n")[1:] == ['~ "New"']
    assert [items(row) for row in third[2:]] == [items(row) for row in one[2:]]


async def test_actions_of_two_agents_are_done_one_after_the_other(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    ref = await bench.ref("More")
    replies = await asyncio.gather(
        *(bench.call("tap", at=at) for at in (ref, "More") * 3),
        bench.call("do", steps=[{"tap": ref}, {"tap": "More"}]),
    )
    assert scene.count == 8
    assert sum(reply.startswith("Tapped ") for reply in replies) == 6
    assert replies[-1].startswith("2 of 2 done.\n")


async def test_steps_name_what_they_did_and_not_what_another_agent_did(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    ref = await bench.ref("More")
    failed, _ = await asyncio.gather(
        bench._result("do", {"steps": [{"tap": ref}, {"tap": "Nothing like it"}]}),
        bench.call("press", key="volume_up"),
    )
    [line, *_] = [part["text"] for part in failed["content"]]
    assert line.startswith('1 of 2 done: Tapped a1 "More". Step 2, tap "Nothing like it": No ')
    assert "volume" not in line


async def test_steps_answer_with_all_that_the_agent_has_not_seen(bench: AgentBench) -> None:
    page = Lines(bench)
    [first, *_] = await bench.look()
    page.texts[0].text = "Payment failed"
    reply = (await bench.call("do", steps=[{"tap": "Tap"}])).split("\n")
    assert reply[1].endswith(f" since {first.split(' ')[-1]}:")
    assert '~ "Payment failed"' in reply


async def test_steps_without_a_look_before_answer_with_the_whole_screen(bench: AgentBench) -> None:
    Lines(bench)
    reply = (await bench.call("do", steps=[{"tap": "Tap"}])).split("\n")
    assert reply[1].startswith('dev.handheld.testbed "Testbed" s')


async def test_a_first_step_that_fails_shows_what_the_agent_has_not_seen(bench: AgentBench) -> None:
    page = Lines(bench)
    await bench.look()
    page.texts[0].text = "Payment failed"
    failed = await bench.failure("do", steps=[{"tap": "Nothing like it"}])
    assert any('"Payment failed"' in detail for detail in failed.details)
