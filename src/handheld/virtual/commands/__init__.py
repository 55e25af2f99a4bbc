"""The programs on the phone. What is not in this table is not on the phone."""

from ..process import Program
from ..shell import run_sh
from . import (
    activities,
    filters,
    folders,
    input,
    logcat,
    machine,
    packages,
    running_others,
    screen,
    sizes,
    system,
    words,
)
from .app_process import app_process
from .awk import awk
from .call import Body, program, timed
from .cmd import cmd
from .content import content
from .control import virtual
from .dumpsys import dumpsys
from .grep import grep
from .ime import ime
from .monkey import monkey
from .sed import sed
from .service import service
from .settings import settings
from .svc import svc
from .uiautomator import uiautomator
from .wm import wm

_BODIES: dict[str, Body] = {
    "[": words.test,
    "am": activities.am,
    "awk": awk,
    "base64": filters.base64,
    "basename": words.basename,
    "cat": words.cat,
    "chmod": folders.chmod,
    "cmd": cmd,
    "content": content,
    "cp": folders.cp,
    "cut": filters.cut,
    "date": words.date,
    "dd": sizes.dd,
    "df": sizes.df,
    "dirname": words.dirname,
    "dos2unix": filters.dos2unix,
    "du": sizes.du,
    "dumpsys": dumpsys,
    "echo": words.echo,
    "egrep": grep,
    "env": words.env,
    "expr": sizes.expr,
    "false": words.false,
    "fgrep": grep,
    "find": running_others.find,
    "getenforce": machine.getenforce,
    "getprop": system.getprop,
    "grep": grep,
    "head": words.head,
    "id": system.id,
    "ime": ime,
    "input": input.input,
    "kill": system.kill,
    "ln": folders.ln,
    "logcat": logcat.logcat,
    "ls": folders.ls,
    "md5sum": words.md5sum,
    "mkdir": folders.mkdir,
    "monkey": monkey,
    "mv": folders.mv,
    "nl": filters.nl,
    "nohup": running_others.nohup,
    "nproc": machine.nproc,
    "od": filters.od,
    "pgrep": system.pgrep,
    "pidof": system.pidof,
    "pkill": system.pgrep,
    "pm": packages.pm,
    "printf": words.printf,
    "ps": system.ps,
    "pwd": folders.pwd,
    "readlink": folders.readlink,
    "rev": filters.rev,
    "rm": folders.rm,
    "rmdir": folders.rmdir,
    "run-as": system.run_as,
    "screencap": screen.screencap,
    "sed": sed,
    "seq": filters.seq,
    "service": service,
    "setprop": system.setprop,
    "settings": settings,
    "sha1sum": words.sha1sum,
    "sha256sum": words.sha256sum,
    "sleep": words.sleep,
    "sort": filters.sort,
    "stat": folders.stat_command,
    "svc": svc,
    "tac": filters.tac,
    "tail": words.tail,
    "tee": filters.tee,
    "test": words.test,
    "timeout": running_others.timeout,
    "touch": folders.touch,
    "toybox": running_others.toybox,
    "tr": filters.tr,
    "true": words.true,
    "truncate": sizes.truncate,
    "uiautomator": uiautomator,
    "uname": system.uname,
    "uniq": filters.uniq,
    "uptime": system.uptime,
    "virtual": virtual,
    "wc": words.wc,
    "which": system.which,
    "whoami": system.whoami,
    "wm": wm,
    "xargs": running_others.xargs,
    "xxd": filters.xxd,
}


def all_programs() -> dict[str, Program]:
    table = {name: program(body) for name, body in _BODIES.items()}
    table["sh"] = run_sh
    table["app_process"] = table["app_process64"] = app_process
    return {name: timed(run) for name, run in table.items()}
