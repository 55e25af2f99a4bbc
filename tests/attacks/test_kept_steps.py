"""Kept steps are asked for where the tool that tells of them is denied or switched off."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.kept_tools import KeptTools
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.cli import main
from handheld.errors import InvalidParams, PermissionDenied, UnknownTool
from handheld.settings import load
from handheld.settings.rules import Rules
from handheld.tools.steps import StepsError, StepsFile
from handheld.tools.steps.model import SavedStep, SavedSteps, StepSequence
from harness.one_phone import OnePhone
from harness.phones import PhoneClock

ATTACK = "kept steps"
SAVED = {"what": "saved"}


def surface(target: Target, folder: Path, **options: Any) -> LocalSurface:
    kept, clock = StepsFile(folder / "steps.json"), PhoneClock(target.device)
    return make_agent_surface(
        OnePhone(target.phone), SurfaceOptions(kept=kept, clock=clock, **options)
    )


@pytest.mark.parametrize("rule", ["phone_read", "phone_*", "*", "phone_read+token:family"])
@pytest.mark.parametrize("what", ["saved", " SAVED "])
async def test_a_rule_on_the_tool_that_tells_of_kept_steps_holds(
    target: Target, tmp_path: Path, rule: str, what: str
) -> None:
    asked = surface(target, tmp_path, gate=ApprovalGate(Rules(deny=[rule])))
    with pytest.raises(PermissionDenied, match="denies it"):
        await target.passing(asked.call("phone_read", {"what": what}, AGENT))


async def test_a_rule_on_an_app_does_not_hold_for_kept_steps(
    target: Target, tmp_path: Path
) -> None:
    asked = surface(target, tmp_path, gate=ApprovalGate(Rules(deny=["app:com.bank"])))
    assert await target.passing(asked.call("phone_read", SAVED, AGENT)) == ["No steps are kept."]


@pytest.mark.parametrize(
    "left",
    [
        RequestScope(off=frozenset({"phone_read"})),
        RequestScope(only=frozenset({"phone_tap", "phone_do"})),
        RequestScope(off=frozenset({"phone_do"})),
    ],
)
@pytest.mark.parametrize("by", ["the owner", "the client"])
async def test_where_the_tool_is_switched_off_kept_steps_are_not_told(
    target: Target, tmp_path: Path, left: RequestScope, by: str
) -> None:
    policy, asked = (left, EVERYTHING) if by == "the owner" else (EVERYTHING, left)
    tools = surface(target, tmp_path, policy=policy)
    with pytest.raises((UnknownTool, InvalidParams)):
        await target.passing(tools.call("phone_read", SAVED, AGENT, asked))


def test_steps_that_were_replaced_after_they_were_shown_are_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the token that kept them, between `show` and `accept`."""
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    file = StepsFile(load({}, {"HANDHELD_HOME": str(tmp_path)}).folders.steps)
    file.keep(
        "timer",
        "",
        StepSequence((SavedStep("open", {"what": "Clock"}),)),
        "reader",
        "kept by reader",
    )
    assert main(["steps", "show", "timer"]) == 0
    command = capsys.readouterr().out.splitlines()[-1]
    shown = command.rpartition(" ")[2]
    file.keep(
        "timer",
        "",
        StepSequence((SavedStep("open", {"what": "Bank"}),)),
        "reader",
        "kept by reader",
    )
    for words in (["--shown", shown], []):
        assert main(["steps", "accept", "timer", *words]) == 1
    assert not file.get("timer").owned


def steps_of(size: int) -> StepSequence:
    return StepSequence(tuple(SavedStep("open", {"what": "x" * 5000}) for _ in range(size // 5000)))


def keep_until_refused(file: StepsFile, by: str, sequence: StepSequence, name: str = "s") -> int:
    """How many it has then, kept or proposed."""

    def keep_on() -> None:
        for number in range(110):
            file.keep(f"{name}{number}", "", sequence, by, "")

    with pytest.raises(StepsError, match="A token keeps or proposes at most"):
        keep_on()
    return sum(by in (each.proposed_by, *(() if each.owned else (each.by,))) for each in file.all())


@pytest.mark.parametrize(("size", "most"), [(5000, 20), (200_000, 2)])
def test_one_token_does_not_take_the_room_of_all_kept_steps(
    tmp_path: Path, size: int, most: int
) -> None:
    file = StepsFile(tmp_path / "steps.json")
    assert keep_until_refused(file, "reader", steps_of(size)) == most
    assert file.keep("mine", "", steps_of(size), "other", "")
    for number in range(30):
        assert file.keep(f"owner{number}", "", steps_of(5000), "", "")


def test_proposals_count_as_what_is_kept(tmp_path: Path) -> None:
    file = StepsFile(tmp_path / "steps.json")
    for number in range(30):
        file.keep(f"s{number}", "", steps_of(5000), "", "")
    assert keep_until_refused(file, "reader", steps_of(5000)) == 20
    assert file.keep("s0", "", steps_of(5000), "reader", "") is False, "in place of its own"


def test_many_tokens_leave_room_for_the_owner(tmp_path: Path) -> None:
    file = StepsFile(tmp_path / "steps.json")
    kept = [keep_until_refused(file, by, steps_of(5000), by) for by in ("a", "b", "c", "d")]
    assert kept == [20, 20, 20, 0]
    assert file.keep("mine", "", steps_of(5000), "owner", "")


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_runs_of_one_token_that_stop_push_out_none_of_another(
    target: Target, tmp_path: Path
) -> None:
    """Who goes on with steps that are forgotten would keep the rest of them as the whole."""
    tools: Any = surface(target, tmp_path)._steps
    kept: KeptTools = tools._kept
    mine = SavedSteps("mine", StepSequence((SavedStep("open", {"what": "Clock"}),)))
    kept.note_stopped(mine, "", AGENT, 1, {})
    for number in range(200):
        theirs = replace(mine, name=f"s{number}")
        kept.note_stopped(theirs, "", AGENT._replace(token="reader"), 1, {})
    assert kept.stopped("mine", "", AGENT) is not None
    assert len(kept._stopped) < 100
