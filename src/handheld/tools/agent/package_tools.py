"""Installed apps for models: describing, installing, removing and changing them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ...driver.packages import PACKAGE, AppInfo, InstallOptions
from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut
from .apps import find_app

if TYPE_CHECKING:
    from ...phone.apps.installing import PackageSource

# The first call loads the implementation: most sessions do not use it.

AppAction = Literal["stop", "install", "uninstall", "clear_data", "grant", "revoke"]
MEGABYTE = 1_000_000
SIGNER_SHOWN = 16
"""The number of shown hexadecimal digits of a signer, enough to distinguish signers."""
_PREFIX = "android.permission."


async def read_app(phone: Phone, of: str, limit: int) -> str:
    """Describe one app in a few lines."""
    return _describe(await _find_info(phone, of))


async def about_read_app(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    return ((await _find_info(phone, str(arguments.get("of") or "").strip())).package,)


async def _find_info(phone: Phone, of: str) -> AppInfo:
    if not of:
        raise InvalidParams("phone_read app needs of: an app's name or package.")
    if "." in of and PACKAGE.fullmatch(of):
        info = await phone.driver.app_info(of)
        if info is not None:
            return info
    from ...phone.apps.installing import read_app_info

    package, _ = await find_app(phone, of)
    return await read_app_info(phone, package)


def _describe(info: AppInfo) -> str:
    marks = [
        word
        for word, on in (
            ("of the system", info.system),
            ("disabled", not info.enabled),
            ("debuggable", info.debuggable),
        )
        if on
    ]
    lines = [", ".join([_named(info), *marks])]
    times = [f"installed {info.installed_at or 'at an unknown time'}"]
    if info.installer:
        times[0] += f" by {clean(info.installer)}"
    if info.updated_at and info.updated_at != info.installed_at:
        times.append(f"updated {info.updated_at}")
    lines.append(", ".join(times))
    lines.append(f"signer {info.signer[:SIGNER_SHOWN] or 'unknown'}")
    if info.sizes is not None:
        parts = zip(("app", "data", "cache"), info.sizes, strict=True)
        lines.append(", ".join(f"{name} {size / MEGABYTE:.1f} MB" for name, size in parts))
    granted = [each.name for each in info.permissions if each.granted and each.runtime]
    denied = [each.name for each in info.permissions if not each.granted]
    lines += [f"granted {_short(granted)}"] if granted else []
    lines += [f"not granted {_short(denied)}"] if denied else []
    return "\n".join(lines)


def _named(info: AppInfo) -> str:
    label = "" if info.label == info.package else f'"{cut(clean(info.label), 60)}" '
    version = f" {cut(clean(info.version_name), 40)}" if info.version_name else ""
    return f"{label}{info.package}{version} ({info.version_code})"


def _short(permissions: list[str]) -> str:
    return cut(", ".join(clean(name.removeprefix(_PREFIX)) for name in permissions), 600)


async def about_app(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    action, app = arguments.get("action"), str(arguments.get("app") or "")
    if action == "install":
        from ...phone.apps.installing import read_packages

        return await read_packages(phone, _source(phone, app))
    return () if action == "stop" else ((await find_app(phone, app))[0],)


async def change_app(phone: Phone, action: AppAction, app: str, permission: str | None) -> str:
    """Raises ToolError."""
    from ...phone.apps.installing import clear_data, install, set_permission, uninstall

    if action == "install":
        # Developers want to test test-only packages.
        done = await install(phone, _source(phone, app), InstallOptions(test=True))
        signer = done.info.signer[:SIGNER_SHOWN] or "unknown"
        verb = "Updated" if done.updated else "Installed"
        note = f" {done.note}" if done.note else ""
        return f"{verb} {_named(done.info)}, signer {signer}.{note}"
    if action in ("grant", "revoke") and not permission:
        raise InvalidParams(f"phone_app {action} needs permission, such as CAMERA.")
    package, name = await find_app(phone, app)
    match action:
        case "uninstall":
            await uninstall(phone, package)
            return f"Uninstalled {name}, with its data."
        case "clear_data":
            await clear_data(phone, package)
            return f"Cleared the data of {name}."
        case _:
            granted = action == "grant"
            whole = await set_permission(phone, package, (permission or "").strip(), granted)
            short = whole.removeprefix(_PREFIX)
            return f"Granted {short} to {name}." if granted else f"Revoked {short} from {name}."


def _source(phone: Phone, path: str) -> "PackageSource":
    """Return the source: a path on the computer is absolute, one on the phone begins with a storage
    location."""
    from ...phone.apps.installing import PackageSource

    path = path.strip()
    if path.startswith("/"):
        return PackageSource((path,))
    location, rest = phone.files.split(path.strip("/"))
    return PackageSource((rest,), location)
