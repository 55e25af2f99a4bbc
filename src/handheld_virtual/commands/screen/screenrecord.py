"""`screenrecord`: a video of the screen.

SIGINT, SIGHUP and the time limit end it. An unfinished file cannot be played. While the screen does
not change, or is off, no frames are recorded.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

from ...sh.process import Output
from ...sh.streams import FileOutput
from ...video.h264 import Encoder
from ...video.mp4 import Mp4Writer
from ..call import CommandCall, clean, refuse
from ..dumpsys.display import physical_id, physical_ids

if TYPE_CHECKING:
    from ...world import World

SIGHUP, SIGINT = 1, 2
LIMIT_SECONDS = 180
UNLIMITED = 2**32 - 1
_LEAST_RATE, _MOST_RATE = 100_000, 200_000_000
_MOST_PIXELS = 4096 * 2304
"""The limit of the phone's encoder."""
_FRAME_MS = 1000 / 30
_WRONG, _NOT_STARTED = 2, 218
_START_CODE = b"\0\0\0\1"
_FORMATS = ("mp4", "h264")
_OTHER_FORMATS = ("webm", "3gpp", "frames", "raw-frames")

_USAGE = """\
Usage: screenrecord [options] <filename>

Android screenrecord v{version}.  Records the device's display to a .mp4 file.

Options:
--size WIDTHxHEIGHT
    Set the video size, e.g. "1280x720".  Default is the device's main
    display resolution (if supported), 1280x720 if not.  For best results,
    use a size supported by the AVC encoder.
--bit-rate RATE
    Set the video bit rate, in bits per second.  Value may be specified as
    bits or megabits, e.g. '4000000' is equivalent to '4M'.  Default 20Mbps.
--bugreport
    Add additional information, such as a timestamp overlay, that is helpful
    in videos captured to illustrate bugs.
--time-limit TIME
    Set the maximum recording time, in seconds.  Default {limit}
{display}--verbose
    Display interesting information on stdout.
{shows_version}--help
    Show this message.

Recording continues until Ctrl-C is hit or the time limit is reached.

"""
_DISPLAY = """\
--display-id ID
    specify the physical display ID to record. Default is the primary display.
    see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
"""
_SHOWS_VERSION = "--version\n    Show Android screenrecord version.\n"

_FLAGS = {
    "help",
    "verbose",
    "bugreport",
    "show-device-info",
    "show-frame-time",
    "rotate",
    "monotonic-time",
    "persistent-surface",
}
_VALUED = {"size", "bit-rate", "time-limit", "output-format", "codec-name", "bframes"}


@dataclass
class _Options:
    size: tuple[int, int] | None = None
    seconds: int = LIMIT_SECONDS
    format: str = "mp4"
    verbose: bool = False
    panel: int | None = None
    file: str = ""


async def screenrecord(call: CommandCall) -> None:
    options = await _read_options(call)
    if options is None:
        return
    world = call.phone.world
    width, height = options.size or (world.width // 2 * 2, world.height // 2 * 2)
    if width % 2 or height % 2 or width * height > _MOST_PIXELS:
        await refuse(
            call, f"ERROR: unable to configure video/avc codec at {width}x{height} (err=-22)", 234
        )
        return
    if options.verbose:
        await call.write(f"Display is {world.width}x{world.height} @60.00fps (orientation=0)\n")
        await call.write(f"Configuring recorder for {width}x{height} video/avc at 20.00Mbps\n")
    encoder = Encoder(width, height)
    if options.file == "-" and options.format != "mp4":
        await _Recording(call, options, encoder, call.process.stdout).run()
        return
    try:
        file = call.files.create(call.path(options.file), 0o600)
    except OSError as problem:
        await refuse(call, f"Unable to open '{options.file}': {clean(problem)}", 1)
        return
    # Written through the open file, because the path may be removed during the recording.
    with file:
        await _Recording(call, options, encoder, FileOutput(file)).run()


class _Recording:
    def __init__(
        self, call: CommandCall, options: _Options, encoder: Encoder, output: Output
    ) -> None:
        self._call = call
        self._world = call.phone.world
        self._options = options
        self._encoder = encoder
        self._write = output.write
        self._writer = Mp4Writer(encoder) if options.format == "mp4" else None
        self._stopped = asyncio.Event()
        self._begun = self._world.timers.now()
        self._frames = 0
        panel = options.panel or physical_ids(self._world)[0]
        self._dark = panel != physical_id(self._world)

    async def run(self) -> None:
        self._call.phone.processes.catch((SIGHUP, SIGINT), self._stopped.set)
        over = asyncio.create_task(self._wait_over())
        try:
            while not over.done():
                await self._show_next(over)
        finally:
            over.cancel()
            await asyncio.wait([over])
        await self._show()
        lasted = over.result() - self._begun
        if self._options.verbose:
            seconds = round(lasted / 1000)
            await self._call.write(f"Stopping encoder and muxer\nRecorded {self._frames} frames")
            await self._call.write(f" in {seconds} seconds\n")
        if self._writer is None:
            return
        if self._writer.empty:
            # Stopping a muxer that was never started is an error.
            self._call.code = _NOT_STARTED
            return
        await self._write(self._writer.end(lasted))

    async def _wait_over(self) -> float:
        """Wait for the end of the recording; return its time."""
        limit = asyncio.create_task(self._call.phone.clock.sleep(self._options.seconds * 1000))
        stop = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait((limit, stop), return_when=asyncio.FIRST_COMPLETED)
            return self._world.timers.now()
        finally:
            limit.cancel()
            stop.cancel()

    async def _show_next(self, over: asyncio.Task[float]) -> None:
        """Encode the screen, then wait until it changes."""
        changes = self._world.screen.changes
        seen = changes.seq
        await self._show()

        async def wait() -> None:
            await self._call.phone.clock.sleep(_FRAME_MS)
            await changes.wait(seen, UNLIMITED)

        news = asyncio.create_task(wait())
        try:
            await asyncio.wait((news, over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
            await asyncio.wait([news])

    async def _show(self) -> None:
        if self._dark or not self._world.awake:
            return
        picture = _fit(self._world, (self._encoder.width, self._encoder.height))
        ms = self._world.timers.now() - self._begun
        # The phone continues during the encoding.
        unit = await asyncio.to_thread(self._encoder.encode, picture)
        if unit is None:
            return
        first = not self._frames
        self._frames += 1
        if self._writer is not None:
            begin = self._writer.begin() if first else b""
            await self._write(begin + self._writer.add(unit, ms))
            return
        sets = (self._encoder.sps, self._encoder.pps) if first else ()
        await self._write(b"".join(_START_CODE + each for each in (*sets, unit)))


def _fit(world: "World", size: tuple[int, int]) -> Image.Image:
    """The screen, centred in a picture of this size."""
    scale = min(size[0] / world.width, size[1] / world.height)
    shown = world.picture(max(1, round(max(world.width, world.height) * min(scale, 1.0))))
    fitting = (round(world.width * scale), round(world.height * scale))
    if shown.size != fitting and scale > 1.0:
        shown = shown.resize(fitting)
    whole = Image.new("RGB", size)
    whole.paste(shown, ((size[0] - shown.width) // 2, (size[1] - shown.height) // 2))
    return whole


async def _read_options(call: CommandCall) -> _Options | None:
    """Parse the options; return None if the call is already answered, with an error or the help."""
    options, android = _Options(), call.phone.world.android
    flags, valued = set(_FLAGS), set(_VALUED)
    if android.physical_display_ids:
        valued.add("display-id")
    if android.screenrecord_unlimited:
        flags.add("version")
    operands: list[str] = []
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if not word.startswith("--") or word == "--":
            operands += words if word == "--" else [word]
            words = [] if word == "--" else words
            continue
        name, equals, value = word[2:].partition("=")
        if name in valued and not equals:
            if not words:
                return await _wrong(call, f"screenrecord: option '--{name}' requires an argument")
            value = words.pop(0)
        elif name not in valued and name not in flags:
            return await _wrong(call, f"screenrecord: unrecognized option '--{name}'")
        if not await _take(call, options, name, value):
            return None
    if len(operands) != 1:
        return await _wrong(call, "Must specify output file (see --help).")
    options.file = operands[0]
    return options


async def _take(call: CommandCall, options: _Options, name: str, value: str) -> bool:
    """Apply one option; return False if it ends the command."""
    android = call.phone.world.android
    match name:
        case "help":
            await refuse(call, _usage(call).removesuffix("\n"), 0)
            return False
        case "version":
            await refuse(call, "1.4", 0)
            return False
        case "verbose":
            options.verbose = True
        case "size":
            found = re.fullmatch(r"(\d{1,9})x(\d{1,9})", value)
            if found is None:
                await _wrong(call, f"Invalid size '{value}', must be width x height")
                return False
            options.size = (int(found[1]), int(found[2]))
            if 0 in options.size:
                shown = f"{options.size[0]}x{options.size[1]}"
                await _wrong(call, f"Invalid size {shown}, width and height may not be zero")
                return False
        case "bit-rate":
            found = re.fullmatch(r"(\d{1,9})([mM]?)", value)
            if found is None:
                await _wrong(call, f"Unrecognized value: {value}")
                return False
            rate = int(found[1]) * (1_000_000 if found[2] else 1)
            if not _LEAST_RATE <= rate <= _MOST_RATE:
                bounds = f"[{_LEAST_RATE},{_MOST_RATE}]"
                await _wrong(call, f"Bit rate {rate}bps outside acceptable range {bounds}")
                return False
        case "time-limit":
            found = re.match(r"[-+]?\d{1,10}", value.strip())
            seconds = int(found[0]) if found else 0
            if not android.screenrecord_unlimited:
                if not 0 < seconds <= LIMIT_SECONDS:
                    bounds = f"[1,{LIMIT_SECONDS}]"
                    await _wrong(call, f"Time limit {seconds}s outside acceptable range {bounds}")
                    return False
            elif found is None:
                await _wrong(call, "Error parsing time limit argument")
                return False
            elif not 0 <= seconds <= UNLIMITED:
                bounds = f"[0,{UNLIMITED}] seconds"
                await _wrong(call, f"Time limit {seconds}s outside acceptable range {bounds}")
                return False
            options.seconds = seconds or UNLIMITED
        case "output-format":
            if value in _OTHER_FORMATS:
                await _wrong(call, f"screenrecord: this phone does not write {value}")
                return False
            if value not in _FORMATS:
                await _wrong(call, f"Unknown format '{value}'")
                return False
            options.format = value
        case "display-id":
            if value not in map(str, physical_ids(call.phone.world)):
                await _wrong(call, "Invalid physical display ID")
                return False
            options.panel = int(value)
        case _:
            pass
    return True


def _usage(call: CommandCall) -> str:
    android = call.phone.world.android
    unlimited = android.screenrecord_unlimited
    return _USAGE.format(
        version="1.4" if unlimited else "1.2",
        limit=f"is {LIMIT_SECONDS}. Set to 0\n    to remove the time limit."
        if unlimited
        else f"/ maximum is {LIMIT_SECONDS}.",
        display=_DISPLAY if android.physical_display_ids else "",
        shows_version=_SHOWS_VERSION if unlimited else "",
    )


async def _wrong(call: CommandCall, text: str) -> None:
    await refuse(call, text, _WRONG)
