"""A tool as clients see it, and the parts of a reply. Separate from `tool`, because a command that
goes through another process declares no tools."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .abilities import TOOLSET_OF
from .app_offer import AppOffer
from .recording import NOTHING_SECRET, AuditPolicy


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a reply."""

    data: bytes
    mime_type: str = "image/jpeg"
    pixels: tuple[int, int] | None = None
    """Width and height, where a surface tells them."""


PHONE_PREFIX = "phone_"
"""The prefix of the names of the tools for models, unless another is set."""
APP_PREFIX = "app_"
"""The prefix of the names of all app tools, and of no other tool."""
STEPS_PREFIX = "my_"
"""Of tools that are kept steps."""
APP_TOOLSET = "app_tools"
"""The toolset of all app tools."""
FILES_TOOLSET = "files"
FLEET_TOOLSET = "fleet"
"""The toolset for taking phones and giving them back."""
INTENT_TOOLSET = "intents"
"""The toolset that reaches components of apps by name."""
WEB_TOOLSET = "web"
"""The toolset for web pages; a client that has it gets their text folded."""
SCRIPT_TOOLSET = "web_scripts"
"""The toolset that runs scripts in web pages."""
RECORDING_TOOLSET = "recording"
"""The toolset that makes videos of the screen."""
PERSONAL_TOOLSET = "personal"
"""The toolset that reads contacts, events, calls, messages and media."""
CAMERA_TOOLSET = "camera"
"""The toolset that takes pictures with the phone's cameras."""
EXTRA_TOOLSETS = frozenset(
    {
        *("notifications", "links", "packages", "device", "diagnostics"),
        *(WEB_TOOLSET, RECORDING_TOOLSET),
    }
)
"""Off on the main surface, because they would make its list of tools long. A client may switch them
on for itself."""
OWNER_TOOLSETS = frozenset(
    {FLEET_TOOLSET, INTENT_TOOLSET, SCRIPT_TOOLSET, PERSONAL_TOOLSET, CAMERA_TOOLSET}
)
"""Off unless the settings, or the limits of a token, name them."""
OPTIONAL_TOOLSETS = EXTRA_TOOLSETS | OWNER_TOOLSETS
SCREEN_TOOL = "get_screen_state"
"""The tool that shows the screen. Others that show it stand for this one."""
DELETE_TOOL = "delete_file"
"""The tool that deletes a file. A call that empties or overwrites one does this, too."""
TAP_TOOL, HOLD_TOOL = "tap", "long_press"
"""A tap or a long press, and a movement that an app cannot tell from one."""
LOG_TOOL = "get_device_logs"
"""The tool that reads the log of an app, or of the whole phone."""
STEPS_TOOL = "phone_do"
"""Calls several other tools; each is a separate call."""
OTHER_DEVICE = "phone_device"
"""Chooses the phone where an app's tool has its own parameter `device`."""

Item = str | Image
"""A part of a reply: text, or a picture."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A tool as a client sees it in the list."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    toolset: str = field(default="", compare=False)
    """For scopes of requests, and rules. Clients do not see this field nor those below it."""
    abilities: tuple[str, ...] = field(default=(), compare=False)
    """What it does: rules and scopes on these hold for it. Unless it says otherwise, it is an
    ability itself."""
    recording: AuditPolicy = field(default=NOTHING_SECRET, compare=False)
    plain: bool = field(default=False, compare=False)
    """A call that the default rules on this tool do not ask about. The owner's rules still do."""
    offer: AppOffer | None = field(default=None, compare=False)
    """The app whose tool it is."""

    def __post_init__(self) -> None:
        if not self.abilities:
            object.__setattr__(self, "abilities", (self.name,))

    def toolset_of(self, ability: str) -> str:
        """A tool of an app is one that only it has."""
        return TOOLSET_OF.get(ability, self.toolset)

    @classmethod
    def from_json(cls, tool: Mapping[str, Any]) -> "Listing":
        """The parts that clients see."""
        hints: Mapping[str, Any] = tool.get("annotations") or {}
        return cls(
            name=tool["name"],
            title=tool.get("title") or hints.get("title", ""),
            description=tool.get("description", ""),
            input_schema=tool["inputSchema"],
            read_only=bool(hints.get("readOnlyHint", False)),
            destructive=bool(hints.get("destructiveHint", False)),
            idempotent=bool(hints.get("idempotentHint", False)),
            open_world=bool(hints.get("openWorldHint", False)),
        )

    def as_json(self) -> dict[str, Any]:
        """As MCP writes it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": dict(self.input_schema),
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": self.open_world,
            },
        }
