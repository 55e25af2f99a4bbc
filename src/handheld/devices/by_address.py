"""Phones for callers that have no parameter to choose one with."""

from collections.abc import Sequence

from ..errors import InvalidParams
from ..phone import Phone
from . import Devices, listed


class ByAddress:
    """The only phone, or the one that the request's address names; `address` is how that looks."""

    def __init__(self, devices: Devices, address: str) -> None:
        self._devices = devices
        self._address = address

    async def pick(self, ref: str | None) -> Phone:
        if ref is None:
            await self._devices.settle()
            ready = self._devices.connected()
            if len(ready) > 1:
                raise InvalidParams(
                    f"Several phones are connected: {listed(ready)}. Say which one in the address:"
                    f" {self._address}"
                )
        return await self._devices.pick(ref)

    async def slug_of(self, ref: str) -> str:
        return await self._devices.slug_of(ref)

    async def present(self, ref: str | None) -> Sequence[Phone]:
        return await self._devices.present(ref)

    def describe(self) -> str:
        return self._devices.describe()
