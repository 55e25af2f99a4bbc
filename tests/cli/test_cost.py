"""`handheld tools --tokens`: what the list costs in a model's context."""

import pytest

from handheld.cli import cost
from handheld.toolkit.tool import Listing

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
    rows = [line.split() for line in output.splitlines()]
    names = run("tools", "--surface", surface, "--apps-trust", "off")[1].splitlines()
    assert [row[0] for row in rows] == ["(instructions)", *(n.split()[0] for n in names), "in"]
    counts = [int(row[-2].replace(",", "")) for row in rows]
    assert sum(counts[:-1]) == counts[-1]
    assert "about" not in output


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
