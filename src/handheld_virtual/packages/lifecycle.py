"""Installing, replacing, stopping and removing apps, with all consequences."""

from typing import TYPE_CHECKING

from .tasks import HOME

if TYPE_CHECKING:
    from ..world import World
    from .app import App


def put(world: "World", app: "App") -> None:
    """Install an app object, also in place of another with the same package."""
    world.apps[app.package] = app
    world.running.uid(app)
    if app.persistent:
        world.running.ensure(app, "persistent")
    package_changed(world, app.package)


def remove(world: "World", app: "App", *, keep_data: bool = False) -> None:
    """Remove an app with its task, its process and the permissions it was granted."""
    package = app.package
    replace(world, app, "deletePackageX")
    del world.apps[package]
    world.running.exits.pop(package, None)
    for packages in (
        *(world.disabled_packages, world.frozen_packages, world.rootless_packages),
        world.running.stopped,
    ):
        packages.discard(package)
    world.notifications.forget(package)
    if not keep_data:
        world.permissions.forget(package)
        world.app_data.pop(package, None)
    package_changed(world, package)


def replace(world: "World", app: "App", why: str) -> None:
    """Stop an app because another version is installed, or because it is removed."""
    world.running.force_stopping(app, why, user=-1)
    stop(world, app, f"stop {app.package} due to {why}")
    world.running.force_stopping(app, "pkg removed")


def stop(
    world: "World",
    app: "App",
    why: str,
    *,
    reason: int | None = None,
    status: int = 0,
    importance: int | None = None,
) -> None:
    """Close an app's activities and kill its process, without an input event. Arguments that are
    left out follow from `why` and from the screen."""
    in_front = world.front.app is app or world.tasks.began == app.package
    split = world.screen.split
    if split is not None and any(half.app is app for half in split.halves):
        world.screen.split = None
    # The process first, so its state at death is recorded.
    world.running.kill(app, why, reason, status, importance)
    world.tasks.close(app)
    if in_front:
        world.bring(HOME)
    world.apps[HOME].tasks_changed()


def package_changed(world: "World", package: str) -> None:
    """Notify every app that a package was installed, removed or changed."""
    world.package_changes.note(package)
    for app in world.apps.values():
        app.packages_changed()


def clear_data(world: "World", package: str) -> None:
    """Stop the app and start it afresh, with nothing stored and no permission granted."""
    app = world.apps[package]
    stop(world, app, "clear data")
    world.notifications.forget(package)
    world.permissions.forget(package)
    world.app_data.pop(package, None)
    put(world, type(app)(world))


def set_enabled(world: "World", package: str, enabled: bool) -> None:
    """Switch an app on or off; one that is off is stopped and receives no intents."""
    if enabled:
        world.disabled_packages.discard(package)
    else:
        world.disabled_packages.add(package)
        stop(world, world.apps[package], f"{package} disabled")
    package_changed(world, package)
