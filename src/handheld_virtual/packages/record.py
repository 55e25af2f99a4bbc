"""The package manager's record of an installed app, in addition to its manifest."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from ..files.entry import ROOT
from ..files.samples import SAVED_AT
from .app import App
from .installing.installed import InstalledApp, apk_paths
from .permissions import RUNTIME, Answer, runtime_permissions

if TYPE_CHECKING:
    from ..world import World

EMPTY_DATA = 20_480
"""The bytes that the folders of an app without data take."""


class PackageRecord(NamedTuple):
    installer: str | None
    installed_at: str
    """The installation time by the phone's clock."""
    updated_at: str
    sizes: tuple[int, int, int] | None
    """The sizes of the app, of its data with the cache, and of its cache; None if the shell may not
    read them."""


class PermissionState(NamedTuple):
    """The state of a permission that the app requests."""

    name: str
    granted: bool
    runtime: bool
    flags: tuple[str, ...] = ()


def describe_package(world: "World", app: App) -> PackageRecord:
    updated = installed = float(SAVED_AT)
    installer = None
    if isinstance(app, InstalledApp):
        updated = world.files.stat(apk_paths(world, app)[0], user=ROOT).mtime
        installed = app.first_installed or updated
        installer = app.installer
    return PackageRecord(
        installer, _time(world, installed), _time(world, updated), _sizes(world, app)
    )


def _time(world: "World", stamp: float) -> str:
    when = datetime.fromtimestamp(stamp, UTC).astimezone(world.wall.zone)
    return when.strftime("%Y-%m-%d %H:%M:%S")


def _sizes(world: "World", app: App) -> tuple[int, int, int] | None:
    if not world.android.shell_usage_stats:
        return None
    files = (world.files.stat(path, user=ROOT) for path in apk_paths(world, app))
    data, cache = world.app_data.get(app.package, (EMPTY_DATA, 0))
    return sum(file.size for file in files), data, cache


def permission_states(world: "World", app: App) -> list[PermissionState]:
    """The states in the manifest's order. A permission that is unknown to this release is not
    granted and has no flags."""
    known, answers = runtime_permissions(world.android), world.permissions.of(app.package)
    found: list[PermissionState] = []
    for name in app.manifest.permissions:
        if name in known:
            answer = answers.get(name, Answer())
            flags = answer.flags_in(world.android)
            found.append(PermissionState(name, answer.granted, True, flags))
        else:
            found.append(PermissionState(name, name not in RUNTIME, False))
    return found
