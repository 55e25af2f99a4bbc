"""`make demo WHAT=fleet`: one engine, two hosts of ten virtual phones each, and a gateway. Each is
a program with its own folder, started as a person would start it. Ctrl-C ends them all."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

PHONES = 10
LOG_SHOWN = 2000
HANDHELD = (sys.executable, "-P", "-m", "handheld")
TOOLS = Path(__file__).resolve().parent.parent / "build" / "tools" / "bin"
ENGINE_PORT, GATEWAY_PORT = 4322, 8090
HOSTS = {"left": 5700, "right": 5720}
"""With the port of the first phone of each."""


class Demo:
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._logs: dict[int, Path] = {}
        """By the ids of processes."""

    def _environment(self, home: str) -> dict[str, str]:
        path = f"{os.environ.get('PATH', '')}{os.pathsep}{TOOLS}"
        return {**os.environ, "HANDHELD_HOME": str(self._folder / home), "PATH": path}

    def run(self, home: str, *arguments: str) -> None:
        subprocess.run(
            [*HANDHELD, *arguments],
            env=self._environment(home),
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self, home: str, *arguments: str, told: str = "") -> "subprocess.Popen[str]":
        """What it logs goes to a file in its folder; `told` is what it reads."""
        (self._folder / home).mkdir(exist_ok=True)
        file = self._folder / home / "log"
        log = self._stack.enter_context(file.open("a", encoding="utf-8"))
        program = subprocess.Popen(
            [*HANDHELD, *arguments],
            env=self._environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for us: they are ended in order
        )
        self._logs[program.pid] = file
        self._stack.callback(end, program)
        assert program.stdin is not None
        with program.stdin:
            program.stdin.write(told)
        return program

    def member(self, role: str, name: str, *arguments: str) -> "subprocess.Popen[str]":
        """Admit a host or gateway, and start it. Returns once it says that it runs."""
        admitting = self.start("engine", "engine", "admit", role, name)
        code = self.first_line(admitting)
        # Not on its command line, which other users can read.
        program = self.start(name, role, "--join", "-", *arguments, told=f"{code}\n")
        print(self.first_line(program))
        return program

    def first_line(self, program: "subprocess.Popen[str]") -> str:
        assert program.stdout is not None
        if not (line := program.stdout.readline().strip()):
            said = self._logs[program.pid].read_text(encoding="utf-8")[-LOG_SHOWN:]
            raise SystemExit(f"A program ended: {program.args}\n{said}")
        return line


def end(program: "subprocess.Popen[str]") -> None:
    program.send_signal(signal.SIGTERM)
    try:
        program.wait(10)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


def main() -> None:
    with ExitStack() as stack:
        # Removed last: it holds keys.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handheld-fleet-")))
        demo = Demo(folder, stack)
        demo.run("engine", "engine", "init", "--host", f"localhost:{ENGINE_PORT}")
        demo.start("engine", "engine", "run")
        for name, port in HOSTS.items():
            # A serial means the same phone, wherever it is: those of two hosts must differ.
            many = ("--count", str(PHONES), "--port", str(port), "--serial", name)
            demo.first_line(demo.start(name, "virtual", *many))
            addresses = [f"127.0.0.1:{port + number}" for number in range(PHONES)]
            tables = [
                f'[phones."{address}"]\nslug = "{name}{number}"\ntags = ["{name}"]\n'
                for number, address in enumerate(addresses, 1)
            ]
            settings = folder / name / "handheld.toml"
            settings.write_text("".join(tables), encoding="utf-8")
            demo.member("host", name, "--port", "0")
        gateway = demo.member("gateway", "front", "--port", str(GATEWAY_PORT))
        assert gateway.stdout is not None
        print(f"\nEach program has its folder, with a log, in {folder}. Ctrl-C ends them all.")
        home = folder / "front"
        print(f"For the commands below, in another terminal: export HANDHELD_HOME={home}")
        keys = f"HANDHELD_HOME={folder / 'engine'}"
        print(f"A token that every gateway accepts: {keys} handheld token add NAME --fleet\n")
        for line in gateway.stdout:
            print(line, end="", flush=True)


if __name__ == "__main__":
    # The programs end with us. A shell that starts us in the background makes us ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        main()
