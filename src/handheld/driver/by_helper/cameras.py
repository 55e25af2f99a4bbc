"""Cameras through the helper."""

import secrets
from typing import Any

from ...adb import shell
from ...adb.link import AdbError
from ...helper.protocol import JAR_FOLDER
from ..cameras import Camera, CameraVideo, FlashMode, Photo, Size
from .verbs import HelperVerbs

PHOTO_MS = 20_000
"""The time to open the camera, measure light, focus and take the picture."""
REMOVE_SECONDS = 5.0
_EVERY_VIDEO = f"{JAR_FOLDER}/handheld-{'[0-9a-f]' * 16}.mp4"


class HelperCameras(HelperVerbs):
    async def cameras(self) -> list[Camera]:
        found = (await self._call("cameras", {}, PHOTO_MS)).reply["cameras"]
        return [
            Camera(
                each["id"],
                each["facing"],
                each["flash"],
                [(width, height) for width, height in each["photo"]],
                [(width, height) for width, height in each["video"]],
            )
            for each in found
        ]

    async def take_photo(
        self, camera: str, size: Size, quality: int, flash: FlashMode, *, most: Size | None
    ) -> Photo:
        wanted: dict[str, Any] = {
            "camera": camera,
            "size": list(size),
            "most": None if most is None else list(most),
            "quality": quality,
            "flash": flash,
        }
        answer = await self._call("photo", wanted, PHOTO_MS, act=True)
        return Photo(answer.data, answer.reply["width"], answer.reply["height"])

    async def record_video(
        self, camera: str, size: Size, duration_ms: int, flash: FlashMode, *, audio: bool
    ) -> CameraVideo:
        path = f"{JAR_FOLDER}/handheld-{secrets.token_hex(8)}.mp4"
        wanted: dict[str, Any] = {
            "camera": camera,
            "size": list(size),
            "duration_ms": duration_ms,
            "flash": flash,
            "audio": audio,
            "path": path,
        }
        try:
            answer = await self._call("video", wanted, PHOTO_MS + duration_ms, act=True)
        except BaseException:
            await self.remove_recording(path)
            raise
        return CameraVideo(path, answer.reply["bytes"], answer.reply["duration_ms"], answer.data)

    async def remove_recording(self, path: str) -> None:
        try:
            # Also removes videos of killed processes: only one video is made at a time.
            line = f"rm -f {path} {_EVERY_VIDEO}"
            await shell.run(self._link, ("sh", "-c", line), timeout=REMOVE_SECONDS)
        except AdbError:
            return  # the folder is for temporary files
