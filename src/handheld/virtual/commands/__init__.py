"""The programs on the phone. What is not in this table is not on the phone."""

from ..process import Program
from ..shell import run_sh
from . import activities, folders, input, logcat, packages, screen, system, words
from .app_process import app_process
from .call import Body, program, timed
from .control import virtual
from .dumpsys import dumpsys
from .uiautomator import uiautomator

_BODIES: dict[str, Body] = {
    "[": words.test,
    "am": activities.am,
    "basename": words.basename,
    "cat": words.cat,
    "chmod": folders.chmod,
    "cp": folders.cp,
    "date": words.date,
    "dirname": words.dirname,
    "dumpsys": dumpsys,
    "echo": words.echo,
    "env": words.env,
    "false": words.false,
    "getprop": system.getprop,
    "head": words.head,
    "id": system.id,
    "input": input.input,
    "kill": system.kill,
    "ln": folders.ln,
    "logcat": logcat.logcat,
    "ls": folders.ls,
    "md5sum": words.md5sum,
    "mkdir": folders.mkdir,
    "monkey": activities.monkey,
    "mv": folders.mv,
    "pidof": system.pidof,
    "pm": packages.pm,
    "printf": words.printf,
    "ps": system.ps,
    "pwd": folders.pwd,
    "readlink": folders.readlink,
    "rm": folders.rm,
    "rmdir": folders.rmdir,
    "screencap": screen.screencap,
    "sha1sum": words.sha1sum,
    "sha256sum": words.sha256sum,
    "sleep": words.sleep,
    "stat": folders.stat_command,
    "tail": words.tail,
    "test": words.test,
    "touch": folders.touch,
    "true": words.true,
    "uiautomator": uiautomator,
    "uname": system.uname,
    "virtual": virtual,
    "wc": words.wc,
    "which": system.which,
    "whoami": system.whoami,
    "wm": screen.wm,
}


def all_programs() -> dict[str, Program]:
    table = {name: program(body) for name, body in _BODIES.items()}
    table["sh"] = run_sh
    table["app_process"] = table["app_process64"] = app_process
    return {name: timed(run) for name, run in table.items()}
