"""A host and a gateway as members of the engine, while they run."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from .. import __version__
from ..access.request_scope import EVERYTHING, RequestScope
from ..calls.protocols import Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..tools.listing import PHONE_PREFIX
from .asking import Asking
from .call_service import OLDEST, CallService, People
from .claims import Claims
from .kept_names import KeptNames
from .nats.claims import ClaimTable
from .nats.directory import Directory, HostRow, Registrar
from .nats.joining import Joined
from .nats.names import RULES
from .nats.wire import EngineWire
from .publication import HostPhones, Publication
from .record_copies import RecordCopies
from .standstill import StallDetector
from .surface import FleetSurface, Offered
from .tokens import FleetTokens

log = logging.getLogger(__name__)

READ_WITHIN = 10.0
"""Seconds that a gateway waits for the directory before it serves."""


@asynccontextmanager
async def open_host(
    joined: Joined,
    surface: Surface,
    phones: HostPhones,
    *,
    kept_claims: Path,
    record: Path | None = None,
    people: People | None = None,
    clock: Clock = SYSTEM_CLOCK,
    tokens: FleetTokens | None = None,
) -> AsyncGenerator[EngineWire]:
    """Offer the phones of this process. `kept_claims` is the file that keeps their claims across
    processes. `record` is the file of the record, which is copied to the engine. `tokens` end
    leases when they become invalid, and `people` serves those at the consoles of gateways. An
    engine that is away is dialled until it answers. Raises EngineAway if the NATS library is
    missing."""
    wire = EngineWire(joined.membership, clock)
    tokens = tokens or FleetTokens(clock)
    service = CallService(wire, surface, phones.leases, clock, tokens, people)
    registrar = Registrar(wire, HostRow(joined.name, __version__, rules=RULES), clock)
    publication = Publication(registrar, phones, clock)
    claims = Claims(
        ClaimTable(wire, joined.name, clock),
        *(phones.devices, phones.claims, phones.leases),
        kept_claims,
        clock,
    )
    works = [registrar.run, publication.run, claims.run, partial(tokens.run, wire)]
    if record is not None:
        works.append(RecordCopies(wire, joined.name, record, clock).run)
    async with AsyncExitStack() as stack:
        if people is not None:
            asking = Asking(wire, people.gate, clock)
            stack.callback(asking.close)
            works.append(asking.run)
        await stack.enter_async_context(wire)
        stack.push_async_callback(claims.release)
        stack.push_async_callback(service.aclose)
        await stack.enter_async_context(_running(clock, *works))
        yield wire


@asynccontextmanager
async def open_gateway(
    joined: Joined,
    policy: RequestScope = EVERYTHING,
    prefix: str = PHONE_PREFIX,
    clock: Clock = SYSTEM_CLOCK,
    tokens: FleetTokens | None = None,
    others: Mapping[str, Offered] | None = None,
    kept_names: Path | None = None,
) -> AsyncGenerator[FleetSurface]:
    """The phones of all hosts. `tokens` are filled with the fleet's tokens, `others` are the
    surfaces in addition to the main and the agent one, and `kept_names` is the file that keeps the
    owners of names across processes. Raises EngineAway if the NATS library is missing."""
    wire = EngineWire(joined.membership, clock)
    directory = Directory(wire, clock)
    tokens = tokens or FleetTokens(clock)
    standstill = StallDetector(clock, OLDEST)
    surface = FleetSurface(wire, directory, policy, prefix, clock, tokens, standstill, others)
    works = [
        directory.run,
        partial(tokens.run, wire),
        standstill.run,
        surface.questions.run,
    ]
    if kept_names is not None:
        works.append(KeptNames(directory, kept_names, clock).run)
    async with wire, _running(clock, *works):
        with suppress(TimeoutError):  # it may come later; until then every call says so
            async with clock.timeout(READ_WITHIN):
                await directory.complete.wait()
        yield surface


@asynccontextmanager
async def _running(clock: Clock, *works: Callable[[], Awaitable[None]]) -> AsyncGenerator[None]:
    """Run the work during the block."""
    tasks = [asyncio.create_task(_keep(work, clock)) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep(work: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Restart work that fails: without it, phones would be missing until the next start."""
    while True:
        try:
            await work()
        except Exception:
            log.exception("A task of a member of the engine failed")
        await clock.sleep(1)
