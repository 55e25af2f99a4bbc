"""Commands that transform lines, such as cut, sort, uniq, tr and tee."""

import asyncio
import base64 as codec
import contextlib
import functools
import re
from collections.abc import Callable

from ...files.open_file import OpenFile
from ...sh.escapes import unescape
from ..call import CommandCall, Usage, clean
from ..options import number, take_options
from .lines import all_lines, read_all, read_blocks, read_lines

_SETS = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "lower": "a-z", "upper": "A-Z",
    "space": " \\t\\n\\r\\f\\v", "blank": " \\t", "punct": "!-/:-@[-`{-~", "xdigit": "0-9a-fA-F",
}  # fmt: skip


async def cut(call: CommandCall) -> None:
    options = take_options(call, "sn", "bcdfDFO")
    kinds = [letter for letter in "bcfF" if letter in options]
    if len(kinds) != 1:
        raise Usage("must specify a list of fields" if not kinds else "needs one of -bcfF")
    kind = kinds[0]
    ranges = _ranges(options[kind][-1])
    delimiter = unescape(options.get("d", ["\t"])[-1])[0]
    between = options.get("O", [" " if kind == "F" else delimiter])[-1]
    for name in call.arguments or ["-"]:
        async for line in read_lines(call, name):
            if kind in "bc":
                await call.write("".join(_chosen(list(line), ranges)) + "\n")
                continue
            fields = (
                re.split(r"[ \t]+", line)
                if kind == "F" and "d" not in options
                else line.split(delimiter)
            )
            if len(fields) == 1:
                if "s" not in options:
                    await call.write(f"{line}\n")
                continue
            await call.write(between.join(_chosen(fields, ranges)) + "\n")


def _ranges(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,9})?(-)?(\d{1,9})?", part)
        if match is None or not part or part == "-" or match[1] == "0":
            raise Usage(f"bad range '{part}'")
        first = int(match[1] or "1")
        last = int(match[3]) if match[3] else (1 << 30 if match[2] else first)
        found.append((first, last))
    return sorted(found)


def _chosen(items: list[str], ranges: list[tuple[int, int]]) -> list[str]:
    return [
        item
        for place, item in enumerate(items, 1)
        if any(first <= place <= last for first, last in ranges)
    ]


async def sort(call: CommandCall) -> None:
    options = take_options(call, "nrufbgVdics", "kto")
    if set(options) & set("gVdic"):
        raise Usage("only -n, -r, -u, -f, -b, -s, -k, -t and -o are supported by this phone")
    lines = await all_lines(call)
    keys = [_sort_key(text, options) for text in options.get("k", [])]
    numeric, fold = "n" in options, "f" in options

    def whole(line: str) -> tuple[object, ...]:
        if keys:
            return tuple(key(line) for key in keys)
        return (_plain_key(line, numeric, fold, "b" in options),)

    def last_resort(line: str) -> bytes:
        return line.encode("utf-8", "surrogateescape")

    if "u" in options:
        seen: dict[tuple[object, ...], str] = {}
        for line in lines:
            seen.setdefault(whole(line), line)
        lines = list(seen.values())
    elif "s" not in options:
        lines.sort(key=last_resort, reverse="r" in options)
    if keys:
        for place in reversed(range(len(keys))):
            key = keys[place]
            backwards = "r" in options["k"][place] or "r" in options
            lines.sort(key=functools.partial(_call_key, key), reverse=backwards)
    else:
        lines.sort(key=functools.partial(_call_key, whole), reverse="r" in options)
    text = "".join(f"{line}\n" for line in lines)
    if "o" in options:
        try:
            call.files.write(call.path(options["o"][-1]), text.encode("utf-8", "surrogateescape"))
        except OSError as problem:
            await call.fail(f"{options['o'][-1]}: {clean(problem)}")
        return
    await call.write(text)


# Python's sort needs keys of one type, so single keys become tuples.
def _call_key(key: Callable[[str], object], line: str) -> tuple[object, ...]:
    value = key(line)
    return value if isinstance(value, tuple) else (value,)  # pyright: ignore


def _plain_key(text: str, numeric: bool, fold: bool, skip: bool) -> float | bytes:
    if numeric:
        found = re.match(r"\s*(-?\d{1,300}(?:\.\d{0,300})?)", text)
        return float(found[1]) if found is not None else 0.0
    text = text.lstrip() if skip else text
    return (text.upper() if fold else text).encode("utf-8", "surrogateescape")


def _sort_key(text: str, options: dict[str, list[str]]) -> Callable[[str], float | bytes]:
    found = re.fullmatch(r"(\d{1,6})(?:\.\d+)?([nrfb]*)(?:,(\d{1,6})(?:\.\d+)?([nrfb]*))?", text)
    if found is None or found[1] == "0":
        raise Usage(f"bad key '{text}'")
    flags = found[2] + (found[4] or "")
    first, last = int(found[1]), int(found[3]) if found[3] else None
    separator = options.get("t", [""])[-1]

    def key(line: str) -> float | bytes:
        blank = filter(None, re.findall(r"\s*\S*", line.rstrip()))
        fields = line.split(separator) if separator else [*blank]
        part = (separator).join(fields[first - 1 : last])
        numeric = "n" in flags or "n" in options
        return _plain_key(
            part, numeric, "f" in flags or "f" in options, "b" in flags or not separator
        )

    return key


async def uniq(call: CommandCall) -> None:
    options = take_options(call, "cdui")
    lines = await all_lines(call)
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _same(lines[end], lines[at], "i" in options):
            end += 1
        count = end - at
        if not ("d" in options and count == 1) and not ("u" in options and count > 1):
            await call.write((f"{count:7d} " if "c" in options else "") + f"{lines[at]}\n")
        at = end


def _same(first: str, other: str, fold: bool) -> bool:
    return first.lower() == other.lower() if fold else first == other


async def tr(call: CommandCall) -> None:
    options = take_options(call, "cCds", "", early=True)
    call.need(1)
    if len(call.arguments) > 2:
        raise Usage("Max 2 arguments")
    first = _set(call.arguments[0])
    second = _set(call.arguments[1]) if len(call.arguments) > 1 else []
    if not second and not set("ds") & set(options):
        raise Usage('Needs 2 arguments (see "tr --help")')
    chosen = set(first)
    complement = "c" in options or "C" in options
    table = dict(zip(first, second + second[-1:] * len(first), strict=False)) if second else {}
    squeezed = set(second or first) if "s" in options else set[int]()
    before = -1
    async for data in read_blocks(call, "-"):
        result = bytearray()
        for byte in data:
            hit = (byte in chosen) != complement
            if hit and "d" in options:
                continue
            changed = byte
            if hit and second and "d" not in options:
                changed = second[-1] if complement else table[byte]
            repeats = changed in squeezed if not complement or second else hit
            if "s" in options and repeats and changed == before:
                continue
            before = changed
            result.append(changed)
        await call.process.stdout.write(bytes(result))


def _set(text: str) -> list[int]:
    text = re.sub(r"\[:(\w+):\]", lambda found: _SETS.get(found[1], found[0]), text)
    data = unescape(re.sub(r"\\([0-7]{1,3})", r"\\0\1", text))[0].encode("utf-8", "surrogateescape")
    found: list[int] = []
    at = 0
    while at < len(data):
        if data[at + 1 : at + 2] == b"-" and at + 2 < len(data):
            if data[at] > data[at + 2]:
                raise Usage("bad range")
            found += range(data[at], data[at + 2] + 1)
            at += 3
        else:
            found.append(data[at])
            at += 1
    return found


async def tee(call: CommandCall) -> None:
    options = take_options(call, "ai")
    with contextlib.ExitStack() as opened:
        files: list[OpenFile] = []
        for name in call.arguments:
            try:
                file = call.files.create(call.path(name), append="a" in options)
            except OSError as problem:
                await call.fail(f"{name}: {clean(problem)}")
                continue
            files.append(opened.enter_context(file))
        async for data in read_blocks(call, "-"):
            for file in files:
                file.write(data)
            await call.process.stdout.write(data)


async def rev(call: CommandCall) -> None:
    take_options(call, "")
    for name in call.arguments or ["-"]:
        async for line in read_lines(call, name):
            await call.write(line[::-1] + "\n")


async def tac(call: CommandCall) -> None:
    take_options(call, "")
    for line in reversed(await all_lines(call)):
        await call.write(f"{line}\n")


async def nl(call: CommandCall) -> None:
    take_options(call, "")
    count = 0
    for line in await all_lines(call):
        count += bool(line)
        await call.write(f"{count:6d}\t{line}\n" if line else "       \n")


async def seq(call: CommandCall) -> None:
    options = take_options(call, "w", "sf", early=True) if not _negative(call.arguments) else {}
    call.need(1)
    if "f" in options or "w" in options:
        raise Usage("-f and -w are not supported by this phone")
    if len(call.arguments) > 3 or any(
        not re.fullmatch(r"-?\d{1,9}(\.\d{1,6})?", argument) for argument in call.arguments
    ):
        raise Usage(f"bad number '{call.arguments[0]}'")
    values = [float(argument) for argument in call.arguments]
    first = values[0] if len(values) > 1 else 1.0
    step = values[1] if len(values) == 3 else 1.0
    places = max(len(argument.partition(".")[2]) for argument in call.arguments)
    if not step:
        raise Usage("bad step 0")
    between = unescape(options.get("s", ["\n"])[-1])[0]
    at, count = first, 0
    while (at <= values[-1] + 1e-9) if step > 0 else (at >= values[-1] - 1e-9):
        await call.write((between if count else "") + f"{at:.{places}f}")
        count += 1
        at = first + step * count
        if not count % 1000:
            await asyncio.sleep(0)  # let other tasks run during a long count
    if count:
        await call.write("\n")


def _negative(words: list[str]) -> bool:
    return bool(words) and re.fullmatch(r"-\d+(\.\d+)?", words[0]) is not None


async def base64(call: CommandCall) -> None:
    options = take_options(call, "di", "w")
    width = number(call, options.get("w", ["76"])[-1])
    for name in call.arguments or ["-"]:
        data = await read_all(call, name)
        if "d" in options:
            try:
                await call.process.stdout.write(
                    codec.b64decode(b"".join(data.split()), validate="i" not in options)
                )
            except ValueError:
                await call.fail("bad input")
            continue
        text = codec.b64encode(data).decode()
        lines = [text[at : at + width] for at in range(0, len(text), width)] if width else [text]
        await call.write("\n".join(lines) + ("\n" if width and lines else ""))


async def xxd(call: CommandCall) -> None:
    options = take_options(call, "pri", "cglso")
    if set(options) & set("rios"):
        raise Usage("only -p, -c, -g and -l are supported by this phone")
    columns = number(call, options.get("c", ["30" if "p" in options else "16"])[-1], 256) or 16
    group = number(call, options.get("g", ["2"])[-1], 256) or columns
    for name in call.arguments or ["-"]:
        data = await read_all(call, name)
        if "l" in options:
            data = data[: number(call, options["l"][-1])]
        for at in range(0, len(data), columns):
            part = data[at : at + columns]
            if "p" in options:
                await call.write(part.hex() + "\n")
                continue
            pieces = [part[i : i + group].hex() for i in range(0, len(part), group)]
            width = columns * 2 + (columns - 1) // group
            shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
            await call.write(f"{at:08x}: {' '.join(pieces):{width}}  {shown}\n")


async def od(call: CommandCall) -> None:
    options = take_options(call, "cxbv", "AtN")
    base = options.get("A", ["o"])[-1]
    kind = options.get("t", ["c" if "c" in options else "x1" if "x" in options else "o2"])[-1]
    if kind not in ("x1", "c", "o2", "u1", "d1") or base not in ("o", "x", "d", "n"):
        raise Usage("only -t x1, u1, d1, o2 and c are supported by this phone")
    data = b"".join([await read_all(call, name) for name in call.arguments or ["-"]])
    if "N" in options:
        data = data[: number(call, options["N"][-1])]
    shown_at = {"o": "{:07o}", "x": "{:06x}", "d": "{:07d}", "n": ""}[base]
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        await call.write(shown_at.format(at) + _od_row(part, kind) + "\n")
    if base != "n":
        await call.write(shown_at.format(len(data)) + "\n")


def _od_row(part: bytes, kind: str) -> str:
    if kind == "x1":
        return "".join(f" {byte:02x}" for byte in part)
    if kind in ("u1", "d1"):
        return "".join(
            f" {byte - 256 * (kind == 'd1' and byte > 127):>{3 + (kind == 'd1')}}" for byte in part
        )
    if kind == "o2":
        pairs = [part[i : i + 2].ljust(2, b"\0") for i in range(0, len(part), 2)]
        return "".join(f" {int.from_bytes(pair, 'little'):06o}" for pair in pairs)
    names = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
    return "".join(
        f" {names.get(byte) or (chr(byte) if 32 <= byte < 127 else f'{byte:03o}'):>3}"
        for byte in part
    )


async def dos2unix(call: CommandCall) -> None:
    call.need(1)
    for name in call.arguments:
        try:
            data = call.files.read(call.path(name))
            call.files.write(call.path(name), data.replace(b"\r\n", b"\n"))
        except OSError as problem:
            await call.fail(f"{name}: {clean(problem)}")
