"""Limits on tools and phones, by a request, a token or the owner's policy."""

from dataclasses import dataclass, field

from ..settings.slug import tool_prefix
from ..tools.listing import Listing


@dataclass(frozen=True, slots=True)
class RequestScope:
    """Excludes tools and phones, and never adds any. It names tools with their prefix, with the
    default prefix, or without a prefix."""

    phone: str | None = None
    """The phone to use, by slug or serial; None leaves the choice to the surface."""
    read_only: bool = False
    only: frozenset[str] | None = None
    """The tools that remain; None is all."""
    off: frozenset[str] = frozenset()
    toolsets: frozenset[str] | None = None
    """The toolsets that remain; None is all."""
    phones: frozenset[str] | None = None
    """The phones that may be used, by slug or serial; None is all."""
    surface: str = ""
    """The surface whose tools this concerns, when several are served; "" is the main one."""
    prefix: str | None = None
    """The prefix of the tools for models in this request; None is the server's prefix."""
    on: frozenset[str] = frozenset()
    """The optional toolsets that are on: the settings, a token that names them, or the client
    (where it may) switched them on."""
    strict: bool = False
    """Replies of the documented tools have only their documented content, without additions."""
    token: str = field(default="", compare=False)
    """The name of the token that requests a list; "" where it makes no difference. It limits
    nothing."""

    def leaves(self, tool: Listing, name: str) -> bool:
        """Whether the scope allows the tool. `tool` has its bare name, and clients call it
        `name`."""
        if not (self.read_only or self.off) and self.only is None and self.toolsets is None:
            return True
        names = {tool.name, name, tool_prefix("") + tool.name}
        if self.read_only and not tool.read_only:
            return False
        for ability in tool.abilities:
            if self.toolsets is not None and tool.toolset_of(ability) not in self.toolsets:
                return False
            if self._names(self.off, ability):
                return False
        if names & self.off:
            return False
        if self.only is None or names & self.only:
            return True
        return all(self._names(self.only, ability) for ability in tool.abilities)

    @staticmethod
    def _names(names: frozenset[str], tool: str) -> bool:
        return tool in names or tool_prefix("") + tool in names

    def within(self, wider: "RequestScope") -> "RequestScope":
        """What both allow; the phone is `wider`'s if this scope has none."""
        return RequestScope(
            self.phone or wider.phone,
            self.read_only or wider.read_only,
            _both(self.only, wider.only),
            self.off | wider.off,
            _both(self.toolsets, wider.toolsets),
            _both(self.phones, wider.phones),
            self.surface or wider.surface,
            wider.prefix if self.prefix is None else self.prefix,
            self.on | wider.on,
            self.strict or wider.strict,
            self.token or wider.token,
        )


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    if some is None or others is None:
        return others if some is None else some
    return some & others


EVERYTHING = RequestScope()
AGENT = "agent"
"""The surface for models."""
V1, SMS = "v1", "sms"
"""The surfaces whose tools have no parameter to choose a phone with."""
