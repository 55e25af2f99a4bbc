"""The identity of a connection's phone: a phone over USB and over Wi-Fi is one phone."""

from typing import NamedTuple
from weakref import WeakSet

from ..driver.hardware import Hardware, HardwareDriver
from ..errors import ActionFailed


class Identity(NamedTuple):
    hardware: str
    """The hardware's serial number; empty if it is generic."""
    shared: bool = False
    """Another phone has the same serial number: only the address distinguishes them."""


class Identities:
    """The identities of all phones of this process."""

    def __init__(self) -> None:
        self.known: WeakSet[PhoneIdentity] = WeakSet()
        self.shared: set[str] = set()


class PhoneIdentity:
    """The identity of the phone at the end of one connection."""

    def __init__(
        self,
        driver: HardwareDriver,
        address: str,
        identities: Identities | None = None,
        *,
        name: str = "",
        ours: bool = False,
    ) -> None:
        """`name` stays the same when the address does not: a virtual phone has a new one at every
        start. `ours` is a virtual phone that this program started."""
        self.driver = driver
        self.address = address
        self.name = name
        self.ours = ours
        self._all = identities or Identities()
        self.hardware: Hardware | None = None
        """None until it is queried."""

    async def read(self) -> Identity:
        """Raises ActionFailed if the phone does not report it."""
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
        """The serial number if no other phone is known to share it, else ""; without querying the
        phone."""
        hardware = self.hardware
        return "" if hardware is None or hardware.serial in self._all.shared else hardware.serial

    @property
    def names(self) -> frozenset[str]:
        """The known unique names of this phone, without querying it."""
        return frozenset(filter(None, (self.single,)))

    async def _compare(self, own: Hardware) -> None:
        """Detect shared serial numbers: two running devices with different boot ids are two phones,
        whatever their serial numbers."""
        for other in list(self._all.known):
            if other.address == self.address or other.hardware is None or not own.serial:
                continue
            if other.hardware.serial == own.serial:
                now = await other.driver.hardware()
                if now is not None and now.serial == own.serial and now.boot != own.boot:
                    self._all.shared.add(own.serial)
