"""Commands that read, count and print text."""

import asyncio
import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Awaitable, Callable, Iterator

from .call import Call, Usage, clean

KEPT = 64 * 1024 * 1024
"""What a command may hold in memory."""

Take = Callable[[bytes], Awaitable[None]]

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "e": "\x1b"}


async def echo(call: Call) -> None:
    words = call.arguments
    newline, escapes = True, False
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = newline and "n" not in words[0]
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    await call.write((_unescape(text) if escapes else text) + ("\n" if newline else ""))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text)


async def printf(call: Call) -> None:
    call.need(1)
    format, *values = call.arguments
    format = _unescape(format)
    marks = re.findall(r"%.?", format)
    if any(mark not in ("%s", "%d", "%%") for mark in marks):
        raise Usage("only %s, %d and %% are offered by this phone")
    takes = sum(mark != "%%" for mark in marks)
    while True:
        round_values, values = iter(values[:takes]), values[takes:]

        def fill(found: re.Match[str], given: Iterator[str] = round_values) -> str:
            if found[0] == "%%":
                return "%"
            value = next(given, "")
            return value if found[0] == "%s" else str(int(value or "0"))

        try:
            await call.write(re.sub(r"%.", fill, format))
        except ValueError:
            raise Usage("bad number") from None
        if not values or not takes:
            return


async def cat(call: Call) -> None:
    call.options("u")
    for name in call.arguments or ["-"]:
        await _each_block(call, name, call.process.stdout.write)


async def _each_block(call: Call, name: str, take: Take) -> bool:
    if name == "-":
        while data := await call.process.stdin.read():
            await take(data)
        return True
    try:
        with call.files.open(call.path(name)) as file:
            while data := file.read():
                await take(data)
                await asyncio.sleep(0)  # a large file is not the only thing going on
    except BrokenPipeError:
        raise
    except OSError as problem:
        await call.fail(f"{name}: {clean(problem)}")
        return False
    return True


class Enough(Exception):
    """The rest of the input does not matter."""


async def head(call: Call) -> None:
    await _ends(call, first=True)


async def tail(call: Call) -> None:
    await _ends(call, first=False)


async def _ends(call: Call, *, first: bool) -> None:
    unit, count = "n", 10
    words = call.arguments
    while words and (found := re.fullmatch(r"-(?:([nc])\s*(\d{1,9})?|(\d{1,9}))", words[0])):
        unit = found[1] or "n"
        number = found[2] or found[3]
        words = words[1:]
        if number is None:
            if not words or not re.fullmatch(r"\d{1,9}", words[0]):
                raise Usage("Needs a number")
            number, words = words[0], words[1:]
        count = int(number)
    if any(word.startswith("-") and word != "-" for word in words):
        raise Usage(f"Unknown option '{words[0][1:]}' (see \"{call.name} --help\")")
    for name in words or ["-"]:
        kept = bytearray()

        async def keep(data: bytes, kept: bytearray = kept) -> None:
            kept += data
            if first and (kept.count(b"\n") if unit == "n" else len(kept)) >= count:
                raise Enough
            if len(kept) > KEPT:
                raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

        with contextlib.suppress(Enough):
            if not await _each_block(call, name, keep):
                continue
        if len(words) > 1:
            await call.write(f"==> {name} <==\n")
        if unit == "c":
            part = bytes(kept[:count] if first else kept[max(0, len(kept) - count) :])
        else:
            lines = bytes(kept).splitlines(keepends=True)
            part = b"".join(lines[:count] if first else lines[max(0, len(lines) - count) :])
        await call.process.stdout.write(part)


async def wc(call: Call) -> None:
    flags = call.options("lwc") or "lwc"
    totals = [0, 0, 0]
    for name in call.arguments or ["-"]:
        counts = [0, 0, 0]
        in_word = False

        async def count(data: bytes, counts: list[int] = counts) -> None:
            nonlocal in_word
            counts[0] += data.count(b"\n")
            counts[1] += len(data.split()) - int(in_word and not data[:1].isspace())
            in_word = not data[-1:].isspace()
            counts[2] += len(data)

        if await _each_block(call, name, count):
            await _counts(call, counts, flags, name)
            totals = [total + one for total, one in zip(totals, counts, strict=True)]
    if len(call.arguments) > 1:
        await _counts(call, totals, flags, "total")


async def _counts(call: Call, counts: list[int], flags: str, name: str) -> None:
    numbers = [str(one) for one, flag in zip(counts, "lwc", strict=True) if flag in flags]
    label = "" if name == "-" else f" {name}"
    await call.write(" ".join(numbers) + label + "\n")


async def sha256sum(call: Call) -> None:
    await _sums(call, "sha256")


async def sha1sum(call: Call) -> None:
    await _sums(call, "sha1")


async def md5sum(call: Call) -> None:
    await _sums(call, "md5")


async def _sums(call: Call, kind: str) -> None:
    flags = call.options("b")
    for name in call.arguments or ["-"]:
        digest = hashlib.new(kind, usedforsecurity=False)

        async def add(data: bytes, update: Callable[[bytes], None] = digest.update) -> None:
            update(data)

        if await _each_block(call, name, add):
            await call.write(digest.hexdigest() + ("\n" if "b" in flags else f"  {name}\n"))


async def basename(call: Call) -> None:
    call.need(1)
    name = call.arguments[0].rstrip("/").rpartition("/")[2] or "/"
    if len(call.arguments) > 1 and name != call.arguments[1]:
        name = name.removesuffix(call.arguments[1])
    await call.write(name + "\n")


async def dirname(call: Call) -> None:
    call.need(1)
    for name in call.arguments:
        folder, slash, _ = name.rstrip("/").rpartition("/")
        await call.write((folder or (slash and "/") or ".") + "\n")


async def true(call: Call) -> None:
    pass


async def false(call: Call) -> None:
    call.code = 1


async def test(call: Call) -> None:
    words = call.arguments
    if call.name == "[":
        if not words or words[-1] != "]":
            raise Usage("missing ]")
        words = words[:-1]
    wanted = True
    while len(words) > 1 and words[0] == "!":
        words, wanted = words[1:], not wanted
    call.code = int(_holds(call, words) != wanted)


def _holds(call: Call, words: list[str]) -> bool:
    files = call.files
    match words:
        case []:
            return False
        case [word]:
            return bool(word)
        case ["-n", word]:
            return bool(word)
        case ["-z", word]:
            return not word
        case ["-e", name]:
            return files.exists(call.path(name))
        case ["-f", name]:
            return files.exists(call.path(name)) and not files.is_folder(call.path(name))
        case ["-d", name]:
            return files.is_folder(call.path(name))
        case ["-s", name]:
            return files.exists(call.path(name)) and files.stat(call.path(name)).size > 0
        case ["-L" | "-h", name]:
            try:
                files.read_link(call.path(name))
            except OSError:
                return False
            return True
        case ["-r" | "-w" | "-x" as flag, name]:
            return files.may(call.path(name), {"r": 4, "w": 2, "x": 1}[flag[1]])
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" as sign, right]:
            return _compare(left, sign, right)
        case _:
            raise Usage(f"{' '.join(words)[:200]}: not offered by this phone")


def _compare(left: str, sign: str, right: str) -> bool:
    if not all(re.fullmatch(r"-?\d{1,18}", side) for side in (left, right)):
        raise Usage(f"{left if not left.isdigit() else right}: not a number")
    a, b = int(left), int(right)
    return {
        "-eq": a == b,
        "-ne": a != b,
        "-lt": a < b,
        "-le": a <= b,
        "-gt": a > b,
        "-ge": a >= b,
    }[sign]


async def sleep(call: Call) -> None:
    call.need(1)
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)", call.arguments[0])
    if found is None:
        raise Usage(f"bad number '{call.arguments[0]}'")
    seconds = float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]
    await call.phone.clock.sleep(seconds * 1000)


async def date(call: Call) -> None:
    format = "%a %b %d %H:%M:%S %Z %Y"
    if call.arguments:
        if len(call.arguments) > 1 or not call.arguments[0].startswith("+"):
            raise Usage("only date and date +FORMAT are offered by this phone")
        format = call.arguments[0][1:]
        if set(re.findall("%(.?)", format)) - set("YmdHMSsjaAbBFTyeZ%"):
            raise Usage(f"bad format '+{format}'")
    now = call.phone.world.wall.now()
    format = format.replace("%s", str(int(now.timestamp())))
    await call.write(now.strftime(format) + "\n")


async def env(call: Call) -> None:
    if call.arguments:
        raise Usage("env with arguments is not offered by this phone")
    for name, value in call.process.environment.items():
        await call.write(f"{name}={value}\n")
