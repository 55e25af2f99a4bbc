"""Which phone a connection leads to: a phone over USB and over Wi-Fi is one phone."""

from typing import NamedTuple
from weakref import WeakSet

from ..driver.hardware import Hardware, HardwareDriver
from ..errors import ActionFailed


class Identity(NamedTuple):
    hardware: str
    """The serial number in its hardware; empty where that tells nothing."""
    shared: bool = False
    """Another phone was seen with the same: the address tells them apart."""


class Identities:
    """Of all phones of this process."""

    def __init__(self) -> None:
        self.known: WeakSet[PhoneIdentity] = WeakSet()
        self.shared: set[str] = set()


class PhoneIdentity:
    """Of one connection to a phone."""

    def __init__(
        self, driver: HardwareDriver, address: str, identities: Identities | None = None
    ) -> None:
        self.driver = driver
        self.address = address
        self._all = identities or Identities()
        self.hardware: Hardware | None = None
        """None until it was asked for."""

    async def read(self) -> Identity:
        """Raises ActionFailed if the phone does not tell."""
        if self.hardware is None:
            found = await self.driver.hardware()
            if found is None:
                raise ActionFailed(
                    f"The phone {self.address} did not report its serial number. Nothing was done."
                    " Try again."
                )
            await self._compare(found)
            self.hardware = found
            self._all.known.add(self)
        return Identity(self.hardware.serial, self.hardware.serial in self._all.shared)

    @property
    def single(self) -> str:
        """The serial number that no other phone has, as far as it is known without asking the
        phone; else empty."""
        hardware = self.hardware
        return "" if hardware is None or hardware.serial in self._all.shared else hardware.serial

    @property
    def names(self) -> frozenset[str]:
        """What tells this phone from others, as far as it is known without asking the phone."""
        return frozenset(filter(None, (self.single,)))

    async def _compare(self, own: Hardware) -> None:
        """Two devices that run at the same time and were started apart are two phones, whatever
        their serial numbers."""
        for other in list(self._all.known):
            if other.address == self.address or other.hardware is None or not own.serial:
                continue
            if other.hardware.serial == own.serial:
                now = await other.driver.hardware()
                if now is not None and now.serial == own.serial and now.boot != own.boot:
                    self._all.shared.add(own.serial)
