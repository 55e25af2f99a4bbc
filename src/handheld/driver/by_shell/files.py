"""Files by the phone's own commands, one command line per verb.

A file is checked and replaced in the same command line, but other programs may write in between;
the helper's lock prevents that at least for other writers of ours.
"""

import errno
import logging
import re
from urllib.parse import quote as quote_url

from ...adb.link import AdbError
from ...adb.shell import quote
from ...helper.protocol import Code, HelperFailure
from ..by_adb.commands import Commands, first_line
from ..files import Content, Place

SECONDS = 60.0
"""A large file is read again before it is replaced."""
SCAN_SECONDS = 5.0
"""The time limit for the phone to scan a file, including the start of the command."""
_SCANS_SINCE = 30
"""The API level since which the media provider scans a given path and answers."""

_VOLUME = re.compile(r"primary|[0-9A-Fa-f-]{4,36}", re.ASCII)
_NAMES = {
    "No such file or directory": errno.ENOENT,
    "Permission denied": errno.EACCES,
    "Operation not permitted": errno.EPERM,
    "Not a directory": errno.ENOTDIR,
    "Is a directory": errno.EISDIR,
    "Read-only file system": errno.EROFS,
    "No space left on device": errno.ENOSPC,
    "File name too long": errno.ENAMETOOLONG,
    "Too many symbolic links": errno.ELOOP,
}
_KINDS = {0o040000: "folder", 0o100000: "file"}
_FORMAT = 0o170000

# `root` is the location's folder and `path` the file's path, both with all links resolved. The part
# of the path that does not exist yet is appended to the part that does. `print -r` prints names:
# Android's `echo` would interpret a backslash as an escape.
_FIND = """\
root=$(readlink -f "$given") && [ -e "$root" ] || { echo missing; exit; }
[ -d "$root" ] || { echo nofolder; exit; }
near=$root${below:+/$below}; rest=
while [ ! -e "$near" ] && [ ! -L "$near" ]; do rest=/${near##*/}$rest; near=${near%/*}; done
if [ -n "$rest" ] && [ ! -d "$near" ]; then echo inside; exit; fi
path=$(readlink -f "$near") || { echo missing; exit; }
path=$path$rest
case $path in "$root"|"$root"/*) ;; *) echo outside; exit;; esac
"""
_LOCATE = """\
print -r -- "found
$root
$path"
if [ -e "$path" ]; then stat -c '%f %s' "$path"; else echo none; fi
df -k "$root" | tail -n 1
"""
_COMMIT = """\
temp=$root/$part
[ -f "$temp" ] || { echo missing; exit; }
if [ -d "$path" ]; then echo folder; exit; fi
if [ -n "$sum" ]; then
  [ -f "$path" ] && [ "$(stat -c %s "$path")" = "$size" ] || { echo changed; exit; }
  now=$(sha256sum "$path") || { echo changed; exit; }
  case $now in "$sum"*) ;; *) echo changed; exit;; esac
fi
up=${path%/*}
mkdir -p "$up" && mv -f "$temp" "$path" && { touch "$path"; print -r -- "done
$path"; }
"""
_REMOVE = """\
target=$root/$below
if [ -d "$path" ]; then echo folder; exit; fi
if [ ! -e "$target" ] && [ ! -L "$target" ]; then echo none; exit; fi
rm -f "$target" && { print -r -- "done
$target"; }
"""


log = logging.getLogger("handheld")


class ShellFiles:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    async def locate(self, root: str, path: str) -> Place:
        """Raises HelperFailure, AdbError."""
        lines = await self._run(_FIND + _LOCATE, root, path, act=False)
        if lines[0] != "found" or len(lines) < 5:
            raise self._explain(lines, "")
        _, real_root, real_path, state, *free = lines
        kind, size = None, 0
        if state != "none":
            mode, _, length = state.partition(" ")
            kind = _KINDS.get(int(mode, 16) & _FORMAT, "other")
            size = int(length) if kind == "file" else 0
        return Place(real_root, real_path, kind, size, _available(free))

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        """Raises HelperFailure, HelperLost, AdbError."""
        extra = {"part": temp, "sum": "", "size": ""}
        if expect is not None:
            extra |= {"sum": expect.sha256, "size": str(expect.size)}
        lines = await self._run(_FIND + _COMMIT, root, path, act=True, **extra)
        if lines[0] != "done":
            raise self._explain(lines, path)
        await self._scan("\n".join(lines[1:]), there=True)

    async def remove(self, root: str, path: str) -> bool:
        """Raises HelperFailure, HelperLost, AdbError."""
        lines = await self._run(_FIND + _REMOVE, root, path, act=True)
        if lines[0] in ("none", "missing", "inside"):
            return False
        if lines[0] != "done":
            raise self._explain(lines, path)
        await self._scan("\n".join(lines[1:]), there=False)
        return True

    async def _scan(self, path: str, *, there: bool) -> None:
        """Update Android's media index, which galleries use. A failure does not affect the file
        and is only logged."""
        if path.rpartition("/")[2].startswith("."):
            return  # hidden from galleries, like our own temporary files
        try:
            api = await self._commands.api()
            line = _scan_line(path, api, await self._commands.user())
            result = await self._commands.run(line, seconds=SCAN_SECONDS)
        except AdbError as problem:
            self._note(str(problem))
            return
        # For an existing file the provider prints its URI; a broadcast is not answered.
        sign = b"result=" if api < _SCANS_SINCE else b"content://" if there else b"Result: "
        if sign not in result.stdout:
            output = (result.stderr + result.stdout).decode(errors="replace")
            self._note(f"The phone printed: {first_line(output)}.")

    def _note(self, reason: str) -> None:
        serial = self._commands.link.serial
        log.warning("%s: the media index does not know of a file yet. %s", serial, reason)

    async def _run(
        self, script: str, root: str, path: str, *, act: bool, **extra: str
    ) -> list[str]:
        volume, _, folder = root.partition(":")
        if not _VOLUME.fullmatch(volume):
            raise HelperFailure(Code.BAD_CALL, "`root` is not <volume>:<folder>.")
        mount = f"/storage/{volume}"
        if volume == "primary":
            mount = f"/storage/emulated/{await self._commands.user()}"
        given = {"given": f"{mount}/{folder}" if folder else mount, "below": path, **extra}
        names = "; ".join(f"{name}={quote(['x', value])[2:]}" for name, value in given.items())
        line = f"{names}\n{script}"
        result = await self._commands.run(line, act=act, seconds=SECONDS)
        # Names may contain other line breaks.
        lines = result.stdout.decode(errors="surrogateescape").removesuffix("\n").split("\n")
        if lines[0]:
            return lines
        return [result.stderr.decode(errors="replace") or "nothing"]

    def _explain(self, lines: list[str], path: str) -> HelperFailure:
        word = lines[0]
        if word == "outside":
            return HelperFailure(Code.OUTSIDE, "A link leads out of the folder.")
        if word == "changed":
            return HelperFailure(Code.CHANGED, "The file has changed.")
        known = {
            "missing": "No such file or directory",
            "nofolder": "Not a directory",
            "inside": "Not a directory",
            "folder": "Is a directory",
        }
        words = known.get(word) or "\n".join(lines)
        message = next((name for name in _NAMES if name in words), first_line(words))
        data = {"errno": _NAMES.get(message, errno.EIO)}
        return HelperFailure(Code.FILE_FAILED, message, data=data)


def _scan_line(path: str, api: int, user: int) -> str:
    """Return the command that has the media provider scan a file that was written or removed."""
    if api >= _SCANS_SINCE:
        words = ["content", "call", "--user", str(user), "--uri", "content://media"]
        return quote([*words, "--method", "scan_file", "--arg", path])
    # The option includes receivers in the background, where the provider usually is.
    words = ["am", "broadcast", "--user", str(user), "-f", "0x01000000"]
    words += ["-a", "android.intent.action.MEDIA_SCANNER_SCAN_FILE"]
    return quote([*words, "-d", f"file://{quote_url(path, errors='surrogateescape')}"])


def _available(lines: list[str]) -> int | None:
    """Parse the last line of `df -k`: the fourth column, in KiB."""
    columns = lines[-1].split() if lines else []
    numbers = [word for word in columns if word.isdecimal()]
    return int(numbers[2]) * 1024 if len(numbers) >= 3 else None
