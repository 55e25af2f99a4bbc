"""The parameters of the tools for notifications."""

import re
from collections.abc import Callable
from typing import Annotated

from ...helper.protocol import REPLY_LIMIT, SNOOZE_LIMIT_MS
from ..parameter import Param
from ..recording import Secret


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
