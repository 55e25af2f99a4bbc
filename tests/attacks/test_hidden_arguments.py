"""A person says yes to a call whose arguments were not all shown."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from attacks.conftest import Target
from handheld.access.approval import MOST_ASKED, ApprovalGate, Pending
from handheld.cli.asking import describe
from handheld.errors import PermissionDenied
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing

ATTACK = "arguments that nobody was shown"


def called(declared: list[str], arguments: Mapping[str, Any]) -> ToolCall:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in declared}}
    return ToolCall("app_send", Listing("app_send", "Send", "", schema), arguments, Caller("http"))


def shown(call: ToolCall) -> dict[str, Any]:
    return Pending(1, call, 0.0, 45.0, "app_*").as_json()["arguments"]


def test_all_declared_arguments_are_shown_in_the_order_of_the_tool() -> None:
    declared = [f"n{number}" for number in range(150)]
    given = {name: name for name in reversed(declared)}
    assert list(shown(called(declared, given)).items()) == [(name, name) for name in declared]


def test_of_what_is_not_declared_it_is_told_that_it_is_there() -> None:
    made_up = {f"n{number}": "x" * 1000 for number in range(200)}
    found = shown(called(["to", "…"], {**made_up, "…": "hi", "to": "Ada", "device": "desk"}))
    assert found == {
        "to": "Ada",
        "…": "hi",
        "……": "200 more that the tool does not declare, which do nothing",
    }
    assert shown(called(["to"], {"to": "Ada", "phone": "desk"})) == {"to": "Ada"}


def test_a_long_argument_is_shown_whole_and_the_terminal_says_how_long_it_is() -> None:
    text = "".join(f"{number}, " for number in range(20_000))
    asked = Pending(1, called(["to", "text"], {"text": text, "to": "Ada"}), 0, 45, "*").as_json()
    assert asked["arguments"] == {"to": "Ada", "text": text}
    lines = describe(asked)
    assert f'  text: "{text}"' in lines
    assert sum("scroll up to see them all" in line for line in lines) == 1


async def test_a_call_that_is_too_long_to_be_read_is_not_asked_about() -> None:
    gate = ApprovalGate(Rules(ask=["app_*"]))
    gate.consoles = 1
    call = called(["text"], {"text": "x" * MOST_ASKED})
    with pytest.raises(
        PermissionDenied, match=r"must be able to read all of its arguments.*Nothing was done"
    ):
        await gate.ask(call)
    assert gate.pending() == []
    made_up = called(["to"], {"to": "Ada", "text": "x" * MOST_ASKED})
    asking = asyncio.create_task(gate.ask(made_up))
    await asyncio.sleep(0)
    [pending] = gate.pending()
    gate.answer(pending.id, True, "owner")
    await asking


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_what_nobody_can_read_is_not_done(target: Target) -> None:
    gate = ApprovalGate(Rules(ask=["set_clipboard"]))
    gate.consoles = 1
    target.rule(gate)
    assert "Do it in smaller parts" in await target.refused("set_clipboard", text="x" * MOST_ASKED)
    assert "xx" not in str(await target.call("get_clipboard"))
