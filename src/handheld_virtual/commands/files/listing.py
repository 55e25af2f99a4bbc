"""Commands that list the file tree, with toybox's messages."""

import posixpath
import stat
import time

from ...files.entry import Status
from ..call import CommandCall, Usage, clean
from .sizes import human

NAMES = {
    0: "root",
    1000: "system",
    1015: "sdcard_rw",
    2000: "shell",
}


def owner(number: int) -> str:
    if number >= 10000:
        return f"u0_a{number - 10000}"
    return NAMES.get(number, str(number))


def when(mtime: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(mtime))


async def ls(call: CommandCall) -> None:
    flags = call.options("la1dARhnptSrF")
    if "n" in flags:
        flags += "l"
    plain: list[tuple[str, str]] = []
    folders: list[str] = []
    for name in sorted(call.arguments or ["."]):
        try:
            status = call.files.stat(call.path(name), follow="l" not in flags)
        except OSError as problem:
            # A dangling link also exists.
            try:
                status = call.files.stat(call.path(name), follow=False)
            except OSError:
                await call.fail(f"{name}: {clean(problem)}")
                continue
        if stat.S_ISDIR(status.mode) and "d" not in flags:
            folders.append(name)
        else:
            plain.append((name, call.path(name)))
    await _show(call, plain, flags)
    many = len(folders) + len(plain) > 1 or "R" in flags
    first = not plain
    while folders:
        name = folders.pop(0)
        try:
            names = call.files.list(call.path(name))
        except OSError as problem:
            await call.fail(f"{name}: {clean(problem)}")
            continue
        if many:
            await call.write(("" if first else "\n") + f"{name}:\n")
        first = False
        if "a" in flags:
            names = [".", "..", *names]
        elif "A" not in flags:
            names = [entry for entry in names if not entry.startswith(".")]
        base = call.path(name)
        entries = _sorted(call, [(entry, posixpath.join(base, entry)) for entry in names], flags)
        if "R" in flags:
            inner = [
                posixpath.join(name, entry)
                for entry, path in entries
                if entry not in (".", "..")
                and stat.S_ISDIR(call.files.stat(path, follow=False).mode)
            ]
            folders = inner + folders
        if "l" in flags:
            blocks = sum(_blocks(call.files.stat(path, follow=False)) for _, path in entries)
            await call.write(f"total {blocks}\n")
        await _show(call, entries, flags)


def _sorted(call: CommandCall, entries: list[tuple[str, str]], flags: str) -> list[tuple[str, str]]:
    """Sort by name, time or size, the newest or largest first; `r` reverses."""
    if "t" in flags or "S" in flags:

        def key(entry: tuple[str, str]) -> int:
            status = call.files.stat(entry[1], follow=False)
            return -status.mtime if "t" in flags else -status.size

        entries = sorted(entries, key=key)
    return entries[::-1] if "r" in flags else entries


def _marked(call: CommandCall, name: str, path: str, flags: str) -> str:
    """The name, with a slash after a folder if requested."""
    if not set("pF") & set(flags):
        return name
    mode = call.files.stat(path, follow=False).mode
    if stat.S_ISDIR(mode):
        return f"{name}/"
    if "F" in flags and stat.S_ISLNK(mode):
        return f"{name}@"
    return f"{name}*" if "F" in flags and mode & 0o111 else name


def _blocks(status: Status) -> int:
    return (status.size + 4095) // 4096 * 4


async def _show(call: CommandCall, entries: list[tuple[str, str]], flags: str) -> None:
    if "l" not in flags:
        await call.write("".join(f"{_marked(call, name, path, flags)}\n" for name, path in entries))
        return
    rows: list[tuple[Status, list[str]]] = []
    for name, path in entries:
        status = call.files.stat(path, follow=False)
        if stat.S_ISLNK(status.mode):
            name = f"{name} -> {call.files.read_link(path)}"
        else:
            name = _marked(call, name, path, flags)
        who = (
            (str(status.uid), str(status.gid))
            if "n" in flags
            else (
                owner(status.uid),
                owner(status.gid),
            )
        )
        rows.append((status, [str(status.links), *who, name]))
    widths = [max((len(row[column]) for _, row in rows), default=0) for column in range(3)]
    shown = human if "h" in flags else str
    size = max((len(shown(status.size)) for status, _ in rows), default=0)
    for status, (links, user, group, name) in rows:
        await call.write(
            f"{stat.filemode(status.mode)} {links:>{widths[0]}} {user:{widths[1]}} "
            f"{group:{widths[2]}} {shown(status.size):>{size}} {when(status.mtime)} {name}\n"
        )


async def stat_command(call: CommandCall) -> None:
    if len(call.arguments) < 3 or call.arguments[0] != "-c":
        raise Usage("only stat -c FORMAT FILE... is supported by this phone")
    _, format, *names = call.arguments
    for name in names:
        try:
            status = call.files.stat(call.path(name), follow=False)
        except OSError as problem:
            await call.fail(f"'{name}': {clean(problem)}")
            continue
        await call.write(_format_status(format, name, status) + "\n")


def _format_status(format: str, name: str, status: Status) -> str:
    values = {
        "%": "%",
        "n": name,
        "s": str(status.size),
        "a": f"{status.mode & 0o7777:o}",
        "A": stat.filemode(status.mode),
        "f": f"{status.mode:x}",
        "u": str(status.uid),
        "U": owner(status.uid),
        "g": str(status.gid),
        "G": owner(status.gid),
        "Y": str(status.mtime),
        "i": str(status.ino),
        "h": str(status.links),
    }
    result, rest = "", format
    while rest:
        before, mark, after = rest.partition("%")
        result += before
        if mark and after[:1] not in values:
            raise Usage(f"bad format '%{after[:1]}'")
        result += values[after[0]] if mark else ""
        rest = after[1:]
    return result


async def readlink(call: CommandCall) -> None:
    flags = call.options("f")
    call.need(1)
    for name in call.arguments:
        try:
            path = call.path(name)
            if "f" in flags:
                # Only the last component may be missing.
                target = call.files.real_path(path)
                call.files.stat(posixpath.dirname(target))
            else:
                target = call.files.read_link(path)
            await call.write(target + "\n")
        except OSError:
            call.code = 1


async def pwd(call: CommandCall) -> None:
    await call.write(call.process.environment.get("PWD", "/") + "\n")
