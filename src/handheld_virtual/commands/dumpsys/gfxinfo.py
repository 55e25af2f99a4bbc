"""`dumpsys gfxinfo`: the frame times of an app."""

from ...system.usage import Usage
from ..call import CommandCall


async def gfxinfo(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    uptime = int(world.timers.now())
    head = ["Applications Graphics Acceleration Info:", f"Uptime: {uptime} Realtime: {uptime}"]
    names = [word for word in words if word != "reset" and not word.startswith("-")]
    found = [each for each in world.running if each.name in world.apps]
    if names:
        found = [each for each in found if names[0] in (each.name, str(each.pid))]
        if not found:
            await call.write(f"No process found for: {names[0]}\n")
            return
    for process in found:
        usage = world.usages.of(process.name)
        head += ["", f"** Graphics info for pid {process.pid} [{process.name}] **", ""]
        head += _stats(usage, int(process.since * 1e6), world.android.gfxinfo_deadlines)
        if "reset" in words:
            usage.frames, usage.missed_vsyncs = {}, 0
    await call.write("\n".join(head) + "\n")


def _stats(usage: Usage, since: int, deadlines: bool) -> list[str]:
    percent = f"{100 * usage.janky / usage.rendered:.2f}" if usage.rendered else "nan"
    lines = [
        f"Stats since: {since}ns",
        f"Total frames rendered: {usage.rendered}",
        f"Janky frames: {usage.janky} ({percent}%)",
    ]
    if deadlines:
        lines.append(f"Janky frames (legacy): {usage.janky} ({percent}%)")
    lines += [f"{each}th percentile: {usage.percentile(each)}ms" for each in (50, 90, 95, 99)]
    lines += [
        f"Number Missed Vsync: {usage.missed_vsyncs}",
        "Number High input latency: 0",
        f"Number Slow UI thread: {usage.janky}",
        "Number Slow bitmap uploads: 0",
        f"Number Slow issue draw commands: {usage.janky}",
    ]
    if deadlines:
        lines.append(f"Number Frame deadline missed: {usage.janky}")
    shown = " ".join(f"{ms}ms={count}" for ms, count in sorted(usage.frames.items()))
    return [*lines, f"HISTOGRAM: {shown}"]
