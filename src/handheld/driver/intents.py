"""Intents: the protocol and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Literal, NamedTuple, Protocol

ComponentKind = Literal["activity", "service", "broadcast"]
ExtraType = Literal["string", "int", "long", "float", "double", "boolean", "strings"]
ExtraValue = str | int | float | bool | tuple[str, ...]

NEW_TASK = 0x10000000
"""Intent.FLAG_ACTIVITY_NEW_TASK, which Android requires of callers without an activity."""
INCLUDE_STOPPED = 0x20
"""Intent.FLAG_INCLUDE_STOPPED_PACKAGES. Without it Android skips the receivers of an app that was
force-stopped or never opened, and reports the broadcast as completed."""
_ADDED = {"activity": NEW_TASK, "service": 0, "broadcast": INCLUDE_STOPPED}


class Extra(NamedTuple):
    name: str
    type: ExtraType
    """`strings` is an ArrayList<String>."""
    value: ExtraValue


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent and the kind of component that it is for. An empty string means absent."""

    kind: ComponentKind = "activity"
    action: str = ""
    data: str = ""
    mime_type: str = ""
    package: str = ""
    class_name: str = ""
    """Fully qualified; requires `package`."""
    categories: tuple[str, ...] = ()
    flags: int = 0
    extras: tuple[Extra, ...] = ()


def sent_as(intent: Intent) -> Intent:
    """Add the flags that delivery requires."""
    return replace(intent, flags=intent.flags | _ADDED[intent.kind])


class Handler(NamedTuple):
    """A component that handles an intent."""

    package: str
    class_name: str
    """Fully qualified."""
    label: str = ""
    """The app's label; empty if only the shell was asked, which does not get it."""
    default: bool = False
    """Whether Android starts this one without asking the owner."""

    @property
    def component(self) -> str:
        """The component's name in Android's form."""
        name = self.class_name
        short = name.removeprefix(self.package) if name.startswith(f"{self.package}.") else name
        return f"{self.package}/{short}"


def decode_handlers(listed: Sequence[Mapping[str, Any]]) -> list[Handler]:
    """Decode the helper's answer."""
    return [
        Handler(str(each["package"]), str(each["class"]), str(each["label"]), bool(each["default"]))
        for each in listed
    ]


class Sent(NamedTuple):
    """An intent that Android has accepted."""

    handlers: tuple[Handler, ...]
    """The component that handles it, or all receivers of a broadcast."""
    front: str = ""
    """The package of the activity in front afterwards, if an activity was started."""


class Undelivered(Enum):
    """The reason why an intent was not delivered."""

    NO_HANDLER = auto()
    SEVERAL = auto()
    NOT_INSTALLED = auto()
    NO_COMPONENT = auto()
    NOT_EXPORTED = auto()
    PERMISSION = auto()
    """The component requires a permission that adb's shell does not have."""
    REVOKED = auto()
    """The action requires a permission of its sender."""
    BACKGROUND = auto()
    """Android does not start services of an app in the background."""


class NotDelivered(Exception):
    """Nothing was sent."""

    def __init__(
        self,
        problem: Undelivered,
        *,
        handlers: Sequence[Handler] = (),
        component: str = "",
        permission: str = "",
    ) -> None:
        super().__init__(problem.name)
        self.problem = problem
        self.handlers = tuple(handlers)
        """The handlers among which Android would ask the owner to choose."""
        self.component = component
        self.permission = permission


class IntentDriver(Protocol):
    async def handlers(self, intent: Intent) -> list[Handler]:
        """List the components that handle an intent, exported or not, the best first."""
        ...

    async def send_intent(self, intent: Intent) -> Sent:
        """Resolve an intent and send it to exactly the resolved component: to one activity or
        service, or to every receiver of a broadcast. Wait for the activity's window. Raises
        NotDelivered."""
        ...
