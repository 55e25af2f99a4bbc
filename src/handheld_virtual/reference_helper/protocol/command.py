"""The type of the reference helper's commands, and checks of arguments.

A command has a `check_…` function that rejects malformed arguments before the call is queued, and
a function that runs it.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import Code, HelperFailure

from ...system.logs import Writer

if TYPE_CHECKING:
    from ..helper import Helper
    from .job import Job

WRITER = Writer(400, 2000)
"""The helper as a writer to the log, under the pid of adbd, its parent."""


class Lane(StrEnum):
    """A queue of calls. Calls wait only for calls of the same lane; some lanes run several
    concurrently."""

    TOUCH = "touch"
    TREE = "tree"
    WORK = "work"
    SMS = "sms"
    APPS = "apps"


@dataclass(frozen=True, slots=True)
class Answer:
    reply: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Command:
    lane: Lane
    needs_automation: bool
    check: Callable[[dict[str, Any]], None]
    run: Callable[["Helper", "Job"], Coroutine[Any, Any, Answer]]


def bad(message: str) -> HelperFailure:
    return HelperFailure(Code.BAD_CALL, message)


def check_keys(arguments: dict[str, Any], *wanted: str) -> None:
    if arguments.keys() != set(wanted):
        raise bad(f"`with` does not have exactly these keys: {', '.join(sorted(wanted))}.")


def check_nothing(arguments: dict[str, Any]) -> None:
    check_keys(arguments)


def check_text(value: Any, name: str) -> None:
    if not isinstance(value, str) or not value:
        raise bad(f"`{name}` is not a string, or empty.")


def check_whole(value: Any, name: str, most: int) -> None:
    if type(value) is not int or not 0 <= value <= most:
        raise bad(f"`{name}` is not a whole number from 0 to {most}.")


def is_number(value: Any) -> bool:
    # The bounds prevent overflow, and exclude NaN.
    return type(value) in (int, float) and -1e9 <= value <= 1e9
