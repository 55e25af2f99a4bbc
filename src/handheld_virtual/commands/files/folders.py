"""Commands that change the file tree, with toybox's messages."""

import errno
import posixpath
import stat
from collections.abc import Awaitable, Callable

from ..call import CommandCall, Usage, clean

Act = Callable[[CommandCall, str, str], Awaitable[None]]


async def mkdir(call: CommandCall) -> None:
    flags = call.options("p")
    call.need(1)
    for name in call.arguments:
        try:
            call.files.make_folder(call.path(name), parents="p" in flags)
        except OSError as problem:
            await call.fail(f"'{name}': {clean(problem)}")


async def rmdir(call: CommandCall) -> None:
    call.options("")
    call.need(1)
    for name in call.arguments:
        try:
            call.files.remove_folder(call.path(name))
        except OSError as problem:
            await call.fail(f"{name}: {clean(problem)}")


async def rm(call: CommandCall) -> None:
    flags = call.options("rRf")
    if "f" not in flags:
        call.need(1)
    for name in call.arguments:
        if name.rstrip("/").rpartition("/")[2] in ("", ".", ".."):
            await call.fail(f"bad path {name}")
            continue
        await _remove(call, name, flags)


async def _remove(call: CommandCall, name: str, flags: str) -> bool:
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


def _target(call: CommandCall, source: str, destination: str) -> str:
    """The target path: inside the destination if that is a folder, otherwise the destination."""
    if call.files.is_folder(call.path(destination)):
        return posixpath.join(destination, source.rstrip("/").rpartition("/")[2])
    return destination


async def mv(call: CommandCall) -> None:
    call.options("fT")
    await _each_to_last(call, _move)


async def cp(call: CommandCall) -> None:
    flags = call.options("rRpf")
    if "r" in flags or "R" in flags:
        await _each_to_last(call, _copy_tree)
    else:
        await _each_to_last(call, _copy)


async def _each_to_last(call: CommandCall, act: Act) -> None:
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


def _same(call: CommandCall, source: str, target: str) -> bool:
    """Whether both are the same file, which a copy would empty."""
    try:
        return call.files.stat(call.path(source)).ino == call.files.stat(call.path(target)).ino
    except OSError:
        return False


async def _move(call: CommandCall, source: str, target: str) -> None:
    try:
        call.files.rename(call.path(source), call.path(target))
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        # The target is on another mount: copy, then remove.
        await _copy_tree(call, source, target)
        if not call.code:
            await _remove(call, source, "r")


async def _copy(call: CommandCall, source: str, target: str) -> None:
    status = call.files.stat(call.path(source))
    if stat.S_ISDIR(status.mode):
        await call.fail(f"Skipped dir '{source}'")
        return
    _copy_file(call, call.path(source), call.path(target), status.mode)


async def _copy_tree(call: CommandCall, source: str, target: str) -> None:
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


def _copy_file(call: CommandCall, source: str, target: str, mode: int) -> None:
    with call.files.open(source) as old, call.files.create(target, mode) as new:
        while data := old.read(1024 * 1024):
            new.write(data)


async def ln(call: CommandCall) -> None:
    flags = call.options("sf")
    if "s" not in flags:
        raise Usage("only ln -s is supported by this phone")
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


async def chmod(call: CommandCall) -> None:
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
    for operator in "+-=":
        who, found, what = text.partition(operator)
        if not found or set(who) - set("ugoa") or set(what) - set("rwx"):
            continue
        shifts = [{"u": 6, "g": 3, "o": 0}[w] for w in "ugo" if w in who or not who or "a" in who]
        bits = sum({"r": 4, "w": 2, "x": 1}[w] for w in set(what))
        mask = sum(bits << shift for shift in shifts)
        if operator == "+":
            return before | mask
        if operator == "-":
            return before & ~mask
        return before & ~sum(7 << shift for shift in shifts) | mask
    raise Usage(f"bad mode '{text}'")


async def touch(call: CommandCall) -> None:
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
