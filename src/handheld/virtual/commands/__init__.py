"""The programs on the phone. What is not in this table is not on the phone."""

from ..process import Program
from ..shell import run_sh
from . import android, folders, logcat, system, words
from .call import Body, program

_BODIES: dict[str, Body] = {
    "[": words.test,
    "am": android.am,
    "basename": words.basename,
    "cat": words.cat,
    "chmod": folders.chmod,
    "cp": folders.cp,
    "date": words.date,
    "dirname": words.dirname,
    "echo": words.echo,
    "env": words.env,
    "false": words.false,
    "getprop": system.getprop,
    "head": words.head,
    "id": system.id,
    "input": android.input,
    "kill": system.kill,
    "ln": folders.ln,
    "logcat": logcat.logcat,
    "ls": folders.ls,
    "md5sum": words.md5sum,
    "mkdir": folders.mkdir,
    "monkey": android.monkey,
    "mv": folders.mv,
    "pidof": system.pidof,
    "pm": android.pm,
    "printf": words.printf,
    "ps": system.ps,
    "pwd": folders.pwd,
    "readlink": folders.readlink,
    "rm": folders.rm,
    "rmdir": folders.rmdir,
    "screencap": android.screencap,
    "sha1sum": words.sha1sum,
    "sha256sum": words.sha256sum,
    "sleep": words.sleep,
    "stat": folders.stat_command,
    "tail": words.tail,
    "test": words.test,
    "touch": folders.touch,
    "true": words.true,
    "uname": system.uname,
    "wc": words.wc,
    "which": system.which,
    "whoami": system.whoami,
    "wm": android.wm,
}


def all_programs() -> dict[str, Program]:
    table = {name: program(body) for name, body in _BODIES.items()}
    table["sh"] = run_sh
    table["app_process"] = table["app_process64"] = android.app_process
    return table
