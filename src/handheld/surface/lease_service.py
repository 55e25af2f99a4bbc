"""Where calls and leases meet: a call on a phone is noted while it runs, and the tools of the fleet
are run without a phone."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from ..access.takeover import ALL, Takeover, held_back
from ..access.tool_filter import ToolFilter
from ..audit import Record
from ..errors import ActionFailed
from ..phone.lease import LeaseRefused, Use
from ..phone.leases import CALLER_GONE
from ..toolkit.tool import Item, Tool
from .addressing import Addressing
from .admission import Admission
from .fleet import CallerFleet
from .leased_phones import all_names
from .options import SurfaceOptions
from .rendering import render
from .resolution import ResolvedCall, Resolver
from .running_call import RunningCall

if TYPE_CHECKING:
    from ..phone import Phone
    from ..phone.phone import BeginLasting


class LeaseService:
    def __init__(
        self,
        resolver: Resolver,
        addressing: Addressing,
        admission: Admission,
        takeover: Takeover,
        options: SurfaceOptions,
    ) -> None:
        self._resolver = resolver
        self._addressing = addressing
        self._admission = admission
        self._approves = options.gate is not None
        self._takeover = takeover
        self._leases = options.leases
        self._make_fleet = options.fleet
        self._tags = options.tags
        self._reset = options.reset

    async def begin(self, record: Record, call: ResolvedCall, running: RunningCall) -> Use | None:
        """A call begins on a phone; `end` must follow, except for None: leases are nothing to it.
        Raises LeaseRefused if the phone is another's."""
        leases, caller, phone = self._leases, record.call.caller, call.phone
        if leases is None or caller.person:
            return None
        if phone.claim.elsewhere and call.lease is None:
            raise LeaseRefused(
                f"{phone.claim.elsewhere} Nothing was done. Use it through the fleet."
            )
        if leases.active:
            # It may be leased under another name. Raises ActionFailed if it does not tell.
            await phone.identity.read()
        return leases.begin(
            caller.token, call.name, lambda: all_names(phone), running.lose_lease, call.lease
        )

    def lasting(self, record: Record, call: ResolvedCall, running: RunningCall) -> "BeginLasting":
        """For a call that begins something that goes on after it."""
        caller = record.call.caller

        def begin(stop: Callable[[str], object]) -> Callable[[], object]:
            from .lasting_work import LastingWork  # few calls begin something

            work = LastingWork(running, stop)
            if caller.person:
                return work.end
            leases, token = self._leases, caller.token
            if leases is not None:
                use = leases.begin(
                    token, call.name, lambda: all_names(call.phone), work.lose_lease, call.lease
                )
                use.lasts = True
                work.ends.append(lambda: leases.end_use(use))
                stamp = leases.stamp(token)
                work.follow_token(
                    lambda: stamp is not None and leases.stamp(token) == stamp, leases.clock
                )
            self._takeover.begin(work)
            work.ends.append(lambda: self._takeover.end(work))
            return work.end

        return begin

    def end(self, use: Use) -> None:
        assert self._leases is not None
        self._leases.end_use(use)

    def note_end(self, use: Use, call: ResolvedCall, items: list[Item]) -> list[Item]:
        """The reply, with a line if the lease ends soon."""
        if use.lease is None or self._leases is None:
            return items
        line = use.lease.describe_last_part(self._leases.clock.now())
        # A reply with a limit keeps it.
        return [*items, line] if line and "max_tokens" not in call.arguments else items

    async def run(
        self, record: Record, name: str, tool: Tool, tool_filter: ToolFilter
    ) -> list[Item]:
        """Run a tool of the fleet. Raises UnknownTool, ToolError."""
        caller = record.call.caller
        run = self._resolver.prepare_of_fleet(name, tool, record.call.arguments, tool_filter)
        record.begin(None, tool_filter.phone or "", tool)
        if self._make_fleet is not None:
            # The hosts of the phones record, and ask.
            return render(await run(cast("Phone", self._make_fleet(caller, tool_filter))))
        if self._leases is None:
            raise ActionFailed("Phones cannot be leased here. Nothing was done.")
        if ALL in self._takeover.names and not caller.person:
            raise held_back()
        if self._approves:
            await self._admission.ask(record, ("",))  # it is about no app
        fleet = CallerFleet(
            self._leases,
            self._addressing.phones(tool_filter),
            caller,
            self._addressing.label,
            takeover=self._takeover,
            tags=self._tags,
            reset=self._reset,
        )
        record.runs()
        try:
            # Its function takes the fleet where others take a phone.
            return render(await run(cast("Phone", fleet)))
        except BaseException:
            if fleet.taken is not None:
                self._leases.end(fleet.taken, CALLER_GONE)  # nobody knows its handle
            raise
