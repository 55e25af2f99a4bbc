"""Commands about the shell's user, the system's properties and processes."""

import re
from typing import NamedTuple

from ...files.entry import SHELL
from ...packages.running import user_name
from ...system.processes import SIGKILL, SIGTERM
from ...system.properties import LONGEST, MOST, all_properties, may_set
from ..call import CommandCall, Usage
from ..options import take_options
from ..text.expressions import BadExpression, Expression
from .machine import KERNEL

_GROUPS = {
    1004: "input",
    1007: "log",
    1011: "adb",
    1015: "sdcard_rw",
    1028: "sdcard_r",
    1078: "ext_data_rw",
    1079: "ext_obb_rw",
    2000: "shell",
    3001: "net_bt_admin",
    3002: "net_bt",
    3003: "inet",
    3006: "net_bw_stats",
    3009: "readproc",
    3011: "uhid",
}
_SIGNALS = {"0": 0, "HUP": 1, "INT": 2, "KILL": SIGKILL, "TERM": SIGTERM}
_ALWAYS = ((1, 0, "root", "init"), (400, 1, "shell", "adbd"))


async def id(call: CommandCall) -> None:
    flags = call.options("ung")
    if flags in ("u", "g"):
        await call.write(f"{SHELL.uid}\n")
    elif sorted(flags) in (["n", "u"], ["g", "n"]):
        await call.write("shell\n")
    elif flags:
        raise Usage(f"-{flags} is not supported by this phone")
    else:
        others = sorted(SHELL.groups, key=lambda group: (group != SHELL.uid, group))
        groups = ",".join(f"{group}({_GROUPS[group]})" for group in others)
        await call.write(f"uid=2000(shell) gid=2000(shell) groups={groups} context=u:r:shell:s0\n")


async def whoami(call: CommandCall) -> None:
    await call.write("shell\n")


async def getprop(call: CommandCall) -> None:
    properties = all_properties(call.phone)
    if call.arguments[:1] == ["-T"]:
        raise Usage("-T is not supported by this phone")
    if not call.arguments:
        for name in properties:
            await call.write(f"[{name}]: [{properties[name]}]\n")
        return
    default = call.arguments[1] if len(call.arguments) > 1 else ""
    await call.write((properties.get(call.arguments[0]) or default) + "\n")


async def setprop(call: CommandCall) -> None:
    call.need(2)
    name, value = call.arguments[:2]
    properties = call.phone.properties
    if len(value.encode("utf-8", "surrogateescape")) > LONGEST and not name.startswith("ro."):
        raise Usage(f"Property value '{value[:200]}' is too long for '{name}'")
    full = name not in properties and len(properties) >= MOST
    if not may_set(name) or full or not re.fullmatch(r"[A-Za-z0-9_.:@-]{1,255}", name):
        call.code = 1
        await call.process.stderr.write(
            f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n".encode(
                "utf-8", "surrogateescape"
            )
        )
        return
    properties[name] = value


async def uname(call: CommandCall) -> None:
    flags = call.options("asnrvm")
    letters = "".join(KERNEL) if "a" in flags else flags or "s"
    words = [value for letter, value in KERNEL.items() if letter in letters]
    await call.write(" ".join(words) + "\n")


class _Row(NamedTuple):
    user: str
    pid: int
    parent: int
    name: str


def _rows(call: CommandCall) -> list[_Row]:
    """All processes, including the programs of this shell."""
    rows = [_Row(user, pid, parent, name) for pid, parent, user, name in _ALWAYS]
    rows += [
        _Row(user_name(process.uid), process.pid, process.parent, process.name)
        for process in call.phone.world.running
    ]
    return rows + [
        _Row("shell", process.pid, 400, process.name) for process in call.phone.processes.all()
    ]


_FIELDS = {
    "user": ("USER", 12, False), "pid": ("PID", 5, True), "ppid": ("PPID", 5, True),
    "name": ("NAME", 27, False), "cmd": ("CMD", 27, False), "args": ("CMD", 27, False),
    "uid": ("UID", 5, True), "s": ("S", 1, False), "vsz": ("VSZ", 7, True), "rss": ("RSS", 6, True),
    "comm": ("COMMAND", 27, False),
}  # fmt: skip


def _field(row: _Row, field: str) -> str:
    uids = {"root": 0, "system": 1000, "shell": 2000}
    match field:
        case "user":
            return row.user
        case "pid":
            return str(row.pid)
        case "ppid":
            return str(row.parent)
        case "uid":
            known = uids.get(row.user)
            return str(known if known is not None else 10000 + int(row.user.rpartition("a")[2]))
        case "s":
            return "S"
        case "vsz" | "rss":
            return "0"
        case _:
            return row.name


async def ps(call: CommandCall) -> None:
    options = take_options(call, "AeflwT", "opuU")
    if "T" in options or "l" in options:
        raise Usage("-T and -l are not supported by this phone")
    rows = _rows(call)
    if "p" in options:
        wanted = {pid for text in options["p"] for pid in text.replace(",", " ").split()}
        rows = [row for row in rows if str(row.pid) in wanted]
    elif "u" in options or "U" in options:
        users = {*options.get("u", []), *options.get("U", [])}
        rows = [row for row in rows if row.user in users or _field(row, "uid") in users]
    elif not {"A", "e"} & set(options):
        # Without -A, only the processes of this shell.
        mine = {process.pid for process in call.phone.processes.all()}
        rows = [row for row in rows if row.pid in mine] if "f" not in options else rows
    if "o" in options:
        await _chosen_fields(call, rows, options["o"])
        return
    if "f" in options:
        await call.write("UID            PID  PPID C STIME TTY          TIME CMD\n")
        for row in rows:
            await call.write(
                f"{row.user:12} {row.pid:>5} {row.parent:>5} 0 09:41:00 ?     00:00:00 {row.name}\n"
            )
        return
    await call.write("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n")
    for user, pid, parent, name in rows:
        await call.write(f"{user:12} {pid:>5} {parent:>5} {0:>7} {0:>6} {0:<15} {0:>5} S {name}\n")


async def _chosen_fields(call: CommandCall, rows: list[_Row], texts: list[str]) -> None:
    fields: list[tuple[str, str]] = []
    for text in texts:
        for column in text.split(","):
            field, equals, title = column.strip().partition("=")
            if field.lower() not in _FIELDS:
                raise Usage(f"bad -o {column}")
            fields.append((field.lower(), title if equals else _FIELDS[field.lower()][0]))
    table = [[title for _, title in fields]] if any(title for _, title in fields) else []
    table += [[_field(row, field) for field, _ in fields] for row in rows]
    for line in table:
        cells = [
            f"{cell:>{_FIELDS[field][1]}}" if _FIELDS[field][2] else f"{cell:{_FIELDS[field][1]}}"
            for cell, (field, _) in zip(line, fields, strict=True)
        ]
        await call.write(" ".join(cells).rstrip() + "\n")


async def pgrep(call: CommandCall) -> None:
    """`pgrep` lists processes that match a pattern, `pkill` kills them."""
    kill_them = call.name == "pkill"
    words = call.arguments
    signal = SIGTERM
    if kill_them and words and (found := _SIGNALS.get(words[0].lstrip("-").removeprefix("SIG"))):
        signal, call.arguments = found, words[1:]
    elif kill_them and words and words[0] in ("-9", "-15", "-2", "-1"):
        signal, call.arguments = int(words[0][1:]), words[1:]
    options = take_options(call, "flxno", "uPd")
    call.need(1)
    try:
        expression = Expression(call.arguments[0], extended=True, line="x" in options)
        rows = [row for row in _rows(call) if expression.search(row.name) is not None]
    except BadExpression as problem:
        raise Usage(str(problem)) from None
    own = {process.pid for process in call.phone.processes.find(call.name)}
    rows = [row for row in rows if row.pid not in own]
    if "n" in options:
        rows = rows[-1:]
    if "o" in options:
        rows = rows[:1]
    for row in rows:
        if not kill_them:
            await call.write(f"{row.pid} {row.name}\n" if "l" in options else f"{row.pid}\n")
        elif not call.phone.processes.kill(row.pid, signal):
            await call.report(f"bad pid '{row.pid}': Operation not permitted")
    call.code = int(not rows)


async def run_as(call: CommandCall) -> None:
    """Refuse, because the shell may not read package data, and apps here store none in files."""
    call.arguments = [word for word in call.arguments if word != "--user"]
    call.need(1)
    name = call.arguments[0]
    app = call.phone.world.apps.get(name)
    if app is None:
        await call.fail(f"unknown package: {name}")
    elif not app.manifest.debuggable:
        await call.fail(f"package not debuggable: {name}")
    else:
        await call.fail(f"couldn't stat /data/user/0/{name}: No such file or directory")


async def uptime(call: CommandCall) -> None:
    now, up = call.phone.world.wall.now(), int(call.phone.clock.now() / 60000)
    hours, minutes = divmod(up, 60)
    shown = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    await call.write(f" {now:%H:%M:%S} up {shown},  0 users,  load average: 0.00, 0.00, 0.00\n")


async def pidof(call: CommandCall) -> None:
    flags = call.options("s")
    call.need(1)
    pids = [pid for pid, _, _, name in _ALWAYS if name in call.arguments]
    for name in call.arguments:
        pids += call.phone.world.running.pids(name)
        pids += [process.pid for process in call.phone.processes.find(name)]
    if "s" in flags:
        del pids[1:]
    if pids:
        await call.write(" ".join(map(str, pids)) + "\n")
    else:
        call.code = 1


async def kill(call: CommandCall) -> None:
    words = call.arguments
    signal = SIGTERM
    if words and words[0].startswith("-"):
        name = words[0][1:].removeprefix("s").strip() or (words[1] if len(words) > 1 else "")
        words = words[1:] if words[0] != "-s" else words[2:]
        found = _SIGNALS.get(name.removeprefix("SIG"))
        if found is None and name in ("1", "2", "9", "15"):
            found = int(name)
        if found is None:
            raise Usage(f"{name}: bad signal")
        signal = found
    if not words:
        raise Usage("Needs 1 argument")
    others = {pid for pid, *_ in _ALWAYS} | {process.pid for process in call.phone.world.running}
    others |= call.phone.processes.shells
    for word in words:
        if not re.fullmatch(r"\d{1,9}", word):
            await call.fail(f"{word}: arguments must be jobs or process IDs")
        elif int(word) in call.phone.processes.shells and not signal:
            continue
        elif int(word) in others:
            await call.fail(f"{word}: Operation not permitted")
        elif not any(process.pid == int(word) for process in call.phone.processes.all()):
            await call.fail(f"{word}: No such process")
        elif signal:
            call.phone.processes.kill(int(word), signal)


async def which(call: CommandCall) -> None:
    call.need(1)
    for name in call.arguments:
        if name in call.phone.programs:
            await call.write(f"/system/bin/{name}\n")
        else:
            call.code = 1
