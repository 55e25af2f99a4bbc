"""`make test WHAT=attacks` prints a line for each class of attacks: how many were tried and held.

A class is a module; it says its name as `ATTACK`. A test counts as one attack, or as many as it
has counted with `tried`. Nothing here knows a number.
"""

from collections import Counter

import pytest

CLASS, TRIED = "attack", "tried"
"""The names of the properties of a test by which it tells its class and its attacks."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tried, failed = Counter[str](), Counter[str]()
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.getreports(outcome):
            told = dict(getattr(report, "user_properties", ()))
            if CLASS in told:
                tried[told[CLASS]] += told.get(TRIED, 1)
                failed[told[CLASS]] += outcome != "passed"
    if not tried:
        return
    width = max(map(len, tried))
    terminalreporter.write_line("")
    for name, count in sorted(tried.items()):
        result = f"{failed[name]} tests failed" if failed[name] else "held"
        terminalreporter.write_line(f"{name:<{width}}  {count:>6}  {result}")
    lost = sum(failed.values())
    result = f"{lost} tests failed" if lost else "all held"
    terminalreporter.write_line(f"{'':<{width}}  {tried.total():>6}  {result}")
