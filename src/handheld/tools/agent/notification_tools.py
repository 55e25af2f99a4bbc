"""Notifications as data, and actions on them without the panel."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ...driver.by_shell.unsupported import NeedsHelper
from ...driver.notifications import NotificationVerb
from ...errors import ElementNotFound, InvalidParams
from ...helper.protocol import REPLY_LIMIT, SNOOZE_LIMIT_MS
from ...phone.phone import Phone
from ...phone.screen.screen_log import MOST_NOTICES
from ...screen.model import Notice
from ...screen.rows.words import clean, cut, distinct, fold
from ...screen.text import units
from ..parameter import Param, Unusable, read_number
from ..recording import Secret
from ..tool import Toolset
from .elements.acting import OPEN_MS
from .elements.acting import act as act_and_look
from .elements.actions import notification_actions
from .screen.wording import tell_rest

if TYPE_CHECKING:
    from ...phone.notifications.issued_notifications import Issued

# The first call loads the implementation: most sessions do not use it.

notification_tools = Toolset("notifications")

LONGEST = 300
"""The maximum length of a notification's text."""
LONGEST_NAME = 40
"""The maximum length of the name of an app or a button."""
MINUTE_MS = 60_000


async def read_notifications(phone: Phone, of: str, limit: int) -> str:
    """List the notifications whose app or text contains `of`."""
    from ...phone.notifications.notifications import told

    posted, wanted = await phone.driver.notifications(), fold(of)
    every = phone.notifications.issue(told(phone, posted))
    found = [each for each in every if wanted in fold(" ".join(_words(each)))]
    if not found:
        return "No notifications."
    lines = [_line(each, posted.now) for each in found[:limit]]
    return "\n".join([*lines, *tell_rest(len(found) - len(lines), "notifications")])


def _words(issued: "Issued") -> list[str]:
    seen = issued.seen
    words = (seen.package, seen.label, seen.title, seen.text, seen.big_text, seen.sub_text)
    return [word for word in words if word]


def _line(issued: "Issued", now: int) -> str:
    seen = issued.seen
    words = distinct([seen.title, seen.big_text or seen.text, seen.sub_text])
    parts = [issued.id, f'"{cut(clean(seen.label), LONGEST_NAME)}"']
    if seen.unreadable:
        parts.append("words unreadable")
    elif seen.problem:
        parts.append(f"could not be read: {cut(clean(seen.problem), LONGEST_NAME)}")
    else:
        parts += [_age(now - seen.posted), f'"{cut(" | ".join(words), LONGEST)}"']
    if seen.ongoing:
        parts.append("ongoing")
    line = " ".join(parts)
    for action in seen.actions:
        takes = " takes text" if action.takes_text else ""
        line += f', "{cut(clean(action.title), LONGEST_NAME)}"{takes}'
    return line


def _age(ms: int) -> str:
    minutes = max(0, ms) // MINUTE_MS
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"


async def _about(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.notifications.notifications import find_concerned

    issued, do = _find(phone, str(arguments.get("id"))), str(arguments.get("action"))
    place = _find_button(issued, str(arguments.get("text") or "")) if do == "press" else None
    return await find_concerned(phone, issued, NotificationVerb(do, place))


def _subject(phone: Phone, arguments: Mapping[str, Any]) -> str:
    issued, place = _find(phone, str(arguments.get("id"))), None
    match arguments.get("action"):
        case "press":
            place = _find_button(issued, str(arguments.get("text") or ""))
        case "reply":
            place = _find_input(issued)
        case _:
            pass
    return issued.describe(place)


def _find(phone: Phone, id: str) -> "Issued":
    """Find a notification by its id, or by a copied beginning of its row. Raises
    ElementNotFound."""
    return phone.notifications.find(cut((id.split() or [""])[0], 20))


@notification_tools.tool(
    name="phone_notification",
    title="Notification",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    actions=notification_actions,
    about=_about,
    subject=_subject,
)
async def notification(
    phone: Phone,
    id: Annotated[str, Param("", secret=Secret.NO, schema={"description": None})],
    action: Annotated[
        Literal["open", "dismiss", "snooze", "press", "reply"],
        Param("", schema={"description": None}),
    ],
    text: Annotated[str, Param("reply, button's name, or minutes", secret=Secret.ALWAYS)] = "",
) -> str:
    """Act on a notification that phone_read listed."""
    from ...phone.notifications.notifications import act

    issued = _find(phone, id)
    match action:
        case "open":
            return await act_and_look(
                phone,
                f"Opened {issued.id}.",
                lambda phone: act(phone, issued, NotificationVerb("open")),
                most_ms=OPEN_MS,
                leaves=True,
            )
        case "press":
            place = _find_button(issued, text)
            title = cut(clean(issued.seen.actions[place].title), LONGEST_NAME)
            return await act_and_look(
                phone,
                f'Pressed "{title}" of {issued.id}.',
                lambda phone: act(phone, issued, NotificationVerb("press", place)),
                leaves=True,
            )
        case "dismiss":
            await act(phone, issued, NotificationVerb("dismiss"))
            return f"Dismissed {issued.id}."
        case "snooze":
            minutes = _read_minutes(text)
            await act(phone, issued, NotificationVerb("snooze", for_ms=round(minutes * MINUTE_MS)))
            return f"Snoozed {issued.id} for {minutes:g} min."
        case "reply":
            if not 0 < units(text) <= REPLY_LIMIT:
                raise InvalidParams(
                    f"phone_notification reply needs text, of at most {REPLY_LIMIT} characters."
                )
            await act(phone, issued, NotificationVerb("reply", _find_input(issued), text))
            return f"Replied to {issued.id}."


def _read_minutes(text: str) -> float:
    most = SNOOZE_LIMIT_MS / MINUTE_MS
    try:
        minutes = float(read_number(text.strip()))
    except Unusable:
        minutes = 0.0
    if not 1 / MINUTE_MS <= minutes <= most:
        raise InvalidParams(
            f"phone_notification snooze needs minutes as text, of at most {most:.0f}."
        )
    return minutes


def _find_input(issued: "Issued") -> int | None:
    """Return the first listed action that takes a text; None if unknown. Raises InvalidParams if
    there is none."""
    takes = [action.takes_text for action in issued.seen.actions]
    if True in takes:
        return takes.index(True)
    if None in takes:
        return None
    raise InvalidParams("This action takes no text; use phone_notification press.")


def _find_button(issued: "Issued", text: str) -> int:
    titles = [action.title for action in issued.seen.actions]
    places = [place for place, title in enumerate(titles) if fold(title) == fold(text)]
    if len(places) == 1:
        return places[0]
    named = ", ".join(f'"{cut(clean(title), LONGEST_NAME)}"' for title in titles)
    if not named:
        raise ElementNotFound(f"{issued.id} has no buttons. Nothing was done.")
    several = f"{len(places)} buttons are called so: " if places else ""
    raise ElementNotFound(
        f"{several}Say one of the buttons of {issued.id} as text: {named}. Nothing was done."
    )


class ListedNotices:
    """New notifications, for phones whose screens are read without notices."""

    def __init__(self, phone: Phone, since: int) -> None:
        self._phone, self._since = phone, since
        self._taken: set[tuple[str, int]] = set()

    async def take(self) -> None:
        """Note the new notifications for the reply."""
        from ...phone.notifications.notifications import told

        phone, screens = self._phone, self._phone.screens
        for each in reversed(told(phone, await phone.driver.notifications())):
            name = (each.key, each.posted)
            if each.posted >= self._since and name not in self._taken:
                self._taken.add(name)
                notice = Notice(each.posted, "notification", each.package, each.title, each.text)
                screens.untold = [*screens.untold, notice][-MOST_NOTICES:]


async def listed_notices(phone: Phone) -> ListedNotices | None:
    """Return None if reads of the screen include notices. Raises ToolError."""
    from ...phone.notifications.notifications import RECENT_MS

    try:
        await phone.driver.need_notices()
    except NeedsHelper:
        return ListedNotices(phone, (await phone.driver.notifications()).now - RECENT_MS)
    return None
