"""The programs that run on the phone now, by number and name."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
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
    """What ended it, if something did."""
    writes_elsewhere: bool = False
    """Of a shell's job: whether it goes on when the shell has ended."""

    @property
    def code(self) -> int:
        """Of one that has ended."""
        return 128 + self.signal if self.task.cancelled() else self.task.result()


class Processes:
    """Starts programs and can end them."""

    def __init__(self, new_pid: Callable[[], int]) -> None:
        self._running: dict[int, Running] = {}
        self._new_pid = new_pid
        self.shells: set[int] = set()
        """The numbers of those that run: they end with their streams, not by a signal."""

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
        """Let it run beside its caller. Raises BlockingIOError when too many do."""
        if len(self._running) >= LIMIT:
            work.close()
            raise BlockingIOError(11, "Try again")
        pid = self._new_pid()
        task = asyncio.get_running_loop().create_task(work)
        running = self._running[pid] = Running(pid, name, task)
        task.add_done_callback(lambda _: self._running.pop(pid, None))
        return running

    async def run(self, name: str, work: Coroutine[Any, Any, int]) -> int:
        """Run it to its end; its exit code, or 128 and the signal that ended it."""
        running = self.start(name, work)
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
        """End all that runs."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def kill(self, which: str | int, signal: int = SIGKILL) -> int:
        """End programs by name or number; how many there were."""
        found = [r for r in self._running.values() if which in (r.pid, r.name)]
        for running in found:
            running.signal = signal
            running.task.cancel()
        return len(found)
