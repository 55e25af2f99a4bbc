"""Phones that the adb server has: all of them, or those asked for."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from types import MappingProxyType

from ..adb.link import AdbError
from ..adb.server import AdbServer, Device
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import ActionFailed, InvalidParams, PermissionDenied, ToolError, UnknownPhone
from ..phone import Phone
from ..settings import split_address
from . import NO_PHONE, Hold, Known, Told, as_tool_error, listed, release, unknown

_FIRST_LIST_SECONDS = 5.0
_RETRY_SECONDS = (0.5, 10.0)
"""The first pause before the adb server is asked again, and the longest."""

_REDIAL_SECONDS = (0.5, 30.0)
"""The first and the longest pause before a phone over Wi-Fi that is gone is connected again."""

_PASSING = (PhoneState.OFFLINE, PhoneState.CONNECTING, PhoneState.AUTHORIZING)
"""States that every phone goes through when it arrives: not worth a line then."""

log = logging.getLogger("handheld")


Taken = Callable[[str], str]
"""Which other owner has the phone with that serial; "" for none."""


def _by_nobody(serial: str) -> str:
    return ""


class TrackedFleet:
    """Follows the adb server's list. A phone that leaves it is dropped; it comes back by a new
    connection."""

    def __init__(
        self,
        server: AdbServer,
        only: Sequence[str],
        hold: Hold,
        told: Told,
        slugs: Mapping[str, str] = MappingProxyType({}),
        taken: Taken = _by_nobody,
    ) -> None:
        """`only` are serials; none means all that nobody else has `taken`. The slug of "" is that
        of the single phone among all."""
        self._server = server
        self._only = tuple(only)
        self._slugs = {serial: slug for serial, slug in slugs.items() if slug}
        self._hold = hold
        self._told = told
        self._taken = taken
        self._clock = server.clock
        self._devices: dict[str, Device] = {}
        self._phones: dict[str, Phone] = {}
        self._problem = ""
        self._seen = asyncio.Event()
        self._watch = asyncio.create_task(self._follow(), name="follow the adb server")
        self._redial = asyncio.create_task(self._connect_again(), name="connect again")

    async def pick(self, ref: str | None) -> Phone:
        await self._first_list()
        device = self._find(ref)
        if device.state is not PhoneState.DEVICE:
            raise PermissionDenied(str(PhoneUnavailable(device.serial, device.state)))
        if not self._only and (who := self._taken(device.serial)):
            raise PermissionDenied(_has(who, device.serial))
        return self._phone(device.serial)

    def _phone(self, serial: str) -> Phone:
        phone = self._phones.get(serial)
        if phone is None:
            phone = self._phones[serial] = self._hold(self._server.link(serial))
        return phone

    async def present(self, ref: str | None) -> list[Phone]:
        await self.settle()
        return [
            self._phone(one.serial)
            for one in self.connected()
            if ref is None or ref in (one.serial, self._slug(one.serial))
        ]

    async def slug_of(self, ref: str) -> str:
        if not self.knows(ref):
            await self._first_list()
        if not self.knows(ref):
            raise UnknownPhone(unknown(ref, self.describe()))
        return ref if ref in self._slugs.values() else self._slug(ref)

    def knows(self, ref: str) -> bool:
        return ref in self._only or ref in self._devices or ref in self._slugs.values()

    def _slug(self, serial: str) -> str:
        return self._slugs.get(serial) or self._slugs.get("", "")

    def _find(self, ref: str | None) -> Device:
        if ref is not None and ref in self._slugs.values():
            ref = next(serial for serial, slug in self._slugs.items() if slug == ref) or None
        if ref is None and len(self._only) == 1:
            (ref,) = self._only
        if ref is None:
            return self._find_only()
        if ref in self._devices:
            return self._devices[ref]
        if ref not in self._only:
            raise InvalidParams(unknown(ref, self.describe()))
        if self._problem:
            raise ActionFailed(self._problem)
        raise as_tool_error(PhoneUnavailable(ref, PhoneState.ABSENT))

    def _find_only(self) -> Device:
        ready = self.connected()
        if len(ready) == 1:
            return self._devices[ready[0].serial]
        if ready:
            raise InvalidParams(
                f"Several phones are connected: {listed(ready)}. Say which one to use when you "
                f"start: handheld serve --phone {ready[0].serial}"
            )
        if self._devices:
            return next(iter(self._devices.values()))
        raise ActionFailed(f"{NO_PHONE} ({self._problem})" if self._problem else NO_PHONE)

    async def settle(self) -> None:
        with suppress(ToolError):
            await self._first_list()

    def connected(self) -> list[Known]:
        return [
            self._known(one)
            for one in self._devices.values()
            if one.state is PhoneState.DEVICE and (self._only or not self._taken(one.serial))
        ]

    def absent(self) -> list[str]:
        here = {one.serial for one in self.connected()}
        return [
            str(Known(serial, PhoneState.ABSENT, "", self._slug(serial)))
            for serial in self._only
            if serial not in here
        ]

    def describe(self) -> str:
        if ready := self.connected():
            return f"Connected: {listed(ready)}."
        for other in self._devices.values():
            if other.state is PhoneState.DEVICE:
                return _has(self._taken(other.serial), other.serial)
            return str(PhoneUnavailable(other.serial, other.state))
        if self._only:
            return f"The phone {', '.join(self.absent())} is not connected."
        return "No phone is connected."

    async def known(self) -> list[Known]:
        await self._first_list()
        return [self._known(device) for device in self._devices.values()]

    def _known(self, device: Device) -> Known:
        serial = device.serial
        # Of several, none has the name of the single one.
        slug = self._slug(serial) if self._only or len(self._devices) < 2 else ""
        return Known(serial, device.state, device.details.get("model", ""), slug)

    async def release(self, ref: str | None) -> str:
        return await release(await self.pick(ref))

    async def aclose(self) -> None:
        tasks = (self._watch, self._redial)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._update([])

    async def _first_list(self) -> None:
        if not self._seen.is_set():
            try:
                async with self._clock.timeout(_FIRST_LIST_SECONDS):
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
            await self._clock.sleep(pause)
            pause = min(2 * pause, longest)

    async def _connect_again(self) -> None:
        """Phones over Wi-Fi that were asked for: the adb server forgets them when it, or the phone,
        is started again, and does not look for them by itself."""
        addresses = [serial for serial in self._only if split_address(serial)]
        pause, longest = _REDIAL_SECONDS
        while addresses:
            await self._seen.wait()
            missing = [one for one in addresses if one not in self._devices]
            for address in missing:
                with suppress(AdbError):
                    await self._server.connect(address)
            pause = min(2 * pause, longest) if missing else _REDIAL_SECONDS[0]
            await self._clock.sleep(pause)

    async def _lose(self, problem: str) -> None:
        if problem != self._problem:
            self._told(problem)
        self._problem = problem
        await self._update([])
        self._seen.set()

    async def _update(self, devices: list[Device]) -> None:
        fresh = {one.serial: one for one in devices if not self._only or one.serial in self._only}
        before, self._devices = self._devices, fresh
        # Taken out at once, so that nobody is given one of them while another is closed.
        dropped = [
            self._phones.pop(serial)
            for serial, old in before.items()
            if serial in self._phones
            and (serial not in fresh or _connection(fresh[serial]) != _connection(old))
        ]
        for phone in dropped:
            await self._close(phone)
        for serial, old in before.items():
            if serial not in fresh:
                self._told(f"Phone {self._known(old)} is gone.")
        for serial, new in fresh.items():
            old = before.get(serial)
            if old is not None and _connection(new) == _connection(old):
                continue
            if new.state is PhoneState.DEVICE:
                self._told(f"Phone {self._known(new)} is connected.")
            elif old is not None or new.state not in _PASSING:
                self._told(str(PhoneUnavailable(serial, new.state)))

    async def _close(self, phone: Phone) -> None:
        try:
            await phone.aclose()
        except Exception:
            log.exception("The connection to %s did not close cleanly.", phone.serial)


def _has(who: str, serial: str) -> str:
    return f"{who or 'Another Handheld'} has the phone {serial}. Work through it, or stop it first."


def _connection(device: Device) -> tuple[PhoneState, str]:
    # A phone that was replugged between two lists has another transport.
    return device.state, device.details.get("transport_id", "")
