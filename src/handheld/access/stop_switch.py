"""Stops agents on phones of this process, and lets them go on: for the console and the command
line."""

import secrets

from ..devices import DeviceInfo, Devices, unknown
from ..errors import UnknownPhone
from .takeover import ALL, LET_GO, Takeover, all_names_of, names_of


class StopSwitch:
    def __init__(self, takeover: Takeover, devices: Devices) -> None:
        self.takeover = takeover
        self._devices = devices
        self.key = secrets.token_urlsafe(32)
        """Kept in the owner's private entry, for `handheld stop`: tokens are known to agents."""

    async def stop(self, ref: str = "") -> str:
        """Stop agents on the phone with that slug or serial, or on every phone, and hold them back.
        Returns a sentence. Raises UnknownPhone."""
        if not ref:
            self.takeover.take((ALL,))
            return f"Agents are held back on every phone. To let them go on: {LET_GO}"
        names = self._names(ref)
        # At once, before the phone is asked for anything.
        self.takeover.take(names)
        for phone in await self._devices.present(ref):
            self.takeover.take(names | await all_names_of(phone))
        return f"Agents are held back on {ref}. To let them go on: {LET_GO} --phone {ref}"

    async def let_go(self, ref: str = "") -> str:
        """Raises UnknownPhone."""
        if not ref:
            self.takeover.let_go((ALL,))
            return "Agents may go on."
        names = self._names(ref)
        for phone in await self._devices.present(ref):
            names |= names_of(phone)
        self.takeover.let_go(names)
        if ALL in self.takeover.names:
            return (
                f"Agents are held back on every phone, also on {ref}. To let them go on: {LET_GO}"
            )
        return f"Agents may go on with {ref}."

    def _names(self, ref: str) -> set[str]:
        """Raises UnknownPhone."""
        if not self._devices.knows(ref):
            raise UnknownPhone(unknown(ref, self._devices.describe()))
        infos = [info for info in self._devices.connected() if ref in (info.serial, info.slug)]
        return {ref, *(name for info in infos for name in (info.serial, info.slug) if name)}

    async def holds(self, info: DeviceInfo) -> bool:
        """Whether agents are held back on a phone."""
        names = self.takeover.names
        if not names or ALL in names or names.intersection((info.serial, info.slug)):
            return bool(names)
        return any(
            names.intersection(names_of(phone))
            for phone in await self._devices.present(info.serial)
        )
