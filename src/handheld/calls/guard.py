"""Judges an action again while it goes on: it may bring an app to the front for which the rules
decide otherwise, or begin so late that a person's yes was for another screen."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from ..errors import PermissionDenied, ToolError
from .admission import Admission, Apps, apps_in_front, apps_pictured
from .call import Call

if TYPE_CHECKING:
    pass

Result = TypeVar("Result")

_LOOK_SECONDS = 0.1
"""How long after a look at the screen the next begins, during something that lasts."""
_MOST_UNREAD = 3
"""So many looks in a row may fail while something lasts: a screen in motion is hard to read."""


class Stopped(PermissionDenied):
    """Its message tells nothing of the screen."""


class AnswerGuard:
    """For one action that a person may have allowed. The apps make no difference to it."""

    judges_parts = False

    def __init__(self, admission: Admission, call: Call) -> None:
        self._admission = admission
        self._call = call
        self._tool = call.record.call.tool
        self._phone = call.phone
        self._parts = 0
        """How many were begun."""

    def hides(self, package: str) -> bool:
        return False

    def admits(self, package: str) -> bool:
        """A yes is for the apps that the person was told of."""
        return not self._call.about or package in self._call.about

    async def before(self, *, waited: bool = False) -> None:
        """What an action does changes the screen, so a yes is for its first part. Raises
        Stopped."""
        late = waited and not self._parts
        if late and not await self._admission.still_holds(self._call):
            raise Stopped(
                f"{self._tool} was stopped: the owner of the phone said yes to it, but"
                " the screen changed during the pause before its first touch. Nothing was done."
                " Read the screen and call it again without that pause."
            )
        self._parts += 1

    async def check_picture(self, far: str) -> None:
        """Everything may be shown."""

    async def watch_pictures(self, far: str) -> None:
        await asyncio.Event().wait()

    async def during(self, perform: Callable[[], Awaitable[Result]]) -> Result:
        return await perform()


class ActionGuard(AnswerGuard):
    """For one action, with the apps for which it was admitted."""

    judges_parts = True

    def __init__(self, admission: Admission, call: Call, apps: Apps) -> None:
        super().__init__(admission, call)
        self._apps = apps

    def hides(self, package: str) -> bool:
        if package in self._call.about:
            return False  # it was judged, and a person may have said yes
        return self._objection((package,)) is not None

    def admits(self, package: str) -> bool:
        return not self.hides(package)

    async def before(self, *, waited: bool = False) -> None:
        """The first part was judged already, unless it waited. Raises Stopped."""
        if self._parts or waited:
            rule = self._objection(await apps_in_front(self._phone))
            if rule is not None:
                tried = f"{self._parts} of its parts had been tried."
                raise self._stopped(rule, tried if self._parts else "Nothing was done.")
        await super().before(waited=waited)

    async def during(self, perform: Callable[[], Awaitable[Result]]) -> Result:
        """Raises Stopped."""
        acting = asyncio.ensure_future(perform())
        watching = asyncio.ensure_future(self._watch())
        try:
            await asyncio.wait({acting, watching}, return_when=asyncio.FIRST_COMPLETED)
            if acting.done():
                return acting.result()
        except asyncio.CancelledError:
            acting.cancel()
            await acting  # raises it again, with how far it came
            raise
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        acting.cancel()
        far = "It had begun, and may or may not have ended."
        try:
            await acting
        except asyncio.CancelledError as stop:
            far = " ".join(getattr(stop, "__notes__", ())) or far
        raise self._stopped(watching.result(), far)

    async def check_picture(self, far: str) -> None:
        """What cannot be read counts as an app that is not known. Raises Stopped."""
        rule = self._objection(await self._pictured() or ())
        if rule is not None:
            raise self._stopped(rule, far)

    async def watch_pictures(self, far: str) -> None:
        unread = 0
        while True:
            await self._phone.clock.sleep(_LOOK_SECONDS)
            apps = await self._pictured()
            unread = 0 if apps is not None else unread + 1
            judged = () if unread >= _MOST_UNREAD else apps
            if judged is not None and (rule := self._objection(judged)) is not None:
                raise self._stopped(rule, far)

    async def _pictured(self) -> Apps | None:
        """The apps that a picture of the screen may show; None if it could not be read, or not at
        once."""
        try:
            screen = await self._phone.driver.read_screen()
        except ToolError:
            return None
        return None if screen.way else apps_pictured(screen)

    async def _watch(self) -> str:
        """Return the rule by which it must stop."""
        unread = 0
        while True:
            await self._phone.clock.sleep(_LOOK_SECONDS)
            apps = await apps_in_front(self._phone)
            unread = 0 if apps else unread + 1
            if (apps or unread >= _MOST_UNREAD) and (rule := self._objection(apps)) is not None:
                return rule

    def _objection(self, apps: Apps) -> str | None:
        if apps == self._apps:
            return None
        return self._admission.objection(self._call, self._apps, apps)

    def _stopped(self, rule: str, far: str) -> Stopped:
        return Stopped(
            f"{self._tool} was stopped: another app came to the front, and the owner of"
            f" the phone does not allow it there without being asked (rule '{rule}'). {far} Do not"
            " look for a way around it; tell the user."
        )
