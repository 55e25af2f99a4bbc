"""Commands that read, count and print text."""

import asyncio
import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Awaitable, Callable

from ...sh.escapes import unescape
from ..call import CommandCall, Usage, clean

KEPT = 64 * 1024 * 1024
"""The limit of bytes that a command keeps in memory."""

Take = Callable[[bytes], Awaitable[None]]


async def echo(call: CommandCall) -> None:
    words = call.arguments
    newline, escapes = True, False
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = newline and "n" not in words[0]
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    if escapes:
        text, stops = unescape(text)
        newline = newline and not stops
    await call.write(text + ("\n" if newline else ""))


async def printf(call: CommandCall) -> None:
    call.need(1)
    format, *values = call.arguments
    while True:
        left = len(values)
        text, stops = _fill(format, values)
        await call.write(text)
        if stops or not values or len(values) == left:
            return


_DIRECTIVE = re.compile(
    r"%%|%([-+ 0#]*)(\*|\d{1,4})?(?:\.(\d{1,3}))?(.?)|\\(?:[0-7]{1,3}|.)", re.DOTALL
)


def _fill(format: str, values: list[str]) -> tuple[str, bool]:
    r"""Apply the format once, consuming values; return the text, and whether `\c` ended it."""
    result, at = "", 0
    for found in _DIRECTIVE.finditer(format):
        result += format[at : found.start()]
        at = found.end()
        if found[0].startswith("\\"):
            code = found[0][1:]
            result += unescape(f"\\0{code}" if code[0] in "01234567" else found[0])[0]
            continue
        if found[0] == "%%":
            result += "%"
            continue
        flags, width, places, kind = found[1], found[2] or "", found[3], found[4]
        if width == "*":
            width = values.pop(0) if values else "0"
            if not re.fullmatch(r"-?\d{1,4}", width):
                raise Usage(f"bad number '{width}'")
        value = values.pop(0) if values else ""
        if kind == "b":
            value, stops = unescape(value)
            if stops:
                return result + value, True
            kind = "s"
        result += _directive(flags, width, places, kind, value)
    return result + format[at:], False


def _directive(flags: str, width: str, places: str | None, kind: str, value: str) -> str:
    dot = "" if places is None else f".{places}"
    if kind in ("s", "c") and kind:
        value = value[:1] if kind == "c" else value
        return f"%{flags.replace('0', '')}{width}{dot}s" % value
    if kind and kind in "diuxXo":
        return f"%{flags}{width}{dot}{'d' if kind in 'iu' else kind}" % _whole(value)
    if kind and kind in "feEgG":
        try:
            return f"%{flags}{width}{dot}{kind}" % float(value or "0")
        except ValueError:
            raise Usage(f"bad number '{value}'") from None
    raise Usage(f"bad %{kind}@0")


def _whole(value: str) -> int:
    if value[:1] in ("'", '"') and len(value) > 1:
        return ord(value[1])
    try:
        number = int(value or "0", 8 if re.fullmatch(r"-?0[0-7]+", value) else 0)
    except ValueError:
        number = 1 << 64
    if not -(1 << 63) <= number < 1 << 64:
        raise Usage(f"bad number '{value}'")
    return number


async def cat(call: CommandCall) -> None:
    call.options("u")
    for name in call.arguments or ["-"]:
        await _each_block(call, name, call.process.stdout.write)


async def _each_block(call: CommandCall, name: str, take: Take) -> bool:
    if name == "-":
        while data := await call.process.stdin.read():
            await take(data)
        return True
    try:
        with call.files.open(call.path(name)) as file:
            while data := file.read():
                await take(data)
                await asyncio.sleep(0)  # let other tasks run while a large file is read
    except BrokenPipeError:
        raise
    except OSError as problem:
        await call.fail(f"{name}: {clean(problem)}")
        return False
    return True


class Enough(Exception):
    """Ends the reading of input; the rest is ignored."""


async def head(call: CommandCall) -> None:
    await _ends(call, first=True)


async def tail(call: CommandCall) -> None:
    await _ends(call, first=False)


async def _ends(call: CommandCall, *, first: bool) -> None:
    unit, count, skipping = "n", 10, False
    words = call.arguments
    while words and (found := re.fullmatch(r"-(?:([nc])\s*(\+?\d{1,9})?|(\d{1,9})|q)", words[0])):
        words = words[1:]
        if found[0] == "-q":
            continue
        unit = found[1] or "n"
        number = found[2] or found[3]
        if number is None:
            if not words or not re.fullmatch(r"\+?\d{1,9}", words[0]):
                raise Usage("Needs a number")
            number, words = words[0], words[1:]
        count = int(number)
        skipping = number.startswith("+") and not first
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
        if skipping:
            lines = bytes(kept).splitlines(keepends=True) if unit == "n" else []
            from_here = max(0, count - 1)
            part = b"".join(lines[from_here:]) if unit == "n" else bytes(kept[from_here:])
        elif unit == "c":
            part = bytes(kept[:count] if first else kept[max(0, len(kept) - count) :])
        else:
            lines = bytes(kept).splitlines(keepends=True)
            part = b"".join(lines[:count] if first else lines[max(0, len(lines) - count) :])
        await call.process.stdout.write(part)


async def wc(call: CommandCall) -> None:
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
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
    if len(call.arguments) > 1:
        await _counts(call, totals, flags, "total")


async def _counts(call: CommandCall, counts: list[int], flags: str, name: str) -> None:
    numbers = [str(count) for count, flag in zip(counts, "lwc", strict=True) if flag in flags]
    if len(numbers) > 1:
        numbers = [f"{count:>7}" for count in numbers]
    label = "" if name == "-" else f" {name}"
    await call.write(" ".join(numbers) + label + "\n")


async def sha256sum(call: CommandCall) -> None:
    await _sums(call, "sha256")


async def sha1sum(call: CommandCall) -> None:
    await _sums(call, "sha1")


async def md5sum(call: CommandCall) -> None:
    await _sums(call, "md5")


async def _sums(call: CommandCall, kind: str) -> None:
    flags = call.options("b")
    for name in call.arguments or ["-"]:
        digest = hashlib.new(kind, usedforsecurity=False)

        async def add(data: bytes, update: Callable[[bytes], None] = digest.update) -> None:
            update(data)

        if await _each_block(call, name, add):
            await call.write(digest.hexdigest() + ("\n" if "b" in flags else f"  {name}\n"))


async def basename(call: CommandCall) -> None:
    call.need(1)
    name = call.arguments[0].rstrip("/").rpartition("/")[2] or "/"
    if len(call.arguments) > 1 and name != call.arguments[1]:
        name = name.removesuffix(call.arguments[1])
    await call.write(name + "\n")


async def dirname(call: CommandCall) -> None:
    call.need(1)
    for name in call.arguments:
        folder, slash, _ = name.rstrip("/").rpartition("/")
        await call.write((folder or (slash and "/") or ".") + "\n")


async def true(call: CommandCall) -> None:
    pass


async def false(call: CommandCall) -> None:
    call.code = 1


async def test(call: CommandCall) -> None:
    words = call.arguments
    try:
        if call.name == "[":
            if not words or words[-1] != "]":
                raise Usage("missing ]")
            words = words[:-1]
        call.code = int(not _either(call, words, 0))
    except Usage as problem:
        # The shell's builtin prints its own name.
        call.code = 2
        await call.process.stderr.write(f"/system/bin/sh: {call.name}: {problem}\n".encode())


def _either(call: CommandCall, words: list[str], depth: int) -> bool:
    """Evaluate `-o`, then `-a`, then `!`, then a single test; brackets are separate words."""
    if depth > 16:
        raise Usage("nested too deeply")
    if len(words) > 3:
        for operator in ("-o", "-a"):
            at = _outside(words, operator)
            if at:
                left = _either(call, words[:at], depth + 1)
                right = _either(call, words[at + 1 :], depth + 1)
                return (left or right) if operator == "-o" else (left and right)
        if words[0] == "(" and words[-1] == ")":
            return _either(call, words[1:-1], depth + 1)
    if len(words) > 1 and words[0] == "!":
        return not _either(call, words[1:], depth + 1)
    if len(words) == 3 and words[0] == "(" and words[2] == ")":
        return bool(words[1])
    return _holds(call, words)


def _outside(words: list[str], operator: str) -> int:
    """The first index of `operator` outside brackets; 0 if there is none."""
    level = 0
    for at, word in enumerate(words):
        level += (word == "(") - (word == ")")
        if word == operator and not level and 0 < at < len(words) - 1:
            return at
    return 0


def _holds(call: CommandCall, words: list[str]) -> bool:
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
        case [left, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" as operator, right]:
            return _compare(left, operator, right)
        case [left, "<" | ">" as operator, right]:
            return left < right if operator == "<" else left > right
        case [first, second]:
            raise Usage(
                f"{first[:100]}: unexpected operator/operand"
                if first[:1] == "-"
                else f"{second[:100]}: unexpected operator/operand"
            )
        case _:
            second = words[1]
            raise Usage(f"{second[:100]}: unexpected operator/operand")


def _compare(left: str, operator: str, right: str) -> bool:
    for side in (left, right):
        if side and not re.fullmatch(r"\s*[-+]?\d{1,18}\s*", side):
            raise Usage(f"{side[:100]}: unexpected '{side[:1]}'")
    a, b = int(left or "0"), int(right or "0")
    return {
        "-eq": a == b,
        "-ne": a != b,
        "-lt": a < b,
        "-le": a <= b,
        "-gt": a > b,
        "-ge": a >= b,
    }[operator]


async def sleep(call: CommandCall) -> None:
    call.need(1)
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)", call.arguments[0])
    if found is None:
        raise Usage(f"bad number '{call.arguments[0]}'")
    seconds = float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]
    await call.phone.clock.sleep(seconds * 1000)


async def date(call: CommandCall) -> None:
    format = "%a %b %d %H:%M:%S %Z %Y"
    if call.arguments:
        if len(call.arguments) > 1 or not call.arguments[0].startswith("+"):
            raise Usage("only date and date +FORMAT are supported by this phone")
        format = call.arguments[0][1:]
        if set(re.findall("%(.?)", format)) - set("YmdHMSsjaAbBFTyeZz%"):
            raise Usage(f"bad format '+{format}'")
    now = call.phone.world.wall.now()
    format = format.replace("%s", str(int(now.timestamp())))
    await call.write(now.strftime(format) + "\n")


async def env(call: CommandCall) -> None:
    if call.arguments:
        raise Usage("env with arguments is not supported by this phone")
    for name, value in call.process.environment.items():
        await call.write(f"{name}={value}\n")
