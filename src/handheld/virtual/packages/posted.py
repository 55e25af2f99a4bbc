"""Names and times of posted notifications, as Android's service and its listeners have them."""

from datetime import timedelta
from typing import TYPE_CHECKING

from ..system.notifications import Notification

if TYPE_CHECKING:
    from ..world import World

EVERY_USER = -1
USERS_APART = 100_000
SYSTEM_UID = 1000

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
    """The key of its group; its own where it is in none."""
    if posted.group is None:
        return key_of(world, posted)
    return f"{posted.user}|{posted.package}|g:{posted.group}"


def time_of(world: "World", posted: Notification) -> int:
    """When it was posted, in ms of the phone's clock."""
    then = world.wall.now() - timedelta(milliseconds=world.timers.now() - posted.posted)
    return round(then.timestamp() * 1000)


def flags_of(posted: Notification) -> int:
    return (
        (ONGOING_EVENT if posted.ongoing else 0)
        | (0 if posted.stays else AUTO_CANCEL)
        | (GROUP_SUMMARY if posted.summary else 0)
    )


def press_action(world: "World", posted: Notification, number: int, text: str = "") -> None:
    """Press a button of a notification, or answer it with a text."""
    action = posted.actions[number]
    world.record("notification", posted.package, action.title, text)
    if action.on_press is not None:
        action.on_press(text)


def send_intent(world: "World", posted: Notification) -> None:
    """Do what a tap on it does in its app."""
    app = world.apps.get(posted.package)
    if posted.on_open is not None:
        posted.on_open()
    elif app is not None and app.launchable:
        world.bring(app.package)
