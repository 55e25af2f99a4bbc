"""How a local surface is set up."""

from dataclasses import dataclass

from ..access.takeover import Takeover
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..audit import Recorder
from ..clock import SYSTEM_CLOCK, Clock
from ..kept import StepsFile
from ..toolkit.parameter import Parameter
from .protocols import Approver, AppToolSource
from .tool_list import DEVICE


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
    policy: ToolFilter = EVERYTHING
    """Tools that it excludes do not exist on this surface."""
    source: AppToolSource | None = None
    recorder: Recorder | None = None
    gate: Approver | None = None
    """Asked about each call before it runs."""
    takeover: Takeover | None = None
    """The phones that the person has taken over; None where nobody can."""
    clock: Clock = SYSTEM_CLOCK
    kept: StepsFile | None = None
    """The steps that clients keep; None where they keep none."""
