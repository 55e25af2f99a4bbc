"""Installed apps: their properties, data and permissions; installing and removing."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...driver.packages import AppInfo, InstallOptions
from ...phone.phone import Phone
from ...screen.text import brief
from ..recording import Secret
from ..tool import Reply, Toolset, about_argument, json_text
from .params import (
    AllowDowngrade,
    AllowOldTarget,
    AllowTest,
    Granted,
    GrantPermissions,
    InstalledPackage,
    KeepData,
    PackageLocation,
    PackagePath,
    PermissionName,
    SplitPaths,
)

# The first call loads the implementation: most sessions do not use it.

packages = Toolset("packages")


async def _about_files(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.apps.installing import PackageSource, read_packages

    # Further parts are refused unless they belong to the same app.
    return await read_packages(
        phone, PackageSource((arguments["path"],), arguments.get("location_id"))
    )


_about_package = about_argument("package_id")


@packages.tool(
    title="Install app",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_about_files,
)
async def install_app(
    phone: Phone,
    path: PackagePath,
    location_id: PackageLocation = None,
    splits: SplitPaths = None,
    allow_downgrade: AllowDowngrade = False,
    allow_test: AllowTest = False,
    allow_old_target: AllowOldTarget = False,
    grant_permissions: GrantPermissions = False,
) -> Reply:
    """Installs an app from package files, or updates it. The files are in a storage location of the
    phone, or in a folder of the computer that its owner has named for packages. The reply has the
    app's version and the SHA-256 of its signer's certificate."""
    from ...phone.apps.installing import PackageSource, install

    options = InstallOptions(allow_downgrade, allow_test, allow_old_target, grant_permissions)
    done = await install(phone, PackageSource((path, *(splits or ())), location_id), options)
    what = "updated" if done.updated else "installed"
    info = done.info
    version = f"{brief(info.version_name or 'unnamed')} ({info.version_code})"
    signer = f"signer {info.signer}" if info.signer else "an unknown signer"
    reply = f"App {what} successfully: {info.package}, version {version}, {signer}"
    return [reply, done.note] if done.note else reply


@packages.tool(
    title="Uninstall app", destructive=True, secret_reply=Secret.NO, about=_about_package
)
async def uninstall_app(
    phone: Phone, package_id: InstalledPackage, keep_data: KeepData = False
) -> str:
    """Removes an installed app, with its data unless `keep_data` is true. Apps of the system are
    not removed."""
    from ...phone.apps.installing import uninstall

    await uninstall(phone, package_id.strip(), keep_data=keep_data)
    kept = ". Its data was kept." if keep_data else ""
    return f"App uninstalled successfully: {package_id.strip()}{kept}"


@packages.tool(
    title="Clear app data",
    destructive=True,
    idempotent=True,
    secret_reply=Secret.NO,
    about=_about_package,
)
async def clear_app_data(phone: Phone, package_id: InstalledPackage) -> str:
    """Stops an app and deletes all of its data, as on a fresh install: files, settings, accounts
    and granted permissions."""
    from ...phone.apps.installing import clear_data

    await clear_data(phone, package_id.strip())
    return f"App data cleared successfully: {package_id.strip()}"


@packages.tool(
    title="Get app info",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_about_package,
)
async def get_app_info(phone: Phone, package_id: InstalledPackage) -> str:
    """Describes an installed app: name, version, signer, who installed it and when, sizes, and
    which of the permissions that it requests are granted. Times are on the phone's clock; unknown
    values are null."""
    from ...phone.apps.installing import read_app_info

    return json_text(_fields(await read_app_info(phone, package_id.strip())))


def _fields(info: AppInfo) -> dict[str, Any]:
    sizes = info.sizes
    return {
        "package_id": info.package,
        "name": info.label,
        "version_name": info.version_name,
        "version_code": info.version_code,
        "is_system": info.system,
        "is_enabled": info.enabled,
        "is_debuggable": info.debuggable,
        "min_sdk": info.min_sdk,
        "target_sdk": info.target_sdk,
        "signer_sha256": info.signer or None,
        "installer": info.installer,
        "first_installed": info.installed_at,
        "last_updated": info.updated_at,
        "app_bytes": None if sizes is None else sizes.app,
        "data_bytes": None if sizes is None else sizes.data,
        "cache_bytes": None if sizes is None else sizes.cache,
        "granted_permissions": [each.name for each in info.permissions if each.granted],
        "denied_permissions": [each.name for each in info.permissions if not each.granted],
    }


@packages.tool(
    title="Set app permission",
    destructive=True,
    idempotent=True,
    secret_reply=Secret.NO,
    about=_about_package,
)
async def set_app_permission(
    phone: Phone, package_id: InstalledPackage, permission: PermissionName, granted: Granted
) -> str:
    """Grants or revokes a permission that an app asks for. Android stops an app that loses
    one."""
    from ...phone.apps.installing import set_permission

    package = package_id.strip()
    name = await set_permission(phone, package, permission.strip(), granted)
    return f"Permission {'granted' if granted else 'revoked'} successfully: {name} for {package}"
