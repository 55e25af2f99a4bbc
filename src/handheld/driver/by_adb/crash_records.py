"""What Android keeps of crashes, by its own commands: all three places in one round trip."""

import re
from datetime import datetime, timedelta

from ...adb.link import AdbError
from ..crashes import CrashRecords
from ..reading.drop_box import HEADED as DROP_BOX_HEADED
from ..reading.drop_box import RULE, TAGS, read_drop_box
from ..reading.exit_records import HEADED as EXITS_HEADED
from ..reading.exit_records import read_exit_records
from .batch import run_sections
from .commands import Commands, first_line

EXITS_SINCE = 30
LINES = 60
"""Of each report in a list: all that Android writes before the stack, and its first lines."""
LATER = timedelta(seconds=5)
"""How much later the same crash may stand in another place."""
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
        raise AdbError(f"The phone does not tell its crashes but said: {said}.")
    return CrashRecords(
        read_exit_records(printed("exits")) if EXITS_HEADED in printed("exits") else [],
        read_drop_box(printed("files"), printed("reports")),
        printed("log"),
        _offset(zone),
        tuple(unread),
    )


def _list_drops() -> dict[str, str]:
    """How the reports of crashes begin: whole, those of a bad day are tens of megabytes. What is
    dropped after the files were listed is printed as well, and ignored."""
    tags = " ".join(TAGS)
    return {
        "files": 'l=$(dumpsys dropbox --file); print -r -- "$l"',
        "reports": f"for t in {tags}; do case \"$l\" in *\" $t (\"*)"
        f" dumpsys dropbox --print $t | grep -A {LINES} '^{RULE}$';; esac; done",
    }  # fmt: skip


def _whole_drops(near: datetime) -> dict[str, str]:
    """The reports of a minute, or two: Android finds them by parts of their time."""
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
