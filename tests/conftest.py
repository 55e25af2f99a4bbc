"""Fixtures for all tests, and a word on those that were left out."""

import os

import pytest
from hypothesis import settings

# How long one example takes depends on what else the machine does; the suite's own time is bounded.
# A change is judged by the same examples every time it is judged; at the desk new ones are sought.
settings.register_profile("handheld", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("handheld")

LEFT_OUT = {
    "Left out: {} tests that need Debian's adb and aapt or Node. `bash .ci/run` installs these and"
    " runs them.": ("needs_adb", "needs_aapt", "needs_node"),
    "Left out: {} tests of the console in a browser, which need Debian's Chromium and Node."
    " `bash .ci/run` installs these and runs them.": ("needs_browser",),
    "Left out: {} tests of the helper for real phones, which need JDK 17. `bash .ci/run` installs"
    " it and runs them.": ("needs_java",),
    "Left out: {} tests that need other people's adb clients and MCP servers. `make peers` installs"
    " these and runs them.": ("needs_peers",),
    "Left out: {} tests that run on a real phone. `make test-phone` asks for one.": ("any_phone",),
    "Left out: {} tests of the tools with the helper refused. `bash .ci/run` runs them.": (
        "second_pass",
    ),
}


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    # asyncio alone: another loop shuffles task starts, and the order of actions is a promise.
    return "asyncio"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    deselected = terminalreporter.stats.get("deselected", ())
    for said, markers in LEFT_OUT.items():
        count = sum(any(map(item.get_closest_marker, markers)) for item in deselected)
        if count:
            terminalreporter.write_line(said.format(count))
