"""What the helper's twin does with apps: list them, find their processes, end one."""

from typing import TYPE_CHECKING, Any

from ..helper.protocol import Code, Happened, HelperFailure
from .running import FIRST_APP_UID

if TYPE_CHECKING:
    from .helper import Helper, Job

KINDS = ("all", "user", "system")
STOP_MS = 3000
"""How long an app that was told to stop may take to be gone."""
LOOK_MS = 50


def check_packages(arguments: dict[str, Any]) -> None:
    if arguments.keys() != {"kind"}:
        raise HelperFailure(Code.BAD_CALL, "`with` does not have exactly this key: kind.")
    if arguments["kind"] not in KINDS:
        raise HelperFailure(Code.BAD_CALL, f"`kind` is not one of {', '.join(KINDS)}.")


def packages(helper: "Helper", job: "Job") -> dict[str, Any]:
    kind = job.arguments["kind"]
    found = [
        {
            "package": package.package,
            "label": package.label,
            "version_name": package.version,
            "version_code": package.version_code,
            "system": package.system,
        }
        for package in helper.world.packages
        if kind == "all" or package.system == (kind == "system")
    ]
    return {"packages": found}


def check_package(arguments: dict[str, Any]) -> None:
    package = arguments.get("package")
    if len(arguments) != 1 or not isinstance(package, str) or not package:
        raise HelperFailure(Code.BAD_CALL, "`with` is not a package and nothing else.")


def processes(helper: "Helper", job: "Job") -> dict[str, Any]:
    world, package = helper.world, job.arguments["package"]
    world.settle()
    app = world.apps.get(package)
    if app is None:
        return {"uid": None, "shared": False, "pids": []}
    uid = world.running.uid(app)
    owners = [one for one in world.apps.values() if world.running.uid(one) == uid]
    # Below the uids of apps, Android's own code runs under the same uid.
    shared = uid < FIRST_APP_UID or len(owners) > 1
    return {"uid": uid, "shared": shared, "pids": world.running.pids(package)}


async def stop(helper: "Helper", job: "Job") -> dict[str, Any]:
    world, package = helper.world, job.arguments["package"]
    world.settle()
    if package not in world.apps:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
    if world.is_in_front(package):
        raise HelperFailure(Code.IN_FRONT, f"{package} is in the foreground.")
    running = set(world.running.pids(package))
    world.stop(package)
    job.happened = Happened.PARTLY
    ends = world.clock.now() + STOP_MS
    while running & set(pids := world.running.pids(package)):
        if world.clock.now() >= ends:
            message = f"{package} was told to stop, but its process still runs {STOP_MS} ms later."
            raise HelperFailure(Code.FAILED, message, Happened.PARTLY)
        await job.wait(world.clock.sleep(LOOK_MS))
    return {"was_running": bool(running), "restarted": bool(running and pids)}
