"""The helper driver and, if the helper does not run, the shell driver.

Callers do not need to know which. A helper that does not start, dies repeatedly or returns invalid
answers is not used for a while; this is reported once. No action is repeated: if the helper dies
during an action, its outcome stays unknown, and only the next call uses the shell.
"""

import logging
from collections.abc import Callable, Collection, Coroutine, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial, update_wrapper
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar

from ..clock import Clock
from ..errors import ActionFailed, ToolError
from ..helper.client import HelperClient, HelperNotStarted
from ..helper.protocol import Happened
from ..helper.session import HelperLost, HelperSession
from .app_tools import FunctionReply
from .apps import Profile
from .by_adb.verbs import AdbVerbs
from .by_helper.driver import HelperDriver
from .by_shell.driver import ShellDriver
from .by_shell.unsupported import NeedsHelper, Unsupported
from .device import FactAnswer
from .failures import translated
from .guarding import LASTING_MS, Guard, one_burst, split_bursts
from .input import Point
from .packages import ApkFile, InstallOptions
from .recording import Video, VideoRequest
from .screen import Rest

if TYPE_CHECKING:
    from .web import ScriptResult, WebPage

P = ParamSpec("P")
Result = TypeVar("Result")

LOSSES = 3
"""After this many deaths in a row, without a successful call between them, the helper is paused."""
PAUSES = (30.0, 60.0, 120.0, 300.0, 600.0)
"""Seconds until the helper is tried again; the last applies to all further attempts."""

_INVALID_ANSWER = (KeyError, IndexError, TypeError, ValueError, AttributeError)
"""Raised while decoding an answer that does not fit the call."""
_NO_HELPER = "%s is used without Handheld's helper: adb's shell does the work, and can do less. %s"

log = logging.getLogger("handheld")


@dataclass(slots=True)
class _State:
    """The state of the helper, shared by the views on a driver."""

    booted: Callable[[str, str], object] | None
    losses: int = 0
    last_lost: HelperSession | None = None
    failures: int = 0
    retry_at: float | None = None
    trouble: str = ""
    unreported: bool = False


class FallbackDriver(AdbVerbs):
    """The helper driver while the helper works, else the shell driver."""

    def __init__(
        self,
        client: HelperClient,
        *,
        wake: bool = True,
        pauses: Sequence[float] = PAUSES,
        clock: Clock | None = None,
        booted: Callable[[str, str], object] | None = None,
    ) -> None:
        """`wake`: whether an action switches on a screen that is off. `booted` receives the phone's
        boot id and the content of `left_file` before the shell is used; with the helper, its
        HELLO carries both."""
        super().__init__(client.link)
        self._client = client
        self._helper = HelperDriver(client, wake=wake)
        self._shell = ShellDriver(client.link, wake=wake, why=self._get_trouble, notes=self._notes)
        self._helper.conditions = self._shell.conditions = self.conditions
        self._pauses = pauses
        self._clock = clock or client.link.clock
        self._state = _State(booted)
        self._guard: Guard | None = None

    @property
    def trouble(self) -> str:
        """Why the helper is not used, as a sentence; "" while it is."""
        return self._state.trouble

    @property
    def by_shell(self) -> ShellDriver:
        """The shell driver, for trying it by itself."""
        return self._shell

    def _get_trouble(self) -> str:
        return self._state.trouble

    @property
    def _uses_shell(self) -> bool:
        return self._state.retry_at is not None

    @property
    def linked(self) -> bool:
        return self._uses_shell or self._client.connected

    async def link(self) -> None:
        if self._uses_shell:
            return
        try:
            with translated("link"):
                await self._client.connect()
        except ToolError as problem:
            if not await self._may_use_shell(problem, act=False):
                raise

    async def unlink(self) -> None:
        await self._client.drop()

    def _notes(self) -> tuple[str, ...]:
        """Return the trouble once, for the first screen that is read through the shell."""
        unreported, self._state.unreported = self._state.unreported, False
        if not unreported:
            return ()
        return (f"Handheld's helper is not used on this phone. {self._state.trouble}",)

    def resting(self, rest: Rest) -> Self:
        view = copy(self)
        view._helper = self._helper.resting(rest)
        return view

    def guarded(self, guard: Guard) -> Self:
        view = copy(self)
        view._guard = guard
        return view

    # How a call is dispatched.

    @staticmethod
    def _dispatch(
        helper: Callable[Concatenate[HelperDriver, P], Coroutine[Any, Any, Result]],
        shell: Callable[Concatenate[ShellDriver, P], Coroutine[Any, Any, Result]] | Unsupported,
        *,
        act: bool = False,
        guard: Literal["before", "during", ""] = "",
    ) -> "Callable[Concatenate[FallbackDriver, P], CoroutineType[Any, Any, Result]]":
        """Return the method that calls the helper's verb or, while the helper does not run, the
        shell's. `act`: doing it twice would differ from doing it once; an `act` argument of the
        call takes precedence. `guard`: a guard, if there is one, is asked before the verb; and
        during it, if it lasts."""

        async def verb(self: "FallbackDriver", *args: P.args, **kwargs: P.kwargs) -> Result:
            if not guard or self._guard is None:
                return await perform(self, *args, **kwargs)
            await self._guard.before()
            if guard == "before":
                return await perform(self, *args, **kwargs)
            return await self._guard.during(lambda: perform(self, *args, **kwargs))

        async def perform(self: "FallbackDriver", *args: P.args, **kwargs: P.kwargs) -> Result:
            if self._uses_shell:
                with translated("", act=act):
                    self._client.claim.check()
            if self._state.retry_at is None or self._clock.now() >= self._state.retry_at:
                try:
                    result = await helper(self._helper, *args, **kwargs)
                except Exception as problem:
                    if not await self._may_use_shell(problem, bool(kwargs.get("act", act))):
                        raise
                else:
                    self._succeeded()
                    return result
            await self._report_boot()
            if isinstance(shell, Unsupported):
                raise NeedsHelper(shell, self._state.trouble)
            return await shell(self._shell, *args, **kwargs)

        update_wrapper(verb, helper)
        return verb

    async def _may_use_shell(self, problem: Exception, act: bool) -> bool:
        """Return whether a failed call is the helper's failure and the shell may do it now."""
        # Through the shell, the phone could not reject us after it accepted another host.
        guarded = self._client.claim.guarded
        if isinstance(problem, _INVALID_ANSWER):
            message = "The helper on the phone gave an answer that makes no sense."
            # A running helper would keep UiAutomation from the shell's `uiautomator`.
            await self._client.drop()
            if not guarded:
                self._pause(message)
            if act:
                raise ActionFailed(
                    f"{message} The action may or may not have happened; look at the screen before"
                    " going on."
                ) from problem
            if guarded:
                raise ActionFailed(message) from problem
            return True
        if guarded:
            return False
        cause = problem.__cause__
        if isinstance(cause, HelperNotStarted):
            self._pause(cause.message)
            return True
        if isinstance(cause, HelperLost):
            if self._client.closed:
                return False  # we closed the session; the next connection has its own driver
            # Several calls that lose the same session count as one death.
            if cause.session is None or cause.session is not self._state.last_lost:
                self._state.losses += 1
                self._state.last_lost = cause.session
            if self._state.losses < LOSSES:
                return False
            self._pause(f"The helper died {self._state.losses} times in a row: {cause.message}")
            return not act and cause.happened is Happened.NO
        self._succeeded()  # not the helper's failure: while it is connected, it answered
        return False

    async def _report_boot(self) -> None:
        """Report the boot id once for each connection: none outlives a reboot."""
        if self._state.booted is not None:
            boot, left = await self._shell.boot_id()
            if self._state.booted is not None and boot:
                self._state.booted(boot, left)
            self._state.booted = None

    def _pause(self, trouble: str) -> None:
        """Do not use the helper for a while."""
        first = self._state.retry_at is None
        pause = self._pauses[min(self._state.failures, len(self._pauses) - 1)]
        self._state.failures += 1
        self._state.losses = 0
        self._state.retry_at = self._clock.now() + pause
        self._state.trouble = f"{trouble.rstrip('.')}."
        if first:
            self._state.unreported = True
            log.warning(_NO_HELPER, self._client.link.serial, self._state.trouble)

    def _succeeded(self) -> None:
        if not self._client.connected:
            return
        self._state.losses = 0
        if self._state.retry_at is not None:
            log.info("%s: the helper runs again.", self._client.link.serial)
            self._state.retry_at = None
            self._state.trouble = ""
            self._state.unreported = False
            self._state.failures = 0

    # The verbs: through the helper, and through the shell or the reason why not.

    read_screen = _dispatch(HelperDriver.read_screen, ShellDriver.read_screen)
    capture = _dispatch(HelperDriver.capture, ShellDriver.capture)
    changed = _dispatch(HelperDriver.changed, ShellDriver.changed)
    need_notices = _dispatch(HelperDriver.need_notices, Unsupported.NOTICES)
    _touch = _dispatch(HelperDriver.touch, ShellDriver.touch, act=True)
    scroll = _dispatch(HelperDriver.scroll, ShellDriver.scroll, act=True, guard="before")
    drag = _dispatch(HelperDriver.drag, ShellDriver.drag, act=True, guard="during")
    pinch = _dispatch(HelperDriver.pinch, Unsupported.FINGERS, act=True, guard="during")
    press = _dispatch(HelperDriver.press, ShellDriver.press, act=True, guard="before")
    act = _dispatch(HelperDriver.act, ShellDriver.act, act=True, guard="before")
    seek = _dispatch(HelperDriver.seek, ShellDriver.seek, act=True, guard="during")
    type = _dispatch(HelperDriver.type, ShellDriver.type, act=True, guard="during")
    key = _dispatch(HelperDriver.key, ShellDriver.key, act=True, guard="before")
    get_clipboard = _dispatch(HelperDriver.get_clipboard, Unsupported.CLIPBOARD)
    set_clipboard = _dispatch(HelperDriver.set_clipboard, Unsupported.CLIPBOARD, act=True)
    launch = _dispatch(HelperDriver.launch, ShellDriver.launch, act=True, guard="before")
    packages = _dispatch(HelperDriver.packages, ShellDriver.packages)
    processes = _dispatch(HelperDriver.processes, ShellDriver.processes)
    app_info = _dispatch(HelperDriver.app_info, ShellDriver.app_info)
    stop = _dispatch(HelperDriver.stop, ShellDriver.stop, act=True)
    handlers = _dispatch(HelperDriver.handlers, ShellDriver.handlers)
    send_intent = _dispatch(
        HelperDriver.send_intent, ShellDriver.send_intent, act=True, guard="before"
    )
    locate = _dispatch(HelperDriver.locate, ShellDriver.locate)
    commit = _dispatch(HelperDriver.commit, ShellDriver.commit, act=True)
    remove = _dispatch(HelperDriver.remove, ShellDriver.remove, act=True)
    declared_tools = _dispatch(HelperDriver.declared_tools, ShellDriver.declared_tools)
    declaring_apps = _dispatch(HelperDriver.declaring_apps, ShellDriver.declaring_apps)
    changed_packages = _dispatch(HelperDriver.changed_packages, ShellDriver.changed_packages)
    call_provider = _dispatch(HelperDriver.call_provider, ShellDriver.call_provider, act=True)
    call_service = _dispatch(HelperDriver.call_service, ShellDriver.call_service, act=True)
    subscriptions = _dispatch(HelperDriver.subscriptions, Unsupported.MESSAGES)
    send_sms = _dispatch(HelperDriver.send_sms, Unsupported.MESSAGES, act=True)
    languages = _dispatch(HelperDriver.languages, ShellDriver.languages)
    set_languages = _dispatch(HelperDriver.set_languages, Unsupported.LANGUAGE, act=True)
    whereabouts = _dispatch(HelperDriver.whereabouts, ShellDriver.whereabouts)
    pretend_place = _dispatch(HelperDriver.pretend_place, ShellDriver.pretend_place, act=True)
    keyboard_shown = _dispatch(HelperDriver.keyboard_shown, ShellDriver.keyboard_shown)
    notifications = _dispatch(HelperDriver.notifications, ShellDriver.notifications)
    query = _dispatch(HelperDriver.query, ShellDriver.query)
    cameras = _dispatch(HelperDriver.cameras, Unsupported.CAMERA)
    take_photo = _dispatch(HelperDriver.take_photo, Unsupported.CAMERA, act=True)
    record_video = _dispatch(HelperDriver.record_video, Unsupported.CAMERA, act=True)
    remove_recording = _dispatch(HelperDriver.remove_recording, Unsupported.CAMERA)
    act_on_notification = _dispatch(
        HelperDriver.act_on_notification, ShellDriver.act_on_notification, act=True
    )

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        if self._guard is None:
            await self._touch(strokes)
            return
        split = split_bursts if self._guard.judges_parts else one_burst
        for number, (pause_ms, burst) in enumerate(split(strokes)):
            try:
                if pause_ms:
                    await self._clock.sleep(pause_ms / 1000)
                await self._guard.before(waited=pause_ms > 0)
                if max(stroke[-1][2] for stroke in burst) < LASTING_MS:
                    await self._touch(burst)
                else:
                    await self._guard.during(partial(self._touch, burst))
            except ToolError as failure:
                if number:
                    failure.details = (*failure.details, f"Touches made before it: {number}.")
                raise

    async def launch_in(self, profile: Profile, package: str) -> str:
        # Only Android's shell output tells on every release which user's app is in front.
        if self._guard is not None:
            await self._guard.before()
        await self._hold()
        return await self._shell.launch_in(profile, package)

    # Verbs of adb alone, on a phone that has accepted this host.

    async def _hold(self) -> None:
        with translated("", act=True):
            self._client.claim.check()
        if self._client.claim.required:
            await self.link()

    async def clear_data(self, package: str) -> None:
        await self._hold()
        await super().clear_data(package)

    async def install(self, parts: Sequence[ApkFile], options: InstallOptions) -> None:
        await self._hold()
        await super().install(parts, options)

    async def uninstall(self, package: str, *, keep_data: bool) -> None:
        await self._hold()
        await super().uninstall(package, keep_data=keep_data)

    async def set_permission(self, package: str, permission: str, granted: bool) -> None:
        await self._hold()
        await super().set_permission(package, permission, granted)

    async def call_function(
        self, package: str, function: str, arguments: str, within_ms: int
    ) -> FunctionReply:
        await self._hold()
        return await super().call_function(package, function, arguments, within_ms)

    async def change_device(self, line: str, names: Collection[str]) -> FactAnswer:
        await self._hold()
        return await super().change_device(line, names)

    async def run_script(self, page: "WebPage", script: str, timeout_ms: int) -> "ScriptResult":
        await self._hold()
        return await super().run_script(page, script, timeout_ms)

    async def record(self, request: VideoRequest) -> Video:
        await self._hold()
        return await super().record(request)

    async def lift(self) -> None:
        # The fingers on the phone may be those of another host's agent.
        if not self._client.claim.elsewhere:
            await self._shell.lift()

    async def release(self) -> bool:
        return await self._helper.release()

    async def aclose(self) -> None:
        await self._helper.aclose()
