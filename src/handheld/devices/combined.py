"""Several phones, each with its own kind of connection."""

import asyncio
from collections.abc import Sequence

from ..errors import InvalidParams, SeveralPhones, ToolError, UnknownPhone, Unreachable
from ..phone.phone import Phone
from . import DeviceInfo, Devices, listed, release, unknown


class CombinedDevices:
    """Delegates to the member that has the phone. The set of members does not change."""

    def __init__(self, members: Sequence[Devices]) -> None:
        self._members = tuple(members)
        self._found: dict[str, Devices] = {}
        """By name. A host may have hundreds of members, and each call searches for one."""

    async def pick(self, ref: str | None) -> Phone:
        if ref is not None:
            member = self._member_with(ref)
            if member is None:
                raise InvalidParams(unknown(ref, self.describe()))
            return await member.pick(ref)
        await self.settle()
        if not self.connected():
            await self.known()
        ready = [(member, info) for member in self._members for info in member.connected()]
        if len(ready) == 1:
            [(member, info)] = ready
            return await member.pick(info.serial)
        if ready:
            raise SeveralPhones(listed([info for _, info in ready]))
        raise Unreachable(f"{self.describe()} `handheld doctor` says what is missing.")

    async def present(self, ref: str | None) -> list[Phone]:
        asked = [member for member in self._members if ref is None or member.knows(ref)]
        found = await asyncio.gather(*(member.present(ref) for member in asked))
        return [phone for part in found for phone in part]

    async def slug_of(self, ref: str) -> str:
        member = self._member_with(ref)
        if member is None:
            raise UnknownPhone(unknown(ref, self.describe()))
        return await member.slug_of(ref)

    def knows(self, ref: str) -> bool:
        return self._member_with(ref) is not None

    def _member_with(self, ref: str) -> Devices | None:
        found = self._found.get(ref)
        if found is None or not found.knows(ref):
            found = next((member for member in self._members if member.knows(ref)), None)
            if found is not None:
                self._found[ref] = found
        return found

    async def settle(self) -> None:
        await asyncio.gather(*(member.settle() for member in self._members))

    def connected(self) -> list[DeviceInfo]:
        return [info for member in self._members for info in member.connected()]

    def absent(self) -> list[str]:
        return [name for member in self._members for name in member.absent()]

    def describe(self) -> str:
        ready, absent = self.connected(), self.absent()
        sentence = f"Connected: {listed(ready)}." if ready else "No phone is connected."
        return f"{sentence} Not connected: {', '.join(absent)}." if absent else sentence

    async def known(self) -> list[DeviceInfo]:
        rows = await asyncio.gather(*(_known(member) for member in self._members))
        return [info for part in rows for info in part]

    async def release(self, ref: str | None) -> str:
        return await release(await self.pick(ref))

    async def aclose(self) -> None:
        results = await asyncio.gather(
            *(member.aclose() for member in self._members), return_exceptions=True
        )
        for problem in results:
            if problem is not None:
                raise problem


async def _known(member: Devices) -> list[DeviceInfo]:
    try:
        return await member.known()
    except ToolError:
        return []  # these are unknown; the others are still listed
