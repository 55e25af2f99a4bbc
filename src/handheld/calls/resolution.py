"""Resolves a call: from the name that the client uses to a tool with its arguments in place, and a
phone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..access.phone_filter import PhonePool
from ..access.request_scope import RequestScope
from ..errors import InvalidParams, PermissionDenied, SeveralPhones, UnknownTool
from ..screen.characters import replace_surrogates
from ..settings.slug import tool_prefix
from ..tools.tool import APP_PREFIX, APP_TOOLSET, OTHER_DEVICE, Listing, Run, Tool, Toolset
from .addressing import Addressing, LeasedPhones
from .app_catalog import AppCatalog
from .call import Call
from .options import SurfaceOptions
from .tool_list import device_parameter

if TYPE_CHECKING:
    pass

UNLISTED = Listing("", "", "", {})
"""Stands for a tool that does not exist."""


class Resolver:
    def __init__(
        self,
        catalog: Sequence[Toolset],
        addressing: Addressing,
        apps: AppCatalog | None,
        options: SurfaceOptions,
    ) -> None:
        self._addressing = addressing
        self._apps = apps
        self._policy = options.policy
        self._prefix = tool_prefix(options.slug)
        self._device = options.device
        self._optional = options.optional
        self.tools: dict[str, Tool] = {}
        self._disabled: dict[str, Listing] = {}
        for tool in (tool for toolset in catalog for tool in toolset.tools):
            if tool.name in self.tools or tool.name in self._disabled:
                raise ValueError(f"Two tools are called {tool.name}.")
            if tool.left_by(self._allows, tool.listing) is not None:
                self.tools[tool.name] = tool
            else:
                # Its arguments are masked as if it were there.
                self._disabled[tool.name] = replace(UNLISTED, recording=tool.listing.recording)

    def find(self, name: str, prefix: str) -> tuple[str, Tool | None]:
        """The name without its prefix, empty where that is another, and the tool of that name; None
        for an app's tool, which depends on the phone, and for one that does not exist."""
        bare = name.removeprefix(prefix) if name.startswith(prefix) else ""
        return bare, self.tools.get(bare)

    def _allows(self, listing: Listing) -> bool:
        return self._policy.leaves(listing, self._prefix + listing.name)

    def _is_on(self, listing: Listing, scope: RequestScope) -> bool:
        """Whether every optional toolset that it needs is switched on: its own, and those of the
        tools that it does the work of."""
        toolsets = {listing.toolset, *map(listing.toolset_of, listing.abilities)}
        return not (toolsets & self._optional) - self._policy.on - scope.on

    def left(self, tool: Tool, listed: Listing, scope: RequestScope) -> Listing | None:
        """What is left of a listed tool in a request."""
        if not self._is_on(tool.listing, scope):
            return None
        return tool.left_by(lambda each: self._leaves(each, listed.name, scope), listed)

    def _leaves(self, listing: Listing, name: str, scope: RequestScope) -> bool:
        return self._is_on(listing, scope) and self._allows(listing) and scope.leaves(listing, name)

    def _is_left(self, name: str, tool: Tool, scope: RequestScope) -> bool:
        """Whether anything of the tool may be done in a request."""
        listings = (tool.listing,) if tool.action is None else tool.action.listings.values()
        return any(self._leaves(each, name, scope) for each in listings)

    def choose(
        self, name: str, tool: Tool, arguments: Mapping[str, Any], scope: RequestScope
    ) -> tuple[Tool, Mapping[str, Any]]:
        """Return the tool for the action that the arguments choose, and the arguments as it
        names them, which are not read where none of its actions is left."""
        if tool.normalise is not None:
            arguments = tool.normalise(arguments)  # the record masks them by their names
        if tool.action is None and tool.plain is None:
            return tool, arguments  # it is the same for all
        left = self._is_left(name, tool, scope)
        return tool.chosen(arguments) if left else tool.unread(), arguments

    def unlisted(self, bare: str) -> Listing:
        """What stands in the record for a tool that this surface does not have."""
        return self._disabled.get(bare, UNLISTED)

    def _check(self, name: str, tool: Tool, scope: RequestScope) -> None:
        """Raises UnknownTool, PermissionDenied."""

        if self._leaves(tool.listing, name, scope):
            return

        if not self._is_left(name, tool, scope):
            raise UnknownTool(replace_surrogates(name))
        off = [
            each
            for each in tool.listing.abilities
            if not self._leaves(replace(tool.listing, abilities=(each,)), name, scope)
        ]
        raise PermissionDenied(
            f"{name} may not do this here. Switched off: {', '.join(off)}. Nothing was done."
        )

    def _prepare(
        self,
        name: str,
        tool: Tool,
        arguments: Mapping[str, Any],
        scope: RequestScope,
        besides: Sequence[str] = (),
    ) -> Run:
        """Raises UnknownTool, ToolError."""
        try:
            self._check(name, tool, scope)
        except PermissionDenied:
            # What is no action at all is refused as such, with the actions that there are here.
            if tool.unclear and tool.action is not None:
                actions = tool.action.listings
                left = [
                    action
                    for action, listing in actions.items()
                    if self._leaves(listing, name, scope)
                ]
                try:
                    tool.prepare(arguments, besides)
                except InvalidParams as refused:
                    said = refused.message.replace(", ".join(actions), ", ".join(left))
                    raise InvalidParams(said) from None
            raise
        return tool.prepare(arguments, besides)

    def prepare_of_fleet(self, call: Call) -> None:
        """For a tool that is about all phones. Raises UnknownTool, ToolError."""
        call.run = self._prepare(call.name, call.tool, call.arguments, call.scope)

    async def resolve(self, call: Call) -> None:
        """Check the arguments and pick the phone. The tool was chosen by the arguments. Raises
        UnknownTool, ToolError."""
        name, tool, arguments, scope = call.name, call.tool, call.arguments, call.scope
        if self._addressing.takes_device(scope):
            device = self._device.name
            run = self._prepare(name, tool, _without(device, arguments), scope, (device,))
            ref = self._requested(arguments, device)
        else:
            run = self._prepare(name, tool, arguments, scope)
            ref = scope.phone
        await self._pick(call, ref)
        call.run = run
        if tool.normalise is not None:
            # It ignores what it does not declare, and nothing is judged by what is ignored.
            declared = tool.listing.input_schema["properties"]
            call.arguments = {key: each for key, each in arguments.items() if key in declared}

    async def _pick(self, call: Call, ref: str | None) -> PhonePool:
        """Return the phones that it was picked from. Raises ToolError."""
        phones = self._addressing.phones_for(call.scope, call.caller)
        try:
            call.phone = await phones.pick(ref)
        except SeveralPhones as several:
            raise SeveralPhones(several.listed, self._device.name) from None
        if isinstance(phones, LeasedPhones):
            call.lease = phones.lease
        return phones

    async def resolve_app_tool(self, call: Call) -> None:
        """Pick the phone, find its app's tool and check the arguments. Raises
        UnknownTool, ToolError."""
        name, bare, arguments = call.name, call.bare, call.arguments
        scope = call.scope
        allowed = scope.within(self._policy)
        # A caller who may not use the tools of apps does not learn which apps there are.
        sample = replace(UNLISTED, name=bare, toolset=APP_TOOLSET)
        if (
            self._apps is None
            or not bare.startswith(APP_PREFIX)
            or not allowed.leaves(sample, name)
        ):
            raise UnknownTool(replace_surrogates(name))
        device, ref = "", scope.phone
        if self._addressing.takes_device(scope):
            device = OTHER_DEVICE if OTHER_DEVICE in arguments else self._device.name
            ref = self._requested(arguments, device)
        phones = await self._pick(call, ref)
        tool = await self._apps.find(phones, call.phone, bare, name)
        if tool is None or not allowed.leaves(tool.listing, name):
            raise UnknownTool(replace_surrogates(name))
        call.tool = tool
        call.run = self._prepare_app_tool(tool, arguments, device)

    def _prepare_app_tool(self, tool: Tool, arguments: Mapping[str, Any], device: str) -> Run:
        """`device` is the parameter by which the caller may have chosen the phone; "" where there
        is none. Raises InvalidParams."""
        if not device:
            return tool.prepare(arguments)
        expected = device_parameter(tool.listing, self._device)
        if device in arguments and device != expected:
            raise InvalidParams(
                f"Choose the phone with the parameter '{expected}' here, not with '{device}'."
            )
        return tool.prepare(_without(device, arguments), (expected,))

    def _requested(self, arguments: Mapping[str, Any], device: str) -> str | None:
        """The phone that the caller chose by the parameter `device`. Raises InvalidParams."""
        value = arguments.get(device)
        return None if value is None else self._device.read(value)


def _without(parameter: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != parameter}
