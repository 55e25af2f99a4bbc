"""`handheld apps`: which apps on the phone offer tools, and whose are listed."""

import argparse

from ..devices.ownership import OwnerError
from ..errors import ToolError
from ..settings import Settings
from ..sources.trust import Record, Standing, Trust, TrustError
from ..ui.text import plain
from .exit_codes import USAGE_ERROR
from .terminal import complain, note, say


async def apps(given: argparse.Namespace, settings: Settings) -> int:
    """Servers that run take notice by themselves."""
    if wrong := _wrong(given):
        complain(wrong)
        return USAGE_ERROR
    if given.action == "check":
        from .app_check import check

        return await check(given, settings)
    trust = Trust(settings.folders.apps, first_use=settings.apps.trust == "first-use")
    try:
        if given.action == "list":
            await _look(settings)
            return _list(trust, _named(given.only, trust, settings))
        change = trust.approve if given.action == "approve" else trust.revoke
        changed = change(given.package, _named(given.only, trust, settings))
        # Several phones may have the app, and one line tells of all on which it is the same.
        for line in dict.fromkeys(map(_line, changed)):
            say(line)
        if settings.apps.trust == "off":
            note("apps.trust is off: no app's tools are listed until it is changed.")
    except TrustError as problem:
        complain(str(problem))
        return 1
    return 0


def _wrong(given: argparse.Namespace) -> str:
    if given.action != "check" and (given.call or given.json):
        return f"handheld apps {given.action} takes neither --call nor --json."
    if given.action == "check" and given.only:
        return "handheld apps check takes no --on; choose the phone with --phone."
    if given.action == "list" and given.package:
        return "handheld apps list takes no package."
    if given.action == "check" and not given.package:
        return "Say which app: handheld apps check PACKAGE, or handheld apps check FILE.apk"
    if given.action != "list" and not given.package:
        return f"Say which app: handheld apps {given.action} PACKAGE"
    return ""


def _named(phone: str | None, trust: Trust, settings: Settings) -> str | None:
    """The phone as it is kept: it may have been called by its slug. Raises TrustError."""
    known = list(trust.records())
    if phone is None or phone in known:
        return phone
    for name in known:
        if settings.slug_of(name) == phone:
            return name
    named = f"Known: {', '.join(map(plain, known))}." if known else "None is known yet."
    raise TrustError(f"No phone called {phone!r} has offered tools. {named}")


def _list(trust: Trust, only: str | None) -> int:
    records = {name: apps for name, apps in trust.records().items() if only in (None, name)}
    if not any(records.values()):
        note("No app that offers tools has been seen. docs/app-tools.md says how one does.")
    for phone, apps in records.items():
        if apps:
            say(f"On {plain(phone)}:")
        for record in apps:
            say(f"  {_line(record)}")
            for problem in record.problems:
                say(f"    ! {plain(problem)}")
    return 0


async def _look(settings: Settings) -> None:
    """Ask the phone, where one can be had; what was seen before is listed all the same."""
    from .reach import list_with_apps

    if settings.apps.trust == "off":
        note("apps.trust is off: apps are not looked for.")
        return
    try:
        await list_with_apps(settings, "apps")
    except (ToolError, OwnerError) as problem:
        note(f"The phone was not asked, so that this is what was seen before: {problem}")


def _line(record: Record) -> str:
    tools = ", ".join(record.tools) or "no tools"
    said = {
        # By the owner, or by being there at first use.
        Standing.APPROVED: "listed",
        Standing.NEW: f"not approved; handheld apps approve {record.package}",
        Standing.REVOKED: f"revoked; handheld apps approve {record.package}",
        Standing.CHANGED: f"withdrawn, {record.change}; handheld apps approve {record.package}",
    }
    standing = said[record.standing] if record.present else "gone, or offers nothing now"
    return f"{record.package}  {record.label}  ({standing}): {tools}"
