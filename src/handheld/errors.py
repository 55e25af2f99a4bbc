"""The six kinds of tool failures, and the two kinds of unknown names.

    ToolError               something of ours broke
    ├── InvalidParams       the arguments cannot be used as they are
    ├── PermissionDenied    the phone or its owner does not allow it
    ├── ElementNotFound     nothing on the screen answers to that id
    ├── ActionFailed        it was tried and did not work
    │   └── Unreachable     not even the phone was reached
    └── TimedOut            there was no answer in time

The message is a sentence for a model, naming the next step where there is one. `code` is what the
first (v1) surface prints; no other surface shows it.
"""


class ToolError(Exception):
    """A tool failed. Also the plain form, for a fault of ours."""

    code = -32603

    def __init__(self, message: str, *details: str, for_owner: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        """Further text items that belong to the reply: what is known in spite of the failure."""
        self.for_owner = for_owner
        """For the record, and not for the model: how the owner can allow it."""


class InvalidParams(ToolError):
    code = -32602


class SeveralPhones(InvalidParams):
    """A call did not say which of the connected phones is meant."""

    def __init__(self, listed: str, parameter: str = "device") -> None:
        super().__init__(
            f"Several phones are connected: {listed}. Say which one with the parameter {parameter}."
        )
        self.listed = listed


class PermissionDenied(ToolError):
    code = -32001


class ElementNotFound(ToolError):
    code = -32002


class ActionFailed(ToolError):
    code = -32003


class Unreachable(ActionFailed):
    """The phone, or what leads to it, does not answer."""


class AppToolMissing(ActionFailed):
    """The tool belongs to an app, and no app on this phone declares it."""


class TimedOut(ToolError):
    code = -32004


KINDS: tuple[type[ToolError], ...] = (
    InvalidParams,
    PermissionDenied,
    ElementNotFound,
    ActionFailed,
    TimedOut,
)
"""What callers can tell apart; any other failure is a plain ToolError to them."""


class UnknownTool(Exception):
    """No tool has this name on this surface. A protocol error, not a tool's failure."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown tool: {name}")
        self.name = name


class UnknownPhone(InvalidParams):
    """No phone has this name here. Where it stands in an address, a protocol error as well."""
