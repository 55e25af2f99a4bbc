"""The ids of crashes in replies: each id means one crash, and never another."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .crashes import Crash

Key = tuple[str, datetime]
"""The identity of one of Android's records."""
NEAR = timedelta(seconds=2)
"""The maximum difference of the times of one crash in different records."""
_ID = re.compile(r"([0-9a-z]{6,8})-(\d{1,9})-([0-9a-f]{4})", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_IDS = 5000


class CrashIds:
    """The ids in use: each stays with its crash as long as any record of the crash exists."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, str] = OrderedDict()

    def name(self, crashes: Iterable["Crash"]) -> None:
        for crash in crashes:
            keys = crash.keys
            known = (self._known[key] for key in keys if key in self._known)
            crash.id = next(known, "") or make_id(crash)
            for key in keys:
                self._known[key] = crash.id
                self._known.move_to_end(key)
        while len(self._known) > _MOST_IDS:
            self._known.popitem(last=False)


def make_id(crash: "Crash") -> str:
    """Return an id made of process, pid, kind and second: no other crash shares all of them."""
    seconds = int((crash.time - _EPOCH).total_seconds())
    digits = ""
    while seconds > 0:
        seconds, digit = divmod(seconds, 36)
        digits = _DIGITS[digit] + digits
    return f"{digits:0>6}-{crash.pid}-{_check(crash)}"


def _check(crash: "Crash") -> str:
    return sha256(f"{crash.kind} {crash.process}".encode()).hexdigest()[:4]


class CrashRef(NamedTuple):
    """The parts of an id."""

    time: datetime
    pid: int
    check: str


def parse_id(id: str) -> CrashRef | None:
    match = _ID.fullmatch(id)
    if match is None:
        return None
    try:
        return CrashRef(_EPOCH + timedelta(seconds=int(match[1], 36)), int(match[2]), match[3])
    except OverflowError:
        return None


def find_by_id(crashes: Sequence["Crash"], id: str) -> "Crash | None":
    """Return the crash that had this id in a reply of this process or an earlier one; None if that
    is ambiguous."""
    told = [crash for crash in crashes if crash.id == id]
    if told:
        return told[0] if len(told) == 1 else None
    ref = parse_id(id)
    if ref is None:
        return None
    near = [
        crash
        for crash in crashes
        if (crash.pid, _check(crash)) == (ref.pid, ref.check)
        and any(abs(key[1].replace(microsecond=0) - ref.time) <= NEAR for key in crash.keys)
    ]
    return near[0] if len(near) == 1 else None
