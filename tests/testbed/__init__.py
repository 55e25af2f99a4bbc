"""Apps that only tests and benchmarks install on the virtual phone, and functions that show
them."""

from handheld_virtual import World
from handheld_virtual.toolkit import Activity, App
from handheld_virtual.views.reading import accessibility

from .screens import Testbed


def installed_testbed(world: World) -> App:
    """The testbed app, installed on first use without a visible change, as if it had been there
    since boot."""
    if Testbed.package not in world.apps:
        app = world.apps[Testbed.package] = Testbed(world)
        world.running.uid(app)
    return world.apps[Testbed.package]


def show(world: World, package_or_scene: str) -> None:
    """Show an app, or a scene of the testbed, without an input event."""
    if package_or_scene in world.apps:
        world.show(package_or_scene)
    else:
        show_scene(world, package_or_scene)


def show_scene(world: World, scene: str, **extras: str) -> Activity:
    """Open a new activity of the testbed in place of its present one."""
    world.settle()
    app = installed_testbed(world)
    name = "." + "".join(word.capitalize() for word in scene.split("_"))
    if name not in app.activities:
        raise KeyError(f"no app and no scene is called {scene}")
    activity = app.activities[name](app, extras)
    world.tasks.close(app)
    world.open(activity)
    return activity


def show_nodes(world: World, count: int) -> None:
    """Show a screen of exactly `count` nodes over all windows."""
    bars = [window for window in world.windows() if window.type == "SYSTEM"]
    others = sum(len(accessibility.read(window)) for window in bars)
    show_scene(world, "nodes", count=str(count - others))
