"""Makes the agent surface: its tools, with what they stand for on the main surface."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..access.phone_filter import PhonePool
from ..tools.agent.arguments import convert
from ..tools.agent.catalog import AGENT_CATALOG, DEVICE, OPTIONAL_AGENT_CATALOG
from ..tools.agent.data_tools import What
from ..tools.listing import FLEET_TOOLSET, OWNER_TOOLSETS, RECORDING_TOOLSET
from ..tools.parameter import Param, declare
from ..tools.schema import reduce_schema
from ..tools.tool import STEPS_TOOL, Run, Tool, Toolset
from .addressing import Addressing
from .agent_names import PHONE_PREFIX, AgentNames
from .kept_tools import KeptTools
from .local import LocalSurface
from .options import SurfaceOptions
from .protocols import AppToolSource
from .step_tools import READ, StepTools

if TYPE_CHECKING:
    from ..phone.phone import Phone

_WHAT = declare("what", Annotated[Literal[What, "saved"], Param("")], default=None, required=True)


def make_agent_surface(
    phones: PhonePool, options: SurfaceOptions, prefix: str = PHONE_PREFIX
) -> LocalSurface:
    """`options` are those of the main surface."""
    options = replace(
        options,
        slug="",
        bare=True,
        device=DEVICE,
        optional=OWNER_TOOLSETS | {RECORDING_TOOLSET},
        source=None if options.source is None else ReducedAppTools(options.source),
    )
    leases = options.leases is not None or options.fleet is not None
    catalog = agent_catalog(keeps=options.kept is not None, leases=leases)
    kept = None
    if options.kept is not None:
        kept = KeptTools(options.kept, Addressing(phones, options), options)
    steps = StepTools(options.policy, options.clock, kept, options.gate)
    return LocalSurface(catalog, phones, options, steps, AgentNames(agent_names(), prefix))


def agent_names() -> list[str]:
    every = (*AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG)
    return [*(tool.name for toolset in every for tool in toolset.tools), STEPS_TOOL]


@cache
def agent_catalog(*, keeps: bool = False, leases: bool = False) -> Sequence[Toolset]:
    """The tools for models. `keeps`: steps are kept. `leases`: phones can be leased."""
    found: list[Toolset] = []
    for toolset in (*AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG):
        if toolset.name == FLEET_TOOLSET and not leases:
            continue
        if keeps:
            own = Toolset(toolset.name)
            own.tools += map(_naming_saved, toolset.tools)
            toolset = own
        found.append(toolset)
    return tuple(found)


def _naming_saved(tool: Tool) -> Tool:
    """`phone_read`, which refuses an unknown `what` with a sentence that names `saved`, too."""
    if tool.name != READ:
        return tool

    def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        if _WHAT.name in arguments:
            _WHAT.check(_WHAT.read(arguments[_WHAT.name]))
        return tool.prepare(arguments, besides)

    return replace(tool, prepare=prepare)


class ReducedAppTools:
    """The tools of apps, with schemas that every model's client accepts and arguments taken as
    models send them."""

    def __init__(self, source: AppToolSource) -> None:
        self._source = source

    async def tools(self, phone: "Phone") -> Sequence[Tool]:
        return [_reduced(tool) for tool in await self._source.tools(phone)]

    async def find(self, phone: "Phone", name: str, called: str) -> Tool | None:
        tool = await self._source.find(phone, name, called)
        return None if tool is None else _reduced(tool)


def _reduced(tool: Tool) -> Tool:
    schema, prepare = tool.listing.input_schema, tool.prepare

    def prepare_converted(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        return prepare(convert(schema, arguments), besides)

    listing = replace(tool.listing, input_schema=reduce_schema(schema))
    return replace(tool, listing=listing, prepare=prepare_converted)
