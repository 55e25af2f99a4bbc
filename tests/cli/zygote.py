"""A Python that has imported the product and forks for every program that a test starts, as
Android's zygote does for apps: importing the product takes longer than most of these programs run.

A program is forked with arguments, environment, working directory and streams of its own, and ends
as one that was started by name. What depends on how Python itself starts, such as variables that
only the interpreter reads, must be tested on a program that was executed.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONWARNINGS": "error::ResourceWarning"}
"""Variables that the interpreter reads at its start."""
_LIMIT = 65536


class Zygote:
    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                # `make coverage` measures these programs too.
                env={
                    **ENVIRONMENT,
                    **{
                        name: value
                        for name, value in os.environ.items()
                        if name.startswith("COVERAGE_")
                    },
                },
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        streams: tuple[int, int, int],
    ) -> "Forked":
        status, status_writer = os.pipe()
        request = json.dumps([list(arguments), dict(environment), str(folder)]).encode()
        assert len(request) < _LIMIT
        socket.send_fds(self._ours, [request], [*streams, status_writer])
        os.close(status_writer)
        return Forked(status)

    def fork_with_pipes(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> "Forked":
        (stdin, to_it), (from_it, stdout), (complaints, stderr) = (os.pipe() for _ in range(3))
        theirs = (stdin, stdout, stderr)
        forked = self.fork(arguments, environment, folder, theirs)
        for handle in theirs:
            os.close(handle)
        forked.stdin, forked.stdout = os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb")
        forked.stderr = os.fdopen(complaints, "rb")
        return forked


class Forked:
    """A forked program, with the part of `subprocess.Popen` that tests use."""

    def __init__(self, status: int) -> None:
        self._status = status
        self.pid = self._number()
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None

    def _number(self) -> int:
        data = os.read(self._status, 4)
        assert len(data) == 4, "The zygote has ended."
        return struct.unpack("i", data)[0]

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float) -> int:
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("handheld", timeout)
            self.returncode = self._number()
            os.close(self._status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def serve(control: socket.socket) -> None:
    """Fork for each request until the requests' socket closes. Returns in each forked program."""
    # The parents of the programs exit after they have reported the exit codes.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, handles, _, _ = socket.recv_fds(control, _LIMIT, 4)
        if not request:
            sys.exit()
        if not os.fork():
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            arguments, environment, folder = json.loads(request)
            _run(arguments, environment, folder, handles)
        for handle in handles:
            os.close(handle)


def _run(
    arguments: list[str], environment: dict[str, str], folder: str, handles: list[int]
) -> NoReturn:
    *streams, status_writer = handles
    if program := os.fork():
        for stream in (0, 1, 2, *streams):
            os.close(stream)
        os.write(status_writer, struct.pack("i", program))
        _, status = os.waitpid(program, 0)
        os.write(status_writer, struct.pack("i", os.waitstatus_to_exitcode(status)))
        os._exit(0)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
    for handle in handles:
        os.close(handle)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = ["handheld", *arguments]
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    try:
        code = importlib.import_module("handheld.cli").main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    _end(code)


def _end(code: object) -> NoReturn:
    """Do what Python does at exit, except for tearing down every module, which takes longer than
    the program ran."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    gc.collect()  # reports sockets that were left open
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _import_the_product() -> None:
    import handheld
    import handheld_virtual

    for package in (handheld, handheld_virtual):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # A pytest plugin would bring pytest; `__main__` would run.
            ours = "pytest_plugin" not in module.name
            if ours and not module.name.endswith("__main__"):
                importlib.import_module(module.name)


if __name__ == "__main__":
    _import_the_product()
    gc.freeze()  # imported modules stay: no collection in a program visits them again
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        serve(asked)
