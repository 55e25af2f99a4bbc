"""`handheld apps`: which apps on the phone declare tools, and which of them are listed."""

import argparse

from ...access.request_scope import EVERYTHING
from ...app_tools.trust import AppRecord, Standing, Trust, TrustError
from ...devices.ownership import OwnerError
from ...errors import ToolError
from ...screen.characters import plain
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note
from ..tty import NO_TERMINAL, open_tty


def add_apps_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", choices=("list", "approve", "revoke", "check", "stub"), help="what to do"
    )
    command.add_argument(
        "package",
        nargs="?",
        metavar="PACKAGE",
        help="the app, by its package; check also takes an APK file, stub only that",
    )
    command.add_argument(
        "--on", dest="only", metavar="PHONE", help="only on this phone, as `list` names it"
    )
    command.add_argument(
        "--call",
        action="store_true",
        help="with check: also call the tools that take no arguments, which may have effects",
    )
    command.add_argument(
        "--json", action="store_true", help="with check: print the findings as JSON"
    )


async def apps(given: argparse.Namespace, settings: Settings) -> int:
    """Running servers notice changes by themselves."""
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    if given.action == "check":
        from .app_check import check

        return await check(given, settings)
    if given.action == "stub":
        from .app_stub import stub

        return stub(given.package)
    trust = Trust(settings.folders.apps, first_use=settings.apps.trust == "first-use")
    try:
        if given.action == "list":
            await _refresh(settings)
            return _list(trust, _named(given.only, trust, settings))
        only = _named(given.only, trust, settings)
        if given.action == "approve":
            changed = _approve(trust, given.package, only)
        else:
            changed = trust.revoke(given.package, only)
        # Several phones may have the app; phones with the same line share it.
        for line in dict.fromkeys(map(_line, changed)):
            print_line(line)
        if settings.apps.trust == "off":
            print_note("apps.trust is off: no app's tools are listed until it is changed.")
    except TrustError as problem:
        print_error(str(problem))
        return 1
    return 0


def _approve(trust: Trust, package: str, only: str | None) -> list[AppRecord]:
    """Approve the app as the person at the terminal was shown it. Raises TrustError."""
    found = trust.on_phones(package, only)
    tty = open_tty()
    if tty is None:
        raise TrustError(
            f"{NO_TERMINAL}: an agent with a shell could run this as well. The page Apps of"
            " the console approves, too."
        )
    try:
        for phone, record in found.items():
            for line in _describe(phone, record):
                tty.print(line)
        if not tty.confirm("Let agents use these tools without asking you?"):
            raise TrustError(f"{package} was not approved.")
    except OSError as problem:
        raise TrustError(f"The terminal cannot be used: {problem.strerror}.") from problem
    finally:
        tty.close()
    return [
        approved
        for phone, record in found.items()
        for approved in trust.approve(package, phone, record.seen.digest)
    ]


def _describe(phone: str, record: AppRecord) -> list[str]:
    """What a person needs to decide about the app."""
    changed = f"; {record.change}" if record.change else ""
    return [
        f"{plain(record.label)} ({plain(record.package)}) on {plain(phone)}{changed}",
        f"  signed by {plain(record.seen.signer) or 'somebody who is not known'}",
        *(f"  tool {plain(tool)}" for tool in record.tools),
    ]


def _usage_error(given: argparse.Namespace) -> str:
    if given.action != "check" and (given.call or given.json):
        return f"handheld apps {given.action} takes neither --call nor --json."
    if given.action == "check" and given.only:
        return "handheld apps check takes no --on; choose the phone with --phone."
    if given.action == "stub" and given.only:
        return "handheld apps stub takes no --on: it reads a file, and no phone."
    if given.action == "stub" and not given.package:
        return "Name the app's file: handheld apps stub FILE.apk"
    if given.action == "list" and given.package:
        return "handheld apps list takes no package."
    if given.action == "check" and not given.package:
        return "Name the app: handheld apps check PACKAGE, or handheld apps check FILE.apk"
    if given.action != "list" and not given.package:
        return f"Name the app: handheld apps {given.action} PACKAGE"
    return ""


def _named(phone: str | None, trust: Trust, settings: Settings) -> str | None:
    """The recorded name of a phone, which may be given by its slug. Raises TrustError."""
    known = list(trust.records())
    if phone is None or trust.find(phone) in known:
        return phone and trust.find(phone)
    for name in known:
        if any(settings.slug_of(each) == phone for each in (name, *trust.addresses(name))):
            return name
    named = f"Known: {', '.join(map(plain, known))}." if known else "No phone is known yet."
    raise TrustError(f"No phone called {phone!r} has apps that declare tools. {named}")


def _list(trust: Trust, only: str | None) -> int:
    records = {name: apps for name, apps in trust.records().items() if only in (None, name)}
    if not any(records.values()):
        print_note(
            "No app that declares tools has been found. docs/app-tools.md describes how to declare"
            " them."
        )
    for phone, apps in records.items():
        if apps:
            print_line(f"On {plain(phone)}:")
        for record in apps:
            print_line(f"  {_line(record)}")
            for problem in record.problems:
                print_line(f"    ! {plain(problem)}")
    return 0


async def _refresh(settings: Settings) -> None:
    """Ask the phone if one is available; otherwise the earlier list is shown."""
    from ..reach import list_with_apps

    if settings.apps.trust == "off":
        print_note("apps.trust is off: apps are not searched for tools.")
        return
    try:
        await list_with_apps(settings, "apps", EVERYTHING)
    except (ToolError, OwnerError) as problem:
        print_note(f"The phone could not be asked, so this is an earlier list: {problem}")


def _line(record: AppRecord) -> str:
    tools = ", ".join(record.tools) or "no tools"
    standings = {
        Standing.APPROVED: "approved",
        Standing.OURS: "of the virtual phone itself",
        Standing.FOUND: f"found; handheld apps approve {record.package}",
        Standing.LATER: f"came later; handheld apps approve {record.package}",
        Standing.NEW: f"not approved; handheld apps approve {record.package}",
        Standing.REVOKED: f"revoked; handheld apps approve {record.package}",
        Standing.CHANGED: f"withdrawn, {record.change}; handheld apps approve {record.package}",
    }
    standing = standings[record.standing]
    if not record.present:
        standing = "removed, or no longer declares tools"
    elif record.problems and not record.tools:
        standing = f"nothing to approve: {plain(record.problems[0]).removesuffix('.')}"
    return f"{record.package}  {record.label}  ({standing}): {tools}"
