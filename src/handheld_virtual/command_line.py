"""`handheld virtual`: run virtual phones until they are stopped."""

import argparse
import asyncio
import contextlib
import errno
import gc
import logging
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from handheld.adb.keys import AdbPublicKey, decode_public_key

from .system.latency import PROFILES
from .system.releases import DEFAULT_API, NEWEST_API, OLDEST_API

if TYPE_CHECKING:
    from .packages.app import App
    from .packages.installing.stub import Stub
    from .phone import VirtualPhone
    from .scenes.scene import Scene
    from .wire.authority import Authority

__all__ = ["DEFAULT_PORT", "add_arguments", "main"]

DEFAULT_PORT = 5600
"""Outside 5555 to 5585, the range that an adb server scans."""
MOST_PHONES = 250
"""The limit for one process: its phones share one thread and usually 1,024 open files, of which
each phone and each connection needs one."""
_LONGEST_KEY = 4096


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="handheld virtual",
        description="Start a virtual phone that any adb client can use.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--help-all", action="help", help=argparse.SUPPRESS)
    add_arguments(parser)
    options = parser.parse_args(argv)
    if not 0 <= options.port <= 65535:
        parser.error("--port is a number from 0 to 65535")
    if not 1 <= options.count <= MOST_PHONES:
        parser.error(f"--count is a number from 1 to {MOST_PHONES}; for more, start a second one")
    if options.port + options.count - 1 > 65535:
        parser.error(
            f"{options.count} phones from port {options.port} would need ports above 65535; "
            "choose a lower --port, or 0"
        )
    if options.list_scenes:
        return _list_scenes()
    if options.api is not None and not OLDEST_API <= options.api <= NEWEST_API:
        parser.error(f"--api is a number from {OLDEST_API} to {NEWEST_API}")
    if options.allow_any and not options.auth:
        parser.error("--allow-any goes with --auth")
    if options.auth and not options.allow_any and options.with_stdin_lifeline:
        parser.error("--auth asks on stdin, which --with-stdin-lifeline needs; add --allow-any")
    if options.auth and not options.allow_any and options.count > 1:
        parser.error("--auth asks for one phone at a terminal; with --count add --allow-any")
    try:
        scene = _scene(options)
        apps = _apps(options)
        stubs = _stubs(options)
    except Exception as problem:
        if not isinstance(problem, _refusals()):
            raise
        parser.error(str(problem))
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_serve(options, scene, apps, stubs))
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="port to listen on; 0: any free one"
    )
    parser.add_argument(
        "--count",
        type=int,
        default=1,
        metavar="N",
        help=f"start N phones, 1 to {MOST_PHONES}, on --port and the ports after it",
    )
    parser.add_argument(
        "--api",
        type=int,
        help=f"Android's API level, {OLDEST_API} to {NEWEST_API}; by default {DEFAULT_API}",
    )
    parser.add_argument(
        "--scene", metavar="NAME|FILE", help="the phone's content: a built-in scene, or a TOML file"
    )
    parser.add_argument(
        "--serial", type=_serial, metavar="TEXT", help="serial number; with --count, its beginning"
    )
    parser.add_argument(
        "--list-scenes", action="store_true", help="list the built-in scenes and exit"
    )
    parser.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="DUMP.xml[,SHOT.png]",
        help="show a captured screen as an app; repeatable",
    )
    parser.add_argument(
        "--size",
        type=_size,
        metavar="WIDTHxHEIGHT",
        help="size of the upright screen in pixels",
    )
    parser.add_argument(
        "--app",
        action="append",
        default=[],
        metavar="FILE.py[:ClassName]",
        help="install an app from a Python file; repeatable",
    )
    parser.add_argument(
        "--stub",
        action="append",
        default=[],
        metavar="FILE.toml",
        help="install the APK of this file and answer its tools from the file's examples, which"
        " `handheld apps stub` makes; repeatable",
    )
    parser.add_argument(
        "--latency",
        choices=tuple(PROFILES),
        help="latency profile; phone: as on hardware; wifi: the same without a cable",
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="inject a fault from the start; repeatable",
    )
    parser.add_argument("--auth", action="store_true", help="ask before a new adb key is allowed")
    parser.add_argument("--allow-any", action="store_true", help="with --auth: allow every key")
    parser.add_argument("--with-stdin-lifeline", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--key-on-stdin", action="store_true", help=argparse.SUPPRESS)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if all(re.fullmatch(r"\d{3,4}", side) and 240 <= int(side) <= 4096 for side in (width, height)):
        return int(width), int(height)
    raise argparse.ArgumentTypeError("a size is two numbers from 240 to 4096, as 1080x2400")


def _serial(text: str) -> str:
    if re.fullmatch(r"[\w.-]{1,48}", text, re.ASCII):
        return text
    raise argparse.ArgumentTypeError("a serial is 1 to 48 letters, digits, '.', '_' or '-'")


_EPILOG = f"""\
more examples:
  handheld virtual --scene office --api 30 --latency phone
  handheld virtual --show window_dump.xml,screen.png
  handheld virtual --app hello.py
  handheld virtual --count 20           on ports 5600 to 5619
  adb shell virtual fault drop-link     faults while it runs: adb shell virtual help

docs/virtual-phone.md has the faults; docs/virtual-phone-reference.md has scenes and latencies.

Example: handheld virtual --api 30, then: adb connect 127.0.0.1:{DEFAULT_PORT}"""


def _refusals() -> tuple[type[Exception], ...]:
    from .faults import FaultError
    from .packages.installing.stub import BadStub
    from .packages.loading import BadApp
    from .scenes.captured import CapturedError
    from .scenes.table import SceneError

    return BadApp, BadStub, CapturedError, FaultError, SceneError


def _apps(options: argparse.Namespace) -> "list[type[App]]":
    if not options.app:
        return []
    from .packages.loading import load_app

    return [load_app(spec) for spec in options.app]


def _stubs(options: argparse.Namespace) -> "list[Stub]":
    if not options.stub:
        return []
    from .packages.installing.stub import load_stub

    return [load_stub(Path(name).expanduser()) for name in options.stub]


def _list_scenes() -> int:
    from .scenes.scene import Scene, shipped

    names = shipped()
    for name in names:
        _print(f"{name:<{max(map(len, names))}}  {Scene.load(name).about}")
    return 0


def _scene(options: argparse.Namespace) -> "Scene":
    """The scene with the flags applied; flags take precedence. Raises one of `_refusals`."""
    from .scenes.captured import load_captured
    from .scenes.scene import Scene
    from .scenes.staging import override, resized, show

    scene = Scene.load(options.scene or "default")
    captured = [
        load_captured(*(Path(part).expanduser() for part in given.split(",", 1)))
        for given in options.show
    ]
    if captured:
        scene = show(scene, captured)
    if options.size is not None:
        scene = resized(scene, *options.size)
    from .faults import check_fault

    for words in options.fault:
        check_fault(words)
    return override(
        scene,
        api=options.api,
        serial=options.serial,
        authorize=options.auth or None,
        latency=options.latency,
        faults=(*scene.faults, *options.fault),
    )


async def _serve(
    options: argparse.Namespace,
    scene: "Scene",
    apps: "Sequence[type[App]]",
    stubs: "Sequence[Stub]",
) -> int:
    from .packages.installing.stub import BadStub
    from .scenes.table import SceneError

    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        phones = _make_phones(options.count, scene, apps, stubs)
    except (BadStub, SceneError) as problem:
        _print(str(problem), error=True)
        return 2
    if options.key_on_stdin:
        try:
            key = decode_public_key(sys.stdin.buffer.readline(_LONGEST_KEY))
        except ValueError as problem:
            _print(str(problem), error=True)
            return 2
        for phone in phones:
            phone.authority.allow(key)
            phone.authority.required = phone.authority.closed = True
    async with contextlib.AsyncExitStack() as started:
        for number, phone in enumerate(phones):
            port = options.port and options.port + number
            try:
                await phone.start(options.host, port)
            except OSError as problem:
                where = f"{options.host}:{port}"
                reason = os.strerror(problem.errno) if problem.errno else str(problem)
                if problem.errno == errno.EADDRINUSE:
                    reason = "the port is in use; choose another with --port (0 takes any free one)"
                _print(f"The virtual phone cannot listen on {where}: {reason}.", error=True)
                return 1
            started.push_async_callback(phone.aclose)
        # A full garbage collection would stall a read; the objects created at start-up live until
        # exit.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 100)
        for phone in phones:
            _announce(phone, options)
            if options.auth:
                phone.authority.asked = TerminalPrompt(phone.authority, options.allow_any).ask
        if options.with_stdin_lifeline:
            _watch_stdin(stopped)
        await stopped.wait()
    return 0


def _make_phones(
    count: int, scene: "Scene", apps: "Sequence[type[App]]", stubs: "Sequence[Stub]"
) -> "list[VirtualPhone]":
    """Make phones of one scene, each with its own serial. Raises SceneError, BadStub."""
    from .packages.installing.stub import install_stub
    from .phone import VirtualPhone

    phones: list[VirtualPhone] = []
    for number in range(1, count + 1):
        serial = scene.serial if count == 1 else f"{scene.serial}-{number}"
        phone = VirtualPhone.from_scene(scene, serial=serial)
        for app in apps:
            phone.install(app)
        for stub in stubs:
            install_stub(phone.world, stub)
        phone.world.boot_id = str(uuid4())
        phones.append(phone)
    return phones


def _announce(phone: "VirtualPhone", options: argparse.Namespace) -> None:
    if options.with_stdin_lifeline:
        _print(f"PORT {phone.port}")
    elif options.count > 1:
        _print(f"Virtual phone {phone.serial} on {phone.address}")
    else:
        _print(f"Virtual phone on {phone.address}")
        _print(f"adb connect {phone.address}")


def _watch_stdin(stopped: asyncio.Event) -> None:
    """Stop when the parent process, which holds the other end of stdin, has exited."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(0, 4096):
            loop.remove_reader(0)
            stopped.set()

    try:
        loop.add_reader(0, read)
    except (OSError, ValueError):
        stopped.set()  # a file or nothing: no process is at the other end


class TerminalPrompt:
    """Asks at the terminal whether to allow a new key, as the phone does on its screen; or allows
    every key and prints a line about it."""

    def __init__(self, authority: "Authority", any_key: bool) -> None:
        self._authority = authority
        self._any_key = any_key
        self._waiting: list[AdbPublicKey] = []

    def ask(self, key: AdbPublicKey) -> None:
        from .wire.authority import fingerprint

        who = f"{key.name or 'unknown'} ({fingerprint(key)})"
        if self._any_key:
            _print(f"Allowed: {who}")
            self._authority.allow(key)
        elif not sys.stdin.isatty():
            _print(
                f"Waiting: {who}. There is no terminal to ask, so answer on the phone's screen. "
                "--allow-any allows every key."
            )
        else:
            self._waiting.append(key)
            _print(f"Allow {who} to use this phone over adb? [y/N]")
            asyncio.get_running_loop().add_reader(0, self._answered)

    def _answered(self) -> None:
        answer = sys.stdin.readline().strip().lower()
        key = self._waiting.pop(0)
        if not self._waiting:
            asyncio.get_running_loop().remove_reader(0)
        if key not in self._authority.waiting:
            _print("The connection is no longer waiting.")
        elif answer in ("y", "yes"):
            self._authority.allow(key)
        else:
            self._authority.refuse_key(key)


def _print(text: str, *, error: bool = False) -> None:
    clean = "".join(char if char.isprintable() else "?" for char in text)
    print(clean, file=sys.stderr if error else sys.stdout, flush=True)
