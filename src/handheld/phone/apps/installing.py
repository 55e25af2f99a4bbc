"""Installing, removing and changing apps on a phone.

The caller holds the phone's turn.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

from ...driver.files import AdbError, LeadsOutside
from ...driver.packages import (
    NOTHING_INSTALLED,
    PACKAGE,
    PERMISSION,
    ApkFile,
    AppInfo,
    InstallOptions,
    InstallRefused,
    NotChanged,
    NotRemoved,
)
from ...errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from ...screen.text import brief
from ..phone import Phone
from .install_failures import explain_not_changed, explain_not_removed, explain_refusal
from .package_files import Copied, Copies, copy_host_files, copy_phone_files
from .package_names import check_package
from .package_parts import PackageParts, choose_parts, depends_on_phone, read_parts, unpack_parts

OWN = "com.android.shell"
"""The package whose identity adb's commands have."""
_OBB = ("primary:Android", "obb")


class PackageSource(NamedTuple):
    """The source of the packages."""

    paths: tuple[str, ...]
    location_id: str | None = None
    """The storage location on the phone; None for files on this computer."""


class InstallReport(NamedTuple):
    info: AppInfo
    """Includes the file's signer if the phone does not report one."""
    updated: bool = False
    """Whether it replaced another version."""
    note: str = ""
    """A sentence that says why the data is from the file, not from the phone."""


async def install(phone: Phone, source: PackageSource, options: InstallOptions) -> InstallReport:
    """Raises ToolError. A cancellation has a note if nothing was done."""
    begun = False
    try:
        async with _staged(phone, source) as (copies, copied):
            parts = await _unpacked(lambda: read_parts(copies, copied))
            files = await _choose_files(phone, parts)
            begun = True
            return await _install(phone, parts, files, options)
    except asyncio.CancelledError as stop:
        if not begun:  # otherwise the driver reports the progress
            stop.add_note(NOTHING_INSTALLED)
        raise


async def _choose_files(phone: Phone, parts: PackageParts) -> list[ApkFile]:
    """Return the files that this phone needs. Raises ToolError if it may not have the app."""
    _check(phone, parts.package)
    chosen = parts.parts
    if parts.packed and depends_on_phone(chosen):
        chosen = tuple(choose_parts(chosen, await phone.driver.traits()))
    return [ApkFile(part.copy.path, part.copy.size) for part in chosen]


async def _install(
    phone: Phone, parts: PackageParts, files: list[ApkFile], options: InstallOptions
) -> InstallReport:
    try:
        await phone.driver.install(files, options._replace(package=parts.package))
    except InstallRefused as refused:
        raise await explain_refusal(
            refused, parts, downgrade=options.downgrade, driver=phone.driver
        ) from refused
    done = await _read_back(phone, parts)
    for expansion in parts.expansions:
        await _push(phone, parts.package, expansion)
    return done


async def _read_back(phone: Phone, parts: PackageParts) -> InstallReport:
    base, signer = parts.base, parts.parts[0].signer
    try:
        info = await phone.driver.app_info(base.package)
    except ToolError as problem:
        # A completed installation is not reported as failed.
        told = AppInfo(
            package=base.package,
            label=base.package,
            version_name=None if (base.version_name or "@").startswith("@") else base.version_name,
            version_code=base.version_code,
            system=False,
            enabled=True,
            debuggable=base.debuggable,
            min_sdk=base.min_sdk,
            target_sdk=base.target_sdk,
            installer=None,
            installed_at=None,
            updated_at=None,
            signer=signer,
            sizes=None,
            permissions=(),
        )
        note = f"Android installed it, but its data could not be read: {problem.message}"
        return InstallReport(told, note=note)
    if info is None or info.version_code != base.version_code:
        there = "it is not there" if info is None else f"version {info.version_code} is there"
        raise ActionFailed(
            f"Android said that it installed {base.package} in version {base.version_code}, but"
            f" {there}."
        )
    told = info if info.signer else info._replace(signer=signer)
    return InstallReport(told, updated=info.installed_at != info.updated_at)


async def read_packages(phone: Phone, source: PackageSource) -> list[str]:
    """Return the packages in the files, for rules on apps. Raises ToolError."""
    async with phone.examining, _staged(phone, source) as (copies, copied):
        found = await _unpacked(lambda: unpack_parts(copies, copied))
        return sorted({part.manifest.package for part in found.parts})


@asynccontextmanager
async def _staged(
    phone: Phone, source: PackageSource
) -> AsyncGenerator[tuple[Copies, list[Copied]]]:
    """Provide copies of the files within a block."""
    rules = phone.package_rules
    # A thread of a stopped call may still be working there.
    with (
        tempfile.TemporaryDirectory(prefix="handheld-", ignore_cleanup_errors=True) as folder,
        closing(Copies(Path(folder), rules)) as copies,
    ):
        copied: list[Copied] = []
        for path in source.paths:
            if source.location_id is not None:
                copied += await copy_phone_files(
                    phone.files, phone.driver, source.location_id, path, copies
                )
            else:
                copied += await asyncio.to_thread(copy_host_files, copies, rules.folders, path)
        yield copies, copied


async def _unpacked(work: Callable[[], PackageParts]) -> PackageParts:
    try:
        return await asyncio.to_thread(work)
    except OSError as problem:
        raise ActionFailed(f"The computer cannot unpack it: {problem.strerror}.") from problem


async def _push(phone: Phone, package: str, expansion: Copied) -> None:
    """Put an expansion file into the shared storage, where the app looks for it."""
    try:
        place = await phone.driver.locate(*_OBB)
        await phone.driver.push(expansion.path, f"{place.path}/{package}/{expansion.name}")
    except (AdbError, LeadsOutside) as problem:
        raise ActionFailed(
            f"{package} was installed, but its file {expansion.name} could not be copied to the"
            f" phone: {problem}"
        ) from problem


async def uninstall(phone: Phone, package: str, *, keep_data: bool = False) -> None:
    """Raises ToolError."""
    _check(phone, package)
    try:
        await phone.driver.uninstall(package, keep_data=keep_data)
    except NotRemoved as problem:
        raise explain_not_removed(problem, package) from problem


async def clear_data(phone: Phone, package: str) -> None:
    """Raises ToolError."""
    _check(phone, package)
    await phone.driver.clear_data(package)


async def set_permission(phone: Phone, package: str, permission: str, granted: bool) -> str:
    """Return the permission's whole name. Raises ToolError."""
    _check(phone, package)
    name = permission if "." in permission else f"android.permission.{permission.upper()}"
    if not PERMISSION.fullmatch(name):
        raise InvalidParams(
            "Parameter 'permission' must be a name such as android.permission.CAMERA, got:"
            f" '{brief(permission)}'"
        )
    try:
        await phone.driver.set_permission(package, name, granted)
    except NotChanged as problem:
        raise explain_not_changed(problem, package, name) from problem
    return name


async def read_app_info(phone: Phone, package: str) -> AppInfo:
    """Raises ToolError."""
    _check_admitted(phone, package)
    info = await phone.driver.app_info(package) if PACKAGE.fullmatch(package) else None
    if info is None:
        raise ActionFailed(f"{brief(package)} is not installed. list_apps names those that are.")
    return info


def _check(phone: Phone, package: str) -> None:
    """Raises ToolError for an invalid package name, for adb's own package, and for any package
    other than the admitted one: a file may be replaced, and an app may take another's name."""
    check_package(package)
    _check_admitted(phone, package)
    if package == OWN:
        raise PermissionDenied(
            f"adb itself runs as {OWN}: changing it would end the connection. Nothing was done."
        )


def _check_admitted(phone: Phone, package: str) -> None:
    if not phone.admits(package):
        raise PermissionDenied(
            f"The owner of the phone does not allow {brief(package)} without being asked. Nothing"
            " was done."
        )
