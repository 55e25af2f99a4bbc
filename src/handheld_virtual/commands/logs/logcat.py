"""`logcat`: prints the phone's log in the requested format."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...system.logs import BUFFERS, CAPACITY, DEFAULT_BUFFERS, MESSAGE_LIMIT, LogEntry
from ..call import CommandCall, Usage
from ..text.expressions import BadExpression
from .log_lines import FORMATS, MODIFIERS, binary, payload
from .log_options import LogOptions, parse_log_options

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
        options = parse_log_options(call.arguments, world.android)
        for warning in options.warnings:
            await call.process.stderr.write(f"WARNING: {warning}\n".encode(errors="replace"))
        world.settle()
        buffers = options.buffers or list(DEFAULT_BUFFERS)
        match options.operation:
            case "help":
                text = _HELP.format(uid=_UID_HELP if world.android.logcat_uid else "")
                await call.process.stderr.write(text.encode())
            case "clear":
                world.logs.clear(buffers)
            case "size":
                await _write_sizes(call, buffers)
            case _:
                await _Printing(call, options, buffers).run()
    except BadExpression as problem:
        raise Usage(str(problem)) from None


class _Printing:
    def __init__(self, call: CommandCall, options: LogOptions, buffers: list[str]) -> None:
        self._call = call
        self._options = options
        self._buffers = buffers
        self._begun: set[str] = set()
        self._current = ""
        self._count = 0
        android = call.phone.world.android
        self._announces = not options.binary and (android.logcat_single_buffer or len(buffers) > 1)
        self._announces_all = not android.logcat_announces_printed
        """Whether each buffer is announced when it is read, even if nothing is printed, as up to
        Android 13."""

    async def run(self) -> None:
        options, logs = self._options, self._call.phone.world.logs
        entries, last = self._read(0)
        # As in logd, the last entries are counted before filtering by priority and tag.
        if options.last is not None:
            entries = entries[max(0, len(entries) - options.last) :]
        if options.since is not None:
            start = next((n for n, e in enumerate(entries) if options.since(e.time)), len(entries))
            entries = entries[start:]
        while await self._print(entries) and options.follow:
            await logs.wait(last)
            entries, last = self._read(last)

    def _read(self, after: int) -> tuple[list[LogEntry], int]:
        """The entries of the selected processes, with times in the current zone, and the number of
        the last entry."""
        world, options = self._call.phone.world, self._options
        entries = [
            replace(entry, time=entry.time.astimezone(world.wall.zone))
            for entry in world.logs.read(self._buffers, after)
            if options.pid in (None, entry.pid)
            and (options.uids is None or entry.uid in options.uids)
        ]
        return entries, world.logs.count

    async def _print(self, entries: Iterable[LogEntry]) -> bool:
        """Print entries; return whether to continue."""
        options, stdout = self._options, self._call.process.stdout
        for entry in entries:
            if options.binary:
                await stdout.write(binary(entry))
                continue
            if self._announces_all:
                await self._announce(entry.buffer)
            if not options.wants(entry):
                continue
            matches = options.matches(entry)
            self._count += matches
            if matches or options.print_all:
                await self._announce(entry.buffer)
                await stdout.write(options.shape.text(entry).encode(errors="replace"))
            if self._count == options.most:
                return False
        return True

    async def _announce(self, buffer: str) -> None:
        begun = buffer in self._begun
        if self._announces and buffer != self._current and (not begun or self._options.dividers):
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
