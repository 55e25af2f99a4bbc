"""Rebooting the phone."""

from typing import TYPE_CHECKING
from uuid import uuid4

from .packages.tasks import HOME

if TYPE_CHECKING:
    from .world import World


def reboot(world: "World") -> None:
    """Restart the phone: installed apps and stored data stay, all processes end."""
    world.settle()
    world.boot_id = str(uuid4())
    world.package_changes.clear()
    world.automation.holder = None
    world.injection.down.clear()
    world.panel.close()
    world.cancel_input()
    world.system_dialogs.close_all()
    world.screen.split = None
    world.tasks.clear()
    world.frozen_packages.clear()
    world.rootless_packages.clear()
    world.slow_views.clear()
    world.last_views.clear()
    world.logs.clear()
    world.clipboard.clear()
    world.clipboard_overlay.close()
    world.media.scan_all()
    world.notifications.reset()
    world.whereabouts.forget_tests()
    world.running.reboot(world.apps.values())
    world.awake = True
    if world.keyguard.kind != "none":
        world.keyguard.lock()
    world.bring(HOME)
