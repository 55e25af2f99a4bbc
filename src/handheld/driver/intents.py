"""Intents: the protocol and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Literal, NamedTuple, Protocol

ComponentKind = Literal["activity", "service", "broadcast"]
ExtraType = Literal["string", "int", "long", "float", "double", "boolean", "strings"]
ExtraValue = str | int | float | bool | tuple[str, ...]

NEW_TASK = 0x10000000
"""Intent.FLAG_ACTIVITY_NEW_TASK, which Android demands of a caller without an activity."""
INCLUDE_STOPPED = 0x20
"""Intent.FLAG_INCLUDE_STOPPED_PACKAGES. Without it Android passes over the receivers of an app that
was force-stopped, or never opened, and says that the broadcast is completed."""
_ADDED = {"activity": NEW_TASK, "service": 0, "broadcast": INCLUDE_STOPPED}


class Extra(NamedTuple):
    name: str
    type: ExtraType
    """`strings` is an ArrayList<String>."""
    value: ExtraValue


@dataclass(frozen=True, slots=True)
class Intent:
    """What is sent, and to what kind of component. An empty text is absent."""

    kind: ComponentKind = "activity"
    action: str = ""
    data: str = ""
    mime_type: str = ""
    package: str = ""
    class_name: str = ""
    """Fully qualified; `package` is given then, too."""
    categories: tuple[str, ...] = ()
    flags: int = 0
    extras: tuple[Extra, ...] = ()


def sent_as(intent: Intent) -> Intent:
    """With the flags without which it would not arrive."""
    return replace(intent, flags=intent.flags | _ADDED[intent.kind])


class Handler(NamedTuple):
    """A component that takes an intent."""

    package: str
    class_name: str
    """Fully qualified."""
    label: str = ""
    """Its app's; empty where the shell asks, which is not told."""
    default: bool = False
    """Android starts this one without asking the owner which."""

    @property
    def component(self) -> str:
        """As Android writes it."""
        name = self.class_name
        short = name.removeprefix(self.package) if name.startswith(f"{self.package}.") else name
        return f"{self.package}/{short}"


def decode_handlers(listed: Sequence[Mapping[str, Any]]) -> list[Handler]:
    """From the helper's answer."""
    return [
        Handler(str(each["package"]), str(each["class"]), str(each["label"]), bool(each["default"]))
        for each in listed
    ]


class Sent(NamedTuple):
    """An intent that Android has accepted."""

    handlers: tuple[Handler, ...]
    """Who takes it: one, or all receivers of a broadcast."""
    front: str = ""
    """The package of the activity in front after it, where an activity was started."""


class Undelivered(Enum):
    """Why nobody got an intent."""

    NO_HANDLER = auto()
    SEVERAL = auto()
    NOT_INSTALLED = auto()
    NO_COMPONENT = auto()
    NOT_EXPORTED = auto()
    PERMISSION = auto()
    """The component requires a permission that adb's shell does not have."""
    REVOKED = auto()
    """The action itself requires one of whoever sends it."""
    BACKGROUND = auto()
    """Android starts no service of an app that is in the background."""


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
        """Those of which Android would ask the owner which."""
        self.component = component
        self.permission = permission


class IntentDriver(Protocol):
    async def handlers(self, intent: Intent) -> list[Handler]:
        """List the components that take an intent, exported or not, the best first."""
        ...

    async def send_intent(self, intent: Intent) -> Sent:
        """Find out who takes an intent and send it to exactly that component: to one activity or
        service, or to every receiver of a broadcast. Wait for the activity's window. Raises
        NotDelivered."""
        ...
