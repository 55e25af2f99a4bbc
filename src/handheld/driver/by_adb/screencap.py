"""Screenshots by Android's `screencap`, scaled on the host."""

import asyncio
import io

from ...helper.protocol import Code, HelperFailure
from ..reading.dumpsys import read_awake, read_secure
from ..screen import Screenshot
from .commands import Commands, first_line

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LIMIT = 64 * 1024 * 1024
_PIXELS = 100_000_000
_SHOT = "screencap -p"
LIT_PANEL = (
    # On foldable phones with several panels Android's programs use the first, which may be off: so
    # they are passed the panel of the active display. Android 9 and older cannot list the panels:
    # they ignore the option and print the whole state of SurfaceFlinger.
    "$(test \"$(dumpsys SurfaceFlinger --display-id | grep -c '^Display ')\" -gt 1 &&"
    ' { dumpsys display | grep -o "displayId=0, uniqueId=\'local:[-0-9]*" |'
    " sed 's/.*:/%s /' | grep -m1 . || echo %s unknown; })"
)
"""Prints the option that names the panel if there are several; both `%s` stand for the option."""
_SHOT_OF_PANEL = f"{_SHOT} {LIT_PANEL.replace('%s', '-d')}"
_STATE = (
    "dumpsys power | grep -m1 mWakefulness=; dumpsys window windows |"
    " grep -E '^ *Window #|fl=|isOnScreen=|isReadyForDisplay'"
)


async def take_picture(
    commands: Commands, max_size: int | None, format: str, quality: int
) -> Screenshot:
    """Raises HelperFailure, AdbError."""
    line = _SHOT_OF_PANEL if await commands.api() >= 29 else _SHOT
    # Errors are on stderr, separate from the picture.
    shot, state = await asyncio.gather(commands.run(line, limit=LIMIT), commands.ask(_STATE))
    if read_awake(state) is False:
        raise HelperFailure(Code.CAPTURE_FAILED, "the screen is off.")
    at = shot.stdout.find(SIGNATURE)
    if at < 0:
        output = (shot.stderr or shot.stdout[:400]).decode(errors="replace")
        raise HelperFailure(Code.CAPTURE_FAILED, f"screencap said: {first_line(output)}.")
    # Encoding takes a while: do not block other calls.
    data, size = await asyncio.to_thread(_shrink, shot.stdout[at:], max_size, format, quality)
    return Screenshot(data, *size, format, read_secure(state))


def _shrink(
    png: bytes, max_size: int | None, format: str, quality: int
) -> tuple[bytes, tuple[int, int]]:
    from PIL import Image  # slow to load, and phones with the helper need none

    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
            if opened.width * opened.height > _PIXELS:
                raise HelperFailure(Code.CAPTURE_FAILED, "The picture is larger than any screen.")
            image = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError) as problem:
        message = f"the output of screencap is not a picture: {problem}."
        raise HelperFailure(Code.CAPTURE_FAILED, message) from None
    if max_size is not None and max(image.size) > max_size:
        image.thumbnail((max_size, max_size), Image.Resampling.BILINEAR)
    target = io.BytesIO()
    if format == "png":
        image.save(target, "PNG")
    else:
        image.save(target, "JPEG", quality=quality)
    return target.getvalue(), image.size
