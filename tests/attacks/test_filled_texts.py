"""Short steps with many parameters and long values: what they become is bounded before it is
made."""

from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from attacks.test_kept_steps import surface
from handheld.audit import Masks
from handheld.calls.kept_way import _Maker, plan_steps
from handheld.errors import InvalidParams, ToolError
from handheld.tools.steps import (
    SavedStep,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsError,
    StepsFile,
    parameters,
)
from handheld.tools.steps.model import LONGEST_FILLED, LONGEST_TEXT, Front

ATTACK = "filled texts"
MANY = "{a}" * 1_500
LONG = "x" * LONGEST_TEXT


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all texts that values were put into."""
    lengths: list[int] = []
    fill = parameters.fill

    def count(text: str, values: Any) -> str:
        filled = fill(text, values)
        lengths.append(len(filled))
        return filled

    monkeypatch.setattr(parameters, "fill", count)
    return lengths


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_steps_that_values_make_too_long_are_refused_before_any_is_filled(
    target: Target, tmp_path: Path, made: list[int]
) -> None:
    steps = [{"tool": "type", "text": "{a}" * 6_000}] * 50
    arguments = {"steps": steps, "save_as": "flood", "values": [f"a={LONG}"]}
    with pytest.raises(InvalidParams, match="30000000 characters, and 10000 are the most"):
        await target.passing(surface(target, tmp_path).call("phone_do", arguments, AGENT))
    assert made == []


@pytest.mark.parametrize("target", ["helper"], indirect=True)
@pytest.mark.parametrize("way", ["run", "my_flood"])
async def test_kept_steps_that_values_make_too_long_are_refused_before_any_is_filled(
    target: Target, tmp_path: Path, made: list[int], way: str
) -> None:
    step = SavedStep("type", {"text": MANY}, {"into": SavedTarget("Name", kind="field")})
    kept = StepsFile(tmp_path / "steps.json")
    kept.keep(
        "flood",
        "",
        StepSequence((step,) * 50, (StepParameter("a"),)),
        AGENT.token,
        "kept by a test",
    )
    tools = surface(target, tmp_path)
    name, arguments = "my_flood", {"a": LONG}
    if way == "run":
        name, arguments = "phone_do", {"run": "flood", "values": [f"a={LONG}"]}
    with pytest.raises(InvalidParams, match="7500000 characters, and 10000 are the most"):
        await target.passing(tools.call(name, arguments, AGENT))
    assert made == []


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_a_step_is_filled_when_its_turn_comes(
    target: Target, tmp_path: Path, made: list[int]
) -> None:
    steps = [{"tool": "tap", "at": "{a} is nowhere"}] * 50
    arguments = {"steps": steps, "save_as": "flood", "values": [f"a={LONG}"]}
    with pytest.raises(ToolError, match="0 of 50 done"):
        await target.passing(surface(target, tmp_path).call("phone_do", arguments, AGENT))
    assert made == [LONGEST_TEXT + len(" is nowhere")]


@pytest.mark.parametrize(
    "step",
    [
        SavedStep("type", {"text": MANY}),
        SavedStep("tap", targets={"at": SavedTarget(words=MANY)}),
        SavedStep("tap", targets={"at": SavedTarget("OK", row=MANY)}),
        SavedStep("press", {"key": "back"}, front=Front("org.example", MANY)),
    ],
)
def test_every_text_of_a_kept_step_is_bounded(step: SavedStep) -> None:
    sequence = StepSequence((step,), (StepParameter("a"),))
    with pytest.raises(StepsError, match="7500000 characters"):
        plan_steps(sequence, {"a": LONG})


def test_a_text_may_be_as_long_with_its_values_as_is_said() -> None:
    sequence = StepSequence((SavedStep("type", {"text": "{a}{a}"}),), (StepParameter("a"),))
    [planned] = plan_steps(sequence, {"a": LONG})
    assert len(planned.filled().arguments["text"]) == LONGEST_FILLED
    with pytest.raises(StepsError, match="10001 characters"):
        plan_steps(
            StepSequence((SavedStep("type", {"text": "{a}{a}!"}),), sequence.parameters),
            {"a": LONG},
        )


def test_names_that_hold_the_next_secret_do_not_multiply() -> None:
    names = [f"{letter * 4}_" * 6 for letter in "abcdefghijklmnopqrst"]
    values = {name: following[:4] for name, following in zip(names, ["zzzz", *names], strict=False)}
    maker = _Maker({name: StepParameter(name, secret=True) for name in names}, values, Masks())
    with pytest.raises(StepsError, match="too often"):
        maker._without_secrets("zzzz" * 1_000)


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_values_that_are_no_parameters_are_refused_before_anything_is_done(
    target: Target, tmp_path: Path
) -> None:
    step = SavedStep("tap", targets={"at": SavedTarget("{a} is nowhere", kind="button")})
    kept = StepsFile(tmp_path / "steps.json")
    kept.keep(
        "stops", "", StepSequence((step,), (StepParameter("a"),)), AGENT.token, "kept by a test"
    )
    tools = surface(target, tmp_path)
    values = {"a": "this", **{f"b{number}": LONG for number in range(100)}}
    with pytest.raises(ToolError, match='my_stops has no "b0"'):
        await target.passing(tools.call("my_stops", values, AGENT))
    steps: Any = tools._steps
    assert steps._kept._stopped == {}
