"""`handheld doctor`."""

import argparse
import asyncio
import json
from pathlib import Path

from ..doctor import Verdict, examine
from ..settings import Settings
from .terminal import complain, note, say


async def doctor(given: argparse.Namespace, settings: Settings) -> int:
    if given.report is not None:
        return await _report(given.report, settings)
    findings = [finding async for finding in examine(settings, stderr=given.stderr)]
    bad = any(one.verdict is Verdict.PROBLEM for one in findings)
    if given.json:
        say(json.dumps([one.as_json() for one in findings], ensure_ascii=False, indent=2))
        return int(bad)
    for one in findings:
        say(f"{one.verdict.value:<8} {one.subject}: {one.sentence}")
        if one.fix:
            say(f"{'':<8} → {one.fix}")
    return int(bad)


async def _report(place: str, settings: Settings) -> int:
    """To a file, or for `-` to standard output."""
    from ..doctor.report import write_report

    text = await write_report(settings)
    if place == "-":
        say(text.rstrip("\n"))
        return 0
    try:
        await asyncio.to_thread(Path(place).write_text, text, encoding="utf-8")
    except OSError as problem:
        complain(f"{place} cannot be written: {problem.strerror}.")
        return 1
    note(f"Written to {place}. Read it through before you send it.")
    return 0
