"""Commands about the phone itself: who, what, and which programs run."""

import re

from ..files import SHELL
from ..processes import SIGKILL, SIGTERM
from ..running import user_name
from .call import Call, Usage

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


async def id(call: Call) -> None:
    flags = call.options("ung")
    if flags in ("u", "g"):
        await call.write(f"{SHELL.uid}\n")
    elif sorted(flags) in (["n", "u"], ["g", "n"]):
        await call.write("shell\n")
    elif flags:
        raise Usage(f"-{flags} is not offered by this phone")
    else:
        others = sorted(SHELL.groups, key=lambda group: (group != SHELL.uid, group))
        groups = ",".join(f"{group}({_GROUPS[group]})" for group in others)
        await call.write(f"uid=2000(shell) gid=2000(shell) groups={groups} context=u:r:shell:s0\n")


async def whoami(call: Call) -> None:
    await call.write("shell\n")


async def getprop(call: Call) -> None:
    properties = call.phone.properties
    if not call.arguments:
        for name in sorted(properties):
            await call.write(f"[{name}]: [{properties[name]}]\n")
        return
    default = call.arguments[1] if len(call.arguments) > 1 else ""
    await call.write((properties.get(call.arguments[0]) or default) + "\n")


async def uname(call: Call) -> None:
    flags = call.options("asnrm")
    parts = {"s": "Linux", "n": "localhost", "r": "6.1.0-virtual", "m": "aarch64"}
    letters = "snrm" if "a" in flags else flags or "s"
    words = [value for letter, value in parts.items() if letter in letters]
    await call.write(" ".join(words) + "\n")


async def ps(call: Call) -> None:
    flags = call.options("Aef")
    await call.write("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n")
    rows = list(_ALWAYS) if flags else []
    if flags:
        rows += [
            (one.pid, one.parent, user_name(one.uid), one.name) for one in call.phone.world.running
        ]
    rows += [(one.pid, 400, "shell", one.name) for one in call.phone.processes.all()]
    for pid, parent, user, name in rows:
        await call.write(f"{user:12} {pid:>5} {parent:>5} {0:>7} {0:>6} {0:<15} {0:>5} S {name}\n")


async def pidof(call: Call) -> None:
    flags = call.options("s")
    call.need(1)
    pids = [pid for pid, _, _, name in _ALWAYS if name in call.arguments]
    for name in call.arguments:
        pids += call.phone.world.running.pids(name)
        pids += [one.pid for one in call.phone.processes.find(name)]
    if "s" in flags:
        del pids[1:]
    if pids:
        await call.write(" ".join(map(str, pids)) + "\n")
    else:
        call.code = 1


async def kill(call: Call) -> None:
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
    others = {pid for pid, *_ in _ALWAYS} | {one.pid for one in call.phone.world.running}
    for word in words:
        if not re.fullmatch(r"\d{1,9}", word):
            await call.fail(f"{word}: arguments must be jobs or process IDs")
        elif int(word) in others:
            await call.fail(f"{word}: Operation not permitted")
        elif not any(one.pid == int(word) for one in call.phone.processes.all()):
            await call.fail(f"{word}: No such process")
        elif signal:
            call.phone.processes.kill(int(word), signal)


async def which(call: Call) -> None:
    call.need(1)
    for name in call.arguments:
        if name in call.phone.programs:
            await call.write(f"/system/bin/{name}\n")
        else:
            call.code = 1
