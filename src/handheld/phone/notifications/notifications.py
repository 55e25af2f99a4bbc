"""Notifications of a phone: listing them with ids, acting on listed ones, waiting for one."""

from typing import NamedTuple

from ...driver.notifications import (
    Notification,
    NotificationFailed,
    NotificationProblem,
    NotificationVerb,
    Posted,
)
from ...errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from ...screen.rows.words import fold
from ...screen.text import brief
from ..phone import Phone
from ..screen.waiting import Watch
from .issued_notifications import Issued
from .shade import shown_apps, tap_in_shade

RECENT_MS = 10_000
"""A wait ends immediately if the notification was posted at most this long before it."""
POLL_MS = 1000
"""The polling interval if the phone does not report changes."""
MOST_WAIT_MS = 5000
"""The maximum duration of a call to the helper during a wait."""


async def list_notifications(phone: Phone, package: str = "") -> list[Issued]:
    """Return the notifications with texts, newest first, of one app or of all."""
    posted = await phone.driver.notifications()
    return phone.notifications.issue(told(phone, posted, package))


def told(phone: Phone, posted: Posted, package: str = "") -> list[Notification]:
    """Return the notifications with texts, except for apps hidden from the caller."""
    return [
        each
        for each in posted.notifications
        if package in ("", each.package)
        and (each.title or each.text or each.big_text or each.unreadable or each.problem)
        and not phone.hides(each.package)
    ]


async def find_concerned(phone: Phone, issued: Issued, verb: NotificationVerb) -> list[str]:
    """Return the packages of the apps that it concerns: if it needs a tap in the shade, all
    apps whose rows the shade shows. Raises ToolError."""
    opens = _opens(issued.seen, verb)
    return [issued.seen.package, *(await shown_apps(phone) if opens else [])]


def _opens(seen: Notification, verb: NotificationVerb) -> bool:
    if verb.do == "press" and verb.action is not None:
        return seen.actions[verb.action].opens
    return verb.do == "open"


async def act(phone: Phone, issued: Issued, verb: NotificationVerb) -> str:
    """Do it; return the package of the app in front after `open`. Raises ToolError."""
    if phone.hides(issued.seen.package):
        # The rules have judged another app, whose notification had the id before.
        raise PermissionDenied(
            f"The owner of the phone does not allow this with {issued.seen.package}. Nothing was"
            " done. Do not look for a way around it; tell the user."
        )
    try:
        return await phone.driver.act_on_notification(issued.seen, verb)
    except NotificationFailed as failure:
        if failure.problem is NotificationProblem.BLOCKED and verb.text is None:
            pressed = None if verb.action is None else issued.seen.actions[verb.action].title
            return await tap_in_shade(phone, issued.seen, pressed)
        raise _explain(failure.problem, issued, verb) from None


def _explain(
    problem: NotificationProblem, issued: Issued, verb: NotificationVerb
) -> ActionFailed | ElementNotFound | InvalidParams:
    match problem:
        case NotificationProblem.GONE:
            return ElementNotFound(
                f"Notification {issued.id} is gone: it was dismissed or replaced. Call"
                " notification_list again."
            )
        case NotificationProblem.CHANGED:
            title = brief(issued.seen.actions[verb.action or 0].title)
            return ElementNotFound(
                f"Action '{title}' has changed since it was listed; nothing was done."
            )
        case NotificationProblem.ONGOING:
            label = brief(issued.seen.label)
            return ActionFailed(f"This notification is ongoing: only {label} can end it.")
        case NotificationProblem.NO_TEXT:
            return InvalidParams("This action takes no text; use notification_action.")
        case NotificationProblem.NO_INTENT if issued.seen.problem:
            return ActionFailed(
                f"Notification {issued.id} could not be read, so nothing of it can be opened or"
                " pressed. Nothing was done; open_notifications shows it."
            )
        case NotificationProblem.NO_INTENT if verb.do == "open":
            return ActionFailed("Notification has no content intent: a tap on it does nothing.")
        case NotificationProblem.NO_INTENT:
            return ActionFailed("Action has no pending intent: it does nothing.")
        case NotificationProblem.BLOCKED:
            return ActionFailed(
                "This Android does not let programs start the action, which sending a text "
                "requires."
                " Nothing was done; open_notifications shows it."
            )
        case NotificationProblem.UNSEEN:
            return ActionFailed(
                f"Notification {issued.id} was posted before Handheld connected;"
                " open_notifications shows it."
            )


class Wait(NamedTuple):
    """The outcome of a wait."""

    elapsed_ms: int
    found: Issued | None


class WantedNotification(NamedTuple):
    """The criteria of a wait; "" matches anything."""

    package: str = ""
    text: str = ""

    def fits(self, found: Notification) -> bool:
        if not (self.package or self.text) and found.ongoing:
            return False  # music and downloads change all the time
        words = (found.title, found.text, found.big_text, found.sub_text)
        return fold(self.text) in fold(" ".join(word for word in words if word))


async def wait_for_notification(phone: Phone, wanted: WantedNotification, timeout_ms: int) -> Wait:
    """Wait until a matching notification is posted or changed."""
    watch = Watch(phone.clock, timeout_ms)
    posted = await phone.driver.notifications()
    since = posted.now - RECENT_MS
    while True:
        for found in told(phone, posted, wanted.package):
            if found.posted >= since and wanted.fits(found):
                return Wait(watch.shown, phone.notifications.issue([found])[0])
        left = round(watch.left)
        if left < 1:
            return Wait(watch.shown, None)
        if posted.seq is None:
            await watch.sleep(POLL_MS)
            posted = await phone.driver.notifications()
        else:
            most = MOST_WAIT_MS if posted.complete else POLL_MS
            posted = await phone.driver.notifications(posted.seq, min(left, most))
