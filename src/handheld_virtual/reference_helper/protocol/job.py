"""Open calls, and the jobs that run their commands."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import THEN_READ_MS, Code, Happened, Then

from .command import Command

if TYPE_CHECKING:
    from .calls import HelperCalls


class HelperCall:
    """A call without an answer yet."""

    __slots__ = ("arguments", "command", "deadline", "job", "number", "then", "timer", "wake")

    def __init__(
        self,
        number: int,
        command: Command,
        arguments: dict[str, Any],
        deadline: float,
        wake: bool | None = None,
        then: Then | None = None,
    ) -> None:
        """`wake`: whether to switch on a screen that is off; None for a command that does not need
        the screen on."""
        self.number = number
        self.command = command
        self.arguments = arguments
        self.deadline = deadline
        self.wake = wake
        self.then = then
        self.job: Job | None = None
        """None while the call waits."""
        self.timer: asyncio.Task[None] | None = None


class Job:
    """A running command, for one call or for several equal reads."""

    __slots__ = (
        "_owner",
        "began",
        "calls",
        "conditions",
        "data",
        "happened",
        "stopped",
        "task",
    )

    def __init__(self, owner: "HelperCalls", calls: list[HelperCall]) -> None:
        self._owner = owner
        self.calls = calls
        self.began = False
        self.happened = Happened.NO
        """The answer's `happened` if the job is stopped now."""
        self.data: dict[str, Any] = {}
        """The answer's `data` if the job is stopped now."""
        self.conditions: dict[str, bool] = {}
        """The conditions of the action: `woken`, `dark`, `locked`, each only if true."""
        self.stopped: Code | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def killed(self) -> bool:
        """Whether the process was killed, after which it must do nothing."""
        return self._owner.killed

    @property
    def arguments(self) -> dict[str, Any]:
        return self.calls[0].arguments

    @property
    def then(self) -> Then | None:
        return self.calls[0].then

    @property
    def act_until(self) -> float:
        """The end of the budget, less the time reserved for `then`."""
        kept = 0 if self.then is None else self.then.most_ms + THEN_READ_MS
        return self.calls[0].deadline - kept

    async def wait(self, waiting: Coroutine[Any, Any, Any]) -> Any:
        """Wait for a coroutine on the phone, until the calls' budgets are used up."""
        for call in self.calls:
            self._owner.watch_budget(call)
        return await waiting
