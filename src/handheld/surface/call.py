"""One call on its way through the stages of a surface."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..audit import Record
from ..clock import SYSTEM_CLOCK, Clock
from ..toolkit.call import Caller
from ..toolkit.tool import Item, Run, Tool
from .running_call import RunningCall

if TYPE_CHECKING:
    from ..phone import Phone
    from ..phone.lease import Lease, Use

Apps = tuple[str, ...]


class Call:
    """What is known of a call. Each of the stages adds to it: `STAGES` in `local.py`."""

    tool: Tool
    """An app's is known once the phone is."""
    phone: "Phone"
    run: Run

    def __init__(
        self,
        name: str,
        tool: Tool | None,
        record: Record,
        tool_filter: ToolFilter = EVERYTHING,
        clock: Clock = SYSTEM_CLOCK,
        *,
        bare: str = "",
    ) -> None:
        self.name = name
        """The tool's, as the client uses it."""
        self.bare = bare
        """The same without the prefix of the surface; empty where it has another."""
        self.of_app = tool is None
        """The tool is an app's, or there is none."""
        if tool is not None:
            self.tool = tool
        self.record = record
        self.tool_filter = tool_filter
        self.arguments: Mapping[str, Any] = record.call.arguments
        self.strict = False
        """The reply has nothing but what is documented."""
        self.running = RunningCall(record, name, clock)
        self.ends = ExitStack()
        """What is given back when the call ends."""
        self.lease: Lease | None = None
        """The one by which the phone was found."""
        self.use: Use | None = None
        """Of the phone, while the call runs, if it can be leased."""
        self.of_steps = False
        """It makes further calls, one for each step."""
        self.do_steps: Callable[[], Awaitable[Sequence[Item]]] | None = None
        """Makes them, once they were checked."""
        self.apps: Apps | None = None
        """On the screen when the call was admitted; None if they make no difference."""
        self.reply: list[Item] = []

    @property
    def asked_seconds(self) -> float:
        """How long its arguments ask it to last."""
        return getattr(self.run, "seconds", 0.0)

    @property
    def caller(self) -> Caller:
        return self.record.call.caller
