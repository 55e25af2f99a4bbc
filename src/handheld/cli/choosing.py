"""A numbered choice at the terminal."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..settings import VIRTUAL, Settings
from .terminal import print_note


class Choice(NamedTuple):
    text: str
    command: str
    """What one would type for it."""


def is_interactive() -> bool:
    """Whether a person is at both ends."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


async def choose(choices: Sequence[Choice]) -> Choice | None:
    """Ask until a number is typed. Returns None for an empty line, or the end of the input."""
    width = max(len(choice.text) for choice in choices)
    for number, choice in enumerate(choices, 1):
        print_note(f"  {number}  {choice.text:<{width}}  {choice.command}")
    while True:
        print_note("Type a number, or only Enter to leave.")
        typed = (await _read_line()).strip()
        if not typed:
            return None
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(choices):
            return choices[int(typed) - 1]
        print_note(f"There is no choice {typed!r}.")


async def _read_line() -> str:
    """Wait in the event loop, where Ctrl-C ends it. A terminal hands over one line at a time, or,
    with Ctrl-D, a part of one."""
    loop, terminal = asyncio.get_running_loop(), sys.stdin.fileno()
    line, ended = bytearray(), asyncio.Event()

    def read() -> None:
        part = os.read(terminal, 4096)
        line.extend(part)
        if not part or part.endswith(b"\n"):
            loop.remove_reader(terminal)
            ended.set()

    loop.add_reader(terminal, read)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(terminal)
    return line.decode(errors="replace")


async def choose_phone(settings: Settings, command: str) -> Settings | None:
    """Offer a virtual phone to a person whose command would find none. Returns the settings to go
    on with; None to leave."""
    if settings.phones or not is_interactive():
        return settings
    from ..adb.link import AdbError
    from ..adb.server import AdbServer

    problem = "No phone is connected. Plug one in and allow USB debugging on its screen."
    try:
        if await AdbServer(*settings.adb_address).devices():
            return settings
    except AdbError as failure:
        problem = str(failure)
    print_note(f"{problem} `handheld doctor` shows what is missing.")
    virtual = Choice("Use a virtual phone", f"handheld {command} --phone {VIRTUAL}")
    wait = Choice("Wait for a phone to be connected", f"handheld {command}")
    chosen = await choose((virtual, wait))
    if chosen is virtual:
        return replace(settings, phone=(VIRTUAL,))
    return settings if chosen is wait else None
