"""One video of the screen, during its recording and until it is fetched.

It continues after the call that started it. Everything that ends a call also ends the recording: a
person who takes over, the end of a lease, a rule on the app in front, the end of the connection.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...driver.by_adb.screenrecord import even
from ...driver.recording import RecordedVideo, Video, VideoRequest
from ...errors import ActionFailed, PermissionDenied, ToolError
from .frames import FrameLog

if TYPE_CHECKING:
    from ...driver import Screenshot
    from ..phone import Phone

BIT_RATE = 4_000_000
_LATE_SECONDS = 4.0
KEPT_SECONDS = 600.0
"""The time for which an ended video waits on the phone to be fetched."""
FRAME_SIZE = 700
"""The longer side of a picture in pixels, as in screenshots for models."""
QUALITY = 88
_WAIT_MS, _REST_MS = 5000, 400
"""The time to wait for a change, and the delay after a change before the picture at rest."""
_LOOK_SECONDS = 1.0
"""The interval of pictures if the driver cannot wait for changes."""
_DELETED = "The video and its pictures were deleted."
_WENT = "The recording ended with it, and its video is gone."
_LEFT = "Its video is gone."
_SCREEN_OFF = (
    "The screen is off: nothing was recorded. Switch it on first, for example with the key wakeup."
)
_UNWATCHED = (
    "Rules of the phone's owner depend on the app in front, and without Handheld's helper on the"
    " phone Handheld would notice a change of that app too late. Nothing was recorded."
    " `handheld doctor` says what to do."
)
WAS_OFF = "The screen was off: nothing was recorded."


class VideoRecording:
    def __init__(self, phone: "Phone", seconds: int, max_size: int) -> None:
        """`phone` is the view of the call that starts it."""
        self._phone = phone
        self._seconds, self._max_size = seconds, max_size
        self.token = phone.caller
        self.connection = phone.connection
        self.since = phone.clock.time()
        self._begun = phone.clock.now()
        self.frames = FrameLog()
        self.secure: dict[str, None] = {}
        """Titles of secure windows, which are black in the video."""
        self.length = 0.0
        """The duration in seconds, after its end."""
        self.ended = False
        self.by_itself = ""
        """A sentence if the phone ended the video."""
        self.gone = ""
        """A sentence that says why the video is gone."""
        self.note = ""
        """A sentence for the caller that started it."""
        self.fetched = False
        """Whether the video is on the computer."""
        self.recorded: RecordedVideo | None = None
        self._changes = 0
        """The screen's sequence number at the beginning."""
        self._video: Video | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._ending: asyncio.Task[None] | None = None
        self._end_lasting: Callable[[], object] | None = None

    @property
    def began_at(self) -> str:
        return clock_text(self.since)

    @property
    def limit(self) -> int:
        """Seconds after which the phone ends it."""
        return 0 if self._video is None else self._video.limit

    async def begin(self) -> None:
        """Raises ToolError."""
        phone = self._phone
        guard = phone.guard
        judged = guard is not None and guard.judges_parts
        if judged and (await phone.driver.read_screen()).way:
            raise ActionFailed(_UNWATCHED)
        try:
            self._changes = await phone.driver.changed(0, 0)
            first = await phone.driver.capture(self._max_size, "jpeg", QUALITY)
        except ToolError as problem:
            if "screen is off" not in problem.message:
                raise
            raise ActionFailed(_SCREEN_OFF) from None
        self._end_lasting = phone.begin_lasting(self.abandon)
        try:
            self._video = await phone.driver.record(self._request(first))
        except BaseException:
            self._let_go()
            raise
        if self.gone:  # it was stopped before there was a video to close
            await self._close_video()
            raise ActionFailed(self.gone)
        self.since, self._begun = phone.clock.time(), phone.clock.now()
        self._note(first, 0.0)
        works = [self._follow(), self._take_frames()]
        if judged:
            works.append(self._watch())
        self._tasks = [asyncio.create_task(work) for work in works]

    def _request(self, first: "Screenshot") -> VideoRequest:
        width, height = even(first.width), even(first.height)
        return VideoRequest(self._seconds, width, height, BIT_RATE)

    # During the recording

    async def _follow(self) -> None:
        """Wait until the phone ends the video."""
        await self.video.wait_end()
        if self.video.lost:
            self._give_up(
                f"The connection to the phone was lost at {clock_text(self._phone.clock.time())}."
                f" {_WENT}"
            )
        else:
            self._begin_end()

    async def _watch(self) -> None:
        guard = self._phone.guard
        assert guard is not None
        try:
            await guard.watch_pictures(_DELETED)
        except ToolError as refusal:
            self._give_up(refusal.message)

    async def _take_frames(self) -> None:
        """Take a picture after each change, and when the screen rests after it."""
        driver, clock = self._phone.driver, self._phone.clock
        seen, wait = self._changes, _WAIT_MS
        while True:
            if self._phone.claim.elsewhere:
                self._give_up(f"{self._phone.claim.elsewhere} {_DELETED}")
                return
            try:
                asked = clock.now()
                changes = await driver.changed(seen, wait)
                if changes != seen:
                    seen, wait = changes, _REST_MS
                elif wait == _REST_MS:
                    wait = _WAIT_MS  # the screen rests after a change
                elif (clock.now() - asked) * 2000 >= wait:
                    continue
                else:
                    # This driver counts only its own actions, and does not wait for other changes.
                    wait = _WAIT_MS
                    await clock.sleep(_LOOK_SECONDS)
                await self.take_frame()
            except ToolError:
                await clock.sleep(_LOOK_SECONDS)
            await clock.sleep(self.frames.pause)

    async def take_frame(self) -> None:
        """Raises ToolError."""
        at = self._phone.clock.now() - self._begun
        self._note(await self._phone.driver.capture(FRAME_SIZE, "jpeg", QUALITY), at)

    def _note(self, picture: "Screenshot", at: float) -> None:
        if not self.ended:
            self.frames.add(at, picture.data)
            self.secure.update(dict.fromkeys(picture.secure))

    # Its end

    def abandon(self, why: str) -> None:
        """Stop and delete it. `why` is a clause."""
        self._give_up(f"The recording was stopped, because {why}. {_DELETED}")

    def lose(self, gone: str) -> None:
        """Mark the video as gone. `gone` is a sentence."""
        self._give_up(gone)

    def _give_up(self, gone: str) -> None:
        if self.gone:
            return
        self.gone = gone
        self.ended = True
        self.frames = FrameLog()
        own = asyncio.current_task()
        for task in self._tasks:
            if task is not own:
                task.cancel()
        self._tasks = [asyncio.create_task(self._close_video())]

    async def stop(self) -> None:
        """End the video unless it has ended, even if the caller is cancelled."""
        if self.gone or self.ended:
            return
        with suppress(ToolError):
            await self.take_frame()
        if not self.gone:
            await asyncio.shield(self._begin_end())

    def _begin_end(self) -> asyncio.Task[None]:
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        return self._ending

    async def _end(self) -> None:
        """End the video once. It is discarded if the phone does not end it, or if a rule forbids
        the app that was last in front."""
        self.length = min(self._phone.clock.now() - self._begun, self.limit)
        guard = self._phone.guard
        try:
            self.recorded = await self.video.stop()
            if guard is not None and guard.judges_parts:
                await guard.check_picture(_DELETED)
        except PermissionDenied as refusal:
            self._give_up(refusal.message)
        except ToolError as problem:
            self._give_up(f"{problem.message} {_WENT if self.video.lost else _LEFT}")
        else:
            self._rest(self.recorded)

    def _rest(self, recorded: RecordedVideo) -> None:
        """Handle the end of the video, which then waits to be fetched."""
        if recorded.by_itself:
            # The phone's time started shortly before it reported the start.
            at_limit = self.length > self.limit - _LATE_SECONDS
            lasted = self.limit if at_limit else self.length
            self.by_itself = f"The phone ended the recording by itself after {lasted:.0f} s."
        if self.gone:
            return
        self.ended = True
        for task in self._tasks:
            task.cancel()
        self._tasks = [asyncio.create_task(self._expire())]

    async def _expire(self) -> None:
        await self._phone.clock.sleep(KEPT_SECONDS)
        self._give_up(
            f"The recording of {self.began_at} was deleted: nobody fetched it within"
            f" {KEPT_SECONDS / 60:.0f} minutes."
        )

    @property
    def video(self) -> Video:
        assert self._video is not None
        return self._video

    def _let_go(self) -> None:
        end, self._end_lasting = self._end_lasting, None
        if end is not None:
            end()

    async def _close_video(self) -> None:
        # It counts as running until the program on the phone has ended.
        try:
            if self._video is not None:
                await self._video.aclose()
        finally:
            self._let_go()

    async def aclose(self) -> None:
        """End the video, and remove its files from the phone."""
        self.ended = True
        own = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._close_video()


def clock_text(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC).astimezone():%H:%M:%S}"
