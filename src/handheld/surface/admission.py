"""Admits a call: the approver is asked, with the apps on the screen where its rules need them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..audit import Record
from ..errors import ElementNotFound, PermissionDenied, ToolError
from ..toolkit.tool import SCREEN_TOOL
from ..ui.model import Screen
from .protocols import Approver
from .resolution import ResolvedCall

if TYPE_CHECKING:
    from ..phone import Phone

Apps = tuple[str, ...]
"""Packages of the apps on the screen, the one in front first; empty when unknown."""


class Admission:
    def __init__(self, approver: Approver | None) -> None:
        self._approver = approver

    async def admit(self, record: Record, call: ResolvedCall) -> Apps | None:
        """Return the apps on the screen, where they make a difference. Raises ToolError."""
        if self._approver is None:
            return None
        if not self._approver.wants_app(record.call):
            await self.ask(record, None)
            return None
        apps = await apps_in_front(call.phone)
        await self.ask(record, tuple(dict.fromkeys((*apps, *_named_apps(call)))) if apps else apps)
        return apps

    async def ask(self, record: Record, apps: Apps | None) -> None:
        """Raises PermissionDenied."""
        assert self._approver is not None
        try:
            await self._approver.ask(record.call._replace(apps=apps) if apps else record.call)
        except PermissionDenied:
            record.denied = True
            raise

    async def may_see(self, record: Record, apps: Apps) -> bool:
        """Whether the reply to a call that was done may show these apps."""
        assert self._approver is not None
        listing = replace(record.call.listing, stands_for=(SCREEN_TOOL,))
        try:
            await self._approver.ask(record.call._replace(listing=listing, apps=apps))
        except PermissionDenied:
            return False
        return True


def _named_apps(call: ResolvedCall) -> Iterator[str]:
    """The apps whose elements the arguments name: a failure tells their words, and another caller
    may have been shown them."""
    if call.tool.locate is None:
        return
    for target in call.tool.locate(call.phone, call.arguments).values():
        try:
            ref = call.phone.elements.look_up(target.id).ref
        except ElementNotFound:
            continue
        if ref is not None and ref.package:
            yield ref.package


async def apps_in_front(phone: "Phone") -> Apps:
    try:
        return apps_on(await phone.driver.read_screen())
    except ToolError:
        return ()


def apps_on(screen: Screen) -> Apps:
    """Packages of what is in front, has the focus, or is an app's window beside or behind that: in
    half of a split screen, or under a dialog."""
    front = [screen.foreground[0]] if screen.foreground else []
    shown = sorted(
        window.package
        for window in screen.windows
        if window.package and (window.focused or window.type == "APPLICATION")
    )
    return tuple(dict.fromkeys((*front, *shown)))
