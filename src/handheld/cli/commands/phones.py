"""`handheld phones`."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ...access.takeover import ALL, RESUME, Takeover
from ...adb.state import PhoneState, PhoneUnavailable
from ...devices.ownership import OwnerGone, Owners, OwnershipEntry
from ...errors import ToolError
from ...server.sharing.remote import RemoteSurface
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..shared_arguments import add_fleet_arguments, fleet_error
from ..terminal import print_error, print_line, print_note
from ..through import find_owner


def add_phones_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        nargs="?",
        choices=("list", "release", "restore", "check"),
        default="list",
        help="what to do",
    )
    command.add_argument(
        "serial",
        nargs="?",
        metavar="SERIAL",
        help="with release: the phone on which other programs may use UiAutomation; with restore:"
        " the phone whose settings are put back as they were before agents changed them; with"
        " check: the phone that is tried, by ten checks of a minute each",
    )
    command.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="with check: the report's file; phone-check.md by default",
    )
    add_fleet_arguments(command, "the phones of all hosts of an engine")
    command.add_argument(
        "--json", action="store_true", help="with --fleet: print the phones as JSON"
    )


async def phones(given: argparse.Namespace, settings: Settings) -> int:
    error = fleet_error(given, ("json",))
    if given.action != "list" and given.fleet:
        done = {"check": "checked"}.get(given.action, f"{given.action}d")
        error = f"A phone is {done} where it is connected: leave out --fleet."
    if error:
        print_error(error)
        return USAGE_ERROR
    if given.action == "release":
        return await _release(await find_owner(settings), given.serial or _only(settings.phones))
    if given.action == "restore":
        from .restoring import restore

        return await restore(settings, given.serial or _only(settings.phones))
    if given.action == "check":
        from .phone_check import check

        return await check(settings, given.serial or _only(settings.phones), given.output)
    if given.fleet:
        from ..fleet.phones import fleet_phones

        return await fleet_phones(given, settings)
    entries = [entry for entry in Owners(settings.folders.owners).entries() if entry.url]
    if settings.phones or len(entries) < 2:
        entry = await find_owner(settings)
        entries = [] if entry is None else [entry]
    if not entries:
        _show(await _ask_adb(settings))
    for entry in entries:
        remote = RemoteSurface(entry)
        try:
            rows = await remote.phones()
        except OwnerGone as gone:
            print_error(f"{gone.entry} has just exited. Try again.")
            return 1
        finally:
            await remote.aclose()
        print_note(f"Phones of {entry}:")
        _show(rows)
    return 0


def _show(rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        print_note(
            "No phone is connected. Plug one in and allow USB debugging on its screen; if nothing "
            "happens, the cable may be one that only charges. Over Wi-Fi: handheld connect. "
            "To try a virtual phone: handheld demo"
        )
    width = max((len(str(row["serial"])) for row in rows), default=0)
    for row in rows:
        named = f"  {row['slug']}" if row.get("slug") else ""
        print_line(f"{row['serial']:<{width}}  {row['state']:<14}  {row['model']}{named}".rstrip())
    if held := [str(row["slug"] or row["serial"]) for row in rows if row.get("held")]:
        print_note(f"Agents are held back on {', '.join(held)}. To resume them: {RESUME}")
    for row in rows:
        if row.get("changed"):
            name = row["slug"] or row["serial"]
            print_note(
                f"Changed on {name} by agents: {', '.join(row['changed'])}. To put it back:"
                f" handheld phones restore {row['serial']}"
            )
        if row.get("claim"):
            print_note(f"{row['slug'] or row['serial']}: {row['claim']}")
        state = PhoneState.read(str(row["state"]))
        if state is not PhoneState.DEVICE:
            print_note(str(PhoneUnavailable(str(row["serial"]), state)))


async def _ask_adb(settings: Settings) -> list[dict[str, Any]]:
    from ...adb.link import AdbError
    from ...adb.server import AdbServer

    if settings.virtual:
        raise ToolError("No virtual phone is running. Start one: handheld serve --phone virtual")
    from ...phone.device.settings_backup import SettingsBackup
    from .restoring import changed_of

    held = Takeover(settings.folders.held).names
    kept = SettingsBackup(settings.folders.originals).all()
    try:
        devices = await AdbServer(*settings.adb_address).devices()
    except AdbError as problem:
        raise ToolError(str(problem)) from problem
    return [
        {
            "serial": device.serial,
            "state": device.state.value,
            "model": device.details.get("model", ""),
            "slug": settings.slugs.get(device.serial, ""),
            "held": bool(held.intersection((ALL, device.serial))),
            "changed": changed_of(kept, device.serial),
        }
        for device in devices
        if not settings.phones or device.serial in settings.phones
    ]


def _only(phones: Sequence[str]) -> str:
    return phones[0] if len(phones) == 1 else ""


async def _release(entry: OwnershipEntry | None, serial: str) -> int:
    if entry is None:
        print_line("No Handheld of yours is running, so none uses a phone.")
        return 0
    remote = RemoteSurface(entry)
    try:
        if not serial:
            known = await remote.phones()
            if len(known) != 1:
                print_error("Name the phone: handheld phones release SERIAL")
                return USAGE_ERROR
            serial = str(known[0]["serial"])
        print_line(await remote.release(serial))
    except OwnerGone as gone:
        print_line(f"{gone.entry} has just exited, which releases its phones.")
    finally:
        await remote.aclose()
    return 0
