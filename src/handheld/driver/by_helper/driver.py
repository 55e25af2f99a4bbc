"""The driver that works through the helper on the phone."""

import asyncio
import json
import secrets
from collections.abc import Sequence
from typing import Any

from ...adb import shell
from ...adb.link import AdbError
from ...errors import ActionFailed
from ...helper.protocol import JAR_FOLDER, QUERY_ROWS, Happened, HelperFailure
from ...screen.model import Window
from ..apps import AppProcesses, Installed
from ..by_adb.commands import Commands
from ..by_adb.profiles import find_profiles
from ..by_shell.notifications import find_seen, name_profiles, read_notifications
from ..cameras import Camera, CameraVideo, FlashMode, Photo, Size
from ..device import Fix, Whereabouts
from ..failures import SMS_MS, translated
from ..files import Content, Place
from ..intents import Handler, Intent, Sent, decode_handlers, sent_as
from ..notifications import Notification, NotificationAction, NotificationVerb, Posted
from ..packages import AppInfo, AppSizes, Permission
from ..reading.notification_dump import EVERY_USER
from ..sms import MAY_BE_SENT, NOTHING_SENT, Subscription
from ..tables import Query, Row, TableRows, Zone, whole
from ..target import Target
from ..text import Typed, Typing
from .app_tools import HelperAppTools
from .input import HelperInput, describe_target
from .screen import HelperScreen, decode_window
from .verbs import ACT_MS, PACKAGES_MS, READ_MS, SLACK_MS

ACCURACY = 3.0
"""Metres: the accuracy of a mock location."""
LAUNCH_MS = 10_000
STOP_MS = 10_000
INTENT_MS = 15_000
"""The helper waits 5 s for the window; Android may take some time before that."""
COMMIT_MS = 30_000
"""Includes the time to read the replaced file again."""
QUERY_MS = 20_000
"""A calendar expands recurrences, and a provider may have to be started."""
PHOTO_MS = 20_000
"""The time to open the camera, measure light, focus and take the picture."""
REMOVE_SECONDS = 5.0
_EVERY_VIDEO = f"{JAR_FOLDER}/handheld-{'[0-9a-f]' * 16}.mp4"


class HelperDriver(HelperScreen, HelperInput, HelperAppTools):
    """Performs every verb with one call to the helper, except those that adb performs itself."""

    async def languages(self) -> list[str]:
        return (await self._call("language", {"set": None}, ACT_MS)).reply["locales"]

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        answer = await self._call("language", {"set": list(tags)}, 2 * ACT_MS, act=True)
        return answer.reply["locales"]

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        answer = await self._call("location", {"fresh_ms": fresh_ms}, fresh_ms + SLACK_MS)
        found, enabled = answer.reply["location"], answer.reply["enabled"]
        if found is None and fresh_ms == 0:
            # Android 10 silently withholds the location from programs without a window.
            with translated("device"):
                return Whereabouts((await self._device.last_place()).fix, enabled)
        if found is None:
            return Whereabouts(None, enabled)
        fix = Fix(
            found["latitude"],
            found["longitude"],
            found["accuracy"],
            found["provider"],
            found["age_ms"],
            found["mock"],
        )
        return Whereabouts(fix, enabled)

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        wanted = None
        if place is not None:
            wanted = {"latitude": place[0], "longitude": place[1], "accuracy": ACCURACY}
        await self._call("mock_location", {"set": wanted}, ACT_MS, act=True)

    async def keyboard_shown(self) -> bool:
        return any(window.type == "INPUT_METHOD" for window in (await self.read_screen()).windows)

    async def type(self, target: Target, typing: Typing) -> Typed:
        arguments = {**describe_target(target), **typing.describe()}
        try:
            answer = await self._call("type", arguments, typing.budget_ms, act=True)
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            if isinstance(failure, HelperFailure) and "typed" in failure.data:
                went_in = f"{failure.data['typed']} of {typing.length} characters"
                stop.add_note(f"{went_in} had been typed.")
            raise
        reply, data = answer
        return Typed(
            reply["content"],
            reply["typed"],
            reply["removed"],
            reply["password"],
            reply["matches"],
            self._window_of(target, data),
        )

    def _window_of(self, target: Target, data: bytes) -> Window | None:
        """Return the field's window as read after typing, alone or with the whole screen."""
        if self._rest is None:
            windows = [decode_window(each) for each in json.loads(data)["windows"]] if data else []
        else:
            screen = self._rest.rested and self._rest.rested.screen
            windows = screen.windows if screen else []
        return next((each for each in windows if target.key.startswith(f"{each.id}:")), None)

    async def key(self, key: str) -> None:
        await self._call("key", {"key": key}, ACT_MS, act=True)

    async def get_clipboard(self) -> str | None:
        return (await self._call("clipboard", {"set": None}, ACT_MS)).reply["text"]

    async def set_clipboard(self, text: str) -> None:
        await self._call("clipboard", {"set": text}, ACT_MS, act=True)

    async def launch(self, package: str) -> str:
        answer = await self._call("launch", {"package": package}, LAUNCH_MS, act=True)
        return answer.reply["package"]

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        answer = await self._call("packages", {"kind": kind, "user": user}, PACKAGES_MS)
        return [
            Installed(
                app["package"],
                app["label"],
                app["version_name"],
                app["version_code"],
                app["system"],
            )
            for app in answer.reply["packages"]
        ]

    async def processes(self, package: str) -> AppProcesses | None:
        reply = (await self._call("processes", {"package": package}, ACT_MS)).reply
        if reply["uid"] is None:
            return None
        return AppProcesses(reply["uid"], reply["shared"], frozenset(reply["pids"]))

    async def app_info(self, package: str) -> AppInfo | None:
        app = (await self._call("app_info", {"package": package}, READ_MS)).reply["app"]
        if app is None:
            return None
        sizes, permissions = app["sizes"], app["permissions"]
        return AppInfo(
            package=app["package"],
            label=app["label"],
            version_name=app["version_name"],
            version_code=app["version_code"],
            system=app["system"],
            enabled=app["enabled"],
            debuggable=app["debuggable"],
            min_sdk=app["min_sdk"],
            target_sdk=app["target_sdk"],
            installer=app["installer"],
            installed_at=app["installed_at"],
            updated_at=app["updated_at"],
            signer=app["signer"],
            sizes=None if sizes is None else AppSizes(*sizes),
            permissions=tuple(Permission(*each) for each in permissions),
        )

    async def stop(self, package: str) -> bool:
        answer = await self._call("stop", {"package": package}, STOP_MS, act=True)
        return answer.reply["restarted"]

    async def handlers(self, intent: Intent) -> list[Handler]:
        answer = await self._call("resolve", _encode_intent(intent), PACKAGES_MS)
        return decode_handlers(answer.reply["handlers"])

    async def send_intent(self, intent: Intent) -> Sent:
        on_screen = intent.kind == "activity"
        arguments = {
            **_encode_intent(intent),
            "flags": sent_as(intent).flags,
            "extras": [
                [extra.name, extra.type, _extra_value(extra.value)] for extra in intent.extras
            ],
        }
        answer = await self._call("intent", arguments, INTENT_MS, act=True, wake=on_screen)
        handlers = decode_handlers(answer.reply["handlers"])
        return Sent(tuple(handlers), answer.reply["front"] or "")

    async def locate(self, root: str, path: str) -> Place:
        arguments = {"root": root, "path": path}
        reply = (await self._call("locate", arguments, READ_MS)).reply
        return Place(reply["root"], reply["path"], reply["kind"], reply["size"], reply["available"])

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        wanted = None if expect is None else {"size": expect.size, "sha256": expect.sha256}
        arguments = {"root": root, "temp": temp, "path": path, "expect": wanted}
        await self._call("commit", arguments, COMMIT_MS, act=True)

    async def remove(self, root: str, path: str) -> bool:
        answer = await self._call("remove", {"root": root, "path": path}, ACT_MS, act=True)
        return answer.reply["removed"]

    async def subscriptions(self) -> list[Subscription]:
        found = (await self._call("sims", {}, ACT_MS)).reply["sims"]
        return [
            Subscription(sim["id"], sim["slot"], sim["display_name"], sim["carrier_name"])
            for sim in found
        ]

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        arguments = {"subscription": subscription, "to": to, "text": text}
        try:
            return (await self._call("sms", arguments, SMS_MS, act=True)).reply["parts"]
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            certain = isinstance(failure, HelperFailure) and failure.happened is Happened.NO
            stop.add_note(NOTHING_SENT if certain else MAY_BE_SENT)
            raise

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
        listed = tuple(map(_decode_notification, json.loads(answer.data)["notifications"]))
        if any(each.user not in (reply["user"], EVERY_USER) for each in listed):
            with translated("notifications"):
                listed = name_profiles(listed, await find_profiles(Commands(self._link)))
        return Posted(listed, reply["now"], reply["seq"], starts=reply["starts"])

    async def _read_printed(self) -> Posted:
        with translated("notifications"):
            return await read_notifications(Commands(self._link))

    async def act_on_notification(self, seen: Notification, verb: NotificationVerb) -> str:
        if seen.printed:
            find_seen(seen, await self._read_printed())
        action = None
        if verb.action is not None:
            action = {"index": verb.action, "title": seen.actions[verb.action].title}
        arguments: dict[str, Any] = {
            "key": seen.key,
            "expect": {
                "package": seen.package,
                "posted": seen.posted,
                "title": seen.title,
                "text": seen.text,
                "ongoing": seen.ongoing,
            },
            "do": verb.do,
            "action": action,
            "text": verb.text,
            "for_ms": verb.for_ms,
        }
        answer = await self._call(
            "notification",
            arguments,
            ACT_MS,
            act=True,
            wake=verb.do == "open",
            on_screen=verb.do in ("open", "press"),
        )
        return answer.reply["front"] or ""

    async def query(self, query: Query) -> TableRows:
        choice = query.choice
        where, arguments = query.where, list[str]()
        if choice is not None and choice.like is not None:
            column, pattern = choice.like
            where = f"({where}) AND {column} LIKE ?" if where else f"{column} LIKE ?"
            arguments.append(pattern)
        columns = [*query.numbers, *query.texts]
        wanted: dict[str, Any] = {
            "uri": query.uri,
            "columns": columns,
            "where": where or None,
            "arguments": arguments,
            "sort": query.sort or None,
            "limit": query.limit if choice is None else QUERY_ROWS,
        }
        answer = await self._call("query", wanted, QUERY_MS)
        more, zone = answer.reply["more"], Zone(answer.reply["zone"], answer.reply["offset_s"])
        numbers = frozenset(query.numbers)
        rows: list[Row] = [
            {
                name: whole(cell) if name in numbers else None if cell is None else str(cell)
                for name, cell in zip(columns, cells, strict=True)
            }
            for cells in json.loads(answer.data)["rows"]
        ]
        if choice is not None:
            picked = choice.pick(rows)
            more = more or len(picked) > query.limit
            rows = list(picked[: query.limit])
        return TableRows(rows, more, zone)

    async def cameras(self) -> list[Camera]:
        found = (await self._call("cameras", {}, PHOTO_MS)).reply["cameras"]
        return [
            Camera(
                each["id"],
                each["facing"],
                each["flash"],
                [(width, height) for width, height in each["photo"]],
                [(width, height) for width, height in each["video"]],
            )
            for each in found
        ]

    async def take_photo(
        self, camera: str, size: Size, quality: int, flash: FlashMode, *, most: Size | None
    ) -> Photo:
        wanted: dict[str, Any] = {
            "camera": camera,
            "size": list(size),
            "most": None if most is None else list(most),
            "quality": quality,
            "flash": flash,
        }
        answer = await self._call("photo", wanted, PHOTO_MS, act=True)
        return Photo(answer.data, answer.reply["width"], answer.reply["height"])

    async def record_video(
        self, camera: str, size: Size, duration_ms: int, flash: FlashMode, *, audio: bool
    ) -> CameraVideo:
        path = f"{JAR_FOLDER}/handheld-{secrets.token_hex(8)}.mp4"
        wanted: dict[str, Any] = {
            "camera": camera,
            "size": list(size),
            "duration_ms": duration_ms,
            "flash": flash,
            "audio": audio,
            "path": path,
        }
        try:
            answer = await self._call("video", wanted, PHOTO_MS + duration_ms, act=True)
        except BaseException:
            await self.remove_recording(path)
            raise
        return CameraVideo(path, answer.reply["bytes"], answer.reply["duration_ms"], answer.data)

    async def remove_recording(self, path: str) -> None:
        try:
            # Also removes videos of killed processes: only one video is made at a time.
            line = f"rm -f {path} {_EVERY_VIDEO}"
            await shell.run(self._link, ("sh", "-c", line), timeout=REMOVE_SECONDS)
        except AdbError:
            return  # the folder is for temporary files

    async def release(self) -> bool:
        if not self._client.connected:
            return False
        try:
            answer = await self._call("release", {}, ACT_MS)
        except ActionFailed:
            # Where Android does not take it back, it is free once the helper has ended.
            await self._client.drop()
            return True
        return answer.reply["released"]

    async def aclose(self) -> None:
        await self._client.aclose()


def _encode_intent(intent: Intent) -> dict[str, Any]:
    return {
        "type": intent.kind,
        "action": intent.action or None,
        "data": intent.data or None,
        "mime": intent.mime_type or None,
        "package": intent.package or None,
        "class": intent.class_name or None,
        "categories": list(intent.categories),
    }


def _extra_value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _decode_notification(told: dict[str, Any]) -> Notification:
    actions = tuple(NotificationAction(*action) for action in told.pop("actions"))
    return Notification(**told, actions=actions)
