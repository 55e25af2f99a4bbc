"""The programs that run on the phone, by pid and name."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

LIMIT = 4096
SIGKILL = 9
SIGTERM = 15


@dataclass(slots=True, eq=False)
class Running:
    pid: int
    name: str
    task: asyncio.Task[int]
    signal: int = 0
    """The signal that terminated it, if any."""
    writes_elsewhere: bool = False
    """For a shell's job: whether it continues after the shell has exited."""
    within: "asyncio.Task[Any] | None" = None
    """The task that waits for it: that of a shell or of a shell's job."""
    is_program: bool = False
    """For a shell's job: whether it is a single program, which then has the job's pid."""
    catches: Mapping[int, Callable[[], object]] = field(
        default_factory=dict[int, Callable[[], object]]
    )
    """The signals that do not terminate it, with their handlers."""

    @property
    def code(self) -> int:
        """The exit code of a program that has exited."""
        return 128 + self.signal if self.task.cancelled() else self.task.result()


class Processes:
    """Starts programs and can terminate them."""

    def __init__(self, new_pid: Callable[[], int]) -> None:
        self._running: dict[int, Running] = {}
        self._new_pid = new_pid
        self.shells: set[int] = set()
        """The pids of running shells: they end with their streams, not by a signal."""

    def enter_shell(self) -> int:
        self.shells.add(pid := self._new_pid())
        return pid

    def leave_shell(self, pid: int) -> None:
        self.shells.discard(pid)

    def all(self) -> list[Running]:
        return list(self._running.values())

    def find(self, name: str) -> list[Running]:
        return [running for running in self._running.values() if running.name == name]

    def start(self, name: str, work: Coroutine[Any, Any, int]) -> Running:
        """Start a program in the background. Raises BlockingIOError if too many run."""
        if len(self._running) >= LIMIT:
            work.close()
            raise BlockingIOError(11, "Try again")
        pid = self._new_pid()
        task = asyncio.get_running_loop().create_task(work)
        running = self._running[pid] = Running(pid, name, task)
        task.add_done_callback(lambda _: self._running.pop(pid, None))
        return running

    async def run(self, name: str, work: Coroutine[Any, Any, int]) -> int:
        """Run a program to its end; return its exit code, or 128 plus the signal that terminated
        it."""
        running = self.start(name, work)
        running.within = asyncio.current_task()
        try:
            return await running.task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if running.signal and own is not None and not own.cancelling():
                return 128 + running.signal
            raise
        finally:
            self._running.pop(running.pid, None)

    async def aclose(self) -> None:
        """Terminate all programs."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def kill(self, which: str | int, signal: int = SIGKILL) -> int:
        """Kill programs by name or pid; return how many there were."""
        found = [r for r in self._running.values() if which in (r.pid, r.name)]
        for running in found:
            caught = self._program_of(running).catches.get(signal)
            if caught is not None and signal != SIGKILL:
                caught()
                continue
            running.signal = signal
            running.task.cancel()
        return len(found)

    def _program_of(self, job: Running) -> Running:
        if not job.is_program:
            return job
        return next((r for r in self._running.values() if r.within is job.task), job)

    def catch(self, signals: Collection[int], handle: Callable[[], object]) -> None:
        """Install a handler for signals, which then do not terminate the calling program."""
        own = asyncio.current_task()
        for running in self._running.values():
            if running.task is own:
                running.catches = {**running.catches, **dict.fromkeys(signals, handle)}
