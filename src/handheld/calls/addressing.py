"""How requests address phones: by the tool's prefix, by a parameter, by the request's scope,
or by a lease."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access.phone_filter import PhoneFilter, PhonePool
from ..access.request_scope import RequestScope
from ..errors import InvalidParams, ToolError, UnknownPhone
from ..phone.leases.lease import HANDLE_PREFIX, Lease, LeaseRefused
from ..phone.leases.leases import Leases
from ..screen.characters import replace_surrogates
from ..settings.slug import tool_prefix
from ..tools.call import Caller
from .options import SurfaceOptions

if TYPE_CHECKING:
    from ..phone.phone import Phone


class Addressing:
    def __init__(self, phones: PhonePool, options: SurfaceOptions) -> None:
        self._phones = phones
        self._bare = options.bare
        self._several = options.several
        self._leases = options.leases
        self._parameter = options.device.name
        self.default_prefix = (
            "" if options.bare else tool_prefix("" if options.several else options.slug)
        )
        """The prefix of tool names where the request's scope names no phone."""

    async def prefix(self, scope: RequestScope) -> str:
        """The prefix of tool names in this request. Raises UnknownPhone."""
        if scope.phone is None:
            return self.default_prefix
        try:
            slug = await self.phones(scope).slug_of(scope.phone)
            return "" if self._bare else tool_prefix(slug)
        except UnknownPhone as unknown:
            raise UnknownPhone(replace_surrogates(unknown.message)) from None

    def phones(self, scope: RequestScope) -> PhonePool:
        """The phones that this request may use."""
        if scope.phones is None:
            return self._phones
        return PhoneFilter(self._phones, scope.phones)

    def phones_for(self, scope: RequestScope, caller: Caller) -> PhonePool:
        """The same, found by the caller's leases too. A person needs none."""
        phones = self.phones(scope)
        if self._leases is None or caller.person:
            return phones
        return LeasedPhones(phones, self._leases, caller.token, self._parameter)

    def takes_device(self, scope: RequestScope) -> bool:
        """Whether the arguments of a call choose the phone."""
        return self._several and scope.phone is None

    async def label(self, phone: "Phone") -> str:
        """The phone's slug, or its serial where it has none."""
        try:
            return await self._phones.slug_of(phone.serial) or phone.serial
        except ToolError:
            return phone.serial


class LeasedPhones:
    """The phones as a token finds them that may have leases: by a handle, and without a name the
    phone that it has."""

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
