"""`handheld doctor`."""

import argparse
import json

from ..doctor import Verdict, examine
from ..settings import Settings
from .terminal import say


async def doctor(given: argparse.Namespace, settings: Settings) -> int:
    findings = [finding async for finding in examine(settings)]
    bad = any(one.verdict is Verdict.PROBLEM for one in findings)
    if given.json:
        say(json.dumps([one.as_json() for one in findings], ensure_ascii=False, indent=2))
        return int(bad)
    for one in findings:
        say(f"{one.verdict.value:<8} {one.subject}: {one.sentence}")
        if one.mend:
            say(f"{'':<8} → {one.mend}")
    return int(bad)
