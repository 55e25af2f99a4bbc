"""The command line of logcat."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ...system.android import Android
from ...system.logs import BUFFERS, DEFAULT_BUFFERS, LEVELS, LogEntry
from ..call import Usage
from ..text.expressions import Expression
from .log_lines import FORMATS, MODIFIERS, Shape

SILENT = len(LEVELS)
LEAP_YEAR = 2000
_NEEDS = ("-t", "-T", "-v", "-b", "-e", "-m", "--format", "--buffer", "--pid", "--uid",
          "--regex", "--max-count")  # fmt: skip
"""Options with a value, which is the next word, or for a long option follows `=`."""


@dataclass(slots=True)
class LogOptions:
    """The parsed command line."""

    operation: str = "read"
    """`read`, `clear`, `size` or `help`."""
    follow: bool = True
    tail: bool = False
    """Whether `-t` was given."""
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


def parse_log_options(arguments: list[str], android: Android) -> LogOptions:
    """Parse arguments as logcat of this release does. Raises Usage, BadExpression."""
    return _Parser(android).read(arguments)


class _Parser:
    def __init__(self, android: Android) -> None:
        self._android = android
        self._options = LogOptions()

    def read(self, arguments: list[str]) -> LogOptions:
        options = self._options
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
        if options.most is not None and options.tail:
            raise Usage("Cannot use -m (--max-count) and -t together.")
        if options.print_all and (options.expression is None or options.most is None):
            options.print_all = False
            options.warnings.append(
                "--print ignored, to be used in combination with\n"
                "         --regex <expr> and --max-count <N>"
            )
        return options

    def _take(self, word: str) -> None:
        options = self._options
        match word:
            case "-d":
                options.follow = False
            case "-c" | "--clear":
                options.operation = "clear"
            case "-g" | "--buffer-size":
                options.operation = "size"
            case "-h" | "--help":
                options.operation = "help"
            case "-s":
                options.silent = True
            case "-D" | "--dividers":
                options.dividers = True
            case "-B" | "--binary":
                options.binary = True
            case "--print":
                options.print_all = True
            case _ if word.startswith("-"):
                raise Usage(f"Unknown option '{word}'.")
            case _:
                _filter(options, word)

    def _take_value(self, name: str, value: str, word: str) -> None:
        options = self._options
        match name:
            case "-t" | "-T":
                options.tail = options.tail or name == "-t"
                options.follow = options.follow and name == "-T"
                _from(options, name, value)
            case "-v" | "--format":
                self._shape(value)
            case "-b" | "--buffer":
                self._choose_buffers(value)
            case "-e" | "--regex":
                digits = value.replace(r"\d", "[0-9]")
                options.expression = Expression(digits, extended=True)
            case "-m" | "--max-count":
                if not re.fullmatch(r"0{0,99}[1-9]\d{0,8}", value, re.ASCII):
                    raise Usage(f"-m '{value}' isn't an integer greater than zero.")
                options.most = int(value)
            case "--uid" if self._android.logcat_uid:
                options.uids = {_number(name, part, 0) for part in value.split(",")}
            case "--pid":
                options.pid = _number(name, value, 1)
            case _:
                raise Usage(f"Unknown option '{word}'.")

    def _shape(self, text: str) -> None:
        for word in re.split("[ ,:;]", text):
            if word in FORMATS:
                self._options.shape.format = word
            elif word in MODIFIERS:
                self._options.shape.modifiers.add(word)
            elif self._android.logcat_errors_reworded:
                raise Usage(f"Invalid -v '{word}'.")
            else:
                raise Usage(f"Invalid parameter '{word}' to -v.")

    def _choose_buffers(self, text: str) -> None:
        for word in re.split("[ ,:;]", text):
            if word == "default":
                self._options.buffers += DEFAULT_BUFFERS
            elif word == "all":
                self._options.buffers += BUFFERS
            elif word in BUFFERS:
                self._options.buffers.append(word)
            elif self._android.logcat_errors_reworded:
                raise Usage(f"Unknown -b buffer '{word}'.")
            else:
                raise Usage(f"Unknown buffer '{word}' listed for -b.")


def _number(option: str, text: str, least: int) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or int(text) < least:
        raise Usage(f"{option.strip('-')} {text} out of range.")
    return int(text)


def _from(options: LogOptions, option: str, text: str) -> None:
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        options.last = int(text)
        if not options.last:
            options.last = 1
            options.warnings.append(f"{option} {text} invalid, setting to 1")
        return
    if re.fullmatch(r"\d{1,12}\.\d{1,9}", text, re.ASCII):
        instant = float(text)
        options.since = lambda time: time.timestamp() >= instant
        return
    # A time without a year is parsed in a leap year, to accept the 29th of February.
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

    options.since = reached


def _filter(options: LogOptions, words: str) -> None:
    for word in words.split():
        # As in Android, the tag ends at the first colon, so a tag with a colon cannot be selected.
        tag, colon, level = word.partition(":")
        letter = level[:1].upper() or ("D" if tag == "*" else "V")
        if not tag or (colon and letter not in LEVELS + "S*"):
            raise Usage(f"Invalid filter expression '{word}'.")
        options.filters[tag] = {"S": SILENT, "*": 0}.get(letter, LEVELS.find(letter))
