"""`handheld doctor`."""

import argparse
import asyncio
import json
from pathlib import Path

from ...settings import Settings
from ..terminal import print_error, print_line, print_note
from .examination import Finding, Severity, examine


def add_doctor_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the findings as JSON")
    command.add_argument(
        "--stderr", action="store_true", help="show what the helper printed on each phone"
    )
    command.add_argument(
        "--report",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write a report for an issue tracker, without private data",
    )


async def doctor(given: argparse.Namespace, settings: Settings) -> int:
    if given.report is not None:
        return await _report(given.report, settings)
    findings = [finding async for finding in examine(settings, stderr=given.stderr)]
    bad = any(finding.verdict is Severity.PROBLEM for finding in findings)
    if given.json:
        print_line(
            json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=2)
        )
        return int(bad)
    for finding in findings:
        show_finding(finding)
    return int(bad)


def show_finding(finding: Finding) -> None:
    print_line(f"{finding.verdict.value:<8} {finding.subject}: {finding.sentence}")
    if finding.fix:
        print_line(f"{'':<8} → {finding.fix}")


async def _report(file: str, settings: Settings) -> int:
    """Write the report to a file, or to stdout for `-`."""
    from .report import write_report

    text = await write_report(settings)
    if file == "-":
        print_line(text.rstrip("\n"))
        return 0
    try:
        await asyncio.to_thread(Path(file).write_text, text, encoding="utf-8")
    except OSError as problem:
        print_error(f"{file} cannot be written: {problem.strerror}.")
        return 1
    print_note(f"Written to {file}. Read it before you send it.")
    return 0
