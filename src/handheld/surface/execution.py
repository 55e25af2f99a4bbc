"""Runs an admitted call: in the phone's turn if it acts on the screen, and under the rules for the
app that is in front by then."""

from ..audit import Record
from ..errors import ActionFailed, ToolError
from ..toolkit.tool import Reply
from .admission import Admission, Apps, apps_in_front, apps_on
from .rendering import add_texts
from .resolution import ResolvedCall

_ATTEMPTS = 3
"""How often a call that was admitted for one app is admitted again because another is in front."""


class Execution:
    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    async def run(self, call: ResolvedCall, record: Record, apps: Apps | None) -> Reply:
        """`apps` are those for which the call was admitted; None if they make no difference.
        Raises ToolError."""
        tool, phone = call.tool, call.phone
        if tool.listing.read_only:
            return await self._read(call, record, apps)
        if not tool.exclusive:
            if call.of_app:
                record.acts(phone)
            else:
                record.running = True
            return await call.run(phone)
        for attempt in range(_ATTEMPTS):
            if attempt:
                apps = await self._admission.admit(record, phone)
            async with phone.acting(call.name):
                # The previous holder of the turn may have brought another app to the front, for
                # which another rule may hold.
                if apps is None or apps == await apps_in_front(phone):
                    record.acts(phone)
                    return await _act(call)
        raise ActionFailed(
            f"Another app came to the front each time that {call.name} had its turn. Nothing was"
            " done. Read the screen and call it again."
        )

    async def _read(self, call: ResolvedCall, record: Record, apps: Apps | None) -> Reply:
        """Raises PermissionDenied, too, if what was read shows an app that the approver was not
        asked about and does not allow."""
        record.running = True
        reply = await call.run(call.phone.watched(record.seen.append))
        if apps is not None:
            read = list(map(apps_on, record.seen)) or [await apps_in_front(call.phone)]
            for others in read:
                if others != apps:
                    await self._admission.ask(record, others)
        return reply


async def _act(call: ResolvedCall) -> Reply:
    """Run it, and add what its actions met on the phone to the reply or the failure."""
    conditions = call.phone.driver.conditions
    conditions.take()
    try:
        reply = await call.run(call.phone)
    except ToolError as failure:
        failure.details = (*failure.details, *conditions.take())
        raise
    return add_texts(reply, conditions.take())
