"""How requests address phones: by the tool's prefix, by a parameter, or by the request's filter."""

from typing import TYPE_CHECKING

from ..access.phone_filter import PhoneFilter, PhonePool
from ..access.tool_filter import ToolFilter
from ..errors import ToolError, UnknownPhone
from ..settings.slug import tool_prefix
from ..toolkit.call import Caller
from ..ui.characters import replace_surrogates
from .leased_phones import LeasedPhones
from .options import SurfaceOptions

if TYPE_CHECKING:
    from ..phone import Phone


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
        """The prefix of tool names where the request's filter names no phone."""

    async def prefix(self, tool_filter: ToolFilter) -> str:
        """The prefix of tool names in this request. Raises UnknownPhone."""
        if tool_filter.phone is None:
            return self.default_prefix
        try:
            slug = await self.phones(tool_filter).slug_of(tool_filter.phone)
            return "" if self._bare else tool_prefix(slug)
        except UnknownPhone as unknown:
            raise UnknownPhone(replace_surrogates(unknown.message)) from None

    def phones(self, tool_filter: ToolFilter) -> PhonePool:
        """The phones that this request may use."""
        if tool_filter.phones is None:
            return self._phones
        return PhoneFilter(self._phones, tool_filter.phones)

    def phones_for(self, tool_filter: ToolFilter, caller: Caller) -> PhonePool:
        """The same, found by the caller's leases too. A person needs none."""
        phones = self.phones(tool_filter)
        if self._leases is None or caller.person:
            return phones
        return LeasedPhones(phones, self._leases, caller.token, self._parameter)

    def takes_device(self, tool_filter: ToolFilter) -> bool:
        """Whether the arguments of a call choose the phone."""
        return self._several and tool_filter.phone is None

    async def label(self, phone: "Phone") -> str:
        """The phone's slug, or its serial where it has none."""
        try:
            return await self._phones.slug_of(phone.serial) or phone.serial
        except ToolError:
            return phone.serial
