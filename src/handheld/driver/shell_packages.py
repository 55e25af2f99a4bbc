"""Installed packages by Android's `pm`, `cmd package` and `dumpsys`.

Every command names the user: several mean the first user, or all, unless told. Exit codes are not
relied on. `pm` is a program of its own until Android 8.1, which has what `cmd package` lacks there.
"""

import re
from typing import BinaryIO, NamedTuple

from ..adb.link import AdbError
from ..apk.archive import Archive
from ..apk.binary import BadApk
from ..helper.protocol import Code, HelperFailure
from .commands import Commands, first_line
from .distant_file import TooMuch, read_distant
from .dumpsys import read_density
from .package_dump import DumpedPackage, read_package_dump
from .packages import (
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

SLOW_SECONDS = 120.0
"""A large app takes a while to be removed."""
_USER = re.compile(r"user (\d{1,9})")
_FILE = re.compile(r"(\d{1,19}) (/\S+)")
_FAILURE = re.compile(r"^Failure(?: \[(.*)\])?\s*$", re.MULTILINE)
_INFO = """\
u=$(am get-current-user); echo "user $u"
for p in $(pm path --user "$u" {package}); do stat -c '%s %n' "${{p#package:}}"; done
dumpsys package {package}
"""
_UNINSTALL = """\
u=$(am get-current-user); echo "user $u"
there() {{ cmd package list packages --user "$u" $1 {package} | grep -qx package:{package}; }}
if there -s; then echo system; exit; fi
cmd package uninstall {keep}--user "$u" {package}
if there; then echo there; else echo gone; fi
"""
_CHANGE = """\
u=$(am get-current-user); echo "user $u"
pm {verb} --user "$u" {package} {permission}
dumpsys package {package}
"""
_TRAITS = """\
getprop ro.build.version.sdk; getprop ro.build.version.release
getprop ro.product.cpu.abilist; wm density; df -k /data
"""


class _Printed(NamedTuple):
    user: int
    rest: str
    """All lines after the one with the user."""
    errors: str


async def read_app_info(commands: Commands, package: str) -> AppInfo | None:
    """None when it is not installed. Raises AdbError."""
    if not PACKAGE.fullmatch(package):
        return None
    result = await commands.run(_INFO.format(package=package))
    printed = _read_user(result.stdout, result.stderr)
    # The base comes first. What follows is the dump, parts of which apps may choose.
    file = _FILE.fullmatch(printed.rest.partition("\n")[0].strip())
    found = read_package_dump(printed.rest, package, printed.user)
    if found is None:
        if file is not None:  # it is there, so that this is no answer
            said = first_line(printed.rest.partition("\n")[2] + printed.errors)
            raise AdbError(f"The phone did not tell about {package} but said: {said}.")
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
    """ "" where it cannot be read: an APK may be kept from the shell."""

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
    line = _UNINSTALL.format(package=package, keep="-k " if keep_data else "")
    result = await commands.run(line, act=True, seconds=SLOW_SECONDS)
    printed = _read_user(result.stdout, result.stderr)
    lines = [line.strip() for line in printed.rest.split("\n") if line.strip()]
    if lines[:1] == ["system"]:
        raise NotRemoved(SYSTEM_APP)
    said = printed.rest + printed.errors
    failure = _FAILURE.search(said)
    if lines[-1:] == ["gone"]:
        if failure is None and "Success" in lines:
            return
        raise NotRemoved(NOT_INSTALLED)
    if failure is not None and failure[1]:
        raise NotRemoved(failure[1].strip())
    raise NotRemoved(STILL_THERE if "Success" in lines else first_line(said))


async def set_permission(commands: Commands, package: str, permission: str, granted: bool) -> None:
    """Raises NotChanged, HelperLost, AdbError."""
    if not PACKAGE.fullmatch(package):
        raise HelperFailure(Code.NOT_INSTALLED, f"{package[:100]} is not installed.")
    if not PERMISSION.fullmatch(permission):
        raise NotChanged(f"{permission[:100]} is no permission")
    verb = "grant" if granted else "revoke"
    line = _CHANGE.format(verb=verb, package=package, permission=permission)
    result = await commands.run(line, act=True)
    printed = _read_user(result.stdout, result.stderr)
    found = read_package_dump(printed.rest, package, printed.user)
    if found is None:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
    if _state(found, permission) is granted:
        return
    raise NotChanged(first_line(printed.errors) if printed.errors.strip() else "")


def _state(found: DumpedPackage, permission: str) -> bool | None:
    """None for one that the app does not ask for."""
    return next((each.granted for each in found.permissions if each.name == permission), None)


async def read_traits(commands: Commands) -> PhoneTraits:
    """Raises AdbError."""
    printed = await commands.ask(_TRAITS)
    lines = [line.strip() for line in printed.split("\n")]
    lines += [""] * (3 - len(lines))
    api, release, abis, *rest = lines
    columns = next((line for line in reversed(rest) if line), "").split()
    numbers = [word for word in columns if word.isascii() and word.isdigit()]
    return PhoneTraits(
        api=int(api) if api.isascii() and api.isdigit() and len(api) < 5 else 0,
        release=release[:20],
        abis=tuple(abi for abi in abis[:200].split(",") if abi),
        density=read_density("\n".join(rest)) or 0,
        free_bytes=int(numbers[2]) * 1024 if len(numbers) >= 3 else None,
    )


def _read_user(stdout: bytes, stderr: bytes) -> _Printed:
    first, _, rest = stdout.decode(errors="replace").partition("\n")
    match = _USER.fullmatch(first.strip())
    errors = stderr.decode(errors="replace")
    if match is None:
        said = first_line(errors if errors.strip() else first)
        raise AdbError(f"The phone does not say which user is in front: {said}.")
    return _Printed(int(match[1]), rest, errors)
