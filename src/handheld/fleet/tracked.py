"""Phones that the adb server has: all of them, or one."""

import asyncio
import logging
from contextlib import aclosing

from ..adb.link import AdbError
from ..adb.server import AdbServer, Device
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import ActionFailed, InvalidParams, PermissionDenied, UnknownPhone
from ..phone import Phone
from . import NO_PHONE, Hold, Known, Told, as_tool_error, release

_FIRST_LIST_SECONDS = 5.0
_RETRY_SECONDS = (0.5, 10.0)
"""The first pause before the adb server is asked again, and the longest."""

_PASSING = (PhoneState.OFFLINE, PhoneState.CONNECTING, PhoneState.AUTHORIZING)
"""States that every phone goes through when it arrives: not worth a line then."""

log = logging.getLogger("handheld")


class TrackedFleet:
    """Follows the adb server's list. A phone that leaves it is dropped; it comes back by a new
    connection."""

    def __init__(self, server: AdbServer, only: str, hold: Hold, told: Told) -> None:
        self._server = server
        self._only = only
        self._hold = hold
        self._told = told
        self._devices: dict[str, Device] = {}
        self._phones: dict[str, Phone] = {}
        self._problem = ""
        self._seen = asyncio.Event()
        self._watch = asyncio.create_task(self._follow(), name="follow the adb server")

    async def pick(self, ref: str | None) -> Phone:
        await self._first_list()
        device = self._find(ref)
        if device.state is not PhoneState.DEVICE:
            raise PermissionDenied(str(PhoneUnavailable(device.serial, device.state)))
        phone = self._phones.get(device.serial)
        if phone is None:
            phone = self._phones[device.serial] = self._hold(self._server.link(device.serial))
        return phone

    async def slug_of(self, ref: str) -> str:
        await self._first_list()
        if ref != self._only and ref not in self._devices:
            raise UnknownPhone(f"No phone here is called {ref!r}. {self.describe()}")
        return ""

    def _find(self, ref: str | None) -> Device:
        wanted = ref or self._only
        if wanted:
            if wanted in self._devices:
                return self._devices[wanted]
            if wanted != self._only:
                raise InvalidParams(f"No phone here is called {wanted!r}. {self.describe()}")
            if self._problem:
                raise ActionFailed(self._problem)
            raise as_tool_error(PhoneUnavailable(wanted, PhoneState.ABSENT))
        ready = [one for one in self._devices.values() if one.state is PhoneState.DEVICE]
        if len(ready) == 1:
            return ready[0]
        if ready:
            raise InvalidParams(
                f"Several phones are connected: {_listed(ready)}. Say which one to use when you "
                f"start: handheld serve --phone {ready[0].serial}"
            )
        if self._devices:
            return next(iter(self._devices.values()))
        raise ActionFailed(f"{NO_PHONE} ({self._problem})" if self._problem else NO_PHONE)

    def describe(self) -> str:
        ready = [one for one in self._devices.values() if one.state is PhoneState.DEVICE]
        others = [one for one in self._devices.values() if one.state is not PhoneState.DEVICE]
        if ready:
            return f"Connected: {_listed(ready)}."
        if others:
            return str(PhoneUnavailable(others[0].serial, others[0].state))
        if self._only:
            return f"The phone {self._only} is not connected."
        return "No phone is connected."

    async def known(self) -> list[Known]:
        await self._first_list()
        return [_known(device) for device in self._devices.values()]

    async def release(self, ref: str | None) -> str:
        return await release(await self.pick(ref))

    async def aclose(self) -> None:
        self._watch.cancel()
        await asyncio.gather(self._watch, return_exceptions=True)
        await self._update([])

    async def _first_list(self) -> None:
        if not self._seen.is_set():
            try:
                async with asyncio.timeout(_FIRST_LIST_SECONDS):
                    await self._seen.wait()
            except TimeoutError:
                raise ActionFailed(
                    "The adb server has not said yet which phones there are. Try again in a moment."
                ) from None

    async def _follow(self) -> None:
        pause, longest = _RETRY_SECONDS
        while True:
            try:
                async with aclosing(self._server.track()) as lists:
                    async for devices in lists:
                        if self._problem:
                            self._told("The adb server answers again.")
                        self._problem, pause = "", _RETRY_SECONDS[0]
                        await self._update(devices)
                        self._seen.set()
            except AdbError as problem:
                await self._lose(str(problem))
            except Exception:
                log.exception("The adb server's list could not be followed; it is asked again.")
                await self._lose("The adb server's list of phones could not be read.")
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    async def _lose(self, problem: str) -> None:
        if problem != self._problem:
            self._told(problem)
        self._problem = problem
        await self._update([])
        self._seen.set()

    async def _update(self, devices: list[Device]) -> None:
        fresh = {one.serial: one for one in devices if self._only in ("", one.serial)}
        before, self._devices = self._devices, fresh
        for serial, old in before.items():
            new = fresh.get(serial)
            if new is None or _connection(new) != _connection(old):
                await self._drop(serial)
            if new is None:
                self._told(f"Phone {_known(old)} is gone.")
        for serial, new in fresh.items():
            old = before.get(serial)
            if old is not None and _connection(new) == _connection(old):
                continue
            if new.state is PhoneState.DEVICE:
                self._told(f"Phone {_known(new)} is connected.")
            elif old is not None or new.state not in _PASSING:
                self._told(str(PhoneUnavailable(serial, new.state)))

    async def _drop(self, serial: str) -> None:
        phone = self._phones.pop(serial, None)
        if phone is not None:
            try:
                await phone.aclose()
            except Exception:
                log.exception("The connection to %s did not close cleanly.", serial)


def _connection(device: Device) -> tuple[PhoneState, str]:
    # A phone that was replugged between two lists has another transport.
    return device.state, device.details.get("transport_id", "")


def _known(device: Device) -> Known:
    return Known(device.serial, device.state, device.details.get("model", ""))


def _listed(devices: list[Device]) -> str:
    return ", ".join(str(_known(device)) for device in devices)
