"""`wm` and `screencap`: the screen's size, and a picture of it."""

import asyncio
import io
import struct

from .call import Call, Usage, clean, refuse


async def wm(call: Call) -> None:
    world = call.phone.world
    width, height = world.width, world.height
    if world.rotation % 2:
        width, height = height, width
    match call.arguments:
        case ["size"]:
            await call.write(f"Physical size: {width}x{height}\n")
        case ["density"]:
            await call.write(f"Physical density: {world.density}\n")
        case _:
            await refuse(call, "Error: only 'wm size' and 'wm density' are offered by this phone")


async def screencap(call: Call) -> None:
    flags = call.options("p")
    if len(call.arguments) > 1:
        raise Usage("too many arguments")
    name = call.arguments[0] if call.arguments else ""
    picture = call.phone.world.picture(None)
    if "p" in flags or name.endswith(".png"):
        target = io.BytesIO()
        # Packing takes a while; the phone goes on meanwhile.
        await asyncio.to_thread(picture.save, target, "PNG", compress_level=1)
        data = target.getvalue()
    else:
        data = struct.pack("<4I", picture.width, picture.height, 1, 1)
        data += picture.convert("RGBA").tobytes()
    if not name:
        await call.process.stdout.write(data)
        return
    try:
        call.files.write(call.path(name), data)
    except OSError as problem:
        await refuse(call, f"Error opening file: {name} ({clean(problem)})", 1)
