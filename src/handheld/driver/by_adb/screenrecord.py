"""Videos by Android's `screenrecord`, which finishes them properly on SIGINT only.

One command on the phone records a video, reports its progress and removes it. It waits on its
standard input: when the connection ends, for any reason, it ends the video and removes it.
"""

import asyncio
import re
import secrets
from contextlib import suppress
from typing import BinaryIO

from ...adb import sync
from ...adb.link import AdbError, ByteStream, Link, LinkLost, NoAnswer
from ...errors import ActionFailed
from ..failures import translated
from ..recording import RecordedVideo, VideoRequest
from .commands import first_line
from .screencap import LIT_PANEL

START_SECONDS = 15.0
STOP_SECONDS = 30.0
"""Ending a video takes time: the file's index is written at the end."""
OUTPUT_LIMIT = 64 * 1024
OLD_LIMIT = 180
"""The limit in seconds of releases whose `screenrecord` does not support unlimited videos."""
_FILES = "/data/local/tmp/handheld-recording"
_SIZES = (1024, 800)
"""The longer side if the phone's encoder rejects the requested size."""
_SCRIPT = """\
for o in {files}-*.sh; do
  [ -e "$o" ] && ! kill -0 "$(cat "$o")" 2>/dev/null && rm -f "${{o%.sh}}"*
done
f={file}; t={seconds}
echo $$ >$f.sh
[ $t -gt {old} ] && ! screenrecord --help 2>&1 | grep -q 'Set to 0' && t={old}
d=
screenrecord --help 2>&1 | grep -q display-id && d="{panel}"
{{
  screenrecord --size {size} --bit-rate {rate} --time-limit $t $d $f </dev/null >$f.log 2>&1 &
  echo $! >$f.pid; wait $!; c=$?; rm -f $f.pid; echo "ended $c"; echo >$f.end
}} &
i=0
while [ ! -s $f ] && [ ! -e $f.end ] && [ $i -lt 30 ]; do sleep 0.1; i=$((i+1)); done
echo "begun $t"
read -r w && {{
  kill -2 "$(cat $f.pid 2>/dev/null)" 2>/dev/null; wait
  echo "size $(stat -c %s $f 2>/dev/null)"; head -n 20 $f.log; echo; echo stopped
  read -r w
}}
kill -2 "$(cat $f.pid 2>/dev/null)" 2>/dev/null
rm -f $f $f.*; wait; rm -f $f $f.*
"""
_LINE = re.compile(r"^(begun|ended|size) (\d+)\n", re.MULTILINE)
_STOPPED = "\nstopped\n"
_ENCODER = re.compile("unable to (?:create|configure|start)|Encoder failed|retrying at")


class EncoderRefused(ActionFailed):
    """The phone's encoder rejects this size."""


class ScreenRecording:
    """One run of the recording command."""

    def __init__(self, link: Link, stream: ByteStream, path: str) -> None:
        self._link = link
        self._stream = stream
        self._path = path
        self._output = ""
        self._grown = asyncio.Event()
        self._problem: AdbError | None = None
        self._reading = asyncio.create_task(self._read())
        self.limit = 0
        self._asked = False
        """Whether it was told to stop: further input removes the video."""
        self._recorded: RecordedVideo | None = None

    @property
    def lost(self) -> bool:
        return self._problem is not None

    def _said(self, word: str) -> int | None:
        """Return the number in the first line that begins with this word."""
        found = (each for each in _LINE.finditer(self._output) if each[1] == word)
        return next((int(each[2]) for each in found), None)

    async def _read(self) -> None:
        try:
            while data := await self._stream.read():
                self._output += data.decode(errors="replace").replace("\r\n", "\n")
                if len(self._output) > OUTPUT_LIMIT:
                    raise AdbError("The phone's output is too long for a recording.")
                self._grown.set()
            raise LinkLost("The connection to the phone was lost.")
        except AdbError as problem:
            self._problem = problem
        finally:
            # Wakes tasks that still wait for a closed recording.
            self._problem = self._problem or LinkLost("The recording was closed.")
            self._grown.set()

    async def _until(self, word: str) -> int:
        """Wait for a line that begins with this word; return its number. Raises AdbError."""
        while (number := self._said(word)) is None:
            if self._problem is not None:
                raise self._problem
            self._grown.clear()
            await self._grown.wait()
        return number

    async def begin(self) -> None:
        """Raises AdbError, ActionFailed."""
        async with self._link.clock.timeout(START_SECONDS):
            self.limit = await self._until("begun")
        if self._said("ended"):
            raise explain((await self._stop()).said)

    async def wait_end(self) -> None:
        with suppress(AdbError):
            await self._until("ended")

    async def stop(self) -> RecordedVideo:
        with translated("record"):
            return await self._stop()

    async def _stop(self) -> RecordedVideo:
        """Raises AdbError."""
        if self._recorded is None:
            by_itself = self._said("ended") is not None
            try:
                async with self._link.clock.timeout(STOP_SECONDS):
                    if not self._asked:
                        self._asked = True
                        await self._stream.write(b"stop\n")
                    while _STOPPED not in self._output:
                        if self._problem is not None:
                            raise self._problem
                        self._grown.clear()
                        await self._grown.wait()
            except TimeoutError:
                raise NoAnswer(
                    f"The phone did not end the recording within {STOP_SECONDS:g} s."
                ) from None
            size = self._said("size") or 0
            _, _, rest = self._output.partition("size ")
            said = rest.partition("\n")[2].removesuffix(_STOPPED).strip()
            self._recorded = RecordedVideo(size, said, by_itself)
        return self._recorded

    async def pull_to(self, target: BinaryIO, *, limit: int) -> int:
        with translated("record"):
            return await sync.pull_to(self._link, self._path, target, limit=limit)

    async def aclose(self) -> None:
        """End the command's input: then it ends the video and removes it."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with suppress(AdbError):
            await self._stream.aclose()


async def record(link: Link, request: VideoRequest) -> ScreenRecording:
    """Raises AdbError, ActionFailed."""
    longer = max(request.width, request.height)
    for smaller in (each for each in _SIZES if each < longer):
        try:
            return await _begin(link, request)
        except EncoderRefused:
            scale = smaller / max(request.width, request.height)
            request = request._replace(
                width=even(request.width * scale), height=even(request.height * scale)
            )
    return await _begin(link, request)


async def _begin(link: Link, request: VideoRequest) -> ScreenRecording:
    path = f"{_FILES}-{secrets.token_hex(4)}.mp4"
    script = write_script(request, path)
    # Not as a `shell:` service: adbd would kill it before it could end the video.
    stream = await link.open(f"exec:{script}")
    recording = ScreenRecording(link, stream, path)
    try:
        await recording.begin()
    except TimeoutError:
        await recording.aclose()
        raise NoAnswer(f"The phone did not begin to record within {START_SECONDS:g} s.") from None
    except BaseException:
        await recording.aclose()
        raise
    return recording


def write_script(request: VideoRequest, path: str) -> str:
    return _SCRIPT.format(
        files=_FILES,
        file=path,
        seconds=request.seconds,
        old=OLD_LIMIT,
        size=f"{request.width}x{request.height}",
        rate=request.bit_rate,
        panel=LIT_PANEL.replace("%s", "--display-id"),
    )


def even(side: float) -> int:
    """Return a multiple of 8: all encoders accept such sides."""
    return max(16, round(side / 8) * 8)


def explain(said: str) -> ActionFailed:
    """Return the error for this output of `screenrecord`."""
    line = first_line(said) if said else "nothing"
    if "not found" in said and "screenrecord" in said:
        return ActionFailed("This phone has no `screenrecord`: its screen cannot be recorded.")
    kind = EncoderRefused if _ENCODER.search(said) else ActionFailed
    return kind(f"The phone does not record its screen: screenrecord printed {line}.")
