"""The programs on the phone. What is not in this table does not exist on the phone."""

from functools import cache
from importlib import import_module

from ..sh.process import Program
from ..sh.shell import run_sh
from .app_process import app_process
from .call import Body, CommandCall, program, timed

PLACES = {
    "[": "words.test",
    "am": "activities.am",
    "appops": "places.appops",
    "awk": "awk.awk",
    "base64": "filters.base64",
    "basename": "words.basename",
    "cat": "words.cat",
    "chmod": "folders.chmod",
    "cmd": "cmd.cmd",
    "content": "content.content",
    "cp": "folders.cp",
    "cut": "filters.cut",
    "date": "words.date",
    "dd": "sizes.dd",
    "df": "sizes.df",
    "dirname": "words.dirname",
    "dos2unix": "filters.dos2unix",
    "du": "sizes.du",
    "dumpsys": "dumpsys.dumpsys",
    "echo": "words.echo",
    "egrep": "grep.grep",
    "env": "words.env",
    "expr": "sizes.expr",
    "false": "words.false",
    "fgrep": "grep.grep",
    "find": "running_others.find",
    "getenforce": "machine.getenforce",
    "getprop": "system.getprop",
    "grep": "grep.grep",
    "head": "words.head",
    "id": "system.id",
    "ime": "ime.ime",
    "input": "input.input",
    "ip": "network.ip",
    "kill": "system.kill",
    "ln": "folders.ln",
    "log": "log.log",
    "logcat": "logcat.logcat",
    "ls": "listing.ls",
    "md5sum": "words.md5sum",
    "media": "sound.media",
    "mkdir": "folders.mkdir",
    "monkey": "monkey.monkey",
    "mv": "folders.mv",
    "nl": "filters.nl",
    "nohup": "running_others.nohup",
    "nproc": "machine.nproc",
    "od": "filters.od",
    "pgrep": "system.pgrep",
    "pidof": "system.pidof",
    "pkill": "system.pgrep",
    "pm": "packages.pm",
    "printf": "words.printf",
    "ps": "system.ps",
    "pwd": "listing.pwd",
    "readlink": "listing.readlink",
    "reboot": "machine.reboot",
    "rev": "filters.rev",
    "rm": "folders.rm",
    "rmdir": "folders.rmdir",
    "run-as": "system.run_as",
    "screencap": "screen.screencap",
    "screenrecord": "screenrecord.screenrecord",
    "sed": "sed.sed",
    "seq": "filters.seq",
    "service": "service.service",
    "setprop": "system.setprop",
    "settings": "settings.settings",
    "sha1sum": "words.sha1sum",
    "sha256sum": "words.sha256sum",
    "sleep": "words.sleep",
    "sort": "filters.sort",
    "stat": "listing.stat_command",
    "svc": "svc.svc",
    "tac": "filters.tac",
    "tail": "words.tail",
    "tee": "filters.tee",
    "test": "words.test",
    "timeout": "running_others.timeout",
    "touch": "folders.touch",
    "toybox": "running_others.toybox",
    "tr": "filters.tr",
    "true": "words.true",
    "truncate": "sizes.truncate",
    "uiautomator": "uiautomator.uiautomator",
    "uname": "system.uname",
    "uniq": "filters.uniq",
    "uptime": "system.uptime",
    "virtual": "control.virtual",
    "wc": "words.wc",
    "which": "system.which",
    "whoami": "system.whoami",
    "wm": "wm.wm",
    "xargs": "running_others.xargs",
    "xxd": "filters.xxd",
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
    module, _, function = place.partition(".")

    async def run(call: CommandCall) -> None:
        body: Body = getattr(import_module(f".{module}", __package__), function)
        await body(call)

    return run
