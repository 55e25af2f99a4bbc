"""Commands about space and raw bytes: du, df, dd and truncate; also expr."""

import posixpath
import re
import stat

from ...files.entry import ROOT
from ...sh.arithmetic import BadSum, evaluate
from ..call import CommandCall, Usage, clean
from ..options import number, take_options
from ..text.expressions import BadExpression, Expression
from ..text.lines import read_all


def human(size: int) -> str:
    """Format a size as toybox does with `-h`."""
    value, unit = float(size), 0
    while value >= 1000 and unit < 5:
        value /= 1024
        unit += 1
    if not unit:
        return str(size)
    return f"{value:.1f}{' KMGTP'[unit]}" if value < 10 else f"{value:.0f}{' KMGTP'[unit]}"


async def du(call: CommandCall) -> None:
    options = take_options(call, "shkmac", "d")
    deepest = 0 if "s" in options else number(call, options.get("d", ["10000"])[-1])
    total = 0
    for name in call.arguments or ["."]:
        total += await _weigh(call, name, 0, deepest, options)
    if "c" in options:
        await call.write(f"{_amount(total, options)}\ttotal\n")


async def _weigh(
    call: CommandCall, name: str, depth: int, deepest: int, options: dict[str, list[str]]
) -> int:
    try:
        status = call.files.stat(call.path(name), follow=False)
        entries = call.files.list(call.path(name)) if stat.S_ISDIR(status.mode) else []
    except OSError as problem:
        await call.fail(f"{name}: {clean(problem)}")
        return 0
    size = (status.size + 4095) // 4096 * 4096
    for entry in entries:
        size += await _weigh(call, posixpath.join(name, entry), depth + 1, deepest, options)
    if depth <= deepest and (not depth or stat.S_ISDIR(status.mode) or "a" in options):
        await call.write(f"{_amount(size, options)}\t{name}\n")
    return size


def _amount(size: int, options: dict[str, list[str]]) -> str:
    if "h" in options:
        return human(size)
    return str(-(-size // (1 << 20)) if "m" in options else size // 1024)


def _kilobytes(size: int) -> str:
    return str(size // 1024)


async def df(call: CommandCall) -> None:
    options = take_options(call, "hkaP", "t")
    tree = call.phone.files
    for name in call.arguments:
        if not tree.exists(call.path(name), ROOT):
            await call.fail(f"{name}: No such file or directory")
            return
    data = ("/dev/block/dm-40", tree.capacity, tree.used, "/data")
    emulated = ("/dev/fuse", tree.capacity, tree.used, "/storage/emulated")
    rows = [data, emulated]
    if call.arguments:
        rows = [
            emulated if tree.real_path(call.path(name), ROOT).startswith("/storage") else data
            for name in call.arguments
        ]
    shown = human if "h" in options else _kilobytes
    head = (
        "Filesystem",
        "Size" if "h" in options else "1K-blocks",
        "Used",
        "Avail" if "h" in options else "Available",
        "Use%",
        "Mounted on",
    )
    table = [head] + [
        (
            source,
            shown(all),
            shown(used),
            shown(all - used),
            f"{-(-used * 100 // all) if all else 0}%",
            place,
        )
        for source, all, used, place in rows
    ]
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    for row in table:
        middle = " ".join(f"{row[column]:>{widths[column]}}" for column in range(1, 5))
        await call.write(f"{row[0]:{widths[0]}} {middle} {row[5]}\n")


async def dd(call: CommandCall) -> None:
    values = {
        "bs": "512",
        "count": "",
        "skip": "0",
        "seek": "0",
        "if": "-",
        "of": "",
        "status": "",
        "conv": "",
        "ibs": "",
        "obs": "",
        "iflag": "",
    }
    for word in call.arguments:
        name, equals, value = word.partition("=")
        if not equals or name not in values:
            raise Usage(f"bad arg '{word}'")
        values[name] = value
    if values["conv"] not in ("", "notrunc", "fsync") or values["seek"] != "0" or values["iflag"]:
        raise Usage("only conv=fsync, without seek and iflag, is supported by this phone")
    block = number(call, values["ibs"] or values["bs"], 64 << 20)
    if not block:
        raise Usage("bad bs '0'")
    data = await _source(call, values["if"])
    if data is None:
        return
    data = data[number(call, values["skip"]) * block :]
    if values["count"]:
        data = data[: number(call, values["count"]) * block]
    if values["of"]:
        try:
            call.files.write(call.path(values["of"]), data)
        except OSError as problem:
            await call.fail(f"{values['of']}: {clean(problem)}")
            return
    else:
        await call.process.stdout.write(data)
    if values["status"] != "none":
        whole, part = divmod(len(data), block)
        counts = f"{whole}+{int(part > 0)} records"
        await call.process.stderr.write(
            f"{counts} in\n{counts} out\n{len(data)} bytes ({human(len(data))}) copied\n".encode()
        )


async def _source(call: CommandCall, name: str) -> bytes | None:
    if call.path(name) == "/dev/zero":
        raise Usage("/dev/zero: No such file or directory")
    before = call.code
    data = await read_all(call, name)
    return data if call.code == before else None


async def truncate(call: CommandCall) -> None:
    options = take_options(call, "c", "s")
    call.need(1)
    size = number(call, options.get("s", [""])[-1], 64 << 20)
    for name in call.arguments:
        try:
            data = call.files.read(call.path(name)) if call.files.exists(call.path(name)) else b""
            call.files.write(call.path(name), data[:size].ljust(size, b"\0"))
        except OSError as problem:
            await call.fail(f"{name}: {clean(problem)}")


async def expr(call: CommandCall) -> None:
    """Evaluate arithmetic, comparisons and `:`; the exit code is 1 for an empty result or 0."""
    words = call.arguments
    match words:
        case []:
            raise Usage('Needs 1 argument (see "expr --help")')
        case [word]:
            answer = word
        case [text, ":", pattern]:
            answer = _match(text, pattern)
        case [left, "=" | "==" | "!=" as operator, right]:
            answer = str(int((left == right) == (operator != "!=")))
        case _ if all(re.fullmatch(r"-?\d{1,9}|[-+*/%()<>|&]|[<>]=", word) for word in words):
            try:
                answer = str(evaluate(" ".join(words), lambda _: "", lambda name, _: name))
            except BadSum as problem:
                call.code = 2
                await call.report(f"syntax error ({problem})")
                return
        case _:
            call.code = 2
            await call.report("non-integer argument")
            return
    await call.write(f"{answer}\n")
    call.code = int(answer in ("", "0"))


def _match(text: str, pattern: str) -> str:
    try:
        found = Expression(f"^{pattern}", extended=False).search(text)
    except BadExpression as problem:
        raise Usage(str(problem)) from None
    if found is not None and found.groups():
        return found[1] or ""
    return str(len(found[0])) if found is not None else "0"
