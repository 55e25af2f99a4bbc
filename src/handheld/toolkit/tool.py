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
    """Today's tools that do the same, where this is one of an older surface."""
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
class Tool:
    listing: Listing
    """Under the tool's bare name."""
    prepare: Prepare
    exclusive: bool
    """Takes its turn at the phone's lock."""
    console: bool = False
    """A person at the console may call it."""
    replay: ReplayMode = ReplayMode.AS_RECORDED

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
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool = False,
        open_world: bool = False,
        exclusive: bool | None = None,
        console: bool = False,
        replay: ReplayMode = ReplayMode.AS_RECORDED,
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Declare the decorated function as a tool; the function itself stays as it is.

        A tool that is not read-only takes its turn at the phone, unless `exclusive` says otherwise.
        `secret_reply` has no default, so that each tool states what the audit record keeps.
        """

        def add(function: ToolFunction) -> ToolFunction:
            hints = get_type_hints(function, include_extras=True)
            parameters = [
                declare(
                    name,
                    hints[name],
                    None if declared.default is inspect.Parameter.empty else declared.default,
                    declared.default is inspect.Parameter.empty,
                )
                for name, declared in list(inspect.signature(function).parameters.items())[1:]
            ]

            def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
                return partial(_run, function, read_arguments(parameters, arguments, besides))

            listing = Listing(
                function.__name__,
                title,
                _described(function),
                input_schema(parameters),
                read_only,
                destructive,
                idempotent,
                open_world,
                toolset=self.name,
                recording=Recording(
                    {each.name: each.secret for each in parameters if each.secret is not Secret.NO},
                    secret_reply,
                ),
            )
            turns = not read_only if exclusive is None else exclusive
            self.tools.append(Tool(listing, prepare, turns, console, replay))
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
