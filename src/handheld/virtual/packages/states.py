"""What `pm` does to an app: its data cleared, the app switched off and on."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..world import World


def clear_data(world: "World", package: str) -> None:
    """The app ends and starts afresh, with nothing stored and nothing allowed."""
    app = world.apps[package]
    world.end(app, "clear data")
    world.notifications.forget(package)
    world.permissions.forget(package)
    world.put(type(app)(world))


def set_enabled(world: "World", package: str, enabled: bool) -> None:
    """An app that is switched off ends, and answers no intent."""
    if enabled:
        world.disabled_packages.discard(package)
    else:
        world.disabled_packages.add(package)
        world.end(world.apps[package], f"{package} disabled")
    world.package_changed(package)
