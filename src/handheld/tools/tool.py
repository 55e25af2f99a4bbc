"""What a tool is, and how our own tools are declared.

A tool is an async function: the phone first, then its parameters, with the types of
`tools.params`; the docstring is the description, the return value the reply, an exception the
failure.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, get_type_hints

from ..screen.characters import escape_json
from .duration import asked_seconds
from .listing import APP_PREFIX as APP_PREFIX
from .listing import APP_TOOLSET as APP_TOOLSET
from .listing import DELETE_TOOL as DELETE_TOOL
from .listing import LOG_TOOL as LOG_TOOL
from .listing import OTHER_DEVICE as OTHER_DEVICE
from .listing import SCREEN_TOOL as SCREEN_TOOL
from .listing import STEPS_PREFIX as STEPS_PREFIX
from .listing import STEPS_TOOL as STEPS_TOOL
from .listing import Image as Image
from .listing import Item as Item
from .listing import Listing as Listing
from .parameter import Parameter, declare, input_schema, read_arguments
from .recording import AuditPolicy, ReplayMode, Secret

if TYPE_CHECKING:
    from ..phone.phone import Phone
    from ..screen.model import Screen


Reply = Item | Sequence[Item]

Run = Callable[["Phone"], Awaitable[Reply]]
"""A tool with its arguments in place."""

ToolFunction = TypeVar("ToolFunction", bound=Callable[..., Awaitable[Reply]])


Paths = Sequence[Sequence[tuple[float, float, float]]]
"""Points of each finger: x, y and milliseconds."""
Touches = Callable[["Phone", "Screen", Mapping[str, Any]], Paths]
"""The paths of fingers that move, with these arguments, over this screen. Raises ToolError."""


Destroys = Callable[["Phone", Mapping[str, Any]], Awaitable[bool]]
"""Whether a call with these arguments would empty or overwrite a file that is there now."""


About = Callable[["Phone", Mapping[str, Any]], Awaitable[Iterable[str]]]
"""The packages of the apps that a call with these arguments is about, on the screen or not."""


def about_argument(name: str) -> About:
    """The app whose package is the argument of that name, if it has one."""

    async def about(phone: "Phone", arguments: Mapping[str, Any]) -> Iterable[str]:
        package = arguments.get(name)
        return (package.strip(),) if isinstance(package, str) and package.strip() else ()

    return about


Plain = Callable[[Mapping[str, Any]], bool]
"""Whether the default rules need not ask about a call with these arguments, as they were sent. In
doubt they ask."""


Subject = Callable[["Phone", Mapping[str, Any]], str]
"""What ids in these arguments stand for, in words for a person who is asked about the call. Raises
ToolError."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A tool of our own with its arguments in place."""

    function: Callable[..., Awaitable[Reply]]
    values: Mapping[str, Any]
    seconds: float
    """How long the arguments ask it to last."""

    async def __call__(self, phone: "Phone") -> Reply:
        return await self.function(phone, **self.values)


class Prepare(Protocol):
    def __call__(self, arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        """Check the arguments, before anything waits or happens. Raises InvalidParams. `besides`
        names parameters that the caller has read already."""
        ...


class CallTarget(NamedTuple):
    """An element that an argument names."""

    id: str
    words: Mapping[str, str]
    """Its `words`, those `within` whose row it is, and its `kind`, as far as needed to find it."""


@dataclass(frozen=True, slots=True)
class Action:
    """What one tool can do, by the name of the action."""

    listings: Mapping[str, Listing]
    """The tool's listing for each action: its abilities differ, and whether it only reads."""
    choose: Callable[[Mapping[str, Any]], str]
    """Return the action that the arguments choose; any other text if they choose none. The
    arguments are normalised: they are those that the tool gets."""
    parameter: str | None = None
    """The parameter whose enumeration lists the actions."""
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Parameters that add abilities to a call, and which."""
    shared: frozenset[str] = frozenset()
    """Actions that do not hold the phone's turn all the time: they take it themselves."""


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
    """For a tool that does several things: rules, scopes and the record go by the action that the
    arguments choose, not by the tool."""
    normalise: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Turns arguments as they were sent into those that `prepare` reads, under the names that the
    tool declares. It runs first, so the action that is judged is the one that is done."""
    locate: Callable[["Phone", Mapping[str, Any]], Mapping[str, CallTarget]] | None = None
    """Returns what the arguments that name elements stand for, by argument."""
    destroys: "Destroys | None" = None
    touches: "Touches | None" = None
    about: "About | None" = None
    """Called only where a rule depends on the app."""
    plain: "Plain | None" = None
    subject: "Subject | None" = None
    unclear: bool = False
    """The arguments choose none of its actions, so `prepare` refuses it."""
    of_fleet: bool = False
    """Works on all phones together: no phone is picked, and it runs with a `phone.fleet.Fleet`."""
    longest: Mapping[str, int] = field(default_factory=dict[str, int])
    """The most characters of each argument that has such a limit."""

    def chosen(self, arguments: Mapping[str, Any]) -> "Tool":
        """Return the tool for the action that these arguments choose. Those that are too long are
        not read: `prepare` refuses them."""
        for name, most in self.longest.items():
            text = arguments.get(name)
            if isinstance(text, str) and len(text) > most:
                return self.unread()
        tool = self._chosen(arguments)
        if self.plain is None or not self.plain(arguments):
            return tool
        return replace(tool, listing=replace(tool.listing, plain=True))

    def unread(self) -> "Tool":
        """Return the tool for arguments that were not read, or choose no action. `prepare` refuses
        it; if it did not, every rule on one of the actions would hold."""
        if self.action is None:
            return self
        listing = combine(self.listing, self.action.listings.values())
        more = [name for names in self.action.also.values() for name in names]
        listing = replace(listing, abilities=tuple(dict.fromkeys((*listing.abilities, *more))))
        return replace(self, listing=listing, unclear=True)

    def _chosen(self, arguments: Mapping[str, Any]) -> "Tool":
        action = self.action
        if action is None:
            return self
        name = action.choose(arguments)
        if name not in action.listings:
            return self.unread()
        listing = action.listings[name]
        more = [
            name
            for parameter, names in action.also.items()
            if arguments.get(parameter) is not None and arguments[parameter] is not False
            for name in names
        ]
        if more:
            listing = replace(listing, abilities=(*listing.abilities, *more))
        exclusive = self.exclusive and name not in action.shared
        return replace(self, listing=listing, exclusive=exclusive)

    def left_by(self, leaves: Callable[[Listing], bool], listed: Listing) -> Listing | None:
        """Return the listing with the actions that are left, or None."""
        action = self.action
        if action is None:
            return listed if leaves(self.listing) else None
        left = {name: each for name, each in action.listings.items() if leaves(each)}
        if not left:
            return None
        one = next(iter(left.values()))
        gone = [
            parameter
            for parameter, names in action.also.items()
            if not leaves(replace(one, abilities=names))
        ]
        if not gone and len(left) == len(action.listings):
            return listed
        schema = listed.input_schema
        properties = {name: each for name, each in schema["properties"].items() if name not in gone}
        if action.parameter is not None:
            properties[action.parameter] = {**properties[action.parameter], "enum": [*left]}
        hints = combine(listed, left.values())
        return replace(
            listed,
            read_only=hints.read_only,
            destructive=hints.destructive,
            idempotent=hints.idempotent,
            open_world=hints.open_world,
            input_schema={**schema, "properties": properties},
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
        abilities: Sequence[str] = (),
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool = False,
        open_world: bool = False,
        exclusive: bool | None = None,
        console: bool = False,
        replay: ReplayMode = ReplayMode.AS_RECORDED,
        actions: Callable[[Listing], Action] | None = None,
        destroys: Destroys | None = None,
        touches: Touches | None = None,
        about: About | None = None,
        plain: Plain | None = None,
        subject: Subject | None = None,
        of_fleet: bool = False,
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Declare the decorated function as a tool; the function itself stays as it is.

        A tool that is not read-only takes its turn at the phone, unless `exclusive` says otherwise.
        `secret_reply` has no default: each tool states what the audit record keeps.
        """

        def add(function: ToolFunction) -> ToolFunction:
            parameters, prepare = _read_signature(function)
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
                abilities=tuple(abilities),
                recording=AuditPolicy(
                    {each.name: each.secret for each in parameters if each.secret is not Secret.NO},
                    secret_reply,
                ),
            )
            action = None if actions is None else actions(listing)
            if action is not None:
                listing = combine(listing, action.listings.values())
                listing = replace(listing, abilities=(listing.name,))
            declared = Tool(
                listing,
                prepare,
                not read_only if exclusive is None else exclusive,
                console,
                replay,
                action,
                destroys=destroys,
                touches=touches,
                about=about,
                plain=plain,
                subject=subject,
                of_fleet=of_fleet,
                longest={
                    each.name: each.longest for each in parameters if each.longest is not None
                },
            )
            self.tools.append(declared)
            return function

        return add


def _read_signature(function: Callable[..., Awaitable[Reply]]) -> tuple[list[Parameter], Prepare]:
    """Return the parameters after the phone, and what puts arguments in their place."""
    hints = get_type_hints(function, include_extras=True)
    parameters = [
        declare(
            parameter.removesuffix("_"),
            hints[parameter],
            None if declared.default is inspect.Parameter.empty else declared.default,
            declared.default is inspect.Parameter.empty,
        )
        for parameter, declared in list(inspect.signature(function).parameters.items())[1:]
    ]
    # `from` and `with` are words of Python: the function calls them `from_` and `with_`.
    reserved = {name[:-1]: name for name in hints if name.endswith("_")}

    def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        values = read_arguments(parameters, arguments, besides)
        if reserved:
            values = {reserved.get(name, name): each for name, each in values.items()}
        return Prepared(function, values, asked_seconds(values))

    return parameters, prepare


def combine(listing: Listing, actions: Iterable[Listing]) -> Listing:
    """Return the listing that fits all these actions. What is secret in one of them is secret."""
    each = tuple(actions)
    secret = {name: kind for one in each for name, kind in one.recording.params.items()}
    return replace(
        listing,
        recording=AuditPolicy({**secret, **listing.recording.params}, listing.recording.reply),
        read_only=all(one.read_only for one in each),
        destructive=any(one.destructive for one in each),
        idempotent=all(one.idempotent for one in each),
        open_world=any(one.open_world for one in each),
        abilities=tuple(dict.fromkeys(name for one in each for name in one.abilities)),
    )


def _described(function: Callable[..., Any]) -> str:
    """The docstring with the lines of each paragraph joined."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def json_text(value: Any) -> str:
    """JSON inside a text reply: compact, in the order given, nothing escaped without need."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
