"""The phones as a token finds them that may have leases: by a handle, and without a name the phone
that it has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access.phone_filter import PhonePool
from ..errors import InvalidParams, ToolError
from ..phone.lease import HANDLE_PREFIX, Lease, LeaseRefused
from ..phone.leases import Leases

if TYPE_CHECKING:
    from ..phone import Phone


class LeasedPhones:
    def __init__(self, phones: PhonePool, leases: Leases, token: str, parameter: str) -> None:
        """`parameter` chooses the phone of a call."""
        self._phones = phones
        self._leases = leases
        self._token = token
        self._parameter = parameter
        self.lease: Lease | None = None
        """The one by which a phone was picked last."""

    async def pick(self, ref: str | None) -> "Phone":
        self.lease = self._lease(ref)
        if self.lease is None:
            return await self._phones.pick(ref)
        return await self._phone_of(self.lease)

    def _lease(self, ref: str | None) -> Lease | None:
        """Raises LeaseRefused, InvalidParams."""
        if ref is not None:
            return self._leases.find(ref, self._token) if is_handle(ref) else None
        own = self._leases.of(self._token)
        if len(own) > 1:
            raise InvalidParams(
                f"You have leased several phones: {list_leases(own)}. Say which one with the"
                f" parameter {self._parameter}."
            )
        if not own and (told := self._leases.tell(self._token)):
            raise LeaseRefused(f"Nothing was done. {told}")
        return own[0] if own else None

    async def _phone_of(self, lease: Lease) -> "Phone":
        """The phone may be connected in another way by now."""
        try:
            return await self._phones.pick(lease.phone)
        except ToolError:
            for phone in await self._phones.present(None):
                if not lease.names.isdisjoint(all_names(phone)):
                    return phone
            raise

    async def slug_of(self, ref: str) -> str:
        return await self._phones.slug_of(self._named(ref))

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        return await self._phones.present(None if ref is None else self._named(ref))

    def _named(self, ref: str) -> str:
        return self._leases.find(ref, self._token).phone if is_handle(ref) else ref

    def describe(self) -> str:
        return self._phones.describe()


def all_names(phone: "Phone") -> frozenset[str]:
    """By which a leased phone is recognised, as far as they are known."""
    return phone.identity.names | {phone.name, phone.serial}


def is_handle(ref: str) -> bool:
    return ref.startswith(HANDLE_PREFIX)


def list_leases(leases: Sequence[Lease]) -> str:
    return ", ".join(f"{lease.phone} ({lease.handle})" for lease in leases)
