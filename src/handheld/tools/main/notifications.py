"""Notifications: reading them, acting on them, waiting for one."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from ...driver.notifications import NotificationVerb
from ...helper.protocol import REPLY_LIMIT, SNOOZE_LIMIT_MS
from ...phone.phone import Phone
from ...screen.characters import plain
from ...screen.text import brief
from ..parameter import Param
from ..recording import Secret
from ..tool import Reply, Toolset, json_text
from .params import WaitTimeout

if TYPE_CHECKING:
    from ...phone.notifications.issued_notifications import Issued


def _not_hex(name: str) -> Callable[[str], str]:
    def refuse(value: str) -> str:
        fits = re.fullmatch("[0-9A-Fa-f]{8}", value.strip())
        return "" if fits else f"Parameter '{name}' must be a 8-char hex string"

    return refuse


def _snoozed(value: int) -> str:
    if value < 1:
        return f"Parameter 'duration_ms' must be positive, got: {value}"
    if value > SNOOZE_LIMIT_MS:
        return f"Parameter 'duration_ms' must not exceed {SNOOZE_LIMIT_MS} (7 days), got: {value}"
    return ""


def _too_long(value: str) -> str:
    try:
        length = len(value.encode("utf-16-le")) // 2
    except UnicodeEncodeError:
        return "Parameter 'text' has half of a surrogate pair, which is not a character"
    if length > REPLY_LIMIT:
        return f"Parameter 'text' must not exceed {REPLY_LIMIT} characters"
    return ""


NotificationPackage = Annotated[
    str | None, Param("Only notifications of the app with this package", secret=Secret.NO)
]
NotificationLimit = Annotated[
    int | None, Param("Maximum number of notifications to return (0 or less: all)")
]
NotificationId = Annotated[
    str,
    Param(
        "Notification ID from `android_notification_list`",
        empty="must not be empty",
        refuse=_not_hex("notification_id"),
        secret=Secret.NO,
    ),
]
ActionId = Annotated[
    str,
    Param(
        "Action ID from `android_notification_list`",
        empty="must not be empty",
        refuse=_not_hex("action_id"),
        secret=Secret.NO,
    ),
]
SnoozeDuration = Annotated[
    int, Param(f"How long to hide it, in ms (1-{SNOOZE_LIMIT_MS})", refuse=_snoozed)
]
ReplyText = Annotated[
    str,
    Param(
        f"Text to send (max {REPLY_LIMIT} characters)",
        empty="must not be empty",
        refuse=_too_long,
        secret=Secret.ALWAYS,
    ),
]
AwaitedPackage = Annotated[
    str | None, Param("Only a notification of the app with this package", secret=Secret.NO)
]
AwaitedWords = Annotated[
    str | None,
    Param("Only a notification with this text in it (case-insensitive)", secret=Secret.NO),
]


# The first call loads the implementation: most sessions do not use it.

notifications = Toolset("notifications")

UNREADABLE = (
    "The texts of {count} of these could not be separated from another app's, and are null."
    " open_notifications shows them."
)


async def _about_id(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    return (phone.notifications.find(str(arguments.get("notification_id"))).seen.package,)


async def _about_opened(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.notifications.notifications import find_concerned

    issued = phone.notifications.find(str(arguments.get("notification_id")))
    return await find_concerned(phone, issued, NotificationVerb("open"))


async def _about_action(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.notifications.notifications import find_concerned

    issued, place = phone.notifications.find_action(str(arguments.get("action_id")))
    return await find_concerned(phone, issued, NotificationVerb("press", place))


async def _act(phone: Phone, issued: "Issued", verb: NotificationVerb) -> str:
    """Return the package of the app in front, if known. Raises ToolError."""
    from ...phone.notifications.notifications import act

    return await act(phone, issued, verb)


def _subject_of_id(phone: Phone, arguments: Mapping[str, Any]) -> str:
    return phone.notifications.find(str(arguments.get("notification_id"))).describe()


def _subject_of_action(phone: Phone, arguments: Mapping[str, Any]) -> str:
    issued, action = phone.notifications.find_action(str(arguments.get("action_id")))
    return issued.describe(action)


def describe(issued: "Issued") -> dict[str, Any]:
    seen = issued.seen
    return {
        "notification_id": issued.id,
        "package_name": seen.package,
        "app_name": seen.label,
        "title": seen.title,
        "text": seen.text,
        "big_text": seen.big_text,
        "sub_text": seen.sub_text,
        "timestamp": seen.posted,
        "is_ongoing": seen.ongoing,
        "is_clearable": seen.clearable,
        "category": seen.category,
        "group_key": seen.group,
        "actions": [
            {"action_id": id, "title": action.title, "accepts_text": action.takes_text}
            for id, action in issued.actions
        ],
    }


@notifications.tool(
    title="List notifications",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def notification_list(
    phone: Phone, package_name: NotificationPackage = None, limit: NotificationLimit = None
) -> Reply:
    """Lists the notifications of the phone, newest first, with the actions of each. Can filter by
    the package of an app."""
    from ...phone.notifications.notifications import list_notifications

    found = await list_notifications(phone, package_name or "")
    if limit is not None and limit > 0:
        found = found[:limit]
    text = json_text({"notifications": [describe(each) for each in found], "count": len(found)})
    unreadable = sum(each.seen.unreadable for each in found)
    notes = [UNREADABLE.format(count=unreadable)] if unreadable else []
    for each in found:
        if each.seen.problem:
            problem = plain(brief(each.seen.problem))
            notes.append(f"{each.id} of {plain(each.seen.package)} could not be read: {problem}")
    return [text, *notes] if notes else text


@notifications.tool(
    title="Open notification", secret_reply=Secret.NO, about=_about_opened, subject=_subject_of_id
)
async def notification_open(phone: Phone, notification_id: NotificationId) -> Reply:
    """Opens a notification, as a tap on it does."""
    issued = phone.notifications.find(notification_id)
    front = await _act(phone, issued, NotificationVerb("open"))
    if front in ("", issued.seen.package):
        return "Notification opened"
    return ["Notification opened", f"An activity of {plain(front)} is in front."]


@notifications.tool(
    title="Dismiss notification",
    destructive=True,
    secret_reply=Secret.NO,
    about=_about_id,
    subject=_subject_of_id,
)
async def notification_dismiss(phone: Phone, notification_id: NotificationId) -> str:
    """Dismisses a notification. Ongoing notifications cannot be dismissed."""
    await _act(phone, phone.notifications.find(notification_id), NotificationVerb("dismiss"))
    return "Notification dismissed"


@notifications.tool(
    title="Snooze notification", secret_reply=Secret.NO, about=_about_id, subject=_subject_of_id
)
async def notification_snooze(
    phone: Phone, notification_id: NotificationId, duration_ms: SnoozeDuration
) -> str:
    """Hides a notification for a time; then it is posted again. The summary of a group hides the
    whole group."""
    issued = phone.notifications.find(notification_id)
    await _act(phone, issued, NotificationVerb("snooze", for_ms=duration_ms))
    return f"Notification snoozed for {duration_ms}ms"


@notifications.tool(
    title="Press notification action",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_about_action,
    subject=_subject_of_action,
)
async def notification_action(phone: Phone, action_id: ActionId) -> str:
    """Presses an action button of a notification."""
    issued, place = phone.notifications.find_action(action_id)
    await _act(phone, issued, NotificationVerb("press", place))
    return "Notification action executed"


@notifications.tool(
    title="Reply to notification",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_about_action,
    subject=_subject_of_action,
)
async def notification_reply(phone: Phone, action_id: ActionId, text: ReplyText) -> str:
    """Sends a text with an action of a notification that accepts text, such as an answer to a
    message."""
    issued, place = phone.notifications.find_action(action_id)
    await _act(phone, issued, NotificationVerb("reply", place, text))
    return "Reply sent"


@notifications.tool(
    name="wait_for_notification",
    title="Wait for notification",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def wait(
    phone: Phone,
    timeout: WaitTimeout,
    package_name: AwaitedPackage = None,
    text: AwaitedWords = None,
) -> str:
    """Waits until a notification is posted or changed, of one app or with a text in it if these are
    given. One that came in the 10 seconds before the call counts, too."""
    from ...phone.notifications.notifications import WantedNotification, wait_for_notification

    wanted = WantedNotification(package_name or "", text or "")
    ended = await wait_for_notification(phone, wanted, timeout)
    reply: dict[str, Any] = {"found": ended.found is not None, "elapsedMs": ended.elapsed_ms}
    if ended.found is not None:
        reply["notification"] = describe(ended.found)
    return json_text(reply)
