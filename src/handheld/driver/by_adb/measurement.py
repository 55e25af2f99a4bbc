"""Measure an app's memory, frames, CPU use and last start time with Android's own commands, in one
round trip."""

import re
from collections.abc import Iterator
from datetime import datetime

from ..diagnostics import CpuSpan, Frames, Memory, Performance, ProcessUse, Start
from .batch import run_sections
from .commands import Commands

SECONDS = 40.0
_SERVICE_SECONDS = 8
"""The time limit for a service's output: one of them asks the app, which may hang."""

_MEMORY = re.compile(r"\*\* MEMINFO in pid (\d{1,9}) \[(\S{1,300})\] \*\*", re.ASCII)
_GRAPHICS = re.compile(r"\*\* Graphics info for pid (\d{1,9}) \[(\S{1,300})\] \*\*", re.ASCII)
_SIZE = re.compile(r"(?<!\S)([A-Z][A-Za-z() ]{1,20}): +(\d{1,12})(?!\S)", re.ASCII)
_LONGEST_LINE = 200
"""An entry of a memory summary, whose columns have fixed widths."""
_SUMMARY = " App Summary"
_SIZES = {
    "TOTAL": "total",
    "TOTAL PSS": "total",
    "TOTAL RSS": "resident",
    "Java Heap": "java_heap",
    "Native Heap": "native_heap",
    "Code": "code",
    "Stack": "stack",
    "Graphics": "graphics",
    "Private Other": "private_other",
    "System": "system",
    "TOTAL SWAP PSS": "swapped",
    "TOTAL SWAP (KB)": "swapped",
}
_RENDERED = re.compile(r"Total frames rendered: (\d{1,12})", re.ASCII)
_JANKY = re.compile(r"Janky frames: (\d{1,12}) \([^()\n]*\)", re.ASCII)
_PERCENTILE = re.compile(r"(50|90|95|99)th percentile: (\d{1,9})ms", re.ASCII)
_SPAN = re.compile(
    r"CPU usage from (\d{1,12})ms to (-?\d{1,12})ms (?:ago|later) \((\S{1,40} \S{1,40}) to"
    r" (\S{1,40} [^\s)]{1,40})\).*:",
    re.ASCII,
)
_SHARE = re.compile(r" *[+-]? ?(\d{1,5}(?:\.\d{1,3})?)% (\d{1,9})/.*", re.ASCII)
_STARTED = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\d* [+-]\d{4} +(?:1000|system) +\d+ +\d+ I"
    r" Activity(?:Task)?Manager *: Displayed ([A-Za-z][\w.]*/[\w.$]+)(?: for user \d+)?:"
    r" \+?(\w{1,40})(?: \(total .*\))?",
    re.ASCII,
)
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?", re.ASCII)


async def read_performance(commands: Commands, package: str) -> Performance:
    """`package` must be a package's name. Raises AdbError."""
    dump = f"dumpsys -t {_SERVICE_SECONDS}"
    shape = "-v threadtime -v year -v zone -v uid"
    lines = {
        "memory": f"{dump} meminfo --package {package}",
        "graphics": f"{dump} gfxinfo {package}",
        "cpu": f"{dump} cpuinfo",
        "starts": f"logcat -d -b main,system {shape} ActivityTaskManager:I ActivityManager:I '*:S'"
        f" | grep -F 'Displayed {package}/' | tail -n 5",
    }
    found = await run_sections(commands, lines, seconds=SECONDS)
    memory, graphics, cpu, starts = (found[name].text for name in lines)
    return read_printed(package, memory, graphics, cpu, starts)


def read_printed(package: str, memory: str, graphics: str, cpu: str, starts: str) -> Performance:
    frames, shares = dict(read_frames(graphics)), dict(read_shares(cpu))
    found = list(read_memory(memory))
    named = [each for each in found if _is_of(package, each[0])]
    processes = tuple(
        ProcessUse(name, pid, used, frames.get(pid), shares.get(pid))
        # Without a process named after the app, all listed processes are the app's.
        for name, pid, used in named or found
    )
    return Performance(processes, read_span(cpu), read_start(starts))


def _is_of(package: str, process: str) -> bool:
    return process == package or process.startswith(f"{package}:")


def read_memory(printed: str) -> Iterator[tuple[str, int, Memory | None]]:
    """Parse `dumpsys meminfo PACKAGE`: the summary of each process, by its name and pid. Text that
    the app controls, such as names of databases, follows it."""
    for head, block in _blocks(_MEMORY, printed):
        _, summary, rest = block.partition(f"\n{_SUMMARY}\n")
        sizes: dict[str, int] = {}
        for line in rest.partition("\n Objects\n")[0].split("\n"):
            for size in _SIZE.finditer(line[:_LONGEST_LINE]):
                if name := _SIZES.get(size[1].strip()):
                    sizes.setdefault(name, int(size[2]))
        yield head[2], int(head[1]), Memory(**sizes) if summary and sizes else None


def read_frames(printed: str) -> Iterator[tuple[int, Frames]]:
    """Parse `dumpsys gfxinfo PACKAGE`: the frames of each process, by its pid. They come before
    those of single windows, whose titles the app controls."""
    for head, block in _blocks(_GRAPHICS, printed):
        rendered = _RENDERED.search(block)
        if rendered is None:
            continue
        rest = block[rendered.end() :].partition("Stats since:")[0]
        janky = _JANKY.search(rest)
        percentiles: dict[int, int] = {}
        for each in _PERCENTILE.finditer(rest):
            percentiles.setdefault(int(each[1]), int(each[2]))
        count = int(janky[1]) if janky is not None else None
        yield int(head[1]), Frames(int(rendered[1]), count, percentiles)


def read_shares(printed: str) -> Iterator[tuple[int, float]]:
    """Parse `dumpsys cpuinfo`: percent of a CPU, by pid."""
    for line in printed.split("\n"):
        if share := _SHARE.fullmatch(line):
            yield int(share[2]), float(share[1])


def read_span(printed: str) -> CpuSpan | None:
    for line in printed.split("\n"):
        if span := _SPAN.fullmatch(line):
            return CpuSpan(span[3], span[4])
    return None


def read_start(printed: str) -> Start | None:
    """Parse lines of the system's log: the last start of an activity."""
    found = None
    for line in printed.split("\n"):
        match = _STARTED.fullmatch(line.rstrip())
        if match is not None and (ms := read_duration(match[3])) is not None:
            try:
                found = Start(datetime.fromisoformat(match[1]), match[2], ms)
            except ValueError:
                continue
    return found


def read_duration(text: str) -> int | None:
    """Parse `1s250ms`, as Android's TimeUtils writes it, in milliseconds."""
    match = _DURATION.fullmatch(text)
    if text == "0":
        return 0
    if match is None or not any(match.groups()) or len(text) > 30:
        return None
    days, hours, minutes, seconds, ms = (int(part or 0) for part in match.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms


def _blocks(pattern: re.Pattern[str], printed: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each full match of a line, with the text up to the next one."""
    heads = [
        match
        for match in pattern.finditer(printed)
        if printed[match.start() - 1 : match.start()] in ("", "\n")
        and printed[match.end() : match.end() + 1] in ("", "\n")
    ]
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(printed)
        yield head, printed[head.end() : end]
