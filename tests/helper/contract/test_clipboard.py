"""The `clipboard` command."""

from typing import Any

import pytest

from handheld_virtual.system.clipboard import NO_OVERLAY, SHELL, Clip

from .conftest import Stage
from .host import Host


async def test_the_clipboard_is_set_and_read(stage: Stage, host: Host) -> None:
    assert (await host.do("clipboard", {"set": None})).reply == {"text": None}
    text = "a\nb 👩‍👩‍👧‍👦 \u0000"
    assert (await host.do("clipboard", {"set": text}, act=True)).reply == {}
    assert stage.world.clipboard.paste() == text
    assert (await host.do("clipboard", {"set": None})).reply == {"text": text}
    assert (await host.do("clipboard", {"set": ""}, act=True)).reply == {}
    assert (await host.do("clipboard", {"set": None})).reply == {"text": ""}


async def test_setting_the_clipboard_shows_no_overlay(stage: Stage, host: Host) -> None:
    await host.do("clipboard", {"set": "seen by nobody"}, act=True)
    assert stage.world.clipboard.history == [
        Clip("seen by nobody", SHELL, frozenset((NO_OVERLAY,)))
    ]
    screen = await host.do("screen")
    assert b"seen by nobody" not in screen.data
    # Any other clip is shown.
    stage.world.clipboard.copy("seen by all", SHELL)
    assert b"seen by all" in (await host.do("screen")).data


async def test_text_copied_by_an_app_is_read(stage: Stage, host: Host) -> None:
    stage.world.clipboard.copy("from an app")
    assert (await host.do("clipboard", {"set": None})).reply == {"text": "from an app"}


async def test_longest_text_is_set_and_read(stage: Stage, host: Host) -> None:
    text = "\x00" * 250_000
    assert (await host.do("clipboard", {"set": text}, act=True)).reply == {}
    assert (await host.do("clipboard", {"set": None})).reply == {"text": text}


async def test_locked_phone_refuses_reads_and_accepts_writes(stage: Stage, host: Host) -> None:
    stage.world.clipboard.copy("secret")
    stage.world.locked = True
    assert (await host.do("clipboard", {"set": None})).failure == ("locked", "no")
    assert (await host.do("clipboard", {"set": "new"}, act=True)).reply == {}
    assert stage.world.clipboard.paste() == "new"


async def test_refusal_by_android_is_a_failure(stage: Stage, host: Host) -> None:
    stage.world.clipboard.refusal = "Disallowed."
    for value in (None, "x"):
        answer = await host.do("clipboard", {"set": value})
        assert (answer.failure, answer.value["message"]) == (("failed", "no"), "Disallowed.")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"set": 7}, {"set": ["x"]}, {"set": "x", "get": True}, {"set": "x" * 250_001},
     {"set": "😀" * 125_001}],
)  # fmt: skip
async def test_other_arguments_are_refused(
    stage: Stage, host: Host, arguments: dict[str, Any]
) -> None:
    stage.world.clipboard.copy("before")
    assert (await host.do("clipboard", arguments)).failure == ("bad_call", "no")
    assert stage.world.clipboard.paste() == "before"


async def test_clipboard_does_not_take_uiautomation(stage: Stage, host: Host) -> None:
    stage.world.automation.holder = "uiautomator2"
    assert (await host.do("clipboard", {"set": "x"}, act=True)).reply == {}
    assert (await host.do("clipboard", {"set": None})).reply == {"text": "x"}
