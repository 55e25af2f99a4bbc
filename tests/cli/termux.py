"""Programs in an environment like that of Termux, an app on Android: its folders and variables, a
Python without what Android and Termux leave out, and none of the packages that need a Rust compiler
there. For root also without other files: no /tmp, of /etc the hosts alone, no name for the user."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from ctypes.util import find_library
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from cli.program import Program
from harness.polling import HANG

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = Path("/data/data/com.termux/files")
USER = 10147
"""As Android numbers apps."""

MOST_PROCESSES = 4
"""That one process may start. Android ends some where all apps together have more than 32."""

SITE = """
import _multiprocessing, errno, os, platform, sys

sys.platform = "android"
sys.getandroidapilevel = lambda: 24
if hasattr(platform, "android_ver"):
    version = platform.AndroidVer("14", 34, "Google", "Pixel 7", "panther", False)
    platform.android_ver = lambda: version
os.process_cpu_count = os.cpu_count
# Android refuses hard links, so that Python in Termux has no os.link.
for name in ("link", "pidfd_open", "getloadavg", *filter(lambda each: "sched_" in each, dir(os))):
    if hasattr(os, name):
        delattr(os, name)
del _multiprocessing.SemLock
for name in ("_posixshmem", *WITHOUT):
    sys.modules[name] = None
# Without it, programs of Termux do not start one another.
if not os.environ.get("LD_PRELOAD"):
    sys.exit("LD_PRELOAD was not passed on.")
started = 0

def count(event, given):
    global started
    if event in ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"):
        started += 1
        if started > MOST_PROCESSES:
            raise BlockingIOError(errno.EAGAIN, "Too many processes")

sys.addaudithook(count)
"""

ROOM = """
set -e
mount -t tmpfs -o mode=755 room "$ROOM"
cd "$ROOM"
mkdir -p dev proc system/etc usr data/data/com.termux/files
echo '127.0.0.1 localhost' > system/etc/hosts
ln -s system/etc etc
for name in bin lib lib32 lib64; do
    if [ -L /$name ]; then ln -s usr/$name $name
    elif [ -d /$name ]; then mkdir $name; mount --bind /$name $name; fi
done
mount --bind /usr usr
mount --bind /proc proc
for name in null zero random urandom; do touch dev/$name; mount --bind /dev/$name dev/$name; done
cd data/data/com.termux/files
mount --bind "$FILES" .
cd "$ROOM/data/data/com.termux/files"
for name in bin lib; do mount --bind "$PYTHON/$name" usr/$name; done
mount --bind "$REPOSITORY" home/handheld
mount -o remount,ro "$ROOM"
exec chroot --userspec="$USER:$USER" --groups= "$ROOM" "$@"
"""


def can_make_room() -> bool:
    """Whether this process may mount."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    tried = ["unshare", "--mount", "mount", "-t", "tmpfs", "room", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


class Run(NamedTuple):
    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Termux:
    folder: Path
    alone: bool
    """Without the other files of this computer."""

    @classmethod
    def make(cls, folder: Path, *, alone: bool) -> "Termux":
        termux = cls(folder, alone)
        for name in ("usr/bin", "usr/lib", "usr/tmp", "home/handheld", "home/bin"):
            (termux.files / name).mkdir(parents=True)
        (termux.home / "bin" / "sitecustomize.py").write_text(_site(), encoding="utf-8")
        opener = termux.home / "bin" / "termux-open-url"
        opener.write_text('#!/bin/sh\necho "$1" > "$HOME/opened"\n', encoding="utf-8")
        opener.chmod(0o755)
        if alone:
            for path in (termux.files, *termux.files.rglob("*")):
                os.chown(path, USER, USER)
        termux.home.chmod(0o700)
        return termux

    @property
    def files(self) -> Path:
        """As this process sees them."""
        return self.folder / FILES.relative_to("/")

    @property
    def home(self) -> Path:
        return self.files / "home"

    @property
    def environment(self) -> dict[str, str]:
        files = FILES if self.alone else self.files
        home, prefix = files / "home", files / "usr"
        sources = home / "handheld" if self.alone else REPOSITORY
        packages = next(path for path in sys.path if path.endswith("site-packages"))
        packages = sources / Path(packages).relative_to(REPOSITORY)
        return {
            "HOME": str(home),
            "PREFIX": str(prefix),
            "TMPDIR": str(prefix / "tmp"),
            "PATH": f"{home / 'bin'}:{prefix / 'bin'}",
            "LD_PRELOAD": find_library("m") or "",  # any that every program can be given
            "LD_LIBRARY_PATH": str(prefix / "lib"),
            "PYTHONPATH": f"{home / 'bin'}:{sources / 'src'}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "en_US.UTF-8",
            "SHELL": str(prefix / "bin" / "bash"),
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
            "TERMUX_VERSION": "0.118.3",
            "BROWSER": "termux-open-url",
            "ANDROID_ADB_SERVER_PORT": "1",  # nothing listens there
        }

    def _command(self, *arguments: str) -> tuple[list[str], dict[str, str]]:
        base = Path(sys.base_prefix)
        python = Path("bin") / f"python3.{sys.version_info.minor}"
        if not self.alone:
            return [str(base / python), "-m", "handheld", *arguments], self.environment
        given = [f"{name}={value}" for name, value in self.environment.items()]
        own = ["/usr/bin/env", "-i", *given, str(FILES / "usr" / python), "-m", "handheld"]
        room = self.folder / "room"
        room.mkdir(exist_ok=True)
        places = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "ROOM": str(room),
            "FILES": str(self.files),
            "PYTHON": str(base),
            "REPOSITORY": str(REPOSITORY),
            "USER": str(USER),
        }
        shell = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ROOM, "sh"]
        return [*shell, *own, *arguments], places

    def run(self, *arguments: str) -> Run:
        command, environment = self._command(*arguments)
        done = subprocess.run(
            command,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=HANG,
            check=False,
        )
        return Run(done.returncode, done.stdout)

    @contextmanager
    def start(self, *arguments: str) -> Generator[Program]:
        """A program that runs for the length of the block; then it must exit without an error."""
        command, environment = self._command(*arguments)
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
        ) as process:
            program = Program(process)
            try:
                yield program
                process.send_signal(signal.SIGTERM)
                errors = program.ended()
                assert process.returncode == 0, errors
            finally:
                process.kill()


def needed(name: str) -> dict[str, metadata.Distribution]:
    """The package and those that it needs."""
    left, found = [name], dict[str, metadata.Distribution]()
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for other systems
        for need in found[name].requires or ():
            if "extra ==" not in need:
                left.append(re.split(r"[^\w.-]", need)[0].lower().replace("_", "-"))
    return found


def _site() -> str:
    """What Python runs when it starts."""
    left_out = needed("mcp").keys() - needed("handheld").keys()
    modules = [
        module
        for module, packages in metadata.packages_distributions().items()
        if {name.lower().replace("_", "-") for name in packages} <= left_out
    ]
    return f"WITHOUT = {modules}\nMOST_PROCESSES = {MOST_PROCESSES}\n{SITE}"
