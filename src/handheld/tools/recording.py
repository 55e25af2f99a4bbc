"""What a tool's declaration says about recording its calls and replaying them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto


class Secret(Enum):
    """How the audit record treats a parameter or a reply."""

    NO = auto()
    """Recorded as it is."""
    ALWAYS = auto()
    """Masked, and masked again in later replies that show it."""
    WHOLE = auto()
    """Masked, but not looked for in later replies: it contains names that many replies contain."""
    TYPED = auto()
    """The content of a text field: masked unless the field is known to hold no secret."""
    FILE = auto()
    """The content of a file: masked unless the settings say otherwise."""
    URL = auto()
    """An address: recorded without user name, password, query and fragment."""
    PHONE_NUMBER = auto()
    """As ALWAYS. Replies also lose everything that looks like a phone number."""


class ReplayMode(Enum):
    """How an exported script repeats a recorded call."""

    AS_RECORDED = auto()
    WHEN_IDLE = auto()
    """After waiting for the screen to become idle: the call acts on whatever is there."""
    UNTIL_FOUND = auto()
    """A search: repeated until it finds something, if it did when it was recorded."""
    NEEDS_WEB = auto()
    """Not repeated: it fetches something from the web."""


@dataclass(frozen=True, slots=True)
class AuditPolicy:
    """What is secret about a tool's calls."""

    params: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    """The parameters that are secret in some way; all others are recorded as they are."""
    reply: Secret = Secret.NO
    types: bool = field(init=False)
    """Whether the tool writes into a text field."""

    def __post_init__(self) -> None:
        types = self.reply is Secret.TYPED or Secret.TYPED in self.params.values()
        object.__setattr__(self, "types", types)


NOTHING_SECRET = AuditPolicy()
