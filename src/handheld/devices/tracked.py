"""Phones from the adb server's device list (`track-devices`): all of them, or the chosen ones."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from types import MappingProxyType

from ..adb.link import AdbError
from ..adb.server import AdbDevice, AdbServer
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import InvalidParams, PermissionDenied, ToolError, UnknownPhone, Unreachable
from ..phone.phone import Phone
from ..settings import split_address
from . import NO_PHONE, DeviceInfo, MakePhone, Notify, as_tool_error, listed, release, unknown

_FIRST_LIST_SECONDS = 5.0
_RETRY_SECONDS = (0.5, 10.0)
"""The shortest and the longest pause before the adb server is asked again."""

_REDIAL_SECONDS = (0.5, 30.0)
"""The shortest and the longest pause before a lost Wi-Fi phone is connected again."""

_PASSING = (PhoneState.OFFLINE, PhoneState.CONNECTING, PhoneState.AUTHORIZING)
"""States that every phone passes through while it connects. They are not logged then."""

log = logging.getLogger("handheld")


OwnedElsewhere = Callable[[str], str]
"""Returns the other process that owns the phone with that serial; "" if there is none."""


def _owned_by_nobody(serial: str) -> str:
    return ""


class TrackedDevices:
    """Follows the adb server's device list. A phone that disappears from it is dropped, and gets a
    new connection when it returns."""

    def __init__(
        self,
        server: AdbServer,
        only: Sequence[str],
        make_phone: MakePhone,
        notify: Notify,
        slugs: Mapping[str, str] = MappingProxyType({}),
        owned_elsewhere: OwnedElsewhere = _owned_by_nobody,
    ) -> None:
        """`only` are serials; without any, all phones that no other process owns. The slug under ""
        belongs to the phone that is connected alone."""
        self._server = server
        self._only = tuple(only)
        self._slugs = {serial: slug for serial, slug in slugs.items() if slug}
        self._make_phone = make_phone
        self._notify = notify
        self._owned_elsewhere = owned_elsewhere
        self._clock = server.clock
        self._devices: dict[str, AdbDevice] = {}
        self._phones: dict[str, Phone] = {}
        self._lost_at: dict[str, float] = {}
        """When connected phones disappeared."""
        self._problem = ""
        self._seen = asyncio.Event()
        self._watch = asyncio.create_task(self._follow(), name="follow the adb server")
        self._redial = asyncio.create_task(self._reconnect(), name="reconnect over Wi-Fi")

    async def pick(self, ref: str | None) -> Phone:
        await self._first_list()
        device = self._find(ref)
        if device.state is not PhoneState.DEVICE:
            raise PermissionDenied(str(PhoneUnavailable(device.serial, device.state)))
        if not self._only and (who := self._owned_elsewhere(device.serial)):
            raise PermissionDenied(_owned_by(who, device.serial))
        return self._phone(device.serial)

    def _phone(self, serial: str) -> Phone:
        phone = self._phones.get(serial)
        if phone is None:
            phone = self._phones[serial] = self._make_phone(self._server.link(serial))
        return phone

    async def present(self, ref: str | None) -> list[Phone]:
        await self.settle()
        return [
            self._phone(info.serial)
            for info in self.connected()
            if ref is None or ref in (info.serial, self._slug(info.serial))
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

    def _find(self, ref: str | None) -> AdbDevice:
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
            raise Unreachable(self._problem)
        raise as_tool_error(PhoneUnavailable(ref, PhoneState.ABSENT), self._lost_at.get(ref))

    def _find_only(self) -> AdbDevice:
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
        raise Unreachable(f"{NO_PHONE} ({self._problem})" if self._problem else NO_PHONE)

    async def settle(self) -> None:
        with suppress(ToolError):
            await self._first_list()

    def connected(self) -> list[DeviceInfo]:
        return [
            self._info(device)
            for device in self._devices.values()
            if device.state is PhoneState.DEVICE
            and (self._only or not self._owned_elsewhere(device.serial))
        ]

    def absent(self) -> list[str]:
        here = {info.serial for info in self.connected()}
        return [
            str(DeviceInfo(serial, PhoneState.ABSENT, "", self._slug(serial)))
            for serial in self._only
            if serial not in here
        ]

    def describe(self) -> str:
        if ready := self.connected():
            return f"Connected: {listed(ready)}."
        for other in self._devices.values():
            if other.state is PhoneState.DEVICE:
                return _owned_by(self._owned_elsewhere(other.serial), other.serial)
            return str(PhoneUnavailable(other.serial, other.state))
        if self._only:
            return f"The phone {', '.join(self.absent())} is not connected."
        return "No phone is connected."

    async def known(self) -> list[DeviceInfo]:
        await self._first_list()
        return [self._info(device) for device in self._devices.values()]

    def _info(self, device: AdbDevice) -> DeviceInfo:
        serial = device.serial
        # With several phones, none has the slug of the only phone.
        slug = self._slug(serial) if self._only or len(self._devices) < 2 else ""
        return DeviceInfo(serial, device.state, device.details.get("model", ""), slug)

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
                raise Unreachable(
                    "The adb server has not reported its phones yet. Try again in a moment."
                ) from None

    async def _follow(self) -> None:
        pause, longest = _RETRY_SECONDS
        while True:
            try:
                async with aclosing(self._server.track()) as lists:
                    async for devices in lists:
                        if self._problem:
                            self._notify("The adb server answers again.")
                        self._problem, pause = "", _RETRY_SECONDS[0]
                        await self._update(devices)
                        self._seen.set()
            except AdbError as problem:
                await self._report_problem(str(problem))
            except Exception:
                log.exception("The adb server's device list could not be followed; trying again.")
                await self._report_problem("The adb server's list of phones could not be read.")
            await self._clock.sleep(pause)
            pause = min(2 * pause, longest)

    async def _reconnect(self) -> None:
        """Reconnect chosen phones over Wi-Fi: the adb server forgets them when it or the phone
        restarts, and does not reconnect by itself."""
        addresses = [serial for serial in self._only if split_address(serial)]
        pause, longest = _REDIAL_SECONDS
        while addresses:
            await self._seen.wait()
            missing = [address for address in addresses if address not in self._devices]
            for address in missing:
                with suppress(AdbError):
                    await self._server.connect(address)
            pause = min(2 * pause, longest) if missing else _REDIAL_SECONDS[0]
            await self._clock.sleep(pause)

    async def _report_problem(self, problem: str) -> None:
        if problem != self._problem:
            self._notify(problem)
        self._problem = problem
        await self._update([])
        self._seen.set()

    async def _update(self, devices: list[AdbDevice]) -> None:
        fresh = {
            device.serial: device
            for device in devices
            if not self._only or device.serial in self._only
        }
        before, self._devices = self._devices, fresh
        # Removed first: no call may pick one of them while another is being closed.
        dropped = [
            self._phones.pop(serial)
            for serial, old in before.items()
            if serial in self._phones
            and (serial not in fresh or _connection(fresh[serial]) != _connection(old))
        ]
        for phone in dropped:
            await self._close(phone)
        for serial, old in before.items():
            now = fresh.get(serial)
            if old.state is PhoneState.DEVICE and (now is None or now.state is not old.state):
                self._lost_at[serial] = self._clock.time()
            if now is None:
                self._notify(f"Phone {self._info(old)} is gone.")
        for serial, new in fresh.items():
            old = before.get(serial)
            if old is not None and _connection(new) == _connection(old):
                continue
            if new.state is PhoneState.DEVICE:
                self._notify(f"Phone {self._info(new)} is connected.")
            elif old is not None or new.state not in _PASSING:
                self._notify(str(PhoneUnavailable(serial, new.state)))

    async def _close(self, phone: Phone) -> None:
        try:
            await phone.aclose()
        except Exception:
            log.exception("The connection to %s did not close cleanly.", phone.serial)


def _owned_by(who: str, serial: str) -> str:
    return f"{who or 'Another Handheld'} has the phone {serial}. Work through it, or stop it first."


def _connection(device: AdbDevice) -> tuple[PhoneState, str]:
    # A phone that was replugged between two lists has a new transport id.
    return device.state, device.details.get("transport_id", "")
