"""`handheld tools --tokens`: what the list costs in a model's context."""

import pytest

from handheld.cli import cost
from handheld.tools.tool import Listing

from .test_apps import Run, run

__all__ = ["run"]

KNOWN = Listing("phone_known", "Known", "Its tokens are kept.", {"type": "object"})
NEW = Listing("phone_new", "New", "Its tokens are not kept.", {"type": "object"})


@pytest.mark.parametrize("surface", ["agent", "main"])
def test_each_tool_and_the_instructions_are_printed_with_their_tokens_and_the_sum(
    run: Run, surface: str
) -> None:
    code, output, noted = run("tools", "--tokens", "--surface", surface, "--apps-trust", "off")
    assert (code, noted) == (0, "")
    listed = output.partition("\nBy toolset:\n")[0]
    rows = [line.split() for line in listed.splitlines()]
    names = run("tools", "--surface", surface, "--apps-trust", "off")[1].splitlines()
    assert [row[0] for row in rows] == ["(instructions)", *(n.split()[0] for n in names), "in"]
    counts = [int(row[-2].replace(",", "")) for row in rows]
    assert sum(counts[:-1]) == counts[-1]
    assert "about" not in listed


def by_toolset(run: Run, *flags: str) -> dict[str, str]:
    code, output, _ = run("tools", "--tokens", "--apps-trust", "off", *flags)
    assert code == 0
    lines = output.partition("\nBy toolset:\n")[2].splitlines()
    return {line.split()[0]: line for line in lines}


def test_each_toolset_is_printed_with_its_cost_and_whether_it_is_on(run: Run) -> None:
    rows = by_toolset(run, "--surface", "main")
    assert list(rows)[:3] == ["screen", "system", "touch"]
    assert rows["sms"].endswith("  2 tools  on")
    listed = run("tools", "--tokens", "--surface", "main", "--apps-trust", "off")[1].splitlines()
    tokens = [
        int(line.split()[-2].replace(",", ""))
        for line in listed
        if line.split()[:1] in (["android_send_sms"], ["android_get_sms_subscriptions"])
    ]
    assert sum(tokens) == int(rows["sms"].split()[-5].replace(",", ""))


def test_a_toolset_that_is_off_says_how_it_is_switched_on(run: Run) -> None:
    rows = by_toolset(run, "--surface", "main")
    assert rows["diagnostics"].endswith(
        "  3 tools  off; --toolsets-on diagnostics, or a client's header X-MCP-Toolsets: default,"
        " diagnostics"
    )
    assert rows["fleet"].endswith("  off; --toolsets-on fleet")
    switched = by_toolset(run, "--surface", "main", "--toolsets-on", "diagnostics")
    assert switched["diagnostics"].endswith("  3 tools  on")
    assert switched["diagnostics"].split()[1:4] == rows["diagnostics"].split()[1:4]


def test_what_the_settings_switch_off_is_said(run: Run) -> None:
    rows = by_toolset(run, "--surface", "main", "--toolsets-off", "sms", "--tools-off", "tap,swipe")
    assert rows["sms"].endswith("  2 tools  off by the settings")
    assert rows["touch"].endswith("  on, but for 2 that the settings switch off")


def test_the_tools_for_models_have_their_toolsets_too(run: Run) -> None:
    rows = by_toolset(run, "--surface", "agent")
    assert rows["utility"].endswith("  on")
    assert rows["fleet"].endswith("  off; --toolsets-on fleet")


def test_a_tool_that_was_not_counted_is_estimated_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = {cost.key_of("Hold."): 2, cost.key_of(cost.print_listing(KNOWN)): 17}
    monkeypatch.setattr(cost, "kept_counts", lambda: kept)
    *_, known, new, total = cost.table("Hold.", [KNOWN, NEW])
    estimated = cost.estimate(cost.print_listing(NEW))
    assert known.split() == ["phone_known", "17", "tokens"]
    assert new.split() == ["phone_new", "about", str(estimated), "tokens"]
    assert total.split() == ["in", "all", "about", str(19 + estimated), "tokens"]


def test_the_cost_is_not_printed_as_json(run: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        run("tools", "--tokens", "--json")
    assert ended.value.code == 2
