"""Limits on tools and phones, by a request, a token or the owner's policy."""

from dataclasses import dataclass

from ..settings.slug import tool_prefix
from ..toolkit.tool import Listing


@dataclass(frozen=True, slots=True)
class ToolFilter:
    """Excludes tools and phones, and never adds any. Tools are named with their prefix, with the
    default prefix, or without."""

    phone: str | None = None
    """The phone to use, by slug or serial; None leaves the choice to the surface."""
    read_only: bool = False
    only: frozenset[str] | None = None
    """The tools that are left; None is all."""
    off: frozenset[str] = frozenset()
    toolsets: frozenset[str] | None = None
    """The toolsets that are left; None is all."""
    phones: frozenset[str] | None = None
    """The phones that may be used, by slug or serial; None is all."""
    surface: str = ""
    """The surface whose tools are meant, where several are served; "" is the main one."""

    def leaves(self, tool: Listing, name: str) -> bool:
        """Whether the tool is allowed. `tool` has its bare name, and clients call it `name`."""
        names = {tool.name, name, tool_prefix("") + tool.name}
        same = frozenset(tool.stands_for)
        if self.read_only and not tool.read_only:
            return False
        if self.toolsets is not None and tool.toolset not in self.toolsets:
            return False
        # A tool that stands for others does whatever one of them does.
        if (names | same) & self.off or {tool_prefix("") + each for each in same} & self.off:
            return False
        return self.only is None or bool(names & self.only) or (bool(same) and same <= self.only)

    def within(self, wider: "ToolFilter") -> "ToolFilter":
        """What both allow; the phone is that of `wider` where this has none."""
        return ToolFilter(
            self.phone or wider.phone,
            self.read_only or wider.read_only,
            _both(self.only, wider.only),
            self.off | wider.off,
            _both(self.toolsets, wider.toolsets),
            _both(self.phones, wider.phones),
            self.surface or wider.surface,
        )


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    if some is None or others is None:
        return others if some is None else some
    return some & others


EVERYTHING = ToolFilter()
AGENT = "agent"
"""The surface for models."""
