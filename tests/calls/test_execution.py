"""A call that was admitted is run: in its turn, or beside others."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from access.test_app_in_front import Front
from handheld.access.approval import ApprovalGate
from handheld.audit import Record
from handheld.calls.admission import Admission
from handheld.calls.call import Call
from handheld.calls.execution import Execution
from handheld.errors import ActionFailed, PermissionDenied
from handheld.phone.phone import Phone
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.recording import Secret
from handheld.tools.tool import Tool, Toolset

GATE = ApprovalGate(Rules(deny=("app:com.bank",)))


async def act(phone: Phone) -> str:
    """Acts."""
    return "done"


async def look(phone: Phone) -> str:
    """Reads the screen."""
    return str((await phone.elements.read()).screen.foreground)


def tool_of(
    function: Callable[[Phone], Awaitable[str]], *, read_only: bool = False, exclusive: bool = True
) -> Tool:
    tools = Toolset("sample")
    tools.tool(title="T", secret_reply=Secret.NO, read_only=read_only, exclusive=exclusive)(
        function
    )
    return tools.tools[0]


class PreparedCall:
    def __init__(self, tool: Tool, *apps: str) -> None:
        self.front = Front()
        self.front.apps = list(apps) or ["com.notes"]
        self.phone = Phone("serial", self.front)
        self.record = Record(None, ToolCall(tool.name, tool.listing, {}, Caller("http")))
        self.call = Call(f"android_{tool.name}", tool, self.record)
        self.call.phone, self.call.run = self.phone, tool.prepare({})

    async def run(self, *apps: str) -> object:
        self.call.apps = apps or None
        execution = Execution(Admission(GATE), lambda call: lambda stop: lambda: None)
        return await execution.run(self.call)


async def test_an_exclusive_tool_waits_for_its_turn() -> None:
    stage = PreparedCall(tool_of(act))
    async with stage.phone.acting("another call"):
        running = asyncio.create_task(stage.run())
        await asyncio.sleep(0)
        assert not running.done()
        assert not stage.record.running
    assert (await running, stage.record.running, stage.front.reads) == ("done", True, 0)


@pytest.mark.parametrize("read_only", [True, False])
async def test_other_tools_do_not_wait(read_only: bool) -> None:
    stage = PreparedCall(tool_of(act, read_only=read_only, exclusive=False))
    async with stage.phone.acting("another call"):
        assert (await stage.run(), stage.record.running) == ("done", True)


async def test_a_call_is_admitted_again_if_another_app_is_in_front_by_then() -> None:
    stage = PreparedCall(tool_of(act), "com.clock")
    assert await stage.run("com.notes") == "done"
    stage = PreparedCall(tool_of(act), "com.bank")
    with pytest.raises(PermissionDenied):
        await stage.run("com.notes")
    assert (stage.record.denied, stage.record.running) == (True, False)


async def test_a_call_fails_undone_if_the_app_in_front_keeps_changing() -> None:
    stage = PreparedCall(tool_of(act), *(f"com.x{number}" for number in range(50)))
    with pytest.raises(ActionFailed, match="Nothing was done"):
        await stage.run("com.notes")
    assert not stage.record.running


async def test_what_a_tool_read_of_a_forbidden_app_is_not_returned() -> None:
    stage = PreparedCall(tool_of(look, read_only=True), "com.clock")
    assert await stage.run("com.notes") == "('com.clock', 'com.clock.Main')"
    assert len(stage.record.seen) == 1
    stage = PreparedCall(tool_of(look, read_only=True), "com.bank")
    with pytest.raises(PermissionDenied):
        await stage.run("com.notes")
