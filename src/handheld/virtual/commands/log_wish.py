"""What a command line of logcat asks for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ..system.android import Android
from ..system.logs import BUFFERS, DEFAULT_BUFFERS, LEVELS, LogEntry
from .call import Usage
from .expressions import Expression
from .log_lines import FORMATS, MODIFIERS, Shape

SILENT = len(LEVELS)
LEAP_YEAR = 2000
_NEEDS = ("-t", "-T", "-v", "-b", "-e", "-m", "--format", "--buffer", "--pid", "--uid",
          "--regex", "--max-count")  # fmt: skip
"""Options with a value: after `=` where they are long, or the next word."""


@dataclass(slots=True)
class Wish:
    """What the command line asks for."""

    operation: str = "read"
    """`read`, `clear`, `size` or `help`."""
    follow: bool = True
    tail: bool = False
    """`-t` was given."""
    last: int | None = None
    since: Callable[[datetime], bool] | None = None
    buffers: list[str] = field(default_factory=list[str])
    shape: Shape = field(default_factory=Shape)
    binary: bool = False
    dividers: bool = False
    pid: int | None = None
    uids: set[int] | None = None
    silent: bool = False
    filters: dict[str, int] = field(default_factory=dict[str, int])
    expression: Expression | None = None
    most: int | None = None
    print_all: bool = False
    warnings: list[str] = field(default_factory=list[str])

    def wants(self, entry: LogEntry) -> bool:
        least = self.filters.get(entry.tag)
        if least is None:
            least = self.filters.get("*", SILENT if self.silent else 0)
        return LEVELS.index(entry.level) >= least

    def matches(self, entry: LogEntry) -> bool:
        return self.expression is None or self.expression.search(entry.message) is not None


def read_wish(arguments: list[str], android: Android) -> Wish:
    """As the logcat of that Android reads them. Raises Usage and BadExpression."""
    return _Reading(android).read(arguments)


class _Reading:
    def __init__(self, android: Android) -> None:
        self._android = android
        self._wish = Wish()

    def read(self, arguments: list[str]) -> Wish:
        wish = self._wish
        words = iter(arguments)
        for word in words:
            name, equals, value = word.partition("=")
            if name not in _NEEDS or (equals and not name.startswith("--")):
                self._take(word)
                continue
            if not equals:
                given = next(words, None)
                if given is None:
                    raise Usage(f"Option '{name}' needs an argument.")
                value = given
            self._take_value(name, value, word)
        if wish.most is not None and wish.tail:
            raise Usage("Cannot use -m (--max-count) and -t together.")
        if wish.print_all and (wish.expression is None or wish.most is None):
            wish.print_all = False
            wish.warnings.append(
                "--print ignored, to be used in combination with\n"
                "         --regex <expr> and --max-count <N>"
            )
        return wish

    def _take(self, word: str) -> None:
        wish = self._wish
        match word:
            case "-d":
                wish.follow = False
            case "-c" | "--clear":
                wish.operation = "clear"
            case "-g" | "--buffer-size":
                wish.operation = "size"
            case "-h" | "--help":
                wish.operation = "help"
            case "-s":
                wish.silent = True
            case "-D" | "--dividers":
                wish.dividers = True
            case "-B" | "--binary":
                wish.binary = True
            case "--print":
                wish.print_all = True
            case _ if word.startswith("-"):
                raise Usage(f"Unknown option '{word}'.")
            case _:
                _filter(wish, word)

    def _take_value(self, name: str, value: str, word: str) -> None:
        wish = self._wish
        match name:
            case "-t" | "-T":
                wish.tail = wish.tail or name == "-t"
                wish.follow = wish.follow and name == "-T"
                _from(wish, name, value)
            case "-v" | "--format":
                self._shape(value)
            case "-b" | "--buffer":
                self._choose_buffers(value)
            case "-e" | "--regex":
                digits = value.replace(r"\d", "[0-9]")
                wish.expression = Expression(digits, extended=True)
            case "-m" | "--max-count":
                if not re.fullmatch(r"0{0,99}[1-9]\d{0,8}", value, re.ASCII):
                    raise Usage(f"-m '{value}' isn't an integer greater than zero.")
                wish.most = int(value)
            case "--uid" if self._android.logcat_uid:
                wish.uids = {_number(name, part, 0) for part in value.split(",")}
            case "--pid":
                wish.pid = _number(name, value, 1)
            case _:
                raise Usage(f"Unknown option '{word}'.")

    def _shape(self, text: str) -> None:
        for word in re.split("[ ,:;]", text):
            if word in FORMATS:
                self._wish.shape.format = word
            elif word in MODIFIERS:
                self._wish.shape.modifiers.add(word)
            elif self._android.logcat_errors_reworded:
                raise Usage(f"Invalid -v '{word}'.")
            else:
                raise Usage(f"Invalid parameter '{word}' to -v.")

    def _choose_buffers(self, text: str) -> None:
        for word in re.split("[ ,:;]", text):
            if word == "default":
                self._wish.buffers += DEFAULT_BUFFERS
            elif word == "all":
                self._wish.buffers += BUFFERS
            elif word in BUFFERS:
                self._wish.buffers.append(word)
            elif self._android.logcat_errors_reworded:
                raise Usage(f"Unknown -b buffer '{word}'.")
            else:
                raise Usage(f"Unknown buffer '{word}' listed for -b.")


def _number(option: str, text: str, least: int) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or int(text) < least:
        raise Usage(f"{option.strip('-')} {text} out of range.")
    return int(text)


def _from(wish: Wish, option: str, text: str) -> None:
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        wish.last = int(text)
        if not wish.last:
            wish.last = 1
            wish.warnings.append(f"{option} {text} invalid, setting to 1")
        return
    if re.fullmatch(r"\d{1,12}\.\d{1,9}", text, re.ASCII):
        instant = float(text)
        wish.since = lambda time: time.timestamp() >= instant
        return
    # Where no year is given a leap year stands in, for both: there the 29th of February is a day.
    form = re.fullmatch(r"(\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}", text, re.ASCII)
    has_year = form is not None and form[1] is not None
    try:
        if form is None:
            raise ValueError
        start = datetime.fromisoformat(text if has_year else f"{LEAP_YEAR}-{text}")
    except ValueError:
        raise Usage(f"{option} '{text}' not in time format.") from None

    def reached(time: datetime) -> bool:
        year = time.year if has_year else LEAP_YEAR
        return time.replace(tzinfo=None, year=year) >= start

    wish.since = reached


def _filter(wish: Wish, words: str) -> None:
    for word in words.split():
        # Like Android, which takes the first colon: a tag with a colon cannot be asked for.
        tag, colon, level = word.partition(":")
        letter = level[:1].upper() or ("D" if tag == "*" else "V")
        if not tag or (colon and letter not in LEVELS + "S*"):
            raise Usage(f"Invalid filter expression '{word}'.")
        wish.filters[tag] = {"S": SILENT, "*": 0}.get(letter, LEVELS.find(letter))
