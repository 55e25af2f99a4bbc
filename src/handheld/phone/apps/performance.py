"""An app's use of the phone's resources, and notes on what could not be measured."""

from typing import TYPE_CHECKING, NamedTuple

from ...driver.diagnostics import Frames, Performance
from ...errors import ActionFailed
from ...screen.characters import plain
from ...screen.text import cut
from .package_names import check_package

if TYPE_CHECKING:
    from ..phone import Phone


class Measured(NamedTuple):
    used: Performance
    memory: int | None
    """Kilobytes, of all its processes."""
    cpu: float | None
    """Percent of one core, of all its processes."""
    frames: Frames | None
    """Frames of the drawing process; None if no process has drawn with Android's toolkit."""
    notes: tuple[str, ...]


async def measure(phone: "Phone", package: str) -> Measured:
    """Raises ActionFailed if it does not run."""
    check_package(package)
    used = await phone.driver.performance(package)
    # Apps that share a uid may share a process, which is named after one of them.
    told = [each for each in used.processes if not phone.hides(each.name.partition(":")[0])]
    used = used._replace(processes=tuple(told))
    if not used.processes:
        raise ActionFailed(f"{package} is not running: there is nothing to measure.")
    return summarise(package, used)


def summarise(package: str, used: Performance) -> Measured:
    notes: list[str] = []
    totals = [each.memory.total if each.memory is not None else None for each in used.processes]
    memory = sum(total for total in totals if total is not None) if any(totals) else None
    if untold := [
        each.name for each, total in zip(used.processes, totals, strict=True) if not total
    ]:
        notes.append(f"Android did not report the memory of {cut(plain(', '.join(untold)), 300)}.")
    shares = [each.cpu for each in used.processes if each.cpu is not None]
    if not shares and used.cpu is not None:
        notes.append(
            f"{package} is not among the processes that used the CPU between {used.cpu.began} and"
            f" {used.cpu.ended}."
        )
    elif used.cpu is None:
        notes.append("Android did not report the CPU use.")
    told = [each.frames for each in used.processes if each.frames is not None]
    frames = max(told, key=lambda each: each.rendered, default=None)
    if frames is None:
        notes.append("Android did not report its frames.")
    elif not frames.rendered:
        frames = None
        notes.append(
            f"{package} has drawn no frame with Android's toolkit: apps that draw by themselves, "
            "such"
            " as games and videos, are not measured."
        )
    if used.start is None:
        notes.append("The log does not contain the duration of its last start.")
    cpu = round(sum(shares), 1) if shares else None
    return Measured(used, memory, cpu, frames, tuple(notes))
