"""Delivery of the intents that adb's shell sends: which component gets an intent, whether the shell
may send it there, and what the component does."""

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from handheld.app_formats.apk.manifest import ManifestKind

from .intent import HOME, LAUNCHER, Intent, Match, query
from .permissions import SHELL_PERMISSIONS
from .service import Start

if TYPE_CHECKING:
    from ..world import World

_NEW_DOCUMENT = 0x08008000
"""FLAG_ACTIVITY_MULTIPLE_TASK and FLAG_ACTIVITY_CLEAR_TASK."""
_CAMERA, _CALL = "android.permission.CAMERA", "android.permission.CALL_PHONE"
_RUNTIME_PERMISSIONS = {
    "android.media.action.IMAGE_CAPTURE": _CAMERA,
    "android.media.action.VIDEO_CAPTURE": _CAMERA,
    "android.intent.action.CALL": _CALL,
}
"""By action: the permission that a sender needs if its package requests it."""
PROTECTED = frozenset(
    {
        "android.intent.action.AIRPLANE_MODE",
        "android.intent.action.BATTERY_CHANGED",
        "android.intent.action.BOOT_COMPLETED",
        "android.intent.action.PACKAGE_ADDED",
        "android.intent.action.SCREEN_ON",
        "android.intent.action.SCREEN_OFF",
    }
)
"""Broadcasts that only the system may send."""
_STOPPED_TOO = 0x20
"""FLAG_INCLUDE_STOPPED_PACKAGES."""
ABORTED = 102
"""ActivityManager.START_ABORTED."""
TO_FRONT = "its current task has been brought to the front"
TO_TOP = "intent has been delivered to currently running top-most instance."


class Denial(NamedTuple):
    """Why the shell may not send an intent to a component."""

    uid: int
    permission: str = ""
    """The permission that the shell lacks; empty if the component is not exported."""
    revoked: bool = False
    """Whether the action requires the permission, not the component."""

    def __str__(self) -> str:
        if self.revoked:
            return f"with revoked permission {self.permission}"
        if self.permission:
            return f"requires {self.permission}"
        return f"not exported from uid {self.uid}"


def deny(world: "World", intent: Intent, found: Match) -> Denial | None:
    """The reason why the shell may not send the intent to this component; None if it may."""
    component, uid = found.component, world.running.uid(found.app)
    revoked = _RUNTIME_PERMISSIONS.get(intent.action, "")
    if component.kind is ManifestKind.ACTIVITY and revoked in world.shell_revoked:
        return Denial(uid, revoked, True)
    if not component.exported:
        return Denial(uid)
    if component.permission and component.permission not in SHELL_PERMISSIONS:
        return Denial(uid, component.permission)
    return None


def find_activities(world: "World", intent: Intent, user: int = 0) -> list[Match]:
    """The activities that the intent may start, the best first."""
    found = query(world, ManifestKind.ACTIVITY, intent, user=user)
    if intent.component is not None:
        return found
    # An implicit intent starts an activity only if that declares the default category.
    starts = LAUNCHER in intent.categories or HOME in intent.categories
    return [match for match in found if match.is_default or starts]


def open_activity(world: "World", intent: Intent, found: Match) -> tuple[str, str]:
    """Open the activity; return the warning that `am start` prints, and the launch state."""
    app = found.app
    running = world.running.process(app) is not None
    name = found.component.name.removeprefix(app.package)
    name = name if name in app.activities else found.component.name
    first = world.tasks.first(app)
    extras = texts(intent) | _from_data(intent)
    again = first is not None and first.class_name == found.component.name
    if (again and not extras and not intent.flags & _NEW_DOCUMENT) or HOME in intent.categories:
        top = world.front.app is app
        if HOME in intent.categories and found.app.package == world.front.app.package:
            world.press("home")
            return "", "HOT"
        world.launch(app.package, app.user)
        if top:
            return TO_TOP, "UNKNOWN (0)"
        if HOME in intent.categories:
            return "", "HOT"
        return TO_FRONT, "HOT"
    if name == app.main and not extras and first is None:
        world.launch(app.package, app.user)
    else:
        world.start(app.package, name, extras, app.user)
    return "", "WARM" if running else "COLD"


def texts(intent: Intent) -> dict[str, str]:
    """The intent's extras as strings, as this phone's apps read them."""
    return {key: _text(value) for key, value in intent.extras.items()}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "" if value is None else str(value)


def _from_data(intent: Intent) -> dict[str, str]:
    """The content of the intent's URI as extras, which some of this phone's apps read."""
    if intent.scheme in ("sms", "smsto", "tel"):
        return {"address": unquote(intent.data.partition(":")[2].partition("?")[0].strip("/"))}
    if intent.scheme == "package":
        return {"package": intent.data.partition(":")[2]}
    return {"data": intent.data} if intent.data else {}


def is_in_background(world: "World", found: Match) -> bool:
    """Whether Android starts only foreground services of the app."""
    app = found.app
    return app.manifest.target_sdk >= 26 and not world.running.pids(app.package)


def start_service(world: "World", intent: Intent, found: Match) -> None:
    """Start a service. The caller has checked that the shell may."""
    world.record("service", found.app.package, found.component.name)
    world.running.ensure(found.app, f"service {{{found.short}}}")
    for service in found.app.started_services:
        if service.class_name == found.component.name:
            try:
                service.start(Start(texts(intent)))
            except Exception:
                world.running.kill(found.app, "crash")


def _passes_over(world: "World", intent: Intent, match: Match) -> bool:
    """Whether a stopped app misses the broadcast: it gets only those that name its component or
    include stopped packages."""
    return (
        match.app.package in world.running.stopped
        and intent.component is None
        and not intent.flags & _STOPPED_TOO
    )


def broadcast(world: "World", intent: Intent) -> list[Match]:
    """Send a broadcast; return the receivers that got it, which are those open to the shell."""
    reached: list[Match] = []
    for match in query(world, ManifestKind.RECEIVER, intent):
        if deny(world, intent, match) is not None or _passes_over(world, intent, match):
            continue
        reached.append(match)
        world.record("broadcast", intent.action, match.app.package, match.component.name)
        world.running.ensure(match.app, f"broadcast {{{match.short}}}")
        for receiver in match.app.made_receivers:
            if receiver.class_name == match.component.name:
                try:
                    receiver.receive(intent.action, texts(intent))
                except Exception:
                    world.running.kill(match.app, "crash")
    return reached
