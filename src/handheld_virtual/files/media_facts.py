"""Properties of a file that the media index reads from its name and first bytes."""

import struct

MIME_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "mp4": "video/mp4",
    "3gp": "video/3gpp",
    "webm": "video/webm",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "wav": "audio/x-wav",
    "flac": "audio/flac",
}


def mime_type(path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return MIME_TYPES.get(ending, "application/octet-stream")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height of a PNG or JPEG file."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    place = 2
    while data.startswith(b"\xff\xd8") and place + 9 <= len(data) and data[place] == 0xFF:
        kind, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return None
