"""What a surface is, and what a local surface depends on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..access.request_scope import EVERYTHING, RequestScope
from ..tools.call import Caller, ToolCall
from ..tools.listing import Item, Listing

if TYPE_CHECKING:
    from ..phone.phone import Phone
    from ..tools.tool import Tool


class Surface(Protocol):
    """The tools as one kind of client sees them. A scope limits one request to some tools
    and phones."""

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str: ...

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        """Raises UnknownPhone."""
        ...

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        """Raises ToolError (a failure that the model reads), UnknownTool or UnknownPhone."""
        ...


class AppToolSource(Protocol):
    """Finds the tools that apps on a phone declare."""

    async def tools(self, phone: "Phone") -> "Sequence[Tool]":
        """Raises ToolError."""
        ...

    async def find(self, phone: "Phone", name: str, called: str) -> "Tool | None":
        """Return the tool with that bare name, or None if no app ever declared it. `called` is its
        name in messages to the caller. Raises AppToolMissing if this phone no longer has it,
        ToolError if it cannot be used."""
        ...


class Approver(Protocol):
    """Decides whether a call may run."""

    def wants_app(self, call: ToolCall) -> bool:
        """Whether the decision depends on the app in front, which takes a screen read to find."""
        ...

    def asks_person(self, call: ToolCall) -> bool:
        """Whether `ask` would wait for a person's answer now."""
        ...

    async def ask(self, call: ToolCall) -> None:
        """Return when the call may run. Raises PermissionDenied."""
        ...

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> str | None:
        """The rule by which a call that may run must not go on while these apps are on the screen;
        None if there is none. Nobody is asked."""
        ...
