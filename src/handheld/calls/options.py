"""How a local surface is set up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..access.request_scope import EVERYTHING, RequestScope
from ..access.takeover import Takeover
from ..audit import Recorder
from ..clock import SYSTEM_CLOCK, Clock
from ..phone.leases.fleet import Fleet
from ..phone.leases.leases import Leases
from ..tools.call import Caller
from ..tools.listing import OPTIONAL_TOOLSETS
from ..tools.parameter import Parameter
from ..tools.steps import StepsFile
from .protocols import Approver, AppToolSource
from .tool_list import DEVICE

if TYPE_CHECKING:
    from .fleet import Reset

MakeFleet = Callable[[Caller, RequestScope], Fleet]
"""Makes what the tools of the fleet use, for one call."""


@dataclass(frozen=True, slots=True)
class SurfaceOptions:
    slug: str = ""
    """The slug of the only phone; it becomes part of the tool names."""
    several: bool = False
    """Several phones are served together: every tool takes a parameter that chooses one."""
    bare: bool = False
    """Tool names have no prefix, on any phone."""
    device: Parameter = DEVICE
    """The parameter that chooses the phone where several are served together."""
    instructions: str | None = None
    """What the surface says of itself and its phones, instead of what the main surface says; empty
    where it says nothing."""
    policy: RequestScope = EVERYTHING
    """Tools that it excludes do not exist on this surface."""
    optional: frozenset[str] = OPTIONAL_TOOLSETS
    """The toolsets whose tools are not there unless they are switched on."""
    source: AppToolSource | None = None
    recorder: Recorder | None = None
    gate: Approver | None = None
    """Asked about each call before it runs."""
    takeover: Takeover | None = None
    """The phones that the person has taken over; None where nobody can."""
    clock: Clock = SYSTEM_CLOCK
    leases: Leases | None = None
    """Of the phones; None where nobody can take one."""
    fleet: MakeFleet | None = None
    """Where phones are leased that are not of this process."""
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Of phones, by slug or serial."""
    reset: "Reset | None" = None
    """Cleans a phone up after a lease."""
    kept: StepsFile | None = None
    """The steps that clients keep; None where they keep none."""
