"""A tool that the caller's list does not have is called all the same."""

from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.audit import AuditLog, Recorder
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.calls.protocols import Surface
from handheld.errors import InvalidParams, PermissionDenied, UnknownTool
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.steps import StepsFile
from handheld.tools.v1 import V1_TOOLS
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock

ATTACK = "tools that are not listed"
LIMITS = {
    "read-only": RequestScope(read_only=True),
    "read-only, and everything on": RequestScope(read_only=True, on=ALL_ON.on),
    "the screen alone": RequestScope(toolsets=frozenset({"screen"})),
    "the screen, read-only": RequestScope(read_only=True, toolsets=frozenset({"screen"})),
    "without tapping": RequestScope(off=frozenset({"tap", "click_element", "phone_tap"})),
    "without steps": RequestScope(off=frozenset({"phone_do"})),
    "one tool": RequestScope(only=frozenset({"phone_look", "get_screen_state"})),
}
STEPS: dict[str, Any] = {"steps": [{"wait": "Settings"}], "save_as": "mine"}


def surfaces(target: Target, folder: Path, **more: Any) -> dict[str, Surface]:
    options = SurfaceOptions(
        clock=PhoneClock(target.device),
        kept=StepsFile(folder / "steps.json", PhoneClock(target.device)),
        **more,
    )
    phones = OnePhone(target.phone)
    return {
        "main": LocalSurface(EVERY_TOOLSET, phones, options),
        "agent": make_agent_surface(phones, options),
        "v1": LocalSurface((V1_TOOLS,), phones, SurfaceOptions(bare=True, **more)),
    }


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
async def test_what_a_list_hides_a_call_refuses(
    target: Target, tmp_path: Path, limits: RequestScope
) -> None:
    tried = 0
    for surface in surfaces(target, tmp_path).values():
        listed = {each.name for each in await surface.tools(limits)}
        every = {each.name for each in await surface.tools(RequestScope(on=ALL_ON.on))}
        for name in sorted(every - listed):
            tried += 1
            with pytest.raises((UnknownTool, PermissionDenied)):
                await target.passing(surface.call(name, {}, AGENT, limits))
    assert tried


@pytest.mark.parametrize("limits", [LIMITS["read-only"], LIMITS["the screen, read-only"]])
async def test_a_token_that_only_reads_keeps_and_proposes_no_steps(
    target: Target, tmp_path: Path, limits: RequestScope
) -> None:
    agent = surfaces(target, tmp_path)["agent"]
    await target.passing(agent.call("phone_do", STEPS, AGENT, EVERYTHING))
    before = StepsFile(tmp_path / "steps.json").all()
    assert [kept.name for kept in before] == ["mine"]
    for name, arguments in (
        ("phone_do", STEPS),
        ("phone_do", {"run": "mine"}),
        ("my_mine", {}),
    ):
        with pytest.raises(UnknownTool):
            await target.passing(agent.call(name, arguments, AGENT, limits))
    with pytest.raises((UnknownTool, InvalidParams)):
        await target.passing(agent.call("phone_read", {"what": "saved"}, AGENT, limits))
    assert StepsFile(tmp_path / "steps.json").all() == before


async def test_what_is_refused_as_a_whole_and_reading_kept_steps_are_recorded(
    target: Target, tmp_path: Path
) -> None:
    log = AuditLog(tmp_path / "audit")
    recorder = Recorder(log)
    agent = surfaces(target, tmp_path, recorder=recorder)["agent"]
    secret = {"steps": [{"type": "hunter2", "wrong": 1}]}
    with pytest.raises(InvalidParams):
        await target.passing(agent.call("phone_do", secret, AGENT))
    await target.passing(agent.call("phone_read", {"what": "saved"}, AGENT))
    found = {entry.tool: entry for entry in log.entries(limit=5)}
    assert {name: entry.state for name, entry in found.items()} == {
        "phone_do": "failed",
        "phone_read": "done",
    }
    assert "hunter2" not in str(found["phone_do"].arguments)
    await recorder.aclose()
