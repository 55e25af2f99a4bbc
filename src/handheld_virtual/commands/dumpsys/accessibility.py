"""`dumpsys accessibility`: the enabled services, and the windows they see."""

from ..call import CommandCall
from .records import flag, rect


async def accessibility(call: CommandCall) -> None:
    world = call.phone.world
    held = world.automation.holder is not None
    enabled = world.preferences.get("secure", "enabled_accessibility_services") or ""
    names = [name for name in enabled.split(":") if name]
    # UiAutomation suspends other services unless it requests otherwise.
    bound = [] if world.automation.holder == "uiautomator dump" else names
    explored = world.preferences.is_on("secure", "touch_exploration_enabled")
    lines = [
        "ACCESSIBILITY MANAGER (dumpsys accessibility)",
        "",
        "User state[attributes:{id=0, currentUser=true, "
        f"touchExplorationEnabled={flag(explored)}, "
        "displayMagnificationEnabled=false, autoclickEnabled=false}",
    ]
    if world.android.accessibility_services:
        lines += [
            f"           Bound services:{{{', '.join(bound)}}}",
            f"           Enabled services:{{{', '.join(names)}}}",
        ]
    else:
        lines.append(f"           services:{{{', '.join(bound)}}}]")
    if held:
        lines.append("           Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]")
    lines.append("")
    focused = world.focused_window
    for place, (number, window, _) in enumerate(world.automation.listed_windows()):
        here = flag(window is focused)
        lines.append(
            f"A11yWindow[AccessibilityWindowInfo[title={window.title}, displayId=0, id={number}, "
            f"type=TYPE_{window.type}, layer={len(world.windows()) - 1 - place}, "
            f"bounds={rect(window.box)}, focused={here}, active={here}]]"
        )
    await call.write("\n".join(lines) + "\n")
