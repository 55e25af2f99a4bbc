"""An agent on the phone on which Handheld runs itself: it neither sees nor touches Termux and the
browser with the console, by the rules of docs/guides/on-the-phone.md."""

import asyncio
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import Target
from handheld.access.approval import ApprovalGate
from handheld.settings.groups import PolicySettings
from handheld.settings.rules import Rules

ATTACK = "answering on the phone itself"
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "on-the-phone.md"
TERMUX, BROWSER = "com.android.settings", "com.android.browser"
"""What stands for them on the virtual phone."""
CLOCK = "com.android.deskclock"
ATTACKS: list[tuple[str, dict[str, Any]]] = [
    ("phone_look", {}),
    ("phone_look", {"picture": "marked"}),
    ("phone_tap", {"at": "540,900"}),
    ("phone_type", {"text": "handheld token show", "submit": True}),
    ("phone_press", {"key": "enter"}),
    ("phone_scroll", {}),
    ("phone_swipe", {"at": "540,900", "to": "540,300"}),
    ("phone_wait", {"text": "Allow once"}),
    ("phone_read", {"what": "clipboard"}),
    ("phone_read", {"what": "logs"}),
    ("phone_record", {"action": "start"}),
    ("tap", {"x": 540, "y": 900}),
    ("double_tap", {"x": 540, "y": 900}),
    ("pinch", {"center_x": 540, "center_y": 900, "scale": 2}),
    ("find_elements", {"by": "text", "value": "Allow once"}),
    ("press_key", {"key": "ENTER"}),
    ("press_back", {}),
    ("get_screen_state", {"include_screenshot": True}),
    ("get_clipboard", {}),
    ("wait_for_element", {"by": "text", "value": "Allow once", "timeout": 1000}),
    ("start_recording", {}),
]


def rules() -> Rules:
    page = GUIDE.read_text(encoding="utf-8")
    block = re.search(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert block
    text = block[1].replace("com.termux*", TERMUX).replace("com.android.chrome", BROWSER)
    written = tomllib.loads(text)["policy"]
    policy = PolicySettings(deny=tuple(written["deny"]), allow=tuple(written["allow"]))
    return Rules(deny=policy.deny, allow=policy.allow, default=policy.default_ask)


@pytest.mark.parametrize("app", [TERMUX, BROWSER])
async def test_an_agent_neither_sees_nor_touches_where_the_owner_answers(
    target: Target, app: str, tried: Callable[[], None]
) -> None:
    target.rule(ApprovalGate(rules()))
    target.world.show(app)
    for name, arguments in ATTACKS:
        tried()
        assert f"app:{app}' denies it" in await target.refused(name, **arguments), name
    assert target.touches() == []


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone sends no messages
async def test_the_owner_answers_while_that_app_is_in_front(target: Target) -> None:
    gate = ApprovalGate(rules(), require_console=True)
    target.rule(gate)
    message = {"to": "+36201234567", "text": "Hello", "sim": 14}
    target.world.show(BROWSER)
    assert "needs the owner" in await target.refused("phone_message", **message)
    gate.consoles = 1
    target.world.show(CLOCK)
    with gate.subscribe() as questions:
        sending = asyncio.create_task(target.call("phone_message", **message))
        question = await anext(aiter(questions))
        target.world.show(BROWSER)
        assert gate.answer(question.pending.id, True, "owner")
        assert "+36201234567" in str(await sending)


async def test_an_agent_gets_out_of_termux(target: Target) -> None:
    target.rule(ApprovalGate(rules()))
    target.world.show(TERMUX)
    assert "Clock" in str(await target.call("phone_open", what="Clock"))
