"""`python -m handheld.virtual`: one virtual phone, until it is told to end."""

import argparse
import asyncio
import contextlib
import errno
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from uuid import uuid4

from ..adb.keys import PublicKey

DEFAULT_PORT = 5600
"""Outside 5555 to 5585, where an adb server looks by itself."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="handheld virtual",
        description="Start a virtual phone that any adb client can use.",
        epilog=f"Example: handheld virtual --api 30, then: adb connect 127.0.0.1:{DEFAULT_PORT}",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes any free port")
    parser.add_argument("--api", type=int, default=34, help="Android's API level, 26 to 36")
    parser.add_argument("--auth", action="store_true", help="ask before a new adb key is let in")
    parser.add_argument("--allow-any", action="store_true", help="with --auth: let every key in")
    parser.add_argument("--with-stdin-lifeline", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if not 0 <= options.port <= 65535:
        parser.error("--port is a number from 0 to 65535")
    if not 26 <= options.api <= 36:
        parser.error("--api is a number from 26 to 36")
    if options.allow_any and not options.auth:
        parser.error("--allow-any goes with --auth")
    if options.auth and not options.allow_any and options.with_stdin_lifeline:
        parser.error("--auth asks on stdin, which --with-stdin-lifeline needs; add --allow-any")
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_serve(options))
    return 0


async def _serve(options: argparse.Namespace) -> int:
    from .phone import VirtualPhone

    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    phone = VirtualPhone(api=options.api, authorize=options.auth)
    phone.world.boot_id = str(uuid4())
    try:
        await phone.start(options.host, options.port)
    except OSError as problem:
        where = f"{options.host}:{options.port}"
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        if problem.errno == errno.EADDRINUSE:
            reason = "the port is in use; choose another with --port (0 takes any free one)"
        _print(f"The virtual phone cannot listen on {where}: {reason}.", error=True)
        return 1
    # Full collections are what a slow read is made of; what start-up made stays for good.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)
    try:
        if options.with_stdin_lifeline:
            _print(f"PORT {phone.port}")
            _watch_stdin(ended)
        else:
            _print(f"Virtual phone on {options.host}:{phone.port}")
            _print(f"adb connect {options.host}:{phone.port}")
        if options.auth:
            phone.authority.asked = Doorman(phone.allow, options.allow_any).ask
        await ended.wait()
    finally:
        await phone.aclose()
    return 0


def _watch_stdin(ended: asyncio.Event) -> None:
    """End when whoever started this process has gone: the other end of stdin is theirs."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(0, 4096):
            loop.remove_reader(0)
            ended.set()

    try:
        loop.add_reader(0, read)
    except (OSError, ValueError):
        ended.set()  # a file or nothing: there is nobody at the other end


class Doorman:
    """Asks at the terminal whether a new key is let in; or lets every one in and says so."""

    def __init__(self, allow: Callable[[PublicKey], None], any_key: bool) -> None:
        self._allow = allow
        self._any_key = any_key
        self._waiting: list[PublicKey] = []

    def ask(self, key: PublicKey) -> None:
        from .authority import fingerprint

        who = f"{key.name or 'somebody'} ({fingerprint(key)})"
        if self._any_key:
            _print(f"Let in: {who}")
            self._allow(key)
        elif not sys.stdin.isatty():
            _print(f"Not let in: {who}. Nobody can be asked here; --allow-any lets every key in.")
        else:
            self._waiting.append(key)
            _print(f"Let {who} use this phone over adb? [y/N]")
            asyncio.get_running_loop().add_reader(0, self._answered)

    def _answered(self) -> None:
        answer = sys.stdin.readline().strip().lower()
        key = self._waiting.pop(0)
        if not self._waiting:
            asyncio.get_running_loop().remove_reader(0)
        if answer in ("y", "yes"):
            self._allow(key)


def _print(text: str, *, error: bool = False) -> None:
    clean = "".join(sign if sign.isprintable() else "?" for sign in text)
    print(clean, file=sys.stderr if error else sys.stdout, flush=True)


if __name__ == "__main__":
    sys.exit(main())
