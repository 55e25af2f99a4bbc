"""`handheld record`: a video of the screen, or a moving picture for a page."""

import argparse
import asyncio
import secrets
import shutil
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ...access.request_scope import RequestScope
from ...calls.protocols import Surface
from ...clock import SYSTEM_CLOCK
from ...errors import ToolError, UnknownTool
from ...phone.video.video_folder import ENDINGS
from ...progress import report
from ...server.sharing.failover import Reached, SharedSurface
from ...settings import Settings
from ...settings.slug import tool_prefix
from ...tools.call import Caller
from ...tools.listing import PHONE_PREFIX, RECORDING_TOOLSET
from ..exit_codes import USAGE_ERROR
from ..reach import find_surface
from ..terminal import print_error, print_line, print_note, shown_progress
from .tools import list_tools

LONGEST = 600
_BEYOND = 5
"""Seconds that the phone would go on by itself: this command ends it before."""
_CALLER = Caller("cli", "handheld")
_RECORDED = "Recorded "


def add_record_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="what to write: FILE.mp4, or FILE.gif or FILE.webp, which are made of pictures at the"
        " changes of the screen (default: recording-DATE-TIME.mp4)",
    )
    command.add_argument(
        "--seconds",
        type=partial(_read_number, least=1, most=600),
        default=600,
        metavar="N",
        help="end it after this many seconds, at most 600; Ctrl-C ends it earlier",
    )
    command.add_argument(
        "--size",
        type=partial(_read_number, least=240, most=2560),
        default=1280,
        metavar="PIXELS",
        help="the longer side of the video, at most (default: 1280)",
    )


def _read_number(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)


async def record(given: argparse.Namespace, settings: Settings) -> int:
    output = _choose_output(given.output)
    if problem := _find_problem(output):
        print_error(problem)
        return USAGE_ERROR

    async def find() -> Reached:
        return await find_surface(settings, "record")

    surface = SharedSurface(find)
    try:
        _, slug = await list_tools(settings, "", PHONE_PREFIX)
        tools = _Tools(surface, tool_prefix(slug))
        seconds = given.seconds
        asked = {"max_seconds": min(LONGEST, seconds + _BEYOND), "max_size": given.size}
        with _stopping() as stop:
            said = await tools.call("start_recording", asked)
            if "at most" in said:
                print_note(said)
            print_note(f"Recording for {seconds} s at most. Ctrl-C ends it.")
            name = f"record-{secrets.token_hex(4)}{output.suffix.lower()}"
            with shown_progress():
                await _wait(stop, seconds)
                said = await tools.call("stop_recording", {"path": name})
        first, *notes = said.splitlines()
        length, _, path = first.removeprefix(_RECORDED).partition(": ")
        if not first.startswith(_RECORDED) or not path:
            raise ToolError(said)
        for note in notes:
            if not note.startswith("Pictures of it"):
                print_note(note)
        await asyncio.to_thread(_move, path, output)
        print_line(f"{output}: {length}")
        return 0
    finally:
        await surface.aclose()


class _Tools:
    def __init__(self, surface: Surface, prefix: str) -> None:
        self._surface = surface
        self._prefix = prefix

    async def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the reply's text. Raises ToolError."""
        chosen = RequestScope(prefix=PHONE_PREFIX, on=frozenset((RECORDING_TOOLSET,)))
        try:
            items = await self._surface.call(self._prefix + name, arguments, _CALLER, chosen)
        except UnknownTool:
            raise ToolError(
                f"{name} is switched off, by the settings or in the process that has the phone."
            ) from None
        return "\n".join(item for item in items if isinstance(item, str))


def _choose_output(given: str | None) -> Path:
    if given:
        return Path(given)
    now = datetime.fromtimestamp(SYSTEM_CLOCK.time(), UTC).astimezone()
    return Path(f"recording-{now:%Y%m%d-%H%M%S}.mp4")


def _find_problem(output: Path) -> str:
    """Why nothing can be written there, as a sentence; "" if it can."""
    if output.suffix.lower() not in ENDINGS:
        return f"{output} does not end in .mp4, .gif or .webp."
    if output.exists():
        return f"{output} exists already."
    if not output.absolute().parent.is_dir():
        return f"There is no folder {output.parent}."
    return ""


@contextmanager
def _stopping() -> Generator[asyncio.Event]:
    """The first SIGINT or SIGTERM ends the recording, the second one the command."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(*_: object) -> None:
        restore()
        loop.call_soon_threadsafe(stop.set)

    for number in before:
        signal.signal(number, end)
    try:
        yield stop
    finally:
        if signal.getsignal(signal.SIGINT) is end:
            restore()


async def _wait(stop: asyncio.Event, seconds: int) -> None:
    begun = SYSTEM_CLOCK.now()
    while (passed := SYSTEM_CLOCK.now() - begun) < seconds and not stop.is_set():
        report(passed, seconds, "Recording")
        with suppress(TimeoutError):
            async with SYSTEM_CLOCK.timeout(min(1.0, seconds - passed)):
                await stop.wait()


def _move(kept: str, output: Path) -> None:
    """Raises ToolError."""
    try:
        if not Path(kept).is_file():
            raise ToolError(f"The video is on the computer that has the phone: {kept}")
        shutil.move(kept, output)
    except OSError as problem:
        raise ToolError(f"{output} cannot be written: {problem.strerror}. It is {kept}.") from None
