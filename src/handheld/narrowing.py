"""What a request, or the owner's policy, leaves of the tools."""

from dataclasses import dataclass

from .slug import tool_prefix
from .tool import Listing


@dataclass(frozen=True, slots=True)
class Narrowing:
    """It takes away and never adds. Tools are named with their prefix, with the usual one, or with
    none."""

    phone: str | None = None
    """The one phone meant, by slug or serial; None is the surface's own choice."""
    read_only: bool = False
    only: frozenset[str] | None = None
    """The tools that are left; None is all."""
    off: frozenset[str] = frozenset()

    def leaves(self, tool: Listing, name: str) -> bool:
        """Whether the tool, listed under its bare name, is left where clients call it `name`."""
        names = {tool.name, name, tool_prefix("") + tool.name}
        if self.read_only and not tool.read_only:
            return False
        return not names & self.off and (self.only is None or bool(names & self.only))

    def within(self, wider: "Narrowing") -> "Narrowing":
        """What both leave; `wider` says which phone is meant where this does not."""
        only = self.only if wider.only is None else wider.only
        if self.only is not None and wider.only is not None:
            only = self.only & wider.only
        return Narrowing(
            self.phone or wider.phone,
            self.read_only or wider.read_only,
            only,
            self.off | wider.off,
        )


EVERYTHING = Narrowing()
