"""`dumpsys display` and `dumpsys SurfaceFlinger`: the panel and its rotation."""

from ...world import World
from ..call import CommandCall
from .records import rect

PHYSICAL_ID = 4619827259835644672
"""The id of the active panel, for `screencap -d`."""
COVER_ID = PHYSICAL_ID + 1
COVER = (840, 2260)
"""The size of a foldable phone's outer panel."""
NAME = "Built-in Screen"


def physical_id(world: World) -> int:
    """The id of the active panel; before Android 10, its index."""
    return PHYSICAL_ID if world.android.physical_display_ids else 0


def physical_ids(world: World) -> list[int]:
    """The ids of all panels. SurfaceFlinger's default is the first, which on an unfolded phone is
    the outer panel, although it is off."""
    if not world.foldable:
        return [physical_id(world)]
    return [COVER_ID if world.android.physical_display_ids else 1, physical_id(world)]


async def display(call: CommandCall) -> None:
    world = call.phone.world
    world.settle()
    width, height, dots = world.physical
    turn = world.rotation
    state = "ON" if world.awake else "OFF"
    logical = rect((0, 0, world.width, world.height))
    physical = rect((0, 0, height, width) if turn % 2 else (0, 0, width, height))
    unique = f"local:{physical_id(world)}"
    port = " isActive=true," if world.android.viewport_active else ""
    view = (
        f"valid=true,{port} displayId=0, uniqueId='{unique}', "
        + ("physicalPort=0, " if world.android.display_viewports else "")
        + f"orientation={turn}, logicalFrame={logical}, physicalFrame={physical}, "
        f"deviceWidth={width}, deviceHeight={height}"
    )
    kind = "INTERNAL" if world.android.display_type_internal else "BUILT_IN"
    mode = f"{{id=1, width={width}, height={height}, fps=60.0}}"
    shown = (
        f'"{NAME}", displayId 0, real {world.width} x {world.height}, largest app '
        f"{world.width} x {world.height}, mode 1, defaultMode 1, modes [{mode}], "
        f"rotation {turn}, density {world.density} ({dots}.0 x {dots}.0) dpi, layerStack 0, "
        f'type {kind}, uniqueId "{unique}", state {state}'
    )
    lines = [
        "DISPLAY MANAGER (dumpsys display)",
        "  mSafeMode=false",
        "  mPendingTraversal=false",
        f"  mGlobalDisplayState={state}",
    ]
    if world.android.display_viewports:
        lines.append(f"  mViewports=[DisplayViewport{{type=INTERNAL, {view}}}]")
    else:
        lines.append(f"  mDefaultViewport=DisplayViewport{{{view}}}")
    lines += [
        "",
        f"Display Devices: size={len(physical_ids(world))}",
        f'  DisplayDeviceInfo{{"{NAME}": uniqueId="{unique}", {width} x {height}, modeId 1, '
        f"defaultModeId 1, supportedModes [{mode}], density {dots}, {dots}.0 x {dots}.0 dpi, "
        f"touch INTERNAL, rotation 0, state {state}, FLAG_DEFAULT_DISPLAY}}",
        "    mAdapter=LocalDisplayAdapter",
        f"    mUniqueId={unique}",
        "    mCurrentLayerStack=0",
        f"    mCurrentOrientation={turn}",
        f"    mCurrentLayerStackRect={logical}",
        f"    mCurrentDisplayRect={physical}",
        f"    mState={state}",
        *_cover(world),
        "",
        "Logical Displays: size=1",
        "  Display 0:",
        "    mDisplayId=0",
        "    mLayerStack=0",
        "    mHasContent=true",
        f"    mBaseDisplayInfo=DisplayInfo{{{shown}}}",
        f"    mOverrideDisplayInfo=DisplayInfo{{{shown}}}",
        "",
        "Display Power Controller [0]:"
        if world.android.display_power_controllers
        else "Display Power Controller:",
        f"  mScreenState={state}",
    ]
    await call.write("\n".join(lines) + "\n")


def _cover(world: World) -> list[str]:
    if not world.foldable:
        return []
    width, height = COVER
    unique = f"local:{physical_ids(world)[0]}"
    return [
        f'  DisplayDeviceInfo{{"{NAME}": uniqueId="{unique}", {width} x {height}, modeId 2, '
        "defaultModeId 2, density 420, 420.0 x 420.0 dpi, touch INTERNAL, rotation 0, state OFF}",
        "    mAdapter=LocalDisplayAdapter",
        f"    mUniqueId={unique}",
        "    mCurrentLayerStack=-1",
        "    mState=OFF",
    ]


async def surface_flinger(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    panels = "".join(
        f'Display {id} (HWC display {place}): port={place} pnpId=HHV displayName="{NAME}"\n'
        for place, id in enumerate(physical_ids(world))
    )
    if words == ["--display-id"] and world.android.physical_display_ids:
        await call.write(panels)
        return
    if not world.android.physical_display_ids:
        # Without the option, Android prints its whole dump, with other lines that begin like these.
        panels = "Display 0 color modes:\nDisplay 0 HWC layers:\n"
    shown = world.windows()
    await call.write(f"{panels}Visible layers (count = {len(shown)})\n")
    for window in shown:
        await call.write(f"+ Layer ({window.title or window.package})\n")
