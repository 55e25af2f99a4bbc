"""The settings of fleets: toolsets that are off by default, tags, limits, cleaning up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld.access.policy import make_policy
from handheld.access.request_scope import AGENT, RequestScope
from handheld.access.tokens import Tokens
from handheld.cli.parts import Parts, make_leases
from handheld.clock import SYSTEM_CLOCK
from handheld.settings import Settings, SettingsError, load
from handheld.tools.main import EVERY_TOOLSET
from harness.manual_clock import ManualClock

FLEET = {"list_phones", "take_phone", "lease_status", "give_back_phone", "phone_lease"}


def settings(folder: Path, text: str = "", **flags: Any) -> Settings:
    (folder / "handheld.toml").write_text(text, encoding="utf-8")
    return load(flags, {"HANDHELD_HOME": str(folder)})


@pytest.mark.parametrize(
    ("flags", "toolsets", "expected"),
    [
        ({}, None, set[str]()),
        ({"toolsets_on": "fleet"}, None, FLEET),
        ({"toolsets_on": "all"}, None, FLEET),
        ({"toolsets_on": "touch"}, None, set[str]()),
        ({}, {"fleet"}, FLEET),
        ({}, {"touch"}, set[str]()),
        ({"toolsets_on": "all"}, {"touch"}, set[str]()),
        ({"toolsets_on": "all", "toolsets_off": "fleet"}, None, set[str]()),
        ({"toolsets_off": "fleet"}, {"fleet"}, set[str]()),
        ({"toolsets_on": "all", "tools_off": "take_phone"}, None, FLEET - {"take_phone"}),
        (
            {"toolsets_on": "all", "read_only": True},
            None,
            FLEET - {"take_phone", "give_back_phone"},
        ),
    ],
)
async def test_the_toolset_is_on_where_the_settings_or_a_token_name_it(
    tmp_path: Path, flags: dict[str, Any], toolsets: set[str] | None, expected: set[str]
) -> None:
    made = settings(tmp_path, **flags)
    surface = Parts(made, leases=make_leases(made, SYSTEM_CLOCK)).surface
    limits = RequestScope()
    if toolsets is not None:  # as a token's
        limits = RequestScope(toolsets=frozenset(toolsets), on=frozenset(toolsets))
    found: set[str] = set()
    for which in ("", AGENT):
        listed = await surface.tools(replace(limits, surface=which))
        found |= {each.name.removeprefix("android_") for each in listed} & FLEET
    assert found == expected


async def test_by_default_the_lists_are_as_without_leases(tmp_path: Path) -> None:
    made = settings(tmp_path)
    leasing = Parts(made, leases=make_leases(made, SYSTEM_CLOCK)).surface
    for which in ("", AGENT):
        scope = RequestScope(surface=which)
        plain = Parts(made).surface
        assert await leasing.tools(scope) == await plain.tools(scope)
        assert await leasing.instructions(scope) == await plain.instructions(scope)


def test_an_unknown_toolset_is_not_switched_on(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"toolsets.on names no toolset 'fleets'. Near it: fleet"
    ):
        make_policy(settings(tmp_path, toolsets_on="fleets"), EVERY_TOOLSET)


def test_tags_are_words_of_a_phone(tmp_path: Path) -> None:
    made = settings(tmp_path, '[phones.R58M1]\nslug = "desk"\ntags = ["lab", "API-34.x"]\n')
    assert made.tags == {"R58M1": ("lab", "API-34.x")}
    assert made.slugs == {"R58M1": "desk"}


@pytest.mark.parametrize("tags", ['"lab"', "[1]", '["a b"]', '[""]', '["é"]', str(["a"] * 21)])
def test_other_tags_are_refused(tmp_path: Path, tags: str) -> None:
    with pytest.raises(SettingsError, match=r"phones.R58M1.tags in .* must be a list of up to 20"):
        settings(tmp_path, f"[phones.R58M1]\ntags = {tags}\n")


@pytest.mark.parametrize("package", ["com.bank.*", "com bank", "x; reboot", "*"])
def test_data_is_cleared_of_named_apps_only(tmp_path: Path, package: str) -> None:
    with pytest.raises(SettingsError, match=r"fleet\.clear_data has"):
        settings(tmp_path, f'[fleet]\nclear_data = ["{package}"]\n')


@pytest.mark.parametrize(
    "text", ["most = 0", "most = 1001", 'reset = ["wipe"]', "most = true", "reset = 1"]
)
def test_other_values_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError):
        settings(tmp_path, f"[fleet]\n{text}\n")


def test_a_token_is_told_from_an_earlier_one_of_its_name(tmp_path: Path) -> None:
    clock = ManualClock()
    tokens = Tokens(tmp_path / "tokens.json", clock=clock)
    assert tokens.stamp("ada") is None
    assert tokens.stamp("owner") == tokens.stamp("") == 0.0
    tokens.make("ada", expires=clock.time() + 60)
    first = tokens.stamp("ada")
    assert first is not None
    clock.put_forward(1)
    tokens.revoke("ada")
    assert tokens.stamp("ada") is None
    tokens.make("ada", expires=clock.time() + 60)
    assert tokens.stamp("ada") not in (None, first)
    clock.put_forward(60)
    assert tokens.stamp("ada") is None
