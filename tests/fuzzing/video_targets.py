"""Videos of phones, and what the program says that makes them."""

import io

from handheld.driver.by_adb.screenrecord import explain
from handheld.phone.video.movie import BadMovie, read_movie
from phone.test_movie import small_video

from .trial import Target

TARGETS = (
    Target(
        "movie",
        lambda data: read_movie(io.BytesIO(data)),
        lambda: (small_video(), small_video(1)),
        (BadMovie,),
        (b"moov", b"mvhd", b"trak", b"mdia", b"minf", b"stbl", b"stsz", b"ftyp", b"\0\0\0\1"),
    ),
    Target(
        "screenrecord-output",
        lambda data: explain(data.decode(errors="replace")),
        lambda: (b"ERROR: unable to configure video/avc codec at 576x1280 (err=-22)\n",),
    ),
)
