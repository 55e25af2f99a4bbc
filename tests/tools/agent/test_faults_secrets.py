"""A password is in no reply, no failure and no record, however it was typed."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from handheld.audit import AuditLog, Recorder
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from harness.phones import PhoneClock

from .conftest import AgentBench

SECRET = "tr0ub4dor&3"


class Recorded:
    """A login form, with every reply kept and every call recorded."""

    def __init__(self, bench: AgentBench, log: AuditLog, folder: Path) -> None:
        self.bench = bench
        self.replies: list[str] = []
        self._log = log
        self._folder = folder

    async def call(self, name: str, **arguments: Any) -> str:
        result = await self.bench._result(name, arguments)
        text = "\n".join(part["text"] for part in result["content"])
        self.replies.append(text)
        return text

    def traces(self) -> list[str]:
        """Where the secret is found."""
        self._log.write_ends()
        found = [reply for reply in self.replies if SECRET in reply]
        found += [str(entry) for entry in self._log.entries() if SECRET in str(entry)]
        for file in self._folder.rglob("*"):
            if file.is_file() and SECRET.encode() in file.read_bytes():
                found.append(file.name)
        return found


@pytest.fixture
async def recorded(bench: AgentBench, tmp_path: Path) -> AsyncGenerator[Recorded]:
    clock = PhoneClock(bench.device)
    log = AuditLog(tmp_path / "calls.sqlite", clock=clock)
    recorder = Recorder(log, clock=clock)
    options = SurfaceOptions(recorder=recorder, clock=clock)
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]
    bench.world.launch("dev.handheld.login")
    yield Recorded(bench, log, tmp_path)
    await recorder.aclose()


@pytest.mark.matrix
@pytest.mark.parametrize(
    "arguments",
    [
        {"text": SECRET},
        {"value": SECRET},
        {"content": SECRET},
        {"text": SECRET, "mode": "append"},
        {"text": SECRET, "submit": True},
        {"text": SECRET, "password": SECRET},
        {"text": [SECRET]},
        {"text": {"value": SECRET}},
    ],
)
async def test_a_typed_password_leaves_no_trace(
    recorded: Recorded, arguments: dict[str, Any]
) -> None:
    ref = await recorded.bench.ref("Password")
    first = await recorded.call("look")
    since = first.partition("\n")[0].split(" ")[-1]
    await recorded.call("type", into="Password", **arguments)
    await recorded.call("look")
    await recorded.call("look", since=since)
    await recorded.call("look", find="Password")
    await recorded.call("read", what="text", of=ref)
    await recorded.call("wait", text="Sign in")
    assert recorded.traces() == []


async def test_a_password_shows_its_length_alone(recorded: Recorded) -> None:
    reply = await recorded.call("type", into="Password", text=SECRET)
    assert f"secret {len(SECRET)} chars" in reply


@pytest.mark.parametrize(
    "step",
    [
        {"tool": "type", "into": "Password", "text": SECRET},
        {"tool": "type", "into": "Password", "value": SECRET},
        {"type": {"into": "Password", "text": SECRET}},
        {"tool": "phone_type", "arguments": {"into": "Password", "text": SECRET}},
        {"tool": "type", "into": "No such field", "text": SECRET},
        {"tool": "type", "text": SECRET},
    ],
)
async def test_a_password_typed_by_a_step_leaves_no_trace(
    recorded: Recorded, step: dict[str, Any]
) -> None:
    await recorded.call("look")
    await recorded.call("do", steps=[step, {"tap": "Nothing like it"}])
    await recorded.call("look")
    assert recorded.traces() == []


async def test_a_password_that_is_shown_again_is_not_recorded(recorded: Recorded) -> None:
    """The app may show it: then the agent sees it, and the record does not."""
    await recorded.call("type", into="Password", text=SECRET)
    await recorded.call("tap", at="Show password")
    assert any(SECRET in reply for reply in recorded.replies)
    recorded.replies.clear()
    assert recorded.traces() == []
