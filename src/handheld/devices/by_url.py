"""Selects the phone for surfaces whose tools have no parameter for it."""

from collections.abc import Sequence

from ..errors import InvalidParams
from ..phone.phone import Phone
from . import Devices, listed

V1_ADDRESS = "/phones/<slug or serial>/mcp/v1/tools/call"
SMS_ADDRESS = "/phones/<slug or serial>/mcp"


class SelectedByUrl:
    """Picks the phone in the request's URL, or the only phone; `url_form` shows callers how to
    write the URL."""

    def __init__(self, devices: Devices, url_form: str) -> None:
        self._devices = devices
        self._url_form = url_form

    async def pick(self, ref: str | None) -> Phone:
        if ref is None:
            await self._devices.settle()
            ready = self._devices.connected()
            if len(ready) > 1:
                raise InvalidParams(
                    f"Several phones are connected: {listed(ready)}. Say which one in the address:"
                    f" {self._url_form}"
                )
        return await self._devices.pick(ref)

    async def slug_of(self, ref: str) -> str:
        return await self._devices.slug_of(ref)

    async def present(self, ref: str | None) -> Sequence[Phone]:
        return await self._devices.present(ref)

    def describe(self) -> str:
        return self._devices.describe()
