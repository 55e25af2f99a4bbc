"""Where calls and leases meet: a call on a phone is noted while it runs, and the tools of the fleet
are run without a phone."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, cast

from ..access.takeover import ALL, Takeover, held_back
from ..clock import Clock, Timer
from ..errors import ActionFailed
from ..phone.leases.lease import LeaseRefused, Use
from ..phone.leases.leases import CALLER_GONE, REVOKED
from ..tools.tool import Item
from .addressing import Addressing, all_names
from .admission import Admission
from .call import Call
from .fleet import CallerFleet
from .options import SurfaceOptions
from .rendering import render

if TYPE_CHECKING:
    from ..phone.phone import BeginLasting, Phone


TOKEN_CHECK_SECONDS = 1.0
"""As often as the tokens of running requests are checked again."""


class LeaseService:
    def __init__(
        self,
        addressing: Addressing,
        admission: Admission,
        takeover: Takeover,
        options: SurfaceOptions,
    ) -> None:
        self._addressing = addressing
        self._admission = admission
        self._approves = options.gate is not None
        self._takeover = takeover
        self._leases = options.leases
        self._make_fleet = options.fleet
        self._tags = options.tags
        self._reset = options.reset

    async def begin(self, call: Call) -> None:
        """A call begins on a phone; `end` must follow if it has a use of it then. Raises
        LeaseRefused if the phone is another's."""
        leases, caller, phone = self._leases, call.caller, call.phone
        if leases is None or caller.person:
            return  # leases are nothing to it
        if phone.claim.elsewhere and call.lease is None:
            raise LeaseRefused(
                f"{phone.claim.elsewhere} Nothing was done. Use it through the fleet."
            )
        if leases.active:
            # It may be leased under another name. Raises ActionFailed if it does not tell.
            await phone.identity.read()
        call.use = leases.begin(
            caller.token, call.name, lambda: all_names(phone), call.lose_lease, call.lease
        )

    def lasting(self, call: Call) -> "BeginLasting":
        """For a call that begins something that goes on after it."""
        caller, phone = call.caller, call.phone
        name, lease = call.name, call.lease

        def begin(stop: Callable[[str], object]) -> Callable[[], object]:
            work = LastingWork(call, stop)
            if caller.person:
                return work.end
            leases, token = self._leases, caller.token
            if leases is not None:
                use = leases.begin(token, name, lambda: all_names(phone), work.lose_lease, lease)
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

    def note_end(self, call: Call) -> None:
        """Add a line to the reply if the lease ends soon."""
        if call.use is None or call.use.lease is None or self._leases is None:
            return
        line = call.use.lease.describe_last_part(self._leases.clock.now())
        # A reply with a limit keeps it.
        if line and "max_tokens" not in call.arguments:
            call.reply = [*call.reply, line]

    async def run(self, call: Call) -> list[Item]:
        """Run a tool of the fleet. Raises UnknownTool, ToolError."""
        record, caller, scope, run = call.record, call.caller, call.scope, call.run
        record.begin(None, scope.phone or "", call.tool)
        if self._make_fleet is not None:
            # The hosts of the phones record, and ask.
            return render(await run(cast("Phone", self._make_fleet(caller, scope))))
        if self._leases is None:
            raise ActionFailed("Phones cannot be leased here. Nothing was done.")
        if ALL in self._takeover.names and not caller.person:
            raise held_back()
        if self._approves:
            await self._admission.ask(call, ("",))  # it is about no app
        fleet = CallerFleet(
            self._leases,
            self._addressing.phones(scope),
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


class LastingWork:
    """What a call has begun and that goes on after it, such as a recording: it is stopped as calls
    are, also when their token is no longer valid."""

    def __init__(self, call: Call, stop: Callable[[str], object]) -> None:
        """`stop` takes the reason, as a clause."""
        self._stop = stop
        self.names: Collection[str] = call.names
        self.phone: Phone = call.phone
        self.ends: list[Callable[[], object]] = []
        """Called once it has ended."""
        self._timer: Timer | None = None

    def take_over(self) -> None:
        self._stop("the owner of the phone took it over")

    def lose_lease(self, why: str) -> None:
        self._stop(f"this client no longer has the phone: {why}")

    def follow_token(self, holds: Callable[[], bool], clock: Clock) -> None:
        """Stop it once its token is no longer valid."""

        def look() -> None:
            if holds():
                self.follow_token(holds, clock)
            else:
                self._stop(REVOKED)

        self._timer = clock.call_later(TOKEN_CHECK_SECONDS, look)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        while self.ends:
            self.ends.pop()()
