"""What `phone_wait` takes for a screen at rest, and what it says when it gives up."""

import pytest

from handheld.errors import TimedOut
from handheld.tools.agent.elements.targets import WAY_OUT
from handheld_virtual.apps import browser
from handheld_virtual.views.layout import Column
from handheld_virtual.views.widgets.basic import Button, Text
from harness.event_stream import course

from .conftest import AgentBench
from .pages import show


async def open_slow_page(bench: AgentBench) -> None:
    await bench.call("open", what="Widgets")
    assert "loading" in (await bench.call("tap", at="Slow page")).split("\n")


async def test_a_screen_that_loads_does_not_rest_until_its_content_is_there(
    bench: AgentBench,
) -> None:
    await open_slow_page(bench)
    reply = (await bench.call("wait")).split("\n")
    assert reply[0] == "The screen rests."
    assert "loading" not in reply


async def test_a_reply_waits_for_a_web_page_whose_bar_shows_that_it_loads(
    bench: AgentBench,
) -> None:
    reply = (await bench.call("open", what="Browser")).split("\n")
    assert '  "News of the day"' in reply
    assert "loading" not in reply
    assert not any("progress" in row for row in reply)


@pytest.mark.slow
async def test_a_web_page_that_still_loads_after_3_seconds_is_said_to_load(
    bench: AgentBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "LOAD_MS", 6000)
    await bench.call("open", what="Browser")
    began = bench.clock.now()
    reply = (await bench.call("tap", at="Library lends tools")).split("\n")
    assert bench.clock.now() - began <= 3000
    assert any(row.endswith("loading") for row in reply)
    reply = (await bench.call("wait")).split("\n")
    assert reply[0] == "The screen rests."
    assert ' "Drills and ladders can be borrowed for a week."' in reply
    assert "loading" not in reply


async def test_a_screen_that_still_loads_at_the_end_is_said_to(bench: AgentBench) -> None:
    await open_slow_page(bench)
    failed = await bench.failure("wait", seconds=1)
    assert isinstance(failed, TimedOut)
    assert failed.message == "Still loading after 1 s. Call phone_wait again to go on waiting."


async def test_a_window_that_cannot_be_read_is_not_said_to_rest(bench: AgentBench) -> None:
    await bench.call("open", what="Crash test")
    await bench.call("tap", at="Hang")
    failed = await bench.failure("wait", seconds=3)
    assert failed.message.endswith(
        "dev.handheld.crashtest has not answered for 2 s (not responding)."
    )
    assert "rests" not in failed.message


async def test_an_app_that_hangs_is_said_not_to_answer_and_how_to_go_on(bench: AgentBench) -> None:
    await bench.call("open", what="Crash test")
    reply = (await bench.call("tap", at="Hang")).split("\n")
    assert reply[1].startswith("dev.handheld.crashtest does not answer s")
    assert reply[-1] == f"it hangs: {WAY_OUT}"
    assert "nothing is shown" not in "\n".join(reply)


@pytest.mark.parametrize("agent_by", ["shell"], indirect=True)
async def test_by_shell_an_app_that_hangs_is_not_said_to_show_nothing(bench: AgentBench) -> None:
    """A dump does not tell why a window has no content."""
    await bench.call("open", what="dev.handheld.crashtest")
    reply = (await bench.call("tap", at="Hang")).split("\n")
    assert reply[1].startswith("nothing can be read s")
    assert "window Crash test gave no content and is missing" in reply
    assert reply[-1] == f"it may hang: {WAY_OUT}"


@pytest.mark.parametrize("agent_by", ["shell"], indirect=True)
async def test_by_shell_a_screen_with_a_bar_rests_at_once(bench: AgentBench) -> None:
    """A dump does not say that a bar has no end."""
    await bench.call("open", what="dev.handheld.widgets")
    await bench.call("tap", at="Slow page")
    assert (await bench.call("wait")).startswith("The screen rests.")


async def test_screens_that_were_read_while_waiting_use_up_no_ids(bench: AgentBench) -> None:
    count = Text("0")

    def tick() -> None:
        count.text = str(int(count.text or "") + 1)
        bench.world.timers.after(400, tick)

    show(bench, lambda: Column(count, Button("OK")))
    assert (await bench.look())[0].endswith(" s1")
    tick()
    failed = await bench.failure("wait", text="Never", seconds=5)
    assert failed.details[0].split("\n")[0].endswith(" s2")
    assert int(count.text or "") > 8


async def test_an_app_that_crashed_while_waiting_in_vain_is_named(bench: AgentBench) -> None:
    await bench.look()
    await bench.call("open", what="Crash test")
    await bench.call("tap", at="Crash in 3 seconds")
    failed = await bench.failure("wait", text="Never", seconds=5)
    assert failed.message == "Not yet after 5 s. Call phone_wait again to go on waiting."
    assert failed.details[0].split("\n")[0] == "app dev.handheld.crashtest stopped"


async def test_who_asks_is_told_how_long_it_has_waited(bench: AgentBench) -> None:
    await bench.call("open", what="Widgets")
    given = {"text": "nothing of the kind", "seconds": 2}
    words, result = await bench.passing(course(bench.http, "phone_wait", given))
    assert result["isError"] is True
    assert words
    assert {word[1:] for word in words} == {(2000, "Waiting")}
