"""Notifications through the helper."""

import json
from typing import Any

from ..by_adb.commands import Commands
from ..by_adb.profiles import find_profiles
from ..by_shell.notifications import find_seen, name_profiles, read_notifications
from ..failures import translated
from ..notifications import Notification, NotificationAction, NotificationVerb, Posted
from ..reading.notification_dump import EVERY_USER
from .verbs import ACT_MS, READ_MS, HelperVerbs


class HelperNotifications(HelperVerbs):
    async def notifications(self, after: int | None = None, within_ms: int = 0) -> Posted:
        arguments = {"after": after, "within_ms": within_ms}
        answer = await self._call("notifications", arguments, READ_MS + within_ms)
        reply = answer.reply
        if not reply["listener"]:
            # Until Android 9 the helper may not be a listener. It keeps the notifications of
            # events to act on them; the posted ones are read from Android's shell output.
            found = await self._read_printed()
            seq, starts = reply["seq"], reply["starts"]
            return Posted(found.notifications, found.now, seq, complete=False, starts=starts)
        listed = tuple(map(_decode, json.loads(answer.data)["notifications"]))
        if any(each.user not in (reply["user"], EVERY_USER) for each in listed):
            with translated("notifications"):
                listed = name_profiles(listed, await find_profiles(Commands(self._link)))
        return Posted(listed, reply["now"], reply["seq"], starts=reply["starts"])

    async def _read_printed(self) -> Posted:
        with translated("notifications"):
            return await read_notifications(Commands(self._link))

    async def act_on_notification(self, seen: Notification, deed: NotificationVerb) -> str:
        if seen.printed:
            find_seen(seen, await self._read_printed())
        action = None
        if deed.action is not None:
            action = {"index": deed.action, "title": seen.actions[deed.action].title}
        arguments: dict[str, Any] = {
            "key": seen.key,
            "expect": {
                "package": seen.package,
                "posted": seen.posted,
                "title": seen.title,
                "text": seen.text,
                "ongoing": seen.ongoing,
            },
            "do": deed.do,
            "action": action,
            "text": deed.text,
            "for_ms": deed.for_ms,
        }
        answer = await self._call(
            "notification",
            arguments,
            ACT_MS,
            act=True,
            wake=deed.do == "open",
            on_screen=deed.do in ("open", "press"),
        )
        return answer.reply["front"] or ""


def _decode(told: dict[str, Any]) -> Notification:
    actions = tuple(NotificationAction(*action) for action in told.pop("actions"))
    return Notification(**told, actions=actions)
