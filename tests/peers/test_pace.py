"""The table of paces: what stands in it, and that the documentation has one of these programs."""

import re

from hands import ACTIONS, PROGRAMS
from pace import BEGIN, END, LATENCIES, PAGE, Measured, Row, table


def test_the_table_says_what_no_tool_does_and_what_failed() -> None:
    rows = [
        Row(program="one", latency="phone", ms=dict.fromkeys(ACTIONS, 1234.5), note="quick"),
        Row(program="other", latency="phone", ms={"read": 7.4, "tap": None}, note=""),
    ]
    quiet = Measured(date="2026-01-02", machine="2 cores", busy=False, rounds=5, rows=rows)
    text = table(quiet)
    assert "too high" not in text
    assert "too high" in table({**quiet, "busy": True})
    assert text.startswith("Measured on 2026-01-02 (2 cores): ")
    assert f"| latency `phone`, ms | {' | '.join(ACTIONS)} |\n" in text
    assert "| one | 1,234 | 1,234 | 1,234 | 1,234 | 1,234 | 1,234 |\n" in text
    assert "| other | 7 | failed | — | — | — | — |\n" in text
    assert text.endswith("\n- one: quick\n")


def test_every_action_of_a_program_is_a_column() -> None:
    assert [each.name for each in PROGRAMS if not set(each.actions) <= set(ACTIONS)] == []


def test_the_documentation_has_the_paces_of_these_programs() -> None:
    page = PAGE.read_text(encoding="utf-8")
    block = page.partition(BEGIN)[2].partition(END)[0]
    shown = re.findall(r"^\| ([^|]+?) \| [\d—f]", block, re.MULTILINE)
    assert shown == [each.name for each in PROGRAMS] * len(LATENCIES)
