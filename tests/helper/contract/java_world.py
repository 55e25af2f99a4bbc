"""The calls of a helper on a JVM into the world, by the names that the bridge sends.

On a phone these calls go into Android; what a command means is decided in the helper.
"""

# Apps are found and started here as the reference helper does it, so that both meet the same ones.
# pyright: reportPrivateUsage=false

import asyncio
import base64
import errno
import hashlib
import io
import stat
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Component
from handheld.app_formats.mobile_mcp import CAPABILITIES_KEY, DESCRIPTION_KEY, NAME_KEY
from handheld.helper.protocol import Code, Happened, HelperFailure, dump_json
from handheld.screen.model import Flag, Node
from handheld_virtual.automation import AutomationHeld, ReleaseRefused
from handheld_virtual.faults import REFUSED_INPUT
from handheld_virtual.files.media import Refused as MediaRefused
from handheld_virtual.files.tree import FileTree
from handheld_virtual.input.scale import scaling
from handheld_virtual.packages import delivery
from handheld_virtual.packages.app import App
from handheld_virtual.packages.intent import Intent, Match, query
from handheld_virtual.packages.posted import (
    group_of,
    key_of,
    press_action,
    send_intent,
    time_of,
)
from handheld_virtual.packages.service import Start
from handheld_virtual.reference_helper.commands.commands import (
    app_tools,
    apps,
    cameras,
    intents,
    notifications,
    tables,
)
from handheld_virtual.reference_helper.commands.device import encode_fix, heard, pretend, repeat
from handheld_virtual.reference_helper.commands.screen import encode_details
from handheld_virtual.reference_helper.commands.touch import press_here
from handheld_virtual.reference_helper.helper import Helper
from handheld_virtual.reference_helper.protocol import hold
from handheld_virtual.reference_helper.protocol.calls import CONNECT_MS
from handheld_virtual.reference_helper.protocol.command import WRITER
from handheld_virtual.sms.message import Outcome
from handheld_virtual.system.clipboard import PASSING, SHELL, Clip, Refused
from handheld_virtual.system.notifications import Notification
from handheld_virtual.views.text.graphemes import split
from handheld_virtual.views.view import View
from handheld_virtual.world import NotInstalled, NotLaunchable, World

INTERACTION_MS = 5000
"""How long Android's client waits for an app that does not answer."""

Notify = Callable[[Mapping[str, Any]], None]


class JavaWorld:
    """The world as one helper on a JVM reaches it. `notify` sends an event to it, `start` runs
    something concurrently."""

    def __init__(
        self,
        world: World,
        files: FileTree,
        holder: str,
        notify: Notify,
        start: Callable[[Any], object],
    ) -> None:
        self.world, self.files, self.holder = world, files, holder
        self._notify, self._start = notify, start
        self._listening = False
        self._tickers: dict[str, View] = {}
        """The ticking texts, by the names that the helper was given."""
        self.up: list[bool] = []
        """The reports whether calls are open, in order."""
        self.incomplete: set[str | None] = set()
        """Packages some of whose nodes do not arrive."""
        self._starting: dict[str, list[Callable[[], None]]] = {}
        self._finding: set[int] = set()
        """The callbacks of fixes that are awaited."""
        self._hearing = False
        self._known: dict[int, Notification] = {}
        """The notifications that the helper was told of, by their identity."""

    def answer(self, name: str, arguments: Sequence[Any]) -> Any:
        """Return the value, or an awaitable."""
        return getattr(self, f"do_{name}")(*arguments)

    def end(self) -> None:
        """The process is gone, and holds nothing."""
        self.world.automation.lose(self.holder)

    def log(self, message: str) -> None:
        self.world.logs.write(WRITER, "W", "Handheld", message)

    # The phone

    def do_now(self) -> float:
        return self.world.clock.now()

    def do_api(self) -> int:
        return self.world.api

    def do_boot_id(self) -> str:
        return self.world.boot_id

    def do_locked(self) -> bool:
        return self.world.locked

    def do_awake(self) -> bool:
        return self.world.awake

    def do_wake_up(self) -> bool:
        return self.world.wake_up()

    def do_characters(self, text: str) -> list[str]:
        return split(text)

    def do_take_automation(self) -> Awaitable[None] | None:
        if self.world.automation.silent:
            return self._wait_in_vain()
        try:
            self.world.automation.take(self.holder)
        except AutomationHeld as held:
            message = f"Android's UiAutomation is held by another program ({held.holder})."
            raise HelperFailure(Code.AUTOMATION_HELD, message) from held

    async def _wait_in_vain(self) -> None:
        await self.world.clock.sleep(CONNECT_MS)
        raise HelperFailure(Code.FAILED, "Android did not connect UiAutomation within 5 s.")

    def do_release_automation(self) -> None:
        try:
            self.world.automation.release(self.holder, keep_rotation=True)
        except ReleaseRefused as refusal:
            raise hold.refused(refusal) from refusal

    # The screen

    def do_display(self) -> list[int]:
        world = self.world
        return [world.width, world.height, world.density, world.rotation]

    def do_scaling(self) -> tuple[int, int]:
        return scaling(self.world)

    def do_windows(self) -> list[dict[str, Any]]:
        listed = self.world.automation.listed_windows()
        focused = self.world.automation.focused
        return [
            {
                "id": number,
                "type": window.type,
                "package": window.package,
                "title": window.title,
                "layer": len(listed) - 1 - place,
                "focused": window is focused,
            }
            for place, (number, window, _) in enumerate(listed)
        ]

    def do_other_displays(self) -> list[int]:
        return self.world.automation.other_displays()

    def do_read(self, window: int, start: int) -> dict[str, Any] | Awaitable[Any] | None:
        """The nodes of a window that arrive; for a slow app a single node at a time."""
        for number, shown, reason in self.world.automation.listed_windows():
            if number != window:
                continue
            if reason == "timeout" or start == self.world.last_views.get(shown.package):
                return self.world.clock.sleep(INTERACTION_MS)
            if slow := self.world.slow_views.get(shown.package):
                return self._read_late(window, start, slow)
        return self._read(window, start)

    async def _read_late(self, window: int, start: int, ms: float) -> dict[str, Any] | None:
        await self.world.clock.sleep(ms)
        return self._read(window, start, 1)

    def _read(self, window: int, start: int, most: int | None = None) -> dict[str, Any] | None:
        for found in self.world.automation.read_windows():
            if found.id == window:
                last = self.world.last_views.get(found.package or "", len(found.nodes))
                end = last if most is None else min(last, start + most)
                return {
                    "package": found.package,
                    "nodes": [_row(node) for node in found.nodes[start:end]],
                    "items": {str(number): place for number, place in found.items.items()},
                    "details": {
                        str(number): told for number, told in encode_details(found).items()
                    },
                    "incomplete": found.package in self.incomplete,
                    "more": end < len(found.nodes),
                }
        return None

    def do_foreground(self) -> list[str | int | None] | None:
        self.world.automation.end_walk()
        foreground = self.world.foreground
        return (
            None
            if foreground is None
            else [*foreground, self.world.tasks.began, self.world.foreground_user]
        )

    def do_changes(self) -> int:
        seq = self.world.automation.seq
        if not self._listening:
            self._listening = True
            self._start(self._listen(seq))
        return seq

    def do_tickers(self, within_ms: int) -> list[str]:
        self.world.settle()
        found = self.world.screen.changes.tickers(within_ms)
        self._tickers = {str(id(view)): view for view in found}
        return list(self._tickers)

    def do_changes_without(self, tickers: Sequence[str]) -> int:
        self.do_changes()
        views = [self._tickers[name] for name in tickers]
        return self.world.screen.changes.count_without(views)

    def do_notices(self) -> list[list[Any]]:
        return [
            [int(each.at), each.kind == "toast", each.package, each.title, each.text]
            for each in self.world.screen.changes.notices
        ]

    async def _listen(self, seq: int) -> None:
        await self.world.automation.wait_changed(seq, float("inf"))
        self._listening = False
        self._notify({"changed": True})

    def do_secure_windows(self) -> list[str]:
        return self.world.screen.secure_windows

    def do_capture(self, max_size: int, png: bool, quality: int) -> list[Any]:
        image = self.world.picture(max_size or None)
        buffer = io.BytesIO()
        if png:
            image.save(buffer, "PNG", compress_level=1)
        else:
            image.convert("RGB").save(buffer, "JPEG", quality=quality)
        return [*image.size, base64.b64encode(buffer.getvalue()).decode()]

    # Views

    def do_node(self, key: str) -> list[Any] | None:
        node = self.world.automation.node(key)
        return None if node is None else _row(node)

    def do_focused_field(self) -> list[Any] | None:
        if others := self.world.automation.focused_displays:
            message = f"The focus is on display {others[0]}."
            raise HelperFailure(Code.NO_FIELD, message, data={"displays": others})
        wanted = Flag.FOCUSED | Flag.EDITABLE
        for window in self.world.automation.read_windows():
            for node in window.nodes if window.focused else ():
                if node.flags & wanted == wanted:
                    return _row(node)
        return None

    def do_perform(self, key: str, action: str) -> bool:
        # A view that is gone accepts nothing.
        known = self.world.automation.node(key) is not None
        return known and self.world.automation.perform(key, action)

    def do_scroll_to(self, key: str, row: int, column: int) -> bool:
        return self.world.automation.scroll_to_item(key, row, column)

    def do_set_text(self, key: str, text: str) -> bool:
        return self.world.automation.set_text(key, text)

    def do_set_selection(self, key: str, start: int, end: int) -> bool:
        return self.world.automation.set_selection(key, start, end)

    def do_selection(self, key: str) -> tuple[int, int] | None:
        return self.world.automation.selection(key)

    def do_is_multi_line(self, key: str) -> bool:
        return self.world.automation.multi_line(key)

    # Input

    def do_check_input(self) -> None:
        if self.world.input_refused:
            message = f"java.lang.SecurityException: {REFUSED_INPUT}"
            raise HelperFailure(Code.INPUT_REFUSED, message)

    def do_touch(self, action: str, changed: int, pointers: list[list[float]]) -> bool:
        self.do_check_input()
        return self.world.injection.inject(
            action, changed, [(int(id), x, y) for id, x, y in pointers]
        )

    def do_key(self, code: int, meta: int) -> bool:
        self.do_check_input()
        self.world.key(code, meta, display=0)
        return True

    def do_type(self, text: str) -> bool:
        if not text.isascii():
            return False  # the virtual keyboard's key map has no keys for it
        self.world.type_text(text, 0)
        return True

    def do_press(self, button: str) -> bool:
        return press_here(self.world, button)

    # The clipboard

    def do_clipboard_text(self) -> str | None:
        try:
            return self.world.clipboard.paste()
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal)) from refusal

    def do_set_clipboard(self, text: str, extras: list[str]) -> None:
        try:
            self.world.clipboard.copy(text, SHELL, frozenset(extras))
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal)) from refusal

    def do_drop_passing_clip(self) -> bool:
        try:
            clip = self.world.clipboard.clip
        except Refused:
            return False
        passing = clip is not None and PASSING in clip.extras
        if passing:
            self.world.clipboard.clear()
        return passing

    def do_keep_clipboard(self) -> list[Any] | None:
        try:
            clip = self.world.clipboard.clip
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal)) from refusal
        return None if clip is None else [clip.text, clip.source, list(clip.extras)]

    def do_put_back_clipboard(self, kept: list[Any] | None) -> None:
        clip = None if kept is None else Clip(kept[0], kept[1], frozenset(kept[2]))
        self.world.clipboard.put_back(clip)

    # Apps

    def do_packages(self, user: int | None) -> list[list[Any]]:
        return [
            [item.package, item.label, item.version, item.version_code, item.system]
            for item in apps.installed(self.world, user)
        ]

    def do_uid(self, package: str) -> int | None:
        self.world.settle()
        app = self.world.apps.get(package)
        return None if app is None else self.world.running.uid(app)

    def do_packages_of(self, uid: int) -> int:
        return sum(self.world.running.uid(app) == uid for app in self.world.apps.values())

    def do_pids(self, package: str) -> list[int]:
        self.world.settle()
        for operation in self._starting.pop(package, ()):
            asyncio.get_running_loop().call_soon(operation)
        return self.world.running.pids(package)

    def do_app_info(self, package: str) -> dict[str, Any] | None:
        self.world.settle()
        app = self.world.apps.get(package)
        return None if app is None else apps.describe(self.world, app)

    def do_is_in_front(self, package: str) -> bool:
        return self.world.is_in_front(package)

    def do_launch(self, package: str) -> None:
        try:
            apps.launch_app(self.world, package)
        except NotInstalled as problem:
            raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.") from problem
        except NotLaunchable as problem:
            message = f"{package} has no launcher activity."
            raise HelperFailure(Code.NOT_LAUNCHABLE, message) from problem

    def do_close_panel(self) -> None:
        self.world.panel.close()

    def do_stop(self, package: str) -> None:
        self.world.stop(package)

    # Intents

    def do_find_handlers(self, fields: dict[str, Any]) -> list[list[Any]]:
        self.world.settle()
        kind, intent = intents.KINDS[fields["type"]], intents._intent(fields)
        found, chosen = intents._find(self._reference, kind, intent)
        receives = fields["type"] == "broadcast"
        return [
            [
                match.app.package,
                match.component.name,
                match.app.label,
                match in chosen,
                str(denial)
                if receives and (denial := delivery.deny(self.world, intent, match)) is not None
                else None,
            ]
            for match in found
        ]

    def do_open_intent(self, fields: dict[str, Any]) -> int:
        intent, match = self._target(fields)
        intents._check_open(self._reference, intent, match)
        if self.world.running.denies(match.short):
            raise apps.aborted()
        warning, _ = delivery.open_activity(self.world, intent, match)
        return intents._CODES[warning]

    def do_intent_service(self, fields: dict[str, Any]) -> None:
        intent, match = self._target(fields)
        intents._check_open(self._reference, intent, match)
        if delivery.is_in_background(self.world, match):
            data = {"component": match.short}
            raise HelperFailure(Code.APP_NOT_STARTED, "app is in background.", data=data)
        delivery.start_service(self.world, intent, match)

    def do_broadcast(self, fields: dict[str, Any]) -> None:
        intent = intents._intent(fields)
        if intent.action in delivery.PROTECTED:
            raise HelperFailure(Code.FAILED, f"Only the system may send {intent.action}.")
        delivery.broadcast(self.world, intent)

    def _target(self, fields: dict[str, Any]) -> tuple[Intent, Match]:
        kind, intent = intents.KINDS[fields["type"]], intents._intent(fields)
        [match] = query(self.world, kind, intent)
        return intent, match

    # Files

    def do_lstat(self, path: str) -> tuple[int, int]:
        found = self.files.stat(path, follow=False)
        kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
        kind = next((n for n, is_kind in enumerate(kinds) if is_kind(found.mode)), len(kinds))
        return kind, found.size

    def do_read_link(self, path: str) -> str:
        return self.files.read_link(path)

    def do_make_folder(self, path: str) -> None:
        self.files.make_folder(path)

    def do_rename(self, old: str, new: str) -> None:
        self.files.rename(old, new)

    def do_remove(self, path: str) -> None:
        self.files.remove(path)

    def do_set_time(self, path: str) -> None:
        self.files.set_time(path, self.files.now())

    def do_sha256(self, path: str) -> str:
        return hashlib.sha256(self.files.read(path)).hexdigest()

    def do_available(self) -> int:
        return max(0, self.files.capacity - self.files.used)

    def do_scan(self, path: str) -> Awaitable[None] | None:
        media = self.world.media
        if media.hangs:
            return self.world.clock.sleep(float("inf"))
        try:
            taken = media.scan(path) is not None
        except MediaRefused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal)) from refusal
        if not taken and self.files.exists(path):
            raise HelperFailure(Code.FAILED, "the media provider did not take it")
        return None

    # App tools

    @property
    def _reference(self) -> Helper:
        return cast(Helper, self)  # the functions below use its world only

    def _declared(self, wanted: Callable[[Component], bool]) -> list[tuple[App, Component]]:
        self.world.settle()
        return [
            (app, component)
            for app in app_tools.enabled_apps(self._reference)
            for component in app.manifest.components
            if component.enabled and wanted(component)
        ]

    def do_services(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for app, component in self._declared(app_tools.is_tool_service):
            values = [component.meta_data.get(key) for key in (NAME_KEY, DESCRIPTION_KEY)]
            name, description = (value and value.value for value in values)
            found.append({**_raw(app, component), "name": name, "description": description})
        return found

    def do_providers(self) -> list[dict[str, Any]]:
        return [
            {**_raw(app, component), "authority": component.authorities[0]}
            for app, component in self._declared(app_tools.is_tool_provider)
        ]

    def do_descriptor(self, package: str, class_name: str, deepest: int) -> list[Any] | str:
        app = self.world.apps[package]
        component = next(item for item in app.manifest.components if item.name == class_name)
        declared = component.meta_data.get(CAPABILITIES_KEY)
        if declared is None or declared.resource is None:
            return f"It has no meta-data {CAPABILITIES_KEY} that names an XML resource."
        try:
            tree = app.xml(declared.resource)
        except BadApk as problem:
            return f"Its descriptor cannot be read: {problem}."
        if tree is None:
            return f"Its meta-data {CAPABILITIES_KEY} names no XML resource of the app."
        if app_tools.is_deep(tree, deepest):
            return f"Its descriptor has elements more than {deepest} deep."
        return app_tools.as_lists(tree)

    def do_package_sequence(self) -> int:
        self.world.settle()
        return self.world.package_changes.sequence

    def do_packages_changed(self, after: int) -> list[str]:
        return self.world.package_changes.since(after)

    def do_provider_call(
        self, authority: str, method: str, arg: str | None, extras: dict[str, Any]
    ) -> Any:
        app, component = app_tools.find_provider(self._reference, authority)
        app_tools.check_open(component)
        provider = app_tools.make_provider(self._reference, app, authority)
        running = self.world.running
        running.ensure(app, f"content provider {{{app.package}/{component.name}}}")
        asked = running.pids(app.package)
        if app.package in self.world.frozen_packages:
            return app_tools.wait_until_dead(self._reference, app, asked)
        try:
            bundle = provider.call(method, arg, extras)
        except Exception as problem:
            raise HelperFailure(Code.APP_THREW, str(problem), Happened.MAYBE) from problem
        app_tools.check_alive(self._reference, app, asked)
        return None if bundle is None else {name: _typed(bundle[name]) for name in bundle}

    def do_start_service(
        self, package: str, class_name: str, extras: dict[str, str], callback: int
    ) -> None:
        app, component = app_tools.find_service(self._reference, package, class_name)
        app_tools.check_open(component)
        service = app_tools.start_service(self._reference, app, component)

        def reply(values: Mapping[str, str]) -> None:
            if len(dump_json(dict(values))) > app_tools.REPLY_LIMIT:
                raise OverflowError("android.os.TransactionTooLargeException")
            self._notify({"callback": callback, "extras": dict(values)})

        def begin() -> None:
            app_tools.run_in_app(self._reference, app, lambda: service.start(Start(extras, reply)))

        if package not in self.world.frozen_packages:
            # Android starts a service asynchronously: later than we look at its process.
            self._starting.setdefault(package, []).append(begin)

    # Messages

    def do_sims(self) -> list[list[Any]]:
        self.world.settle()
        sims = self.world.telephony.active_sims
        return [[sim.id, sim.slot, sim.display_name, sim.carrier] for sim in sims]

    def do_send_sms(self, subscription: int, to: str, text: str, callback: int) -> int:
        reported: set[int] = set()

        def record(part: int, outcome: Outcome) -> None:
            reported.add(part)
            self._notify({"callback": callback, "part": part, "result": int(outcome)})
            self.world.timers.stir()

        parts = self.world.telephony.send(
            to, text, subscription, package="com.android.shell", sent=record
        )
        self._start(self._until_reported(reported, parts.count))
        return parts.count

    # Languages and the place

    def do_languages(self) -> list[str]:
        return list(self.world.languages.system)

    def do_set_languages(self, tags: list[str]) -> None:
        self.world.languages.choose(tags)

    def do_location_enabled(self) -> bool:
        return self.world.preferences.is_on("secure", "location_mode")

    def do_last_location(self) -> dict[str, Any] | None:
        self._refuse_location()
        last = heard(self.world, self.world.whereabouts.last)
        return encode_fix(last, self.world.clock.now())

    def _refuse_location(self) -> None:
        if self.world.whereabouts.refused:
            message = "Android does not tell the shell where the phone is."
            raise HelperFailure(Code.FAILED, message)

    def do_find_location(self, callback: int) -> None:
        self._refuse_location()
        self._finding.add(callback)
        self._start(self._find(callback))

    async def _find(self, callback: int) -> None:
        world, where = self.world, self.world.whereabouts
        if where.fix_ms is None:
            return
        began = world.clock.now()
        await world.clock.sleep(where.fix_ms)
        if callback in self._finding and (fix := heard(world, where.find(began))) is not None:
            self._notify({"callback": callback, "fix": encode_fix(fix, world.clock.now())})

    def do_end_location(self, callback: int) -> None:
        self._finding.discard(callback)

    def do_pretend_location(self, latitude: float, longitude: float, accuracy: float) -> None:
        pretend(self.world, (latitude, longitude, accuracy))

    def do_repeat_location(self, latitude: float, longitude: float, accuracy: float) -> None:
        repeat(self.world, (latitude, longitude, accuracy))

    def do_stop_pretending(self) -> None:
        pretend(self.world, None)

    # Tables

    def do_query(
        self, uri: str, columns: list[str], where: str | None, given: list[str], sort: str | None
    ) -> Any:
        asked = {
            "uri": uri,
            "columns": columns,
            "where": where,
            "arguments": given,
            "sort": sort,
        }
        return tables.read_table(self._reference, asked)

    def do_zone(self) -> tuple[str, int]:
        return tables.read_zone(self._reference)

    # Cameras

    def do_cameras(self) -> list[dict[str, Any]]:
        cameras.check_release(self._reference)
        return [cameras.describe(camera) for camera in self.world.cameras.all]

    async def do_photo(self, id: str, size: list[int], quality: int, flash: str) -> str:
        camera = cameras.open_camera(self._reference, id)
        await self.world.clock.sleep(cameras.OPENING_MS)
        data = cameras.draw(self._reference, camera, (size[0], size[1]), quality, flash)
        return base64.b64encode(data).decode()

    async def do_film(self, id: str, size: list[int], flash: str) -> None:
        camera = cameras.open_camera(self._reference, id)
        await self.world.clock.sleep(cameras.OPENING_MS)
        cameras.film(self._reference, camera, (size[0], size[1]), flash)

    def do_end_video(self, id: str, size: list[int], path: str, ms: float) -> list[Any]:
        camera = cameras.open_camera(self._reference, id)
        written, thumbnail = cameras.write_video(
            self._reference, camera, (size[0], size[1]), path, ms
        )
        return [written, base64.b64encode(thumbnail).decode()]

    # Notifications

    def do_listens(self) -> bool:
        return notifications.listens(self.world)

    def do_notification_count(self) -> int:
        self.world.settle()
        count = self._notification_count
        if not self._hearing:
            self._hearing = True
            self._start(self._hear(count))
        return count

    @property
    def _notification_count(self) -> int:
        listening = notifications.listens(self.world)
        return self.world.notifications.count if listening else self.world.automation.heard_count

    async def _hear(self, count: int) -> None:
        while self._notification_count <= count:
            await self.world.timers.wait(float("inf"))
            self.world.settle()
        self._hearing = False
        self._notify({"changed": True})

    def do_wall_time(self) -> int:
        return round(self.world.wall.now().timestamp() * 1000)

    def do_active_notifications(self) -> list[dict[str, Any]]:
        self.world.settle()
        shown = sorted(self.world.notifications.shown, key=lambda each: -time_of(self.world, each))
        return [self._posted(each) for each in shown]

    def do_heard_notifications(self) -> list[dict[str, Any]]:
        return [self._posted(each) for each in reversed(self.world.automation.heard)]

    def _posted(self, posted: Notification) -> dict[str, Any]:
        """Uncut: the helper cuts long texts."""
        world = self.world
        self._known[id(posted)] = posted
        app = world.apps.get(posted.package)
        return {
            "number": id(posted),
            "key": key_of(world, posted),
            "package": posted.package,
            "label": app.label if app is not None else posted.package,
            "posted": time_of(world, posted),
            "title": posted.title,
            "text": posted.text,
            "problem": posted.problem,
            "big_text": posted.big_text or "\n".join(posted.lines),
            "sub_text": posted.sub_text,
            "opens": posted.opens,
            "ongoing": posted.ongoing,
            "clearable": not posted.ongoing,
            "category": posted.category,
            "group": group_of(world, posted) if posted.group is not None else None,
            "actions": [
                [
                    action.title,
                    action.takes_text,
                    action.on_press is not None,
                    action.opens,
                    action.guarded,
                ]
                for action in posted.actions
            ],
        }

    def do_notification_is_there(self, number: int) -> bool:
        return self._known[number] in self.world.notifications.posted

    def do_open_notification(self, number: int) -> None:
        posted = self._known[number]
        self.world.record("notification", posted.package, "open")
        send_intent(self.world, posted, notifications.sender(self.world))

    def do_press_notification(self, number: int, action: int, text: str | None) -> None:
        posted = self._known[number]
        press_action(self.world, posted, action, text or "", notifications.sender(self.world))

    def do_starts_activities(self) -> bool:
        return notifications.starts(self.world)

    def do_click_notification(self, number: int) -> None:
        self.world.notifications.clicked(self._known[number])

    def do_cancel_notification(self, number: int) -> None:
        self.world.notifications.dismiss(self._known[number])

    def do_snooze_notification(self, number: int, ms: int) -> None:
        self.world.notifications.snooze(self._known[number], ms)

    async def _until_reported(self, reported: set[int], parts: int) -> None:
        """Nothing happens in the world unless somebody looks."""
        while len(reported) < parts:
            await self.world.timers.wait(self.world.clock.now() + INTERACTION_MS)
            self.world.settle()


def _row(node: Node) -> list[Any]:
    return [
        node.depth,
        node.index,
        node.key,
        node.class_name,
        node.text,
        node.description,
        node.resource_id,
        *node.bounds,
        node.flags,
        node.drawing_order,
    ]


def _raw(app: App, component: Component) -> dict[str, Any]:
    """The uncut value: the helper cuts long texts."""
    return {**app_tools.describe_component(app, component), "label": app.label}


def _typed(value: Any) -> list[Any]:
    """A Bundle value with its type, where JSON does not show it."""
    if isinstance(value, float):
        return ["real", repr(value).replace("inf", "Infinity").replace("nan", "NaN")]
    return ["plain", value] if app_tools.fits_in_bundle(value) else ["other"]


def failure_of(problem: Exception) -> dict[str, Any]:
    """Encode an exception for the bridge."""
    if isinstance(problem, HelperFailure):
        return {
            "code": problem.code.value,
            "message": problem.message,
            "happened": problem.happened.value,
            "data": problem.data,
        }
    if isinstance(problem, OSError):
        return {"errno": problem.errno or errno.EIO, "message": problem.strerror or ""}
    if isinstance(problem, RecursionError):
        return {"overflow": True}
    return {"fault": f"{type(problem).__name__}: {problem}"}
