"""`screencap`: a screenshot."""

import asyncio
import io
import re
import struct

from PIL import Image

from ..call import CommandCall, clean, refuse
from ..dumpsys.display import COVER, physical_id, physical_ids

_WARNING = """\
[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first \
display found, however this default is not guaranteed to be consistent across captures. A display \
id should be specified.
A display ID can be specified with the [-d display-id] option.
See "dumpsys SurfaceFlinger --display-id" for valid display IDs.
"""
_SRGB = 1
_RGBA = 1
_USAGE = """\
usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the {which} to capture{default}
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout."""


async def screencap(call: CommandCall) -> None:
    world = call.phone.world
    png, panel = False, None
    words = list(call.arguments)
    operands: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            operands += words
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter == "p":
                png = True
            elif letter == "d" and (letters or words):
                value, letters = letters or words.pop(0), ""
                if (panel := await _panel(call, value)) is None:
                    return
            else:
                if letter == "d":
                    await call.report("option requires an argument -- d")
                elif letter != "h":
                    await call.report(f"unknown option -- {letter}")
                await _show_usage(call)
                return
    if len(operands) > 1:
        await _show_usage(call)
        return
    name = operands[0] if operands else ""
    panels = physical_ids(world)
    if panel is None:
        panel = panels[0]
        if len(panels) > 1 and world.android.screencap_warning:
            await call.process.stderr.write(_WARNING.encode())
    picture = world.picture(None)
    if panel != physical_id(world):
        picture = Image.new("RGB", COVER)
    if png or name.endswith(".png"):
        target = io.BytesIO()
        # Compression takes a while, during which the phone continues.
        await asyncio.to_thread(picture.save, target, "PNG", compress_level=1)
        data = target.getvalue()
    else:
        data = struct.pack("<3I", picture.width, picture.height, _RGBA)
        if world.android.screencap_color_space:
            data += struct.pack("<I", _SRGB)
        data += picture.convert("RGBA").tobytes()
    if not name:
        await call.process.stdout.write(data)
        return
    try:
        call.files.write(call.path(name), data)
    except OSError as problem:
        await refuse(call, f"Error opening file: {name} ({clean(problem)})", 1)


async def _panel(call: CommandCall, value: str) -> int | None:
    found = re.match(r"\s*[-+]?\d{1,20}", value)
    number = int(found[0]) if found else 0  # as in C
    if number in physical_ids(call.phone.world):
        return number
    call.code = 1
    if call.phone.world.android.screencap_bad_display:
        await refuse(call, f"Display Id '{number}' is not valid.", 1)
    return None


async def _show_usage(call: CommandCall) -> None:
    which, default = "display id", ", default 0."
    if call.phone.world.android.physical_display_ids:
        number = physical_ids(call.phone.world)[0]
        which, default = "physical display ID", f" (default: {number})"
        default += '\n       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.'
    await refuse(call, _USAGE.format(which=which, default=default), 1)
