"""`logcat`: what the phone's log holds, in the formats that are asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..system.logs import BUFFERS, CAPACITY, DEFAULT_BUFFERS, MESSAGE_LIMIT, LogEntry
from .call import CommandCall, Usage
from .expressions import BadExpression
from .log_lines import FORMATS, MODIFIERS, binary, payload
from .log_wish import Wish, read_wish

_HELP = f"""\
Usage: logcat [options] [filterspecs]

General options:
  -b, --buffer=<buffer>       Request alternate ring buffers:
                                {" ".join(BUFFERS)} all default
  -c, --clear                 Clear (flush) the entire log and exit.
  -d                          Dump the log and then exit (don't block).
  --pid=<pid>                 Only print logs from the given pid.
{{uid}}
Formatting:
  -v, --format=<format>       One of: {" ".join(FORMATS)}
                              Modifiers: {" ".join(MODIFIERS)}
  -D, --dividers              Print dividers between each log buffer.
  -B, --binary                Output the log in binary.

Logd control:
  -g, --buffer-size           Get the size of the ring buffers within logd.

Filtering:
  -s                          Set default filter to silent. Equivalent to filterspec '*:S'
  -e, --regex=<expr>          Only print lines where the log message matches <expr>.
  -m, --max-count=<count>     Quit after printing <count> lines.
  --print                     With --regex and --max-count: print all, count what matches.
  -t <count>, -t '<time>'     Print only the most recent lines (implies -d).
  -T <count>, -T '<time>'     Print only the most recent lines (does not imply -d).
"""
_UID_HELP = "  --uid=<uids>                Only print logs from these uids, comma separated.\n"


async def logcat(call: CommandCall) -> None:
    world = call.phone.world
    try:
        wish = read_wish(call.arguments, world.android)
        for warning in wish.warnings:
            await call.process.stderr.write(f"WARNING: {warning}\n".encode(errors="replace"))
        world.settle()
        buffers = wish.buffers or list(DEFAULT_BUFFERS)
        match wish.operation:
            case "help":
                text = _HELP.format(uid=_UID_HELP if world.android.logcat_uid else "")
                await call.process.stderr.write(text.encode())
            case "clear":
                world.logs.clear(buffers)
            case "size":
                await _write_sizes(call, buffers)
            case _:
                await _Printing(call, wish, buffers).run()
    except BadExpression as problem:
        raise Usage(str(problem)) from None


class _Printing:
    def __init__(self, call: CommandCall, wish: Wish, buffers: list[str]) -> None:
        self._call = call
        self._wish = wish
        self._buffers = buffers
        self._begun: set[str] = set()
        self._current = ""
        self._count = 0
        android = call.phone.world.android
        self._announces = not wish.binary and (android.logcat_single_buffer or len(buffers) > 1)
        self._announces_all = not android.logcat_announces_printed
        """Until Android 13 a buffer is announced when it is read, even if nothing is printed."""

    async def run(self) -> None:
        wish, logs = self._wish, self._call.phone.world.logs
        entries, last = self._read(0)
        # As logd does it: the last entries are counted before levels and tags are looked at.
        if wish.last is not None:
            entries = entries[max(0, len(entries) - wish.last) :]
        if wish.since is not None:
            start = next((n for n, e in enumerate(entries) if wish.since(e.time)), len(entries))
            entries = entries[start:]
        while await self._print(entries) and wish.follow:
            await logs.wait(last)
            entries, last = self._read(last)

    def _read(self, after: int) -> tuple[list[LogEntry], int]:
        """Entries of the wanted processes, with times in the zone that the phone has now; and the
        number of the last that was there."""
        world, wish = self._call.phone.world, self._wish
        entries = [
            replace(entry, time=entry.time.astimezone(world.wall.zone))
            for entry in world.logs.read(self._buffers, after)
            if wish.pid in (None, entry.pid) and (wish.uids is None or entry.uid in wish.uids)
        ]
        return entries, world.logs.count

    async def _print(self, entries: Iterable[LogEntry]) -> bool:
        """Whether more is wanted."""
        wish, stdout = self._wish, self._call.process.stdout
        for entry in entries:
            if wish.binary:
                await stdout.write(binary(entry))
                continue
            if self._announces_all:
                await self._announce(entry.buffer)
            if not wish.wants(entry):
                continue
            matches = wish.matches(entry)
            self._count += matches
            if matches or wish.print_all:
                await self._announce(entry.buffer)
                await stdout.write(wish.shape.text(entry).encode(errors="replace"))
            if self._count == wish.most:
                return False
        return True

    async def _announce(self, buffer: str) -> None:
        begun = buffer in self._begun
        if self._announces and buffer != self._current and (not begun or self._wish.dividers):
            words = "switch to" if begun else "beginning of"
            await self._call.write(f"--------- {words} {buffer}\n")
        self._begun.add(buffer)
        self._current = buffer


async def _write_sizes(call: CommandCall, buffers: list[str]) -> None:
    world = call.phone.world
    units = (" B", " KiB", " MiB") if world.android.logcat_size_units else ("b", "Kb", "Mb")
    for name in dict.fromkeys(buffers):
        used = _size(sum(len(payload(entry)) for entry in world.logs.read([name])), units)
        readable = f", {used} readable" if world.android.logcat_readable else ""
        await call.write(
            f"{name}: ring buffer is {_size(CAPACITY * MESSAGE_LIMIT, units)}"
            f" ({used} consumed{readable}), max entry is {_size(5120, units[:1])},"
            f" max payload is {_size(4068, units[:1])}\n"
        )


def _size(value: int, units: Sequence[str]) -> str:
    at = 0
    while at < len(units) - 1 and value >= 1024:
        value, at = value // 1024, at + 1
    return f"{value}{units[at]}"
