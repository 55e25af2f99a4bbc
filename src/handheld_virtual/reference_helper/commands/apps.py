"""The commands about apps: `packages`, `launch`, `processes`, `app_info`, `stop`."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import Code, Happened, HelperFailure

from ...packages.app import App
from ...packages.delivery import ABORTED
from ...packages.processes import FIRST_APP_UID
from ...packages.record import describe_package, permission_states
from ...world import NotInstalled, NotLaunchable, World
from ..protocol.command import Answer, bad, check_keys, check_text, check_whole
from .app_tools import signer_of
from .front import is_in_front, wait_for_front

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

KINDS = ("all", "user", "system")
MOST_USERS = 2**31 - 1
STOP_MS = 3000
"""The time limit for an app to stop."""
LOOK_MS = 50


def check_packages(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "kind", "user")
    if arguments["kind"] not in KINDS:
        raise bad(f"`kind` is not one of {', '.join(KINDS)}.")
    if arguments["user"] is not None:
        check_whole(arguments["user"], "user", MOST_USERS)


def installed(world: World, user: int | None) -> list[App]:
    """The apps of a user; None is the current user."""
    if not user:
        return list(world.apps.values())
    profile = world.profiles.get(user)
    if profile is None:
        return []
    if profile.closed:
        raise HelperFailure(
            Code.FAILED,
            f"Android refuses it: Shell does not have permission to access user {user}",
        )
    return list(profile.apps.values())


async def packages(helper: "Helper", job: "Job") -> Answer:
    kind, user = job.arguments["kind"], job.arguments["user"]
    found = [
        {
            "package": package.package,
            "label": package.label,
            "version_name": package.version,
            "version_code": package.version_code,
            "system": package.system,
        }
        for package in installed(helper.world, user)
        if kind == "all" or package.system == (kind == "system")
    ]
    return Answer({"packages": found})


def check_package(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "package")
    check_text(arguments["package"], "package")


async def launch(helper: "Helper", job: "Job") -> Answer:
    world, package = helper.world, job.arguments["package"]
    if world.locked:
        raise HelperFailure(Code.LOCKED, "The phone is locked: an app would start out of sight.")
    try:
        launch_app(world, package)
    except NotInstalled as problem:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.") from problem
    except NotLaunchable as problem:
        message = f"{package} has no launcher activity."
        raise HelperFailure(Code.NOT_LAUNCHABLE, message) from problem
    job.happened = Happened.PARTLY
    world.panel.close()  # the panel would cover the app and keep the focus
    front = await wait_for_front(world, package, job.act_until)
    if front is not None and is_in_front(world, package):
        return Answer({"package": front[0], "activity": front[1]})
    there = "" if front is None else f" {front[0]} is there."
    message = f"{package} was started but did not come to the front in time.{there}"
    raise HelperFailure(Code.FAILED, message, Happened.PARTLY)


def launch_app(world: World, package: str) -> None:
    """Launch an app. Raises NotInstalled, NotLaunchable, HelperFailure."""
    app = world.apps.get(package)
    if app is not None and app.launchable and world.running.denies(package):
        raise aborted()
    world.launch(package)


def aborted() -> HelperFailure:
    message = f"Android did not start it (code {ABORTED})."
    return HelperFailure(Code.FAILED, message, data={"aborted": True})


async def processes(helper: "Helper", job: "Job") -> Answer:
    world, package = helper.world, job.arguments["package"]
    world.settle()
    app = world.apps.get(package)
    if app is None:
        return Answer({"uid": None, "shared": False, "pids": []})
    uid = world.running.uid(app)
    owners = [other for other in world.apps.values() if world.running.uid(other) == uid]
    # Android's own code can share a uid below the range of app uids.
    shared = uid < FIRST_APP_UID or len(owners) > 1
    return Answer({"uid": uid, "shared": shared, "pids": world.running.pids(package)})


async def app_info(helper: "Helper", job: "Job") -> Answer:
    world, package = helper.world, job.arguments["package"]
    world.settle()
    app = world.apps.get(package)
    return Answer({"app": None if app is None else describe(world, app)})


def describe(world: World, app: App) -> dict[str, Any]:
    """The package manager's information about an app."""
    manifest, kept = app.manifest, describe_package(world, app)
    return {
        "package": app.package,
        "label": app.label,
        "version_name": app.version,
        "version_code": app.version_code,
        "system": app.system,
        "enabled": app.package not in world.disabled_packages,
        "debuggable": manifest.debuggable,
        "min_sdk": manifest.min_sdk,
        "target_sdk": manifest.target_sdk,
        "installer": kept.installer,
        "installed_at": kept.installed_at,
        "updated_at": kept.updated_at,
        "signer": signer_of(app),
        "sizes": kept.sizes,
        "permissions": [
            [each.name, each.granted, each.runtime] for each in permission_states(world, app)
        ],
    }


async def stop(helper: "Helper", job: "Job") -> Answer:
    world, package = helper.world, job.arguments["package"]
    world.settle()
    if package not in world.apps:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
    if world.is_in_front(package):
        raise HelperFailure(Code.IN_FRONT, f"{package} is in the foreground.")
    running = set(world.running.pids(package))
    world.stop(package)
    job.happened = Happened.PARTLY
    deadline = world.clock.now() + STOP_MS
    while running & set(pids := world.running.pids(package)):
        if world.clock.now() >= deadline:
            message = f"{package} was told to stop, but its process still runs {STOP_MS} ms later."
            raise HelperFailure(Code.FAILED, message, Happened.PARTLY)
        await job.wait(world.clock.sleep(LOOK_MS))
    return Answer({"was_running": bool(running), "restarted": bool(running and pids)})
