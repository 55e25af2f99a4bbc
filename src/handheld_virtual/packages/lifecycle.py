"""Installing, replacing, stopping and removing apps, with all effects on the phone."""

from typing import TYPE_CHECKING

from .tasks import HOME

if TYPE_CHECKING:
    from ..world import World
    from .app import App


def put(world: "World", app: "App") -> None:
    """Install an app object; it replaces one with the same package."""
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
    None follow from `why` and from the windows on the screen."""
    in_front = world.front.app is app or world.tasks.began == app.package
    split = world.screen.split
    if split is not None and any(half.app is app for half in split.halves):
        world.screen.split = None
    # The process first: its exit record holds its state at death.
    world.running.kill(app, why, reason, status, importance)
    world.tasks.close(app)
    if in_front:
        world.bring(HOME)
    world.apps[HOME].tasks_changed()


def package_changed(world: "World", package: str) -> None:
    """Notify every app of an installed, removed or changed package."""
    world.package_changes.note(package)
    for app in world.apps.values():
        app.packages_changed()


def clear_data(world: "World", package: str) -> None:
    """Stop the app and replace it with a new object, without stored data or granted permissions."""
    app = world.apps[package]
    stop(world, app, "clear data")
    world.notifications.forget(package)
    world.permissions.forget(package)
    world.app_data.pop(package, None)
    put(world, type(app)(world))


def set_enabled(world: "World", package: str, enabled: bool) -> None:
    """Enable or disable an app; a disabled app is stopped and receives no intents."""
    if enabled:
        world.disabled_packages.discard(package)
    else:
        world.disabled_packages.add(package)
        stop(world, world.apps[package], f"{package} disabled")
    package_changed(world, package)
