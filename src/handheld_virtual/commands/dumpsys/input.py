"""`dumpsys input`: devices, viewports and the focused window."""

import re

from ..call import CommandCall
from .display import physical_id
from .records import Records


async def input(call: CommandCall) -> None:
    world = call.phone.world
    records = Records(world)
    width, height, _ = world.physical
    if world.rotation % 2:
        width, height = height, width
    size = f"[{world.physical[0]}, {world.physical[1]}]"
    view = (
        f"displayId=0, uniqueId=local:{physical_id(world)}, port=0, orientation={world.rotation}, "
        f"logicalFrame=[0, 0, {world.width}, {world.height}], "
        f"physicalFrame=[0, 0, {width}, {height}], deviceSize={size}"
    )
    if world.android.viewport_active:
        view += ", isActive=[1]"
    focused = records.focused
    lines = [
        "INPUT MANAGER (dumpsys input)",
        "",
        "Input Reader State (Nums of device: 1):",
        "  Device 1: virtual_touchscreen",
        f"    Sources: {'TOUCHSCREEN' if world.android.input_source_names else '0x00001002'}",
        "    Touch Input Mapper (mode - DIRECT):",
        f"      Viewport INTERNAL: {view}",
        f"      SurfaceWidth: {world.width}px",
        f"      SurfaceHeight: {world.height}px",
        f"      SurfaceOrientation: {world.rotation}",
        "",
        "Input Dispatcher State:",
        "  DispatchEnabled: 1",
        "  DispatchFrozen: 0",
        "  FocusedApplications:",
        f"    displayId=0, name='{records.front_token}', dispatchingTimeout=5000ms",
        "  FocusedWindows:" if focused is not None else "  FocusedWindows: <none>",
    ]
    if focused is not None:
        title = records.window(focused).removeprefix("Window{").removesuffix("}")
        title = re.sub(r" u\d+", "", title, count=1)
        lines.append(f"    displayId=0, name='{title}'")
    await call.write("\n".join(lines) + "\n")
