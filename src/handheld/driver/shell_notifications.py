"""Notifications by Android's `dumpsys notification` and `cmd notification`."""

import secrets
import shlex

from ..adb.link import AdbError
from ..helper.protocol import Code, HelperFailure
from .commands import Commands, first_line
from .notification_dump import BadDump, read_printed, read_records
from .notifications import Notification, NotificationFailed, NotificationProblem, Posted

SNOOZE_SINCE = 30
"""The API level since which `cmd notification` has it."""
LOOKS = 8
LOOK_MS = 250
"""How often, and at what distance, it is looked whether a snoozed notification is gone."""
_LIST = "\n  Notification List:\n"


async def read_notifications(commands: Commands) -> Posted:
    """Those of the current user. Raises AdbError."""
    # No app can know the word between the parts.
    word = secrets.token_hex(16)
    result = await commands.run(
        f"am get-current-user; date +%s; echo {word}; dumpsys notification --proto; echo;"
        f" echo {word}; dumpsys notification --noredact"
    )
    parts = result.stdout.split(f"{word}\n".encode())
    if len(parts) != 3:
        output = (result.stdout + result.stderr).decode(errors="replace")
        raise BadDump(f"The phone did not list its notifications but said: {first_line(output)}.")
    numbers = parts[0].decode(errors="replace").split()
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        said = first_line(" ".join(numbers))
        raise AdbError(f"The phone does not say which user is in front: {said}.")
    data, text = parts[1].removesuffix(b"\n"), parts[2].decode(errors="replace")
    records = read_records(data)
    if _LIST not in text and "Notification Manager state" not in text:
        raise BadDump(f"The phone did not list its notifications but said: {first_line(text)}.")
    if not data and _LIST in text:
        raise BadDump("The phone does not print its notifications in a form that can be read.")
    user, now = map(int, numbers)
    return Posted(read_printed(text, records, user), now * 1000)


def find_seen(seen: Notification, posted: Posted) -> None:
    """Raise NotificationFailed if it is not there as it was seen."""
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
        message = f"Android did not snooze the notification but said: {first_line(output)}."
        raise HelperFailure(Code.FAILED, message)
    for _ in range(LOOKS):
        if (await commands.ask(f"cmd notification get {key}")).startswith("error: no active"):
            return
        # On the phone, whose clock counts for what is awaited.
        await commands.ask(f"sleep {LOOK_MS / 1000}")
    raise HelperFailure(Code.FAILED, "Android kept the notification.")
