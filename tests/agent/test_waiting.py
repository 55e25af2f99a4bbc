"""What `phone_wait` takes for a screen at rest, and what it says when it gives up."""

import pytest

from handheld.agent.targets import WAY_OUT
from handheld.errors import TimedOut

from .conftest import AgentBench


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


async def test_an_app_that_crashed_while_waiting_in_vain_is_named(bench: AgentBench) -> None:
    await bench.look()
    await bench.call("open", what="Crash test")
    await bench.call("tap", at="Crash in 3 seconds")
    failed = await bench.failure("wait", text="Never", seconds=5)
    assert failed.message == "Not yet after 5 s. Call phone_wait again to go on waiting."
    assert failed.details[0].split("\n")[0] == "app dev.handheld.crashtest stopped"
