"""The surface of the phones that this process owns, and the listener that shares them."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..access.approval import ApprovalGate
from ..access.stop_switch import StopSwitch
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..audit import Recorder
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices, restore
from ..devices.ownership import Claim
from ..errors import ToolError
from ..phone import Phone
from ..surface.local import Caller, Surface
from ..toolkit.tool import Item, Listing

if TYPE_CHECKING:
    # Before the client's first reply nothing of them is needed.
    from ..server.exchange import Exchange
    from ..server.options import Console

_LISTEN_AFTER_SECONDS = 2.0
"""A client that connects and sends nothing must not block other processes for longer."""

log = logging.getLogger("handheld")


async def report(devices: Devices, switch: StopSwitch | None = None) -> list[dict[str, Any]]:
    """The phones as GET /phones and the command line show them."""
    rows: list[dict[str, Any]] = []
    known = await devices.known()
    present = await devices.present(None)
    notes = {phone.serial: phone.claim_note for phone in present}
    changed = {phone.serial: await _changed(phone) for phone in present}
    for device in known:
        row: dict[str, Any] = {
            "serial": device.serial,
            "state": device.state.value,
            "model": device.model,
            "slug": device.slug,
            "held": switch is not None and await switch.holds(device),
        }
        if switch is not None and (lease := switch.lease_of(device)):
            row["lease"] = lease
        if note := notes.get(device.serial):
            row["claim"] = note
        if labels := changed.get(device.serial):
            row["changed"] = labels
        rows.append(row)
    return rows


async def _changed(phone: Phone) -> list[str]:
    """The settings that were changed on a phone and not put back, as people call them."""
    from ..phone.knobs import label_of

    try:
        return [label_of(name) for name in await phone.device.changed()]
    except ToolError:
        return []  # it does not tell which phone it is


class LateConsole:
    """The console of a process that serves one client over stdio. It is made at the first request
    for it: most such processes are never asked, and its modules take a while to import."""

    def __init__(self, make: "Callable[[str], Awaitable[Console]]") -> None:
        """`make` is given the key."""
        self.key = secrets.token_urlsafe(32)
        self.made = asyncio.Event()
        self._make = make
        self._making = asyncio.Lock()
        self._console: Console | None = None

    async def __call__(self, exchange: "Exchange") -> None:
        async with self._making:
            if self._console is None:
                self._console = await self._make(self.key)
                self.made.set()
        await self._console(exchange)

    def stop(self) -> None:
        if self._console is not None:
            self._console.stop()


class OwnedSurface:
    """Delegates to `surface`. Closing it ends the listener, closes the parts of the process by
    `close`, and releases the claim, in this order.
    """

    def __init__(
        self,
        claim: Claim,
        devices: Devices,
        surface: Surface,
        close: Callable[[], Awaitable[None]],
        *,
        share: bool,
        switch: StopSwitch,
        gate: ApprovalGate | None = None,
        recorder: Recorder | None = None,
        limits: Mapping[str, Any] = MappingProxyType({}),
        console: LateConsole | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`limits` are for the process that takes over the phones when this one is gone."""
        self.gate = gate
        self._switch = switch
        self._limits = limits
        self._console = console
        self._claim = claim
        self._devices = devices
        self._clock = clock
        self._surface = surface
        self._close = close
        self._recorder = recorder
        self._used = asyncio.Event()
        self._listener = asyncio.create_task(self._listen()) if share else None

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._surface.instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        try:
            return await self._surface.tools(tool_filter)
        finally:
            self._used.set()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        try:
            return await self._surface.call(name, arguments, caller, tool_filter)
        finally:
            self._used.set()

    @property
    def devices(self) -> Devices:
        return self._devices

    @property
    def recorder(self) -> Recorder | None:
        return self._recorder

    async def demand_phone(self) -> None:
        """Raises ToolError if no phone can be used now."""
        await self._devices.settle()
        if not self._devices.connected():
            await self._devices.pick(None)

    async def aclose(self) -> None:
        try:
            if self._listener is not None:
                self._listener.cancel()
                await asyncio.gather(self._listener, return_exceptions=True)
            await self._close()
        finally:
            self._claim.release()

    async def _listen(self) -> None:
        """Listen for this user's other processes, once the first client has its reply."""
        with suppress(TimeoutError):
            async with self._clock.timeout(_LISTEN_AFTER_SECONDS):
                await self._used.wait()
        # Imports take a second: in a thread, so that the client is served meanwhile.
        await asyncio.to_thread(__import__, "handheld.server.http")
        from ..server.http import open_http
        from ..server.options import HttpOptions

        token = secrets.token_urlsafe(32)
        try:
            async with open_http(
                self._surface,
                HttpOptions(
                    host="127.0.0.1",
                    port=0,
                    token=token,
                    agent=True,
                    phones=lambda: report(self._devices, self._switch),
                    release=self._devices.release,
                    restore=partial(restore, self._devices),
                    stop=self._switch,
                    console=self._console,
                ),
            ) as address:
                await self._publish(address.url.removesuffix("/mcp"), token)
                await asyncio.Event().wait()
        except Exception:
            log.exception("The phone cannot be shared with other processes.")

    async def _publish(self, url: str, token: str) -> None:
        """Publish the listener, and then that somebody has used the console: who takes over the
        phones from then on goes on asking."""
        key = self._console.key if self._console is not None else ""
        publish = partial(self._claim.publish, url, token, console=key, stop=self._switch.key)
        publish(limits={**self._limits, "console": False})
        if self._console is not None:
            await self._console.made.wait()
            publish(limits={**self._limits, "console": True})
