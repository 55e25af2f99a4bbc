"""Keys and times of posted notifications, as Android's service and its listeners see them, and the
presses of their buttons."""

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from ..system.notifications import Notification
from .blocked_starts import Blocked, describe
from .processes import USERS_APART

if TYPE_CHECKING:
    from ..world import World

EVERY_USER = -1
SYSTEM_UID = 1000


class Sender(NamedTuple):
    """The program without a window that sends an app's intent."""

    uid: int
    lends: bool
    """Whether it lends the app its permission to start activities from the background."""


ONGOING_EVENT, AUTO_CANCEL, GROUP_SUMMARY = 0x2, 0x10, 0x200


def uid_of(world: "World", posted: Notification) -> int:
    app = world.apps.get(posted.package)
    uid = world.running.uid(app) if app is not None else SYSTEM_UID
    return max(posted.user, 0) * USERS_APART + uid


def key_of(world: "World", posted: Notification) -> str:
    return (
        f"{posted.user}|{posted.package}|{posted.id}|{posted.tag or 'null'}|{uid_of(world, posted)}"
    )


def group_of(world: "World", posted: Notification) -> str:
    """The key of the notification's group; without a group, its own key."""
    if posted.group is None:
        return key_of(world, posted)
    return f"{posted.user}|{posted.package}|g:{posted.group}"


def time_of(world: "World", posted: Notification) -> int:
    """The time of posting, in ms of the phone's clock."""
    then = world.wall.now() - timedelta(milliseconds=world.timers.now() - posted.posted)
    return round(then.timestamp() * 1000)


def flags_of(posted: Notification) -> int:
    return (
        (ONGOING_EVENT if posted.ongoing else 0)
        | (0 if posted.stays else AUTO_CANCEL)
        | (GROUP_SUMMARY if posted.summary else 0)
    )


def press_action(
    world: "World",
    posted: Notification,
    number: int,
    text: str = "",
    sender: Sender | None = None,
) -> None:
    """Press a button of a notification, or reply with a text. `sender` None is the notification
    panel."""
    action = posted.actions[number]
    world.record("notification", posted.package, action.title, text)
    if action.on_press is not None and not (action.opens and _is_blocked(world, posted, sender)):
        action.on_press(text)


def _is_blocked(world: "World", posted: Notification, sender: Sender | None) -> bool:
    """Whether Android blocks the activity start, of which only the log knows."""
    front, android = world.foreground, world.android
    if sender is None or not android.background_starts_blocked:
        return False
    if front is not None and front[0] == posted.package:
        return False  # an app with a window may start activities
    if sender.lends and android.background_starts_lent and not world.background_starts_refused:
        return False
    blocked = Blocked(
        posted.package,
        world.api,
        uid_of(world, posted),
        sender.uid,
        f"Intent {{ flg=0x10000000 pkg={posted.package} }}",
    )
    world.running.warn(*describe(blocked, android.api))
    return True


def send_intent(world: "World", posted: Notification, sender: Sender | None = None) -> None:
    """Send the notification's content intent. `sender` None is the notification panel."""
    app = world.find_app(posted.package, max(posted.user, 0))
    if _is_blocked(world, posted, sender):
        return
    if posted.on_open is not None:
        posted.on_open()
    elif app is not None and app.launchable:
        world.bring(app.package, app.user)
