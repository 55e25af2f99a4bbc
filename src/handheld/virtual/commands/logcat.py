"""`logcat`: what the phone's log holds, in the formats that are asked for."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ..system.logs import BUFFERS, LEVELS, Entry
from .call import Call, Usage

FORMATS = ("brief", "tag", "time", "threadtime", "raw")
MODIFIERS = ("uid", "year", "zone", "epoch", "UTC", "usec", "printable")
SILENT = len(LEVELS)
LEAP_YEAR = 2000
_NAMES = {0: " root", 2000: "shell"}
"""Users whose name is short enough to stand for the number."""


@dataclass(slots=True)
class Wish:
    """What the command line asks for."""

    follow: bool = True
    clear: bool = False
    last: int | None = None
    since: Callable[[datetime], bool] | None = None
    buffers: list[str] = field(default_factory=list[str])
    format: str = "threadtime"
    modifiers: set[str] = field(default_factory=set[str])
    pid: int | None = None
    uids: set[int] | None = None
    silent: bool = False
    filters: dict[str, int] = field(default_factory=dict[str, int])

    def wants(self, entry: Entry) -> bool:
        least = self.filters.get(entry.tag)
        if least is None:
            least = self.filters.get("*", SILENT if self.silent else 0)
        return LEVELS.index(entry.level) >= least


async def logcat(call: Call) -> None:
    try:
        wish = _read(call.arguments)
    except StopIteration:
        raise Usage("option requires an argument") from None
    logs = call.phone.world.logs
    call.phone.world.settle()
    buffers = wish.buffers or list(BUFFERS)
    if wish.clear:
        logs.clear(buffers)
        return
    entries, last = _read_entries(call, wish, buffers, 0)
    # As logd does it: the last entries are counted before levels and tags are looked at.
    if wish.last is not None:
        entries = entries[max(0, len(entries) - wish.last) :]
    if wish.since is not None:
        start = next((n for n, e in enumerate(entries) if wish.since(e.time)), len(entries))
        entries = entries[start:]
    begun: set[str] = set()
    while True:
        for entry in entries:
            if wish.wants(entry):
                if entry.buffer not in begun:
                    begun.add(entry.buffer)
                    await call.write(f"--------- beginning of {entry.buffer}\n")
                await call.process.stdout.write(
                    "".join(_lines(entry, wish)).encode(errors="replace")
                )
        if not wish.follow:
            return
        await logs.wait(last)
        entries, last = _read_entries(call, wish, buffers, last)


def _read_entries(
    call: Call, wish: Wish, buffers: list[str], after: int
) -> tuple[list[Entry], int]:
    """Entries of the wanted processes, with times in the zone that the phone has now; and the
    number of the last that was there."""
    world = call.phone.world
    entries = [
        replace(entry, time=entry.time.astimezone(world.wall.zone))
        for entry in world.logs.read(buffers, after)
        if wish.pid in (None, entry.pid) and (wish.uids is None or entry.uid in wish.uids)
    ]
    return entries, world.logs.count


def _read(arguments: list[str]) -> Wish:
    wish = Wish()
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        match name:
            case "-d" if not equals:
                wish.follow = False
            case "-c" | "--clear" if not equals:
                wish.clear = True
            case "-s" if not equals:
                wish.silent = True
            case "-t" | "-T" if not equals:
                wish.follow = wish.follow and word == "-T"
                _from(wish, word, next(words))
            case "-v" | "--format":
                _shape(wish, value if equals else next(words))
            case "-b" | "--buffer":
                _choose_buffers(wish, value if equals else next(words))
            case "--pid":
                wish.pid = _number(name, value if equals else next(words))
            case "--uid":
                given = value if equals else next(words)
                wish.uids = {_number(name, part) for part in given.split(",")}
            case _ if word.startswith("-"):
                raise Usage(f"{word} is not offered by this phone")
            case _:
                _filter(wish, word)
    return wish


def _number(option: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise Usage(f"{option} {text} out of range")
    return int(text)


def _from(wish: Wish, option: str, text: str) -> None:
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        wish.last = int(text)
        return
    if re.fullmatch(r"\d{1,12}\.\d{1,9}", text, re.ASCII):
        instant = float(text)
        wish.since = lambda time: time.timestamp() >= instant
        return
    # Where no year is given a leap year stands in, for both: there the 29th of February is a day.
    form = re.fullmatch(r"(\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}", text, re.ASCII)
    if form is None:
        raise Usage(f'{option} "{text}" not in time format')
    has_year = form[1] is not None
    try:
        start = datetime.fromisoformat(text if has_year else f"{LEAP_YEAR}-{text}")
    except ValueError:
        raise Usage(f'{option} "{text}" not in time format') from None

    def reached(time: datetime) -> bool:
        year = time.year if has_year else LEAP_YEAR
        return time.replace(tzinfo=None, year=year) >= start

    wish.since = reached


def _shape(wish: Wish, text: str) -> None:
    for word in re.split("[ ,:]", text):
        if word in FORMATS:
            wish.format = word
        elif word in MODIFIERS:
            wish.modifiers.add(word)
        else:
            raise Usage(f'Invalid parameter "{word}" to -v')


def _choose_buffers(wish: Wish, text: str) -> None:
    for word in text.split(","):
        if word in ("all", "default"):
            wish.buffers += BUFFERS
        elif word in BUFFERS:
            wish.buffers.append(word)
        else:
            raise Usage(f"Unable to open log device '{word}'")


def _filter(wish: Wish, words: str) -> None:
    for word in words.split():
        # Like Android, which takes the first colon: a tag with a colon cannot be asked for.
        tag, colon, level = word.partition(":")
        letter = level[:1].upper() or ("D" if tag == "*" else "V")
        if not tag or (colon and letter not in LEVELS + "S*"):
            raise Usage(f"Invalid filter expression '{word}'")
        wish.filters[tag] = {"S": SILENT, "*": 0}.get(letter, LEVELS.find(letter))


def _lines(entry: Entry, wish: Wish) -> Iterator[str]:
    prefix = _prefix(entry, wish)
    for line in entry.message.removesuffix("\n").split("\n"):
        yield f"{prefix}{line}\n"


def _prefix(entry: Entry, wish: Wish) -> str:
    uid = ""
    if "uid" in wish.modifiers:
        uid = f"{_NAMES.get(entry.uid) or format(entry.uid, '>5')}:"
    level, tag = entry.level, f"{entry.tag:<8}"
    match wish.format:
        case "raw":
            return ""
        case "tag":
            return f"{level}/{tag}: "
        case "brief":
            return f"{level}/{tag}({uid}{entry.pid:>5}): "
        case "time":
            return f"{_time(entry, wish)} {level}/{tag}({uid}{entry.pid:>5}): "
        case _:
            who = uid.replace(":", " ")
            return f"{_time(entry, wish)} {who}{entry.pid:>5} {entry.tid:>5} {level} {tag}: "


def _time(entry: Entry, wish: Wish) -> str:
    time, modifiers = entry.time, wish.modifiers
    fraction = f"{time.microsecond:06d}"[: 6 if "usec" in modifiers else 3]
    if "epoch" in modifiers:
        return f"{int(time.timestamp()):>19}.{fraction}"
    if "UTC" in modifiers:
        time = time.astimezone(UTC)
    year = "%Y-" if "year" in modifiers else ""
    zone = time.strftime(" %z") if modifiers & {"zone", "UTC"} else ""
    return f"{time.strftime(year + '%m-%d %H:%M:%S')}.{fraction}{zone}"
