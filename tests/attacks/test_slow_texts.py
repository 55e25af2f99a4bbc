"""Texts on which a pattern would take quadratic work: a call that is refused does not read them,
and whatever reads them takes linear work."""

from collections.abc import Callable
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from handheld.access.request_scope import RequestScope
from handheld.adb.smartsocket import parse_devices
from handheld.audit.masking import _without_numbers
from handheld.cli.doctor.private_words import PrivateWords
from handheld.errors import InvalidParams, ToolError, UnknownTool
from handheld.library.screen import _split_row
from handheld.phone.screen.screen_log import ScreenLog
from handheld.tools.agent.catalog import AGENT_CATALOG, OPTIONAL_AGENT_CATALOG
from handheld.tools.agent.device_tools import SETTINGS
from handheld.tools.agent.elements import actions
from handheld.tools.agent.elements.targets import (
    find_ref,
    is_in_picture,
    is_named,
    is_point,
    named_ref,
)
from handheld.tools.agent.screen.wording import reword
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Tool
from handheld.tools.v1 import V1_TOOLS

ATTACK = "slow texts"
SLOW = "1" + " " * 20_000 + "x"
LEAST = RequestScope(read_only=True, toolsets=frozenset({"screen"}))
MEGABYTE = 1_000_000


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a pattern is tried on before a call is admitted."""
    texts: list[str] = []

    def note(at: str) -> bool:
        texts.append(at)
        return is_point(at)

    monkeypatch.setattr(actions, "is_point", note)
    return texts


@pytest.mark.parametrize("target", ["helper"], indirect=True)
@pytest.mark.parametrize("at", [SLOW, "k4", "1,2"])
async def test_a_token_that_may_not_tap_has_nothing_of_a_tap_read(
    target: Target, read: list[str], at: str
) -> None:
    target.deny()
    with pytest.raises(UnknownTool):
        await target.passing(target.agent.call("phone_tap", {"at": at}, AGENT, LEAST))
    assert read == []


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_an_argument_that_is_too_long_is_refused_and_not_read(
    target: Target, read: list[str]
) -> None:
    target.deny()
    refused = await target.refused("phone_tap", at=SLOW)
    assert refused == "Parameter 'at' must have at most 10000 characters, got: 20002"
    assert read == []
    await target.refused("phone_tap", at="nowhere")
    assert read == ["nowhere"]


TOOLS = [
    tool
    for toolset in (*CATALOG, *EXTRA, *AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG, V1_TOOLS)
    for tool in toolset.tools
    if tool.longest
]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_tool_chooses_an_action_by_an_argument_that_is_too_long(tool: Tool) -> None:
    required = dict.fromkeys(tool.listing.input_schema.get("required", ()), "x")
    for name, most in tool.longest.items():
        arguments = {**required, name: "x" * (most + 1)}
        assert tool.chosen(arguments).unclear == (tool.action is not None)
        with pytest.raises(InvalidParams):
            tool.prepare(arguments)


LOG = ScreenLog()
READERS: list[Callable[[str], object]] = [
    is_point,
    is_in_picture,
    lambda text: is_named(LOG, text),
    lambda text: named_ref(LOG, text),
    lambda text: find_ref(LOG, text),
    parse_devices,
]
SLOWER_READERS: list[Callable[[str], object]] = [
    lambda text: reword(ToolError(text)),
    lambda text: _without_numbers(text, []),
    PrivateWords({}).hide,
    _split_row,
]


def fill(piece: str) -> str:
    return piece * (MEGABYTE // len(piece))


@pytest.mark.parametrize(
    "read_text",
    [*READERS, *(pytest.param(each, marks=pytest.mark.matrix) for each in SLOWER_READERS)],
)
@pytest.mark.parametrize(
    "text",
    [
        "1" + fill(" ") + "x",
        "p1:" + fill(" ") + "x",
        "p1:(" + fill(" ") + "1",
        "1.5" + fill(" \t") + "x",
        "k4 " + fill("x") + '"\n',
        "k4 #" + fill("x") + "\n",
        'k4 "' + fill("\\") + "\n",
        fill('\\"'),
        fill(', "'),
        fill("Element '' not found: "),
        fill("1."),
        fill("1 "),
        fill("a@"),
        fill("a."),
        fill("-adb-x"),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_megabyte_takes_linear_work(read_text: Callable[[str], object], text: str) -> None:
    read_text(text)


async def test_a_place_of_a_megabyte_takes_linear_work() -> None:
    phone: Any = None  # nothing is done
    with pytest.raises(InvalidParams):
        await SETTINGS["location"][0](phone, "location", "1" + fill(" ") + "x")
