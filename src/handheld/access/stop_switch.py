"""Stops and resumes agents on this process's phones, for the console and the command line."""

import secrets
from typing import Any

from ..devices import DeviceInfo, Devices, unknown
from ..errors import UnknownPhone
from ..phone.leases.lease import Lease
from ..phone.leases.leases import ENDED_BY_OWNER, PATIENCE, Leases
from .takeover import ALL, RESUME, Takeover, all_names_of, names_of


class StopSwitch:
    def __init__(self, takeover: Takeover, devices: Devices, leases: Leases | None = None) -> None:
        self.takeover = takeover
        self.leases = leases
        self._devices = devices
        self.key = secrets.token_urlsafe(32)
        """Kept in the owner's private entry, for `handheld stop`. Agents know tokens, but not this
        key."""

    async def stop(self, ref: str = "") -> str:
        """Stop agents on the phone with that slug or serial, or on every phone, and hold them back.
        Returns a sentence. Raises UnknownPhone."""
        if not ref:
            problem = self.takeover.take((ALL,))
            said = f"Agents are held back on every phone. To resume them: {RESUME}"
            return _with_problem(said, problem)
        names = self._names(ref)
        # Before the phone is asked for anything.
        problem = self.takeover.take(names)
        for phone in await self._devices.present(ref):
            problem = self.takeover.take(names | await all_names_of(phone))
        said = f"Agents are held back on {ref}. To resume them: {RESUME} --phone {ref}"
        return _with_problem(said, problem)

    async def resume(self, ref: str = "") -> str:
        """Stop holding agents back. Raises UnknownPhone, ActionFailed."""
        if not ref:
            self.takeover.resume((ALL,))
            return "Agents are resumed."
        names = self._names(ref)
        for phone in await self._devices.present(ref):
            names |= names_of(phone)
        self.takeover.resume(names)
        if ALL in self.takeover.names:
            return f"Agents are held back on every phone, also on {ref}. To resume them: {RESUME}"
        return f"Agents are resumed on {ref}."

    def _names(self, ref: str) -> set[str]:
        """Raises UnknownPhone."""
        if not self._devices.knows(ref):
            raise UnknownPhone(unknown(ref, self._devices.describe()))
        infos = [info for info in self._devices.connected() if ref in (info.serial, info.slug)]
        return {ref, *(name for info in infos for name in (info.serial, info.slug) if name)}

    async def end_lease(self, ref: str) -> str:
        """End the lease of the phone with that slug or serial, or with that handle. Returns a
        sentence. Raises UnknownPhone."""
        lease = self._lease(ref)
        if self.leases is None or lease is None:
            self._names(ref)
            return f"{ref} is not leased."
        self.leases.end(lease, ENDED_BY_OWNER)
        free = await self.leases.wait_over(lease, PATIENCE)
        rest = "" if free else " What ran on it has not ended yet."
        return f"The lease of {lease.phone} by {lease.who} is ended.{rest}"

    def _lease(self, ref: str) -> Lease | None:
        every = [] if self.leases is None else self.leases.all()
        return next(
            (each for each in every if ref in (each.handle, each.phone) or ref in each.names), None
        )

    def lease_of(self, info: DeviceInfo) -> dict[str, Any] | None:
        """Who has leased a phone, and until when; None if it is free."""
        lease = self._lease(info.serial) or (self._lease(info.slug) if info.slug else None)
        if lease is None:
            return None
        return {
            "who": lease.who,
            "state": lease.state.name.lower(),
            "since": lease.since or None,
            "until": lease.until if lease.since else None,
        }

    async def holds(self, info: DeviceInfo) -> bool:
        """Whether agents are held back on a phone."""
        names = self.takeover.names
        if not names or ALL in names or names.intersection((info.serial, info.slug)):
            return bool(names)
        return any(
            names.intersection(names_of(phone))
            for phone in await self._devices.present(info.serial)
        )


def _with_problem(said: str, problem: str) -> str:
    """Append the reason why other processes do not know of the change."""
    if not problem:
        return said
    return (
        f"{said}. {problem} So this holds only for this server, and only until it ends. Free some"
        " space and stop agents again."
    )
