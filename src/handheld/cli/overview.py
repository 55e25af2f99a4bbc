"""`handheld` alone, at a terminal: what is connected, what is wrong, and what to do next."""

import asyncio
from collections.abc import Sequence

from .. import __version__
from ..devices.ownership import Owners, OwnershipEntry
from ..settings import VIRTUAL, Settings
from .choosing import Choice, choose
from .doctor.command import show_finding
from .doctor.examination import Finding, Severity, examine_briefly
from .terminal import print_line, print_note

_DEMO = Choice("Try a virtual phone, and see how to connect a client", "handheld demo")
_SERVE = Choice("Serve the connected phones to MCP clients", "handheld serve")
_LOOK = Choice("Look at the phone's screen as an agent does", "handheld call phone_look")
_CONSOLE = Choice("Watch the phone and the calls in the browser", "handheld console --open")
_DOCTOR = Choice("Look closer at what is wrong", "handheld doctor")
_HELP = Choice("List all commands", "handheld --help")
_SHOWN = ("owner", "phone")
"""What is shown although nothing is wrong with it."""


def run_overview(settings: Settings) -> list[str]:
    """Show it, and return the command line that the user chooses; empty for none."""
    return asyncio.run(_run(settings))


async def _run(settings: Settings) -> list[str]:
    print_line(f"Handheld {__version__}")
    findings = [finding async for finding in examine_briefly(settings)]
    for finding in describe(findings):
        show_finding(finding)
    print_note("\nWhat next?")
    chosen = await choose(find_choices(findings, Owners(settings.folders.owners).entries()))
    return chosen.command.split()[1:] if chosen else []


def describe(findings: Sequence[Finding]) -> list[Finding]:
    """Those that are shown."""
    return [
        finding
        for finding in findings
        if finding.verdict is not Severity.OK or finding.subject in _SHOWN
    ]


def find_choices(findings: Sequence[Finding], owners: Sequence[OwnershipEntry]) -> list[Choice]:
    served = [entry for entry in owners if entry.url]
    wrong = any(finding.verdict is not Severity.OK for finding in findings)
    phones = any(
        finding.subject == "phone" and finding.verdict is Severity.OK for finding in findings
    )
    return [
        *([_LOOK, _CONSOLE] if len(served) == 1 else []),
        *([_SERVE] if phones and not served else []),
        *([_DEMO] if not any(VIRTUAL in entry.phones for entry in owners) else []),
        *([_DOCTOR] if wrong else []),
        _HELP,
    ]
