"""Build the image of the Dockerfile, start it as compose.yaml does, and ask it whether it is well.

    python -m scripts.container            with Docker if its daemon answers, else by the steps
    python -m scripts.container --steps    by the steps

By the steps: the instructions of the Dockerfile are run as they are written, on a layer (overlayfs)
over this computer's files, of which nothing is changed, and the program is started in namespaces of
its own. Needs Linux, root, the network and Debian's python3 with venv. This shows everything but
what is in the base image, whose place Debian takes.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .dockerfile import Context, Image, Instruction, parse

ROOT = Path(__file__).parent.parent
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HEALTHY_SECONDS = 300
STOP_SECONDS = 300
LONGEST_SECONDS = 600
"""For any other step. Only one that hangs takes so long, and ends with an error."""
PASSED_ON = ("PIP_", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_", "REQUESTS_CA_")
NEW_PROCESSES, NEW_NETWORK = 0x20000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


class Container(Protocol):
    """A started container."""

    def run(self, *command: str) -> subprocess.CompletedProcess[str]: ...

    def is_healthy(self) -> bool: ...

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        ...

    def log(self) -> str: ...


def check(container: Container) -> None:
    begun = time.monotonic()
    while not container.is_healthy():
        if time.monotonic() - begun > HEALTHY_SECONDS:
            sys.exit(f"Not healthy after {HEALTHY_SECONDS} s:\n{container.log()}")
        time.sleep(0.2)
    print(f"healthy after {time.monotonic() - begun:.1f} s")
    user = container.run("id", "-u").stdout.strip()
    if user == "0":
        sys.exit("The program runs as root.")
    looked = container.run("handheld", "call", "phone_look")
    if looked.returncode:
        sys.exit(f"handheld call phone_look failed: {looked.stderr}")
    print(f"user {user}; the phone shows {looked.stdout.splitlines()[0]}")
    token = container.run("handheld", "token", "show").stdout.strip()
    code, log = container.stop(), container.log()
    if not token or token in log:
        sys.exit("The token is in the log, or there is none.")
    if code:
        sys.exit(f"Ended with {code}:\n{log}")
    print("ended on SIGTERM; the log has no token")


@dataclass(frozen=True)
class DockerContainer:
    name: str

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return docker("exec", self.name, *command)

    def is_healthy(self) -> bool:
        told = docker("inspect", "--format", "{{.State.Health.Status}}", self.name)
        return told.stdout.strip() == "healthy"

    def stop(self) -> int:
        docker("stop", "-t", str(STOP_SECONDS), self.name)
        return int(docker("inspect", "--format", "{{.State.ExitCode}}", self.name).stdout)

    def log(self) -> str:
        told = docker("logs", self.name)
        return told.stdout + told.stderr


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return finish("docker", *arguments)


def finish(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
    )


def docker_answers() -> bool:
    return shutil.which("docker") is not None and docker("info").returncode == 0


def check_with_docker() -> None:
    subprocess.run(["docker", "build", "--tag", "handheld-check", ROOT], check=True)
    name = f"handheld-check-{os.getpid()}"
    hardened = ["--init", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"]
    # Asked every second instead of every thirty, so that this does not take half a minute.
    hardened += ["--security-opt", "no-new-privileges:true", "--health-interval", "1s"]
    started = docker("run", "--detach", "--name", name, *hardened, "handheld-check")
    if started.returncode:
        sys.exit(f"docker run failed: {started.stderr}")
    try:
        check(DockerContainer(name))
    finally:
        docker("rm", "--force", "--volumes", name)


@dataclass
class Layer:
    """A stage of the build: its files over this computer's, and what instructions have set."""

    folder: Path
    image: Image = field(default_factory=lambda: Image({"PATH": PATH}))

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def inside(self, path: str) -> Path:
        return self.root / os.path.normpath(os.path.join(self.image.folder, path)).lstrip("/")

    def command(self, arguments: list[str]) -> list[str]:
        variables = [f"{name}={value}" for name, value in self.image.variables.items()]
        user = ["--groups=", f"--userspec={self.user}"] if self.image.user != "root" else []
        return [
            *["chroot", *user, str(self.root), "env", "-i", f"--chdir={self.image.folder}"],
            *variables,
            *arguments,
        ]

    @property
    def user(self) -> str:
        for line in (self.root / "etc/passwd").read_text("utf-8").splitlines():
            name, _, number, group, *_ = line.split(":")
            if self.image.user in (name, number):
                return f"{number}:{group}"
        sys.exit(f"USER {self.image.user} is not in the image's /etc/passwd.")


def layer_over_this_computer(folder: Path) -> Layer:
    layer = Layer(folder)
    for name in ("upper", "work", "root"):
        (folder / name).mkdir(parents=True)
    places = f"lowerdir=/,upperdir={folder / 'upper'},workdir={folder / 'work'}"
    mount("-t", "overlay", "overlay", "-o", places, str(layer.root))
    for name in ("dev", "proc"):
        mount("--bind", f"/{name}", str(layer.root / name))
        mount("-o", "remount,bind,ro", str(layer.root / name))
    mount("-t", "tmpfs", "tmpfs", str(layer.root / "dev/shm"))
    # These may be mounts of their own here, which a layer does not show.
    for name in ("etc/resolv.conf", "etc/hosts"):
        (layer.root / name).unlink(missing_ok=True)
        shutil.copyfile(f"/{name}", layer.root / name)
    # The base image's name for it.
    python = layer.root / "usr/local/bin/python"
    python.unlink(missing_ok=True)
    python.symlink_to("/usr/bin/python3")
    return layer


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def do(step: Instruction, layer: Layer, stages: dict[str, Layer], context: Context) -> None:
    match step.word:
        case "RUN":
            begun, used = time.monotonic(), os.times().children_user
            given = os.environ.items()
            passed = [f"{name}={value}" for name, value in given if name.startswith(PASSED_ON)]
            # A cache that is mounted is this computer's own, which the layer has below it.
            command = layer.command([*passed, "/bin/sh", "-c", step.rest])
            done = finish(*command)
            took, busy = time.monotonic() - begun, os.times().children_user - used
            print(f"{took:5.1f} s, {busy:4.1f} of processor: RUN {step.rest[:70]}", flush=True)
            if done.returncode:
                sys.exit(f"RUN ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        case "COPY":
            *sources, target = step.rest.split()
            source = stages[step.flags["from"]].root if "from" in step.flags else None
            for name in sources:
                begin = source / name.lstrip("/") if source else context.folder / name
                copy(begin, layer.inside(target), None if source else context)
        case _:
            layer.image.set(step)
            layer.inside(".").mkdir(parents=True, exist_ok=True)


def copy(begin: Path, target: Path, context: Context | None) -> None:
    if context is not None and context.leaves_out(begin):
        sys.exit(f".dockerignore leaves out {begin.name}, which the Dockerfile copies.")

    def ignore(folder: str, names: list[str]) -> list[str]:
        if context is None:
            return []
        return [name for name in names if context.leaves_out(Path(folder) / name)]

    if begin.is_dir():
        shutil.copytree(begin, target, symlinks=True, dirs_exist_ok=True, ignore=ignore)
    else:
        shutil.copy2(begin, target)


@dataclass
class StartedLayer:
    layer: Layer
    process: subprocess.Popen[bytes]
    output: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return finish(*self.layer.command(list(command)))

    def is_healthy(self) -> bool:
        if self.process.poll() is not None:
            sys.exit(f"Ended with {self.process.returncode}:\n{self.log()}")
        return self.run(*self.layer.image.health).returncode == 0

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def log(self) -> str:
        return self.output.read_text("utf-8", "replace")


def start(layer: Layer, folder: Path) -> StartedLayer:
    """Start the program with no network but its own, no processes but its own and two folders to
    write to, as compose.yaml does."""
    for number, place in enumerate(layer.image.volumes):
        volume = folder / f"volume{number}"
        subprocess.run(["cp", "--archive", layer.inside(place), volume], check=True)
        mount("--bind", str(volume), str(layer.inside(place)))
    mount("-t", "tmpfs", "tmpfs", str(layer.root / "tmp"))
    mount("-o", "remount,ro", str(layer.root))
    leave(NEW_NETWORK | NEW_PROCESSES)
    with socket.socket() as any_socket:
        up = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, up)
    output = folder / "log"
    with output.open("wb") as log:
        command = layer.command([*layer.image.entrypoint, *layer.image.arguments])
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    return StartedLayer(layer, process, output)


def leave(what: int) -> None:
    """Have namespaces of one's own. `os.unshare` is not in Python 3.11."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(what):
        sys.exit(f"Namespaces are refused here: {os.strerror(ctypes.get_errno())}.")


def check_by_steps() -> None:
    if os.geteuid():
        sys.exit("Without Docker this needs root, for overlayfs and chroot.")
    # In a process with mounts of its own: they are gone with it, before the folder is removed.
    with tempfile.TemporaryDirectory(prefix="handheld-image-") as folder:
        child = [sys.executable, "-m", "scripts.container", "--inside", folder]
        own_mounts = ["unshare", "--mount", "--propagation", "private"]
        done = subprocess.run([*own_mounts, *child], cwd=ROOT, check=False)
    sys.exit(done.returncode)


def run_steps(folder: Path) -> None:
    # In memory: thousands of small files, which nobody keeps.
    mount("-t", "tmpfs", "tmpfs", str(folder))
    layers: dict[str, Layer] = {}
    stages = parse((ROOT / "Dockerfile").read_text("utf-8"))
    for stage in stages:
        layers[stage.name] = layer_over_this_computer(folder / stage.name)
        for step in stage.steps:
            do(step, layers[stage.name], layers, Context(ROOT))
    started = start(layers[stages[-1].name], folder)
    try:
        check(started)
    finally:
        started.process.kill()
        started.process.wait()


def main() -> None:
    match sys.argv[1:]:
        case ["--inside", folder]:
            run_steps(Path(folder))
        case [] if docker_answers():
            check_with_docker()
        case [] | ["--steps"]:
            check_by_steps()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
