"""`handheld apps check`: whether an app declares its tools correctly."""

import argparse
import json
import re
from pathlib import Path

from ...app_tools.check.declared import check_file
from ...app_tools.check.finding import Severity
from ...app_tools.check.findings import Findings
from ...app_tools.check.on_phone import check_package
from ...devices.ownership import Owners, OwnershipEntry, join
from ...errors import ToolError
from ...screen.characters import plain
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)


async def check(given: argparse.Namespace, settings: Settings) -> int:
    target: str = given.package
    if _is_file(target):
        if given.call:
            print_error("--call needs an app on a phone: give its package, not its file.")
            return USAGE_ERROR
        try:
            findings = check_file(Path(target))
        except OSError as problem:
            print_error(f"{target} cannot be read: {problem.strerror}.")
            return USAGE_ERROR
    elif _PACKAGE.fullmatch(target):
        findings = await _check_on_phone(target, settings, call=given.call)
    else:
        print_error(f"{target!r} is neither a package such as com.example.app nor an APK file.")
        return USAGE_ERROR
    _print(findings, as_json=given.json)
    return int(findings.failed)


def _is_file(target: str) -> bool:
    return target.endswith(".apk") or Path(target).is_file()


async def _check_on_phone(package: str, settings: Settings, *, call: bool) -> Findings:
    """Raises ToolError, OwnerError."""
    from ...devices.opening import open_devices
    from ...server.sharing.remote import has_phone
    from ..reach import command_line

    joined = await join(
        Owners(settings.folders.owners),
        settings.phones,
        command_line("apps check", settings),
        has_phone,
        slug=settings.single_slug,
    )
    if isinstance(joined, OwnershipEntry):
        # A check asks apps things that no tool asks, so the owner does not offer it to its clients.
        named = settings.phones or joined.phones
        phone = f" --phone {named[0]}" if len(named) == 1 else ""
        more = " --call" if call else ""
        raise ToolError(
            f"{joined} has the phone, and a check asks the app directly. Stop that process"
            f" (kill {joined.pid}), then: handheld apps check {package}{phone}{more}. Meanwhile the"
            " app's declarations can be checked: handheld apps check FILE.apk"
        )
    try:
        devices = await open_devices(settings, lambda _: None)
        try:
            phone = await devices.pick(None)
            print_note(f"Asking {package} on {plain(phone.name)}, which takes some seconds …")
            return await check_package(phone.driver, package, call=call)
        finally:
            await devices.aclose()
    finally:
        joined.release()


def _print(findings: Findings, *, as_json: bool) -> None:
    if as_json:
        print_line(
            json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=2)
        )
        return
    for finding in findings:
        print_line(
            f"{finding.verdict.value:<8} {plain(finding.subject)}: {plain(finding.sentence)}"
        )
        if finding.fix and finding.verdict is not Severity.OK:
            print_line(f"{'':<8} → {plain(finding.fix)}")
    print_line(", ".join(_count(findings, verdict) for verdict in Severity))


def _count(findings: Findings, verdict: Severity) -> str:
    count = sum(finding.verdict is verdict for finding in findings)
    several = "s" if count != 1 and verdict is not Severity.OK else ""
    return f"{count} {verdict.value}{several}"
