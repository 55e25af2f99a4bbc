"""Installed packages by Android's `pm`, `cmd package` and `dumpsys`.

Every command names the user: by default, some act for the first user, others for all. Exit codes
are not reliable. Until Android 8.1 `pm` is a separate program with commands that `cmd package`
lacks.
"""

import re
from typing import BinaryIO

from ...adb.link import AdbError
from ...helper.protocol import Code, HelperFailure
from ..by_adb.batch import run_sections
from ..by_adb.commands import USER_LINE, Commands, first_line, read_user
from ..packages import (
    NOT_INSTALLED,
    PACKAGE,
    PERMISSION,
    STILL_THERE,
    SYSTEM_APP,
    AppInfo,
    NotChanged,
    NotRemoved,
    PhoneTraits,
)
from ..reading.distant_file import TooMuch, read_distant
from ..reading.dumpsys import read_density
from ..reading.package_dump import DumpedPackage, read_package_dump
from .device import ShellDevice
from .probes import first, read_space

SLOW_SECONDS = 120.0
"""Removing a large app takes a while."""
_FILE = re.compile(r"(\d{1,19}) (/\S+)")
_FAILURE = re.compile(r"^Failure(?: \[(.*)\])?\s*$", re.MULTILINE)
_USER = f'u=$({USER_LINE}); echo "$u"'
"""The lines after it have the user as `$u`."""
_TRAITS = ("api", "android", "abis", "density", "space")


async def read_app_info(commands: Commands, package: str) -> AppInfo | None:
    """Return None if the app is not installed. Raises AdbError."""
    if not PACKAGE.fullmatch(package):
        return None
    lines = {
        "user": _USER,
        "files": f'for p in $(pm path --user "$u" {package}); do'
        " stat -c '%s %n' \"${p#package:}\"; done",
        "dump": f"dumpsys package {package}",
    }
    printed = await run_sections(commands, lines)
    user, dump = read_user(printed["user"].text), printed["dump"].text
    file = _FILE.fullmatch(printed["files"].text.partition("\n")[0].strip())  # the base is first
    found = read_package_dump(dump, package, user)
    if found is None:
        if file is not None:  # the app is installed, so the output is not an answer
            said = first_line(dump)
            raise AdbError(f"The phone did not describe {package}; it printed: {said}.")
        return None
    signer = "" if file is None else await _read_signer(commands, file[2], int(file[1]))
    return AppInfo(
        package=package,
        label=package,
        version_name=found.version_name,
        version_code=found.version_code,
        system="SYSTEM" in found.flags,
        enabled=found.enabled,
        debuggable="DEBUGGABLE" in found.flags,
        min_sdk=found.min_sdk,
        target_sdk=found.target_sdk,
        installer=found.installer,
        installed_at=found.installed_at,
        updated_at=found.updated_at,
        signer=signer,
        sizes=None,
        permissions=found.permissions,
    )


async def _read_signer(commands: Commands, path: str, size: int) -> str:
    """Return "" if it cannot be read: the shell may not have access to the APK."""
    from ...app_formats.apk.archive import Archive  # slow to import, and no other verb needs it
    from ...app_formats.apk.binary import BadApk

    def read(file: BinaryIO) -> str:
        with Archive(file, name=path) as archive:
            signer = archive.signer()
            return "" if signer is None else signer.digest

    try:
        return await read_distant(commands.link, path, size, read)
    except (AdbError, BadApk, TooMuch):
        return ""


async def uninstall(commands: Commands, package: str, *, keep_data: bool) -> None:
    """Raises NotRemoved, HelperLost, AdbError."""
    if not PACKAGE.fullmatch(package):
        raise NotRemoved(NOT_INSTALLED)
    keep = "-k " if keep_data else ""
    lines = {
        "user": _USER,
        "system": _listed(package, "-s "),
        # Uninstalling a system app would only remove its updates.
        "removal": f'[ $c = 0 ] || cmd package uninstall {keep}--user "$u" {package} 2>&1',
        "there": _listed(package),
    }
    printed = await run_sections(commands, lines, act=True, seconds=SLOW_SECONDS)
    read_user(printed["user"].text)
    if printed["system"].code == 0:
        raise NotRemoved(SYSTEM_APP)
    said = printed["removal"].text
    failure, succeeded = _FAILURE.search(said), "Success" in map(str.strip, said.split("\n"))
    if printed["there"].code == 1:
        if failure is None and succeeded:
            return
        raise NotRemoved(NOT_INSTALLED)
    if failure is not None and failure[1]:
        raise NotRemoved(failure[1].strip())
    raise NotRemoved(STILL_THERE if succeeded else first_line(said))


async def clear_data(commands: Commands, package: str) -> None:
    """Raises HelperFailure, HelperLost, AdbError."""
    if not PACKAGE.fullmatch(package):
        raise HelperFailure(Code.NOT_INSTALLED, f"{package[:100]} is not installed.")
    lines = {
        "user": _USER,
        "there": _listed(package),
        "clearing": f'[ $c != 0 ] || pm clear --user "$u" {package} 2>&1',
    }
    printed = await run_sections(commands, lines, act=True)
    read_user(printed["user"].text)
    if printed["there"].code == 1:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
    said = printed["clearing"].text
    if not said.startswith("Success"):
        message = f"Android did not delete the data of {package}: {first_line(said)}."
        raise HelperFailure(Code.FAILED, message)


def _listed(package: str, options: str = "") -> str:
    """Return the line whose exit code is 0 if the package is installed for the user, else 1."""
    listed = f'cmd package list packages {options}--user "$u" {package}'
    return f"{listed} | grep -qx package:{package}"


async def set_permission(commands: Commands, package: str, permission: str, granted: bool) -> None:
    """Raises NotChanged, HelperLost, AdbError."""
    if not PACKAGE.fullmatch(package):
        raise HelperFailure(Code.NOT_INSTALLED, f"{package[:100]} is not installed.")
    if not PERMISSION.fullmatch(permission):
        raise NotChanged(f"{permission[:100]} is not a permission")
    verb = "grant" if granted else "revoke"
    lines = {
        "user": _USER,
        "change": f'pm {verb} --user "$u" {package} {permission} 2>&1',
        "dump": f"dumpsys package {package}",
    }
    printed = await run_sections(commands, lines, act=True)
    found = read_package_dump(printed["dump"].text, package, read_user(printed["user"].text))
    if found is None:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
    if _state(found, permission) is granted:
        return
    said = printed["change"].text
    raise NotChanged(first_line(said) if said.strip() else "")


def _state(found: DumpedPackage, permission: str) -> bool | None:
    """Return None for a permission that the app does not request."""
    return next((each.granted for each in found.permissions if each.name == permission), None)


async def read_traits(commands: Commands) -> PhoneTraits:
    """Raises AdbError."""
    facts = await ShellDevice(commands).read(_TRAITS)
    api = first(facts["api"])
    return PhoneTraits(
        api=int(api) if api.isascii() and api.isdigit() and len(api) < 5 else 0,
        release=first(facts["android"])[:20],
        abis=tuple(abi for abi in first(facts["abis"])[:200].split(",") if abi),
        density=read_density(facts["density"]) or 0,
        free_bytes=read_space(facts["space"]),
    )
