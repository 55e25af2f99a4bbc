"""Commands that look at and change the file tree, worded as toybox words them."""

import errno
import posixpath
import stat
import time
from collections.abc import Awaitable, Callable

from ..files.entry import Status
from .call import Call, Usage, clean
from .sizes import human

Act = Callable[[Call, str, str], Awaitable[None]]

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


async def ls(call: Call) -> None:
    flags = call.options("la1dARhnptSrF")
    if "n" in flags:
        flags += "l"
    plain: list[tuple[str, str]] = []
    folders: list[str] = []
    for name in sorted(call.arguments or ["."]):
        try:
            status = call.files.stat(call.path(name), follow="l" not in flags)
        except OSError as problem:
            # A link that leads nowhere is still there.
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


def _sorted(call: Call, entries: list[tuple[str, str]], flags: str) -> list[tuple[str, str]]:
    """By name, or by time or size, the newest or largest first; `r` turns it round."""
    if "t" in flags or "S" in flags:

        def key(entry: tuple[str, str]) -> int:
            status = call.files.stat(entry[1], follow=False)
            return -status.mtime if "t" in flags else -status.size

        entries = sorted(entries, key=key)
    return entries[::-1] if "r" in flags else entries


def _marked(call: Call, name: str, path: str, flags: str) -> str:
    """With a slash after a folder's name where that is asked for."""
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


async def _show(call: Call, entries: list[tuple[str, str]], flags: str) -> None:
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


async def mkdir(call: Call) -> None:
    flags = call.options("p")
    call.need(1)
    for name in call.arguments:
        try:
            call.files.make_folder(call.path(name), parents="p" in flags)
        except OSError as problem:
            await call.fail(f"'{name}': {clean(problem)}")


async def rmdir(call: Call) -> None:
    call.options("")
    call.need(1)
    for name in call.arguments:
        try:
            call.files.remove_folder(call.path(name))
        except OSError as problem:
            await call.fail(f"{name}: {clean(problem)}")


async def rm(call: Call) -> None:
    flags = call.options("rRf")
    if "f" not in flags:
        call.need(1)
    for name in call.arguments:
        if name.rstrip("/").rpartition("/")[2] in ("", ".", ".."):
            await call.fail(f"bad path {name}")
            continue
        await _remove(call, name, flags)


async def _remove(call: Call, name: str, flags: str) -> bool:
    path = call.path(name)
    try:
        status = call.files.stat(path, follow=False)
        if not stat.S_ISDIR(status.mode):
            call.files.remove(path)
        elif "r" in flags or "R" in flags:
            whole = True
            for entry in call.files.list(path):
                whole &= await _remove(call, f"{name}/{entry}", flags)
            if not whole:
                return False
            call.files.remove_folder(path)
        else:
            await call.fail(f"{name}: is directory")
            return False
    except OSError as problem:
        if not isinstance(problem, FileNotFoundError) or "f" not in flags:
            await call.fail(f"{name}: {clean(problem)}")
            return False
    return True


def _target(call: Call, source: str, destination: str) -> str:
    """Into the folder if there is one of that name, else the name itself."""
    if call.files.is_folder(call.path(destination)):
        return posixpath.join(destination, source.rstrip("/").rpartition("/")[2])
    return destination


async def mv(call: Call) -> None:
    call.options("fT")
    await _each_to_last(call, _move)


async def cp(call: Call) -> None:
    flags = call.options("rRpf")
    if "r" in flags or "R" in flags:
        await _each_to_last(call, _copy_tree)
    else:
        await _each_to_last(call, _copy)


async def _each_to_last(call: Call, act: Act) -> None:
    call.need(2)
    *sources, destination = call.arguments
    if len(sources) > 1 and not call.files.is_folder(call.path(destination)):
        raise Usage(f"'{destination}' not directory")
    for source in sources:
        try:
            call.files.stat(call.path(source), follow=False)
        except OSError as problem:
            await call.fail(f"bad '{source}': {clean(problem)}")
            continue
        target = _target(call, source, destination)
        if _same(call, source, target):
            await call.fail(f"'{source}' is '{target}'")
            continue
        try:
            await act(call, source, target)
        except OSError as problem:
            await call.fail(f"'{target}': {clean(problem)}")


def _same(call: Call, source: str, target: str) -> bool:
    """Whether both are one file, which copying would empty."""
    try:
        return call.files.stat(call.path(source)).ino == call.files.stat(call.path(target)).ino
    except OSError:
        return False


async def _move(call: Call, source: str, target: str) -> None:
    try:
        call.files.rename(call.path(source), call.path(target))
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        # Another mount: copy, then remove.
        await _copy_tree(call, source, target)
        if not call.code:
            await _remove(call, source, "r")


async def _copy(call: Call, source: str, target: str) -> None:
    status = call.files.stat(call.path(source))
    if stat.S_ISDIR(status.mode):
        await call.fail(f"Skipped dir '{source}'")
        return
    _copy_file(call, call.path(source), call.path(target), status.mode)


async def _copy_tree(call: Call, source: str, target: str) -> None:
    inside = call.path(target).rstrip("/") + "/"
    if inside.startswith(call.path(source).rstrip("/") + "/"):
        raise Usage(f"dest '{target}' inside src")
    status = call.files.stat(call.path(source), follow=False)
    if stat.S_ISLNK(status.mode):
        call.files.link(call.files.read_link(call.path(source)), call.path(target))
    elif stat.S_ISDIR(status.mode):
        if not call.files.is_folder(call.path(target)):
            call.files.make_folder(call.path(target), status.mode)
        for entry in call.files.list(call.path(source)):
            await _copy_tree(call, f"{source}/{entry}", f"{target}/{entry}")
    else:
        _copy_file(call, call.path(source), call.path(target), status.mode)


def _copy_file(call: Call, source: str, target: str, mode: int) -> None:
    with call.files.open(source) as old, call.files.create(target, mode) as new:
        while data := old.read(1024 * 1024):
            new.write(data)


async def ln(call: Call) -> None:
    flags = call.options("sf")
    if "s" not in flags:
        raise Usage("only ln -s is offered by this phone")
    call.need(2)
    source, destination = call.arguments[:2]
    target = _target(call, source, destination)
    try:
        if "f" in flags:
            await _remove(call, target, "f")
        call.files.link(source, call.path(target))
    except OSError as problem:
        await call.fail(
            f"cannot create symbolic link from '{source}' to '{target}': {clean(problem)}"
        )


async def chmod(call: Call) -> None:
    call.need(2)
    mode, *names = call.arguments
    for name in names:
        try:
            before = call.files.stat(call.path(name)).mode
            call.files.chmod(call.path(name), _mode(mode, before))
        except OSError as problem:
            await call.fail(f"'{name}' to '{mode}': {clean(problem)}")


def _mode(text: str, before: int) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 4 and not set(text) & set("89"):
        return int(text, 8)
    for sign in "+-=":
        who, found, what = text.partition(sign)
        if not found or set(who) - set("ugoa") or set(what) - set("rwx"):
            continue
        shifts = [{"u": 6, "g": 3, "o": 0}[w] for w in "ugo" if w in who or not who or "a" in who]
        bits = sum({"r": 4, "w": 2, "x": 1}[w] for w in set(what))
        mask = sum(bits << shift for shift in shifts)
        if sign == "+":
            return before | mask
        if sign == "-":
            return before & ~mask
        return before & ~sum(7 << shift for shift in shifts) | mask
    raise Usage(f"bad mode '{text}'")


async def touch(call: Call) -> None:
    flags = call.options("c")
    call.need(1)
    for name in call.arguments:
        path = call.path(name)
        try:
            if call.files.exists(path):
                call.files.set_time(path, call.files.now())
            elif "c" not in flags:
                call.files.create(path).close()
        except OSError as problem:
            await call.fail(f"'{name}': {clean(problem)}")


async def stat_command(call: Call) -> None:
    if len(call.arguments) < 3 or call.arguments[0] != "-c":
        raise Usage("only stat -c FORMAT FILE... is offered by this phone")
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


async def readlink(call: Call) -> None:
    flags = call.options("f")
    call.need(1)
    for name in call.arguments:
        try:
            path = call.path(name)
            if "f" in flags:
                # Only the last part of the way may be missing.
                target = call.files.real_path(path)
                call.files.stat(posixpath.dirname(target))
            else:
                target = call.files.read_link(path)
            await call.write(target + "\n")
        except OSError:
            call.code = 1


async def pwd(call: Call) -> None:
    await call.write(call.process.environment.get("PWD", "/") + "\n")
