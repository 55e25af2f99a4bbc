"""A caller says more than what is done of it: a word that would be dropped is refused instead."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from attacks.test_kept_steps import surface
from handheld.errors import InvalidParams
from handheld.tools.steps import StepsFile

ATTACK = "words that are dropped"
TYPES: dict[str, Any] = {"steps": [{"tool": "type", "into": "Email", "text": "{text}"}]}
TAPS: dict[str, Any] = {"steps": [{"tool": "tap", "at": "Email"}]}


@pytest.mark.parametrize("target", ["helper"], indirect=True)
@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("phone_do", {**TYPES, "values": ["text=Milk"]}, "values are those of save_as or run"),
        ("phone_do", {**TYPES, "values": {"text": "Milk"}}, "values are those of save_as or run"),
        ("phone_do", {**TAPS, "save_as": "mine", "values": ["text=Milk"]}, 'no "text"'),
        (
            "phone_do",
            {**TYPES, "save_as": "mine", "values": ["text=Milk", "txt=Eggs"]},
            "Nearest: text",
        ),
        ("phone_do", {**TAPS, "save_as": "mine", "wrong": 1}, 'no "wrong"'),
        ("phone_do", {"run": "kept", "values": ["text=Milk"]}, 'my_kept has no "text"'),
        ("phone_do", {"run": "kept", "save_as": "mine"}, 'no "save_as"'),
        ("my_kept", {"text": "Milk"}, 'no "text"'),
        ("phone_read", {"what": "saved", "wrong": 1}, 'no "wrong"'),
        ("phone_read", {"what": "saved", "Limit": 1}, "Nearest: limit"),
        ("phone_tap", {"at": "Email", "ref": "a4"}, 'no "ref"'),
        ("phone_tap", {"at": "Email", "x": 500, "y": 900}, 'no "x"'),
    ],
)
async def test_it_is_refused_before_anything_is_done(
    target: Target,
    tmp_path: Path,
    tried: Callable[[], None],
    name: str,
    arguments: dict[str, Any],
    why: str,
) -> None:
    target.world.show("dev.handheld.form")
    tools = surface(target, tmp_path)
    await target.passing(tools.call("phone_do", {**TAPS, "save_as": "kept"}, AGENT))
    target.world.events.clear()
    tried()
    with pytest.raises(InvalidParams, match=why):
        await target.passing(tools.call(name, arguments, AGENT))
    assert target.world.events == []
    assert [each.name for each in StepsFile(tmp_path / "steps.json").all()] == ["kept"]
