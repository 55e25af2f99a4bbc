"""Runs an admitted call: in the phone's turn if it acts on the screen, and under the rules for the
app that is in front by then."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..errors import ActionFailed, ToolError
from ..tools.tool import SCREEN_TOOL, Image, Reply
from .admission import Admission, apps_in_front, apps_on, apps_pictured
from .call import Apps, Call
from .guard import ActionGuard, AnswerGuard, Stopped
from .rendering import add_texts, render

if TYPE_CHECKING:
    from ..phone.phone import BeginLasting, Phone

_HIDDEN = "the owner of the phone does not allow what is on the screen now to be read."
_ATTEMPTS = 3
"""How often a call that was admitted for one app is admitted again because another is in front."""


class Execution:
    def __init__(
        self, admission: Admission, begin_lasting: Callable[[Call], "BeginLasting"]
    ) -> None:
        """`begin_lasting` makes what notes that something goes on after a call."""
        self._admission = admission
        self._begin_lasting = begin_lasting

    async def run(self, call: Call) -> Reply:
        """Raises ToolError."""
        tool, phone, record, apps = call.tool, call.phone, call.record, call.apps
        if tool.listing.read_only:
            return await self._read(call)
        caller, give_way = call.caller, call.give_way
        if not tool.exclusive:
            if call.of_app:
                record.acts(phone)
                return await call.run(phone)
            record.runs()
            # It may take a turn for a part of what it does, in which a person comes first, too.
            own = phone.called_by(
                caller.token,
                person=caller.person,
                give_way=give_way,
                begin_lasting=self._begin_lasting(call),
            )
            if apps is not None:
                own = own.guarded(ActionGuard(self._admission, call, apps))
            return await call.run(own)
        for attempt in range(_ATTEMPTS):
            if attempt:
                apps = await self._admission.admit(call)
            async with phone.acting(
                call.name, caller.token, person=caller.person, give_way=give_way
            ):
                # The previous holder of the turn may have brought another app to the front, for
                # which another rule may hold.
                # And a yes is for the screen that the person saw.
                if (
                    (apps is None or apps == await apps_in_front(phone))
                    and await self._admission.still_holds(call)
                    and await self._admission.touches_as_judged(call)
                ):
                    record.acts(phone)
                    guard = self._guard(call, apps)
                    if guard is not None:
                        phone = phone.guarded(guard)
                    if SCREEN_TOOL not in tool.listing.abilities:
                        return await _act(call, phone)
                    shown = await _watched(_act, call, phone)
                    break
        else:
            raise ActionFailed(
                f"Another app came to the front, or the screen changed after the owner of the phone"
                f" was asked, each time that {call.name} had its turn. Nothing was done. Read the"
                " screen and call it again."
            )
        try:
            if isinstance(shown, Stopped):
                raise shown
            # After the turn: the phone is free while a person is asked.
            if apps is not None and not await self._may_see(call, apps):
                return _without_screen(call.name, shown)
            if isinstance(shown, ToolError):
                raise shown
            return shown
        finally:
            # A failure has this frame, with all that is in it: both would be garbage that only the
            # collector finds.
            del shown

    def _guard(self, call: Call, apps: Apps | None) -> AnswerGuard | None:
        """The guard of an action, if anything is to be judged while it goes on."""
        if apps is not None:
            return ActionGuard(self._admission, call, apps)
        return None if call.answered is None else AnswerGuard(self._admission, call)

    async def _may_see(self, call: Call, apps: Apps) -> bool:
        """Whether the approver allows the screens that an action's reply is made from."""
        for others in dict.fromkeys(map(apps_on, call.record.seen)):
            if others != apps and not await self._admission.may_see(call, others):
                return False
        return True

    async def _read(self, call: Call) -> Reply:
        """Raises PermissionDenied, too, if what was read shows an app that the approver was not
        asked about and does not allow."""
        phone, record, apps = call.phone, call.record, call.apps
        record.runs()
        if apps is not None:
            phone = phone.guarded(ActionGuard(self._admission, call, apps))
        shown = await _watched(_run, call, phone)
        try:
            if apps is not None:
                read = list(map(apps_on, record.seen))
                # A picture is not of the same moment as the text beside it.
                if not isinstance(shown, ToolError) and _has_picture(shown):
                    read.append(await apps_in_front(phone, apps_pictured))
                elif not isinstance(shown, ToolError) and not read:
                    read.append(await apps_in_front(phone))
                for others in read:
                    if others != apps:
                        await self._admission.ask(call, others)
            if isinstance(shown, ToolError):
                raise shown
            return shown
        finally:
            del shown  # as in `run`


async def _watched(
    run: "Callable[[Call, Phone], Awaitable[Reply]]", call: Call, phone: "Phone"
) -> Reply | ToolError:
    """Run it, noting the screens that its reply, or its failure, is made from."""
    try:
        return await run(call, phone.watched(call.record.seen.append))
    except ToolError as failure:
        return failure


def _without_screen(name: str, shown: Reply | ToolError) -> Reply:
    """Return what was done, without the screen that it led to. Raises ToolError."""
    if not isinstance(shown, ToolError):
        first = render(shown)[0]
        line = first.partition("\n")[0] if isinstance(first, str) else f"{name} was done."
        return f"{line}\nThe screen after it is not shown: {_HIDDEN}"
    raise type(shown)(
        f"{name} failed, and may or may not have done something. The reason is not told: {_HIDDEN}"
    )


def _has_picture(reply: Reply) -> bool:
    return any(isinstance(item, Image) for item in render(reply))


async def _run(call: Call, phone: "Phone") -> Reply:
    return await call.run(phone)


async def _act(call: Call, phone: "Phone") -> Reply:
    """Run it, and add what its actions met on the phone to the reply or the failure."""
    conditions = phone.driver.conditions
    conditions.take()
    try:
        reply = await call.run(phone)
    except ToolError as failure:
        failure.details = (*failure.details, *conditions.take())
        raise
    return add_texts(reply, conditions.take())
