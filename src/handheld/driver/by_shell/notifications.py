"""Notifications by Android's `dumpsys notification` and `cmd notification`."""

import shlex
from collections.abc import Iterable

from ...adb.link import AdbError
from ...helper.protocol import Code, HelperFailure
from ..apps import Profile
from ..by_adb.batch import run_sections
from ..by_adb.commands import USER_LINE, Commands, first_line, read_user
from ..by_adb.profiles import USERS_LINE, read_profiles
from ..notifications import Notification, NotificationFailed, NotificationProblem, Posted
from ..reading.notification_dump import BadNotificationDump, read_printed, read_records

SNOOZE_SINCE = 30
"""The API level since which `cmd notification` can snooze."""
LOOKS = 8
LOOK_MS = 250
"""The number and interval of checks whether a snoozed notification is gone."""
_LINES = {
    "user": USER_LINE,
    "users": USERS_LINE,
    "now": "date +%s",
    "records": "dumpsys notification --proto",
    "texts": "dumpsys notification --noredact",
}
_LIST = "\n  Notification List:\n"


async def read_notifications(commands: Commands) -> Posted:
    """Read the current user's notifications. Raises AdbError."""
    found = await run_sections(commands, _LINES)
    user, now = read_user(found["user"].text), found["now"].text.strip()
    data, text = found["records"].data, found["texts"].text
    if not now.isdecimal():
        raise AdbError(f"The phone does not report its time; it printed: {first_line(now)}.")
    if _LIST not in text and "Notification Manager state" not in text:
        said = text or data.decode(errors="replace")
        raise BadNotificationDump(
            f"The phone did not list its notifications; it printed: {first_line(said)}."
        )
    records = read_records(data)
    if not data and _LIST in text:
        raise BadNotificationDump(
            "The phone does not print its notifications in a form that can be read."
        )
    profiles = read_profiles(found["users"].text, user)
    users = {user, *(profile.user for profile in profiles)}
    return Posted(name_profiles(read_printed(text, records, users), profiles), int(now) * 1000)


def name_profiles(
    found: Iterable[Notification], profiles: Iterable[Profile]
) -> tuple[Notification, ...]:
    """Add the profile's name to the notifications of profiles."""
    kinds = {profile.user: profile.kind for profile in profiles}
    return tuple(
        each._replace(label=f"{each.label} ({kinds[each.user]})") if each.user in kinds else each
        for each in found
    )


def find_seen(seen: Notification, posted: Posted) -> None:
    """Raise NotificationFailed if the notification is gone or has changed."""
    for found in posted.notifications:
        if found.key == seen.key and not found.unreadable:
            same = found.posted == seen.posted
            words = (found.title, found.text) == (seen.title, seen.text)
            if same or words or (found.ongoing and seen.ongoing and found.title == seen.title):
                return
    raise NotificationFailed(NotificationProblem.GONE)


async def snooze(commands: Commands, seen: Notification, for_ms: int) -> None:
    """Raises NotificationFailed, HelperFailure and AdbError."""
    find_seen(seen, await read_notifications(commands))
    key = shlex.quote(seen.key)
    result = await commands.run(f"cmd notification snooze --for {for_ms} {key}", act=True)
    output = (result.stdout + result.stderr).decode(errors="replace")
    if output.startswith("error: no notification"):
        raise NotificationFailed(NotificationProblem.GONE)
    if not output.startswith("snoozing <"):
        message = f"Android did not snooze the notification; it printed: {first_line(output)}."
        raise HelperFailure(Code.FAILED, message)
    # Since Android 12L it claims to snooze any key.
    line = f"cmd notification get {key}; cmd notification snoozed"
    for _ in range(LOOKS):
        shown = await commands.ask(line)
        if shown.startswith("error: no active"):
            if f"\n{seen.key} snoozed, time=" in shown:
                return
            raise NotificationFailed(NotificationProblem.GONE)
        # Sleeps on the phone, whose clock matters here.
        await commands.ask(f"sleep {LOOK_MS / 1000}")
    raise HelperFailure(Code.FAILED, "Android kept the notification.")
