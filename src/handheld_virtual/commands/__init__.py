"""The programs on the phone. What is not in this table does not exist on the phone."""

from functools import cache
from importlib import import_module

from ..sh.process import Program
from ..sh.shell import run_sh
from .app_process import app_process
from .call import Body, CommandCall, program, timed

PLACES = {
    "[": "text.words.test",
    "am": "activity.activities.am",
    "appops": "settings.places.appops",
    "awk": "text.awk.awk",
    "base64": "text.filters.base64",
    "basename": "text.words.basename",
    "cat": "text.words.cat",
    "chmod": "files.folders.chmod",
    "cmd": "cmd.cmd",
    "content": "packages.content.content",
    "cp": "files.folders.cp",
    "cut": "text.filters.cut",
    "date": "text.words.date",
    "dd": "files.sizes.dd",
    "df": "files.sizes.df",
    "dirname": "text.words.dirname",
    "dos2unix": "text.filters.dos2unix",
    "du": "files.sizes.du",
    "dumpsys": "dumpsys.dumpsys",
    "echo": "text.words.echo",
    "egrep": "text.grep.grep",
    "env": "text.words.env",
    "expr": "files.sizes.expr",
    "false": "text.words.false",
    "fgrep": "text.grep.grep",
    "find": "system.running_others.find",
    "getenforce": "system.machine.getenforce",
    "getprop": "system.processes.getprop",
    "grep": "text.grep.grep",
    "head": "text.words.head",
    "id": "system.processes.id",
    "ime": "screen.ime.ime",
    "input": "screen.input.input",
    "ip": "system.network.ip",
    "kill": "system.processes.kill",
    "ln": "files.folders.ln",
    "log": "logs.log.log",
    "logcat": "logs.logcat.logcat",
    "ls": "files.listing.ls",
    "md5sum": "text.words.md5sum",
    "media": "settings.sound.media",
    "mkdir": "files.folders.mkdir",
    "monkey": "activity.monkey.monkey",
    "mv": "files.folders.mv",
    "nl": "text.filters.nl",
    "nohup": "system.running_others.nohup",
    "nproc": "system.machine.nproc",
    "od": "text.filters.od",
    "pgrep": "system.processes.pgrep",
    "pidof": "system.processes.pidof",
    "pkill": "system.processes.pgrep",
    "pm": "packages.packages.pm",
    "printf": "text.words.printf",
    "ps": "system.processes.ps",
    "pwd": "files.listing.pwd",
    "readlink": "files.listing.readlink",
    "reboot": "system.machine.reboot",
    "rev": "text.filters.rev",
    "rm": "files.folders.rm",
    "rmdir": "files.folders.rmdir",
    "run-as": "system.processes.run_as",
    "screencap": "screen.screencap.screencap",
    "screenrecord": "screen.screenrecord.screenrecord",
    "sed": "text.sed.sed",
    "seq": "text.filters.seq",
    "service": "service.service",
    "setprop": "system.processes.setprop",
    "settings": "settings.settings.settings",
    "sha1sum": "text.words.sha1sum",
    "sha256sum": "text.words.sha256sum",
    "sleep": "text.words.sleep",
    "sort": "text.filters.sort",
    "stat": "files.listing.stat_command",
    "svc": "settings.svc.svc",
    "tac": "text.filters.tac",
    "tail": "text.words.tail",
    "tee": "text.filters.tee",
    "test": "text.words.test",
    "timeout": "system.running_others.timeout",
    "touch": "files.folders.touch",
    "toybox": "system.running_others.toybox",
    "tr": "text.filters.tr",
    "true": "text.words.true",
    "truncate": "files.sizes.truncate",
    "uiautomator": "screen.uiautomator.uiautomator",
    "uname": "system.processes.uname",
    "uniq": "text.filters.uniq",
    "uptime": "system.processes.uptime",
    "virtual": "control.virtual",
    "wc": "text.words.wc",
    "which": "system.processes.which",
    "whoami": "system.processes.whoami",
    "wm": "screen.wm.wm",
    "xargs": "system.running_others.xargs",
    "xxd": "text.filters.xxd",
}
"""The module and function of each program. A module is imported when one of its programs first
runs: most phones need few."""


def all_programs() -> dict[str, Program]:
    """A phone's own table, whose entries may be replaced."""
    return dict(_programs())


@cache
def _programs() -> dict[str, Program]:
    table = {name: program(_late(place)) for name, place in PLACES.items()}
    table["sh"] = run_sh
    table["app_process"] = table["app_process64"] = app_process
    return {name: timed(run) for name, run in table.items()}


def _late(place: str) -> Body:
    module, _, function = place.rpartition(".")

    async def run(call: CommandCall) -> None:
        body: Body = getattr(import_module(f".{module}", __package__), function)
        await body(call)

    return run
