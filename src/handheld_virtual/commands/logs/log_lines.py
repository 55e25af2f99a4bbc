"""Log entries as logcat prints them: formats, modifiers, and the binary form."""

import struct
from dataclasses import dataclass, field
from datetime import UTC

from ...system.logs import BUFFERS, LEVELS, LogEntry

FORMATS = ("brief", "long", "process", "raw", "tag", "thread", "threadtime", "time")
MODIFIERS = ("color", "descriptive", "epoch", "printable", "uid", "usec", "UTC", "year", "zone")
_NAMES = {0: " root", 2000: "shell"}
"""Users whose names are short enough to replace their numbers."""
_COLORS = dict(zip(LEVELS, (231, 75, 40, 166, 196, 196), strict=True))
_VERBOSE = 2
"""Android's number of the lowest priority."""


@dataclass(slots=True)
class Shape:
    """The options of `-v`."""

    format: str = "threadtime"
    modifiers: set[str] = field(default_factory=set[str])

    def text(self, entry: LogEntry) -> str:
        before, after = self._around(entry)
        if "color" in self.modifiers:
            before, after = f"\x1b[38;5;{_COLORS[entry.level]}m{before}", f"\x1b[0m{after}"
        message = entry.message.removesuffix("\n")
        lines = [message] if self.format == "long" else message.split("\n")
        return "".join(f"{before}{line}{after}\n" for line in lines)

    def _around(self, entry: LogEntry) -> tuple[str, str]:
        """The text before and after each line, or around the whole message for `long`."""
        uid = ""
        if "uid" in self.modifiers:
            uid = f"{_NAMES.get(entry.uid) or format(entry.uid, '>5')}:"
        level, tag = entry.level, f"{entry.tag:<8}"
        process, thread = f"{uid}{entry.pid:>5}", f"{entry.tid:>5}"
        match self.format:
            case "raw":
                return "", ""
            case "tag":
                return f"{level}/{tag}: ", ""
            case "process":
                return f"{level}({process}) ", f"  ({entry.tag})"
            case "thread":
                return f"{level}({process}:{thread}) ", ""
            case "brief":
                return f"{level}/{tag}({process}): ", ""
            case "time":
                return f"{self._time(entry)} {level}/{tag}({process}): ", ""
            case "long":
                return f"[ {self._time(entry)} {process}:{thread} {level}/{tag} ]\n", "\n"
            case _:
                process = process.replace(":", " ")
                return f"{self._time(entry)} {process} {thread} {level} {tag}: ", ""

    def _time(self, entry: LogEntry) -> str:
        time, modifiers = entry.time, self.modifiers
        fraction = f"{time.microsecond:06d}"[: 6 if "usec" in modifiers else 3]
        if "epoch" in modifiers:
            return f"{int(time.timestamp()):>19}.{fraction}"
        if "UTC" in modifiers:
            time = time.astimezone(UTC)
        year = "%Y-" if "year" in modifiers else ""
        zone = time.strftime(" %z") if modifiers & {"zone", "UTC"} else ""
        return f"{time.strftime(year + '%m-%d %H:%M:%S')}.{fraction}{zone}"


def payload(entry: LogEntry) -> bytes:
    """The payload as an app sends it to the log daemon."""
    level = LEVELS.index(entry.level) + _VERBOSE
    words = f"{entry.tag}\0{entry.message}\0".encode(errors="replace")
    return bytes([level]) + words


def binary(entry: LogEntry) -> bytes:
    """The entry as the log daemon delivers it: logger_entry_v4 and the payload."""
    data, seconds = payload(entry), int(entry.time.timestamp())
    header = (len(data), 28, entry.pid, entry.tid, seconds, entry.time.microsecond * 1000)
    return struct.pack("<HHiIIIII", *header, BUFFERS[entry.buffer], entry.uid) + data
