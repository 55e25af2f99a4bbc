"""What a tool is, and how our own tools are declared.

A tool is an async function: the phone first, then its parameters, with the types of
`tools.params`; the docstring is the description, the return value the reply, an exception the
failure.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, get_type_hints

from .parameter import declare, input_schema, read_arguments
from .recording import NOTHING_SECRET, Recording, ReplayMode, Secret

if TYPE_CHECKING:
    from ..phone import Phone


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a reply."""

    data: bytes
    mime_type: str = "image/jpeg"


APP_PREFIX = "app_"
"""The prefix of the names of all app tools, and of no other tool."""
APP_TOOLSET = "app_tools"
"""The toolset of all app tools."""
OTHER_DEVICE = "phone_device"
"""Chooses the phone where an app's tool has its own parameter `device`."""

Item = str | Image
"""A part of a reply: text, or a picture."""

Reply = Item | Sequence[Item]

Run = Callable[["Phone"], Awaitable[Reply]]
"""A tool with its arguments in place."""

ToolFunction = TypeVar("ToolFunction", bound=Callable[..., Awaitable[Reply]])


class Prepare(Protocol):
    def __call__(self, arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        """Check the arguments, before anything waits or happens. Raises InvalidParams. `besides`
        names parameters that the caller has read already."""
        ...


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
    """For tool filters and rules. Clients do not see this field nor those below it."""
    stands_for: tuple[str, ...] = field(default=(), compare=False)
    """The tools of the main surface that do the same, where this is one of another surface: rules
    and filters on those hold for this one."""
    recording: Recording = field(default=NOTHING_SECRET, compare=False)

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


@dataclass(frozen=True, slots=True)
class Action:
    """What one tool can do, by the name of the action."""

    listings: Mapping[str, Listing]
    """Each like the tool's, with what differs: what it stands for, and whether it only reads."""
    choose: Callable[[Mapping[str, Any]], str]
    """Return the action that the arguments choose; any other text if they choose none."""
    parameter: str | None = None
    """The parameter whose enumeration lists the actions."""


@dataclass(frozen=True, slots=True)
class Tool:
    listing: Listing
    """Under the tool's bare name."""
    prepare: Prepare
    exclusive: bool
    """Takes its turn at the phone's lock."""
    console: bool = False
    """A person at the console may call it."""
    replay: ReplayMode = ReplayMode.AS_RECORDED
    action: "Action | None" = None
    """For a tool that does several things: rules, filters and the record go by the action that the
    arguments choose, not by the tool."""

    def chosen(self, arguments: Mapping[str, Any]) -> "Tool":
        """Return the tool for the action that these arguments choose."""
        if self.action is None:
            return self
        listing = self.action.listings.get(self.action.choose(arguments))
        return self if listing is None else replace(self, listing=listing)

    def left_by(self, leaves: Callable[[Listing], bool], listed: Listing) -> Listing | None:
        """Return the listing with the actions that are left; None if none is."""
        if self.action is None:
            return listed if leaves(self.listing) else None
        left = [name for name, listing in self.action.listings.items() if leaves(listing)]
        if not left or len(left) == len(self.action.listings):
            return listed if left else None
        read_only = all(self.action.listings[name].read_only for name in left)
        listed = replace(listed, read_only=read_only)
        if (parameter := self.action.parameter) is None:
            return listed
        schema = listed.input_schema
        chosen = {**schema["properties"][parameter], "enum": left}
        return replace(
            listed,
            input_schema={**schema, "properties": {**schema["properties"], parameter: chosen}},
        )

    @property
    def name(self) -> str:
        return self.listing.name

    def listed_under(self, prefix: str) -> Listing:
        """With `prefix` before its name, and before the names of tools that its texts mention."""

        def with_prefix(text: str) -> str:
            return text.replace("`android_", f"`{prefix}")

        listing, schema = self.listing, self.listing.input_schema
        properties = {
            name: {**declared, "description": with_prefix(declared["description"])}
            if "description" in declared
            else declared
            for name, declared in schema["properties"].items()
        }
        return replace(
            listing,
            name=prefix + listing.name,
            description=with_prefix(listing.description),
            input_schema={**schema, "properties": properties},
        )


class Toolset:
    """The tools of one category, in the order of their declaration."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: list[Tool] = []

    def tool(
        self,
        *,
        title: str,
        secret_reply: Secret,
        name: str = "",
        stands_for: Sequence[str] = (),
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool = False,
        open_world: bool = False,
        exclusive: bool | None = None,
        console: bool = False,
        replay: ReplayMode = ReplayMode.AS_RECORDED,
        actions: Callable[[Listing], Action] | None = None,
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Declare the decorated function as a tool; the function itself stays as it is.

        A tool that is not read-only takes its turn at the phone, unless `exclusive` says otherwise.
        `secret_reply` has no default, so that each tool states what the audit record keeps.
        """

        def add(function: ToolFunction) -> ToolFunction:
            hints = get_type_hints(function, include_extras=True)
            parameters = [
                declare(
                    parameter,
                    hints[parameter],
                    None if declared.default is inspect.Parameter.empty else declared.default,
                    declared.default is inspect.Parameter.empty,
                )
                for parameter, declared in list(inspect.signature(function).parameters.items())[1:]
            ]

            def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
                return partial(_run, function, read_arguments(parameters, arguments, besides))

            listing = Listing(
                name or function.__name__,
                title,
                _described(function),
                input_schema(parameters),
                read_only,
                destructive,
                idempotent,
                open_world,
                toolset=self.name,
                stands_for=tuple(stands_for),
                recording=Recording(
                    {each.name: each.secret for each in parameters if each.secret is not Secret.NO},
                    secret_reply,
                ),
            )
            turns = not read_only if exclusive is None else exclusive
            action = None if actions is None else actions(listing)
            self.tools.append(Tool(listing, prepare, turns, console, replay, action))
            return function

        return add


async def _run(
    function: Callable[..., Awaitable[Reply]], values: Mapping[str, Any], phone: "Phone"
) -> Reply:
    return await function(phone, **values)


def _described(function: Callable[..., Any]) -> str:
    """The docstring with the lines of each paragraph joined."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def json_text(value: Any) -> str:
    """JSON inside a text reply: compact, in the order given, nothing escaped without need."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
