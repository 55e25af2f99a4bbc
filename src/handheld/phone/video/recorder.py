"""Records a phone's screen: one video at a time, stored where the caller wants it."""

import asyncio
import re
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from ...screen.characters import plain
from ...screen.text import brief, cut
from ..files.reported_file import ReportedFile
from .movie import BadMovie, Movie, read_movie
from .moving_picture import shrink, write_moving_picture
from .recording import BIT_RATE, FRAME_SIZE, WAS_OFF, VideoRecording
from .video_folder import ENDINGS, VideoFolder

if TYPE_CHECKING:
    from ..phone import Phone

NOTHING = "Nothing is being recorded."
_COPYING = "Copying the video from the phone"
_SPARE_BYTES = 50_000_000
"""The bytes that a video may have beyond its bit rate, for screens that change completely."""

_MOST_WAITING = 4
"""The maximum of ended recordings, of different tokens, that wait to be fetched."""


class Still(NamedTuple):
    at: float
    """Seconds since the beginning."""
    data: bytes
    """A JPEG."""


class StoredVideo(NamedTuple):
    """A stored video and its place."""

    seconds: float
    size: int
    where: str
    notes: list[str]
    stills: list[Still]


class VideoTarget(NamedTuple):
    """The requested place of a video."""

    location_id: str | None
    path: str | None

    @property
    def ending(self) -> str:
        return Path(self.path).suffix.lower() if self.path else ".mp4"


class VideoRecorder:
    """Records one phone, over all of its connections."""

    def __init__(self, folder: Path | None = None, most_mb: int = 1000) -> None:
        """`folder` stores videos on this computer; without one, they are not stored here."""
        self._place = (folder, most_mb)
        self._recordings: dict[str, VideoRecording] = {}
        """The last recording of each token, until it is fetched; one of them may be running."""
        self._turn = asyncio.Lock()

    @cached_property
    def _folder(self) -> "VideoFolder":
        return VideoFolder(*self._place)

    async def start(self, phone: "Phone", seconds: int, max_size: int) -> "VideoRecording":
        """Raises ToolError."""
        self._check_free(phone.caller)
        async with self._turn:
            self._check_free(phone.caller)
            before = self._recordings.pop(phone.caller, None)
            recording = self._recordings[phone.caller] = VideoRecording(phone, seconds, max_size)
            try:
                await recording.begin()
            except BaseException:
                recording.lose("It was not started.")
                del self._recordings[phone.caller]
                if before is not None:
                    self._recordings[phone.caller] = before
                raise
            if before is not None:
                if not before.gone:
                    recording.note = (
                        f"The recording of {before.began_at} was deleted, because it was not "
                        "fetched."
                    )
                before.lose("Another one was started.")
            return recording

    def _check_free(self, token: str) -> None:
        """Raises ActionFailed."""
        running = self._running
        if running is not None:
            raise ActionFailed(f"A recording is already running since {running.began_at}.")
        waiting = [each for each in self._recordings.values() if not each.gone]
        if len(waiting) >= _MOST_WAITING and token not in self._recordings:
            raise ActionFailed(
                f"{len(waiting)} recordings of other clients on the phone wait to be fetched."
                " Nothing is recorded. Try again in a few minutes."
            )

    @property
    def _running(self) -> "VideoRecording | None":
        return next((each for each in self._recordings.values() if not each.ended), None)

    async def stop(
        self, phone: "Phone", location_id: str | None = None, path: str | None = None
    ) -> StoredVideo:
        """End the recording, and store it at that place. Raises ToolError; then another attempt is
        possible as long as the phone has the video."""
        target = VideoTarget(location_id, path)
        self._check(phone, target)
        async with self._turn:
            recording = self._find(phone)
            try:
                await recording.stop()
                kept = None if recording.gone else await self._keep(phone, recording, target)
                if kept is None or recording.gone:
                    raise ActionFailed(f"{recording.gone} {NOTHING}")
            except ToolError:
                if recording.gone or recording.fetched:
                    await self._forget(recording)
                raise
            await self._forget(recording)
            return kept

    async def _forget(self, recording: "VideoRecording") -> None:
        self._recordings.pop(recording.token, None)
        await recording.aclose()

    def _find(self, phone: "Phone") -> "VideoRecording":
        """Raises ToolError."""
        own, running = self._recordings.get(phone.caller), self._running
        if own is None and running is not None:
            raise PermissionDenied(
                f"The recording that began at {running.began_at} belongs to another client."
                " Nothing was done."
            )
        if own is None:
            raise ActionFailed(NOTHING)
        return own

    def _check(self, phone: "Phone", target: VideoTarget) -> None:
        """Check the target before the recording ends. Raises ToolError."""
        if target.path is not None and target.ending not in ENDINGS:
            raise InvalidParams(
                f"Parameter 'path' must end in .mp4, .gif or .webp, got: '{brief(target.path)}'."
                " Nothing was done."
            )
        if target.location_id is not None:
            phone.files.check_writable(target.location_id, target.path or "recording.mp4")
        elif target.path is not None:
            self._folder.check_name(target.path, phone.caller)

    # Stored videos

    async def _keep(
        self, phone: "Phone", recording: "VideoRecording", target: VideoTarget
    ) -> StoredVideo:
        name = target.path if target.path and target.location_id is None else _name(phone, target)
        part = self._folder.new(name.rpartition("/")[2], recording.token)
        notes: list[str] = [recording.by_itself] if recording.by_itself else []
        if recording.secure:
            titles = ", ".join(f"'{cut(plain(title)) or 'unknown'}'" for title in recording.secure)
            notes.append(f"Secure windows are black in it: {titles}.")
        try:
            if target.ending == ".mp4":
                seconds, size = await self._fetch(recording, part)
            else:
                seconds, size = await _draw(recording, part, target.ending)
                notes.append("It consists of pictures at the changes of the screen.")
            stills = await _stills(recording)
            if target.location_id is None:
                where = str(await asyncio.to_thread(self._folder.keep, part))
            else:
                try:
                    where = await _put(phone, target.location_id, target.path or name, part)
                except ToolError as failure:
                    kept = await asyncio.to_thread(self._folder.keep, part)
                    recording.fetched = True
                    instead = f"The video is on the computer instead: {kept}"
                    failure.details = (*failure.details, instead)
                    raise
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return StoredVideo(seconds, size, where, notes, stills)

    async def _fetch(self, recording: "VideoRecording", part: Path) -> tuple[float, int]:
        """Raises ToolError."""
        recorded = recording.recorded
        assert recorded is not None
        most = int(recording.limit * BIT_RATE / 8 * 1.5) + _SPARE_BYTES
        try:
            with ReportedFile(part, recorded.size, _COPYING) as file:
                size = await recording.video.pull_to(file, limit=most) if recorded.size else 0
            movie = await asyncio.to_thread(_read, part) if size else None
        except BadMovie as problem:
            recording.lose(f"The phone made a video that cannot be played: {problem}.")
            return 0.0, 0
        except OSError as problem:
            raise ActionFailed(
                f"The computer cannot keep the video: {problem.strerror}. Call this again later."
            ) from problem
        if movie is None or not movie.frames:
            said = cut(plain(recorded.said.partition("\n")[0]))
            reason = f" Its screenrecord printed: {said}." if said else ""
            recording.lose(f"The phone made no video.{reason}" if reason else WAS_OFF)
            return 0.0, 0
        return movie.seconds, size

    async def drop(self, connection: object) -> None:
        """Handle the end of a connection to the phone, which ends its recordings."""
        for recording in list(self._recordings.values()):
            if recording.connection is connection:
                if not recording.gone:
                    recording.lose("The connection to the phone ended, and the recording with it.")
                await recording.aclose()


def _read(part: Path) -> "Movie":
    """Raises BadMovie, OSError."""
    with part.open("rb") as file:
        return read_movie(file)


async def _put(phone: "Phone", location_id: str, path: str, part: Path) -> str:
    """Put a video into a storage location; return a text that names its place. Raises ToolError."""
    async with phone.acting("stop_recording"):
        taken = await phone.files.put(location_id, path, part)
    return f"{taken} in location '{location_id}'"


def _name(phone: "Phone", target: VideoTarget) -> str:
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", phone.name).strip("-.")[:40] or "phone"
    now = datetime.fromtimestamp(phone.clock.time(), UTC).astimezone()
    return f"{name}-{now:%Y%m%d-%H%M%S}{target.ending}"


async def _draw(recording: "VideoRecording", part: Path, ending: str) -> tuple[float, int]:
    drawn = part.with_suffix(f"{part.suffix}{ending}")
    try:
        seconds, size = await asyncio.to_thread(
            write_moving_picture, drawn, recording.frames.frames, recording.length, FRAME_SIZE
        )
        drawn.rename(part)
    except (ValueError, OSError) as problem:
        with suppress(OSError):
            drawn.unlink(missing_ok=True)
        raise ActionFailed(f"The animation cannot be made: {problem}.") from problem
    return seconds, size


async def _stills(recording: "VideoRecording") -> list[Still]:
    stills: list[Still] = []
    for frame in recording.frames.stills():
        with suppress(ValueError):
            # The first picture has the video's size.
            data = await asyncio.to_thread(shrink, frame.data, FRAME_SIZE)
            stills.append(Still(frame.at, data))
    return stills
