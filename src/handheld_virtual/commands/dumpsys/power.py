"""`dumpsys power`: whether the phone is awake."""

from ..call import CommandCall
from .records import flag


async def power(call: CommandCall) -> None:
    world = call.phone.world
    world.settle()
    awake = world.awake
    state = "ON" if awake else "OFF"
    timeout = world.display.timeout_ms
    chosen = world.preferences.number("system", "screen_off_timeout", 60_000)
    lines = [
        "POWER MANAGER (dumpsys power)",
        "",
        "Power Manager State:",
        f"  mWakefulness={'Awake' if awake else 'Asleep'}",
        "  mWakefulnessChanging=false",
        f"  mHalAutoSuspendModeEnabled={flag(not awake)}",
        f"  mHalInteractiveModeEnabled={flag(awake)}",
        "  mBootCompleted=true",
        "  mSystemReady=true",
        f"  mHoldingWakeLockSuspendBlocker={flag(awake)}",
        f"  mHoldingDisplaySuspendBlocker={flag(awake)}",
        "",
        "Settings and Configuration:",
        f"  mScreenOffTimeoutSetting={chosen}",
        f"  mStayOn={flag(timeout is None)}",
        "",
        "Wake Locks: size=0",
        "",
        f"Display Power: state={state}",
    ]
    await call.write("\n".join(lines) + "\n")
