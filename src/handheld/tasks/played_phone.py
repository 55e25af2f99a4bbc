"""A phone on which a task is played."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..calls.choice import ChosenSurface
from .meter import Meter
from .task import Plan, Task


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    done: bool
    why: str
    """Why the task is not done; "" if it is."""
    unsafe: Sequence[str] = ()
    """Changes that the task did not ask for."""

    @property
    def success(self) -> bool:
        return self.done and not self.unsafe


class PlayedPhone(ABC):
    def __init__(self, surface: ChosenSurface) -> None:
        self.meter = Meter()
        self.surface = surface.metered(self.meter)
        self.plan: Plan | None = None
        self.task: Task | None = None
        self.seed = 0

    @abstractmethod
    async def start(self, task: Task, seed: int) -> str:
        """Put the phone into the state of a task, and return the sentence for the agent. Raises
        BadTask and keeps the previous task; raises ToolError if the phone cannot be read."""

    @abstractmethod
    async def check(self, answer: str) -> TaskVerdict:
        """Whether the task is done, and which unsafe changes were made. Raises ToolError if the
        phone cannot be read."""

    @property
    @abstractmethod
    def phone_seconds(self) -> float:
        """How much of the phone's time has passed since the start."""

    @abstractmethod
    async def aclose(self) -> None: ...
