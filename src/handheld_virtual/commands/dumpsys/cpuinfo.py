"""`dumpsys cpuinfo`: the CPU usage of each process."""

from datetime import timedelta

from ..call import CommandCall

_SPAN_MS, _AGO_MS = 60_000, 1_500


async def cpuinfo(call: CommandCall) -> None:
    world = call.phone.world
    now = world.wall.now()
    began, ended = (
        (now - timedelta(milliseconds=ms)).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        for ms in (_SPAN_MS + _AGO_MS, _AGO_MS)
    )
    rows = [
        (usage.user_permille, usage.kernel_permille, process)
        for process in world.running
        if (usage := world.usages.of(process.name)).user_permille or usage.kernel_permille
    ]
    rows.sort(key=lambda row: -(row[0] + row[1]))
    lines = [
        "Load: 0.42 / 0.31 / 0.28",
        f"CPU usage from {_SPAN_MS + _AGO_MS}ms to {_AGO_MS}ms ago ({began} to {ended}):",
    ]
    lines += [
        f"  {_percent(user + kernel)}% {process.pid}/{process.name}: {_percent(user)}% user"
        f" + {_percent(kernel)}% kernel / faults: 120 minor"
        for user, kernel, process in rows
    ]
    user, kernel = sum(row[0] for row in rows), sum(row[1] for row in rows)
    lines.append(f"{_percent(user + kernel)}% TOTAL: {_percent(user)}% user"
                 f" + {_percent(kernel)}% kernel")  # fmt: skip
    await call.write("\n".join(lines) + "\n")


def _percent(permille: int) -> str:
    """A percentage as Android prints it, with a decimal only below ten."""
    whole, tenth = divmod(permille, 10)
    return f"{whole}.{tenth}" if whole < 10 and tenth else str(whole)
