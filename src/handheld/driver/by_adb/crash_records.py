"""Read Android's records of crashes with its own commands: all three places in one round trip."""

import re
from datetime import datetime, timedelta

from ...adb.link import AdbError
from ..diagnostics import CrashRecords
from ..reading.drop_box import HEADED as DROP_BOX_HEADED
from ..reading.drop_box import RULE, TAGS, read_drop_box
from ..reading.exit_records import HEADED as EXITS_HEADED
from ..reading.exit_records import read_exit_records
from .batch import run_sections
from .commands import Commands, first_line

EXITS_SINCE = 30
LINES = 60
"""Lines of each report in a list: Android's header before the stack, and the stack's first
lines."""
LATER = timedelta(seconds=5)
"""The longest time between the records of one crash in different places."""
_NOW = re.compile(r"\S+ \S+ ([+-])(\d\d)(\d\d)\s*", re.ASCII)
_LOG = "logcat -d -b crash -v threadtime -v year -v zone -v uid"


async def read_crash_records(
    commands: Commands, package: str | None, near: datetime | None
) -> CrashRecords:
    """`package` must be a package's name. Raises AdbError."""
    lines = {
        "now": "date '+%Y-%m-%d %H:%M:%S %z'",
        "api": "getprop ro.build.version.sdk",
        "exits": f"dumpsys activity exit-info {package or ''}".rstrip(),
        **(_list_drops() if near is None else _whole_drops(near)),
        "log": _LOG,
    }
    found = await run_sections(commands, lines)

    def printed(name: str) -> str:
        return found[name].text

    zone = _NOW.fullmatch(printed("now"))
    api = printed("api").strip()
    unread: list[str] = []
    if api.isdecimal() and int(api) >= EXITS_SINCE and EXITS_HEADED not in printed("exits"):
        unread.append("the records of exits")
    if DROP_BOX_HEADED not in printed("files"):
        unread.append("the drop box")
    if found["log"].code != 0:
        unread.append("the crash log")
    if len(unread) == (3 if api.isdecimal() and int(api) >= EXITS_SINCE else 2):
        said = first_line(printed("files") or printed("exits") or printed("log"))
        raise AdbError(f"The phone did not list its crashes; it printed: {said}.")
    return CrashRecords(
        read_exit_records(printed("exits")) if EXITS_HEADED in printed("exits") else [],
        read_drop_box(printed("files"), printed("reports")),
        printed("log"),
        _offset(zone),
        tuple(unread),
    )


def _list_drops() -> dict[str, str]:
    """Return commands for the first lines of the reports: the whole reports of a bad day take tens
    of megabytes. Entries added after the files were listed are printed as well, and ignored."""
    tags = " ".join(TAGS)
    return {
        "files": 'l=$(dumpsys dropbox --file); print -r -- "$l"',
        "reports": f"for t in {tags}; do case \"$l\" in *\" $t (\"*)"
        f" dumpsys dropbox --print $t | grep -A {LINES} '^{RULE}$';; esac; done",
    }  # fmt: skip


def _whole_drops(near: datetime) -> dict[str, str]:
    """Return commands for the reports of one or two minutes: Android finds them by parts of their
    time."""
    minutes = sorted({f"{each:%Y-%m-%d %H:%M}" for each in (near - LATER, near, near + LATER)})
    return {
        "files": "; ".join(f"dumpsys dropbox --file {each}" for each in minutes),
        "reports": "; ".join(f"dumpsys dropbox --print {each}" for each in minutes),
    }


def _offset(zone: re.Match[str] | None) -> timedelta | None:
    if zone is None:
        return None
    offset = timedelta(hours=int(zone[2]), minutes=int(zone[3]))
    return -offset if zone[1] == "-" else offset
