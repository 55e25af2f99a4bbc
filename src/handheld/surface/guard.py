"""Judges an action again while it goes on: it may bring an app to the front for which the rules
decide otherwise."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from ..audit import Record
from ..errors import PermissionDenied
from .admission import Admission, Apps, apps_in_front

if TYPE_CHECKING:
    from ..phone import Phone

Result = TypeVar("Result")

_LOOK_SECONDS = 0.1
"""How long after a look at the screen the next begins, during something that lasts."""
_MOST_UNREAD = 3
"""So many looks in a row may fail while something lasts: a screen in motion is hard to read."""


class Stopped(PermissionDenied):
    """Its message tells nothing of the screen."""


class ActionGuard:
    """For one action, with the apps for which it was admitted."""

    def __init__(self, admission: Admission, record: Record, phone: "Phone", apps: Apps) -> None:
        self._admission = admission
        self._record = record
        self._phone = phone
        self._apps = apps
        self._parts = 0
        """How many were begun."""

    def hides(self, package: str) -> bool:
        return self._objection((package,)) is not None

    async def before(self) -> None:
        """The first part was judged already. Raises Stopped."""
        if self._parts:
            rule = self._objection(await apps_in_front(self._phone))
            if rule is not None:
                raise self._stopped(rule, f"{self._parts} of its parts had been tried.")
        self._parts += 1

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
        return self._admission.objection(self._record, self._apps, apps)

    def _stopped(self, rule: str, far: str) -> Stopped:
        return Stopped(
            f"{self._record.call.tool} was stopped: another app came to the front, and the owner of"
            f" the phone does not allow it there without being asked (rule '{rule}'). {far} Do not"
            " look for a way around it; tell the user."
        )
