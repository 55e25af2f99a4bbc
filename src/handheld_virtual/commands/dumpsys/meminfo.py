"""`dumpsys meminfo`: the memory of an app, by Android's categories."""

from ...system.usage import Usage
from ..call import CommandCall

_UNKNOWN = 512
"""The resident kilobytes outside all categories."""


async def meminfo(call: CommandCall) -> None:
    """Print the memory of an app, or without a name the total of each app."""
    words = call.arguments
    world = call.phone.world
    world.settle()
    names = [word for word in words if not word.startswith("-")]
    uptime = int(world.timers.now())
    lines = ["Applications Memory Usage (in Kilobytes):", f"Uptime: {uptime} Realtime: {uptime}"]
    if not names:
        running = [each for each in world.running if each.name in world.apps]
        running.sort(key=lambda each: -world.usages.of(each.name).pss)
        lines += ["", "Total PSS by process:"]
        lines += [
            f"{world.usages.of(each.name).pss:>11,}K: {each.name} (pid {each.pid})"
            for each in running
        ]
        await call.write("\n".join(lines) + "\n")
        return
    found = [each for each in world.running if names[0] in (each.name, str(each.pid))]
    if not found:
        await call.write(f"No process found for: {names[0]}\n")
        return
    rss = world.android.meminfo_rss
    for process in found:
        lines += ["", f"** MEMINFO in pid {process.pid} [{process.name}] **"]
        usage = world.usages.of(process.name)
        lines += [*_table(usage, rss), " ", " App Summary", *_summary(usage, rss)]
        opened = sum(each.app.package == process.name for each in world.tasks.all)
        lines += [
            " ",
            " Objects",
            _pairs("Views:", 24 * opened, "ViewRootImpl:", opened),
            _pairs("AppContexts:", opened + 1, "Activities:", opened),
        ]
    await call.write("\n".join(lines) + "\n")


def _row(name: str, *cells: object) -> str:
    return f"{name:>13}" + "".join(f" {cell!s:>8}" for cell in cells)


def _pairs(*cells: object) -> str:
    """A line of labels and numbers in columns."""
    widths = (21, 8) * (len(cells) // 2)
    return " ".join(f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _table(usage: Usage, rss: bool) -> list[str]:
    def fit(*cells: object) -> tuple[object, ...]:
        """Omit the fifth cell on releases that do not print resident sizes."""
        return cells if rss else (*cells[:4], *cells[5:])

    rows = [
        _row("", *fit("Pss", "Private", "Private", "SwapPss", "Rss", "Heap", "Heap", "Heap")),
        _row("", *fit("Total", "Dirty", "Clean", "Dirty", "Total", "Size", "Alloc", "Free")),
        _row("", *fit(*["------"] * 8)),
    ]
    for name, size in (("Native Heap", usage.native_heap), ("Dalvik Heap", usage.java_heap)):
        rows.append(_row(name, *fit(size, size, 0, 0, 2 * size, 2 * size, size, size)))
    heap = usage.native_heap + usage.java_heap
    whole = (usage.pss, usage.own, usage.code, usage.swapped, usage.rss, 2 * heap, heap, heap)
    return [*rows, _row("TOTAL", *fit(*whole))]


def _summary(usage: Usage, rss: bool) -> list[str]:
    parts = [
        ("Java Heap:", usage.java_heap),
        ("Native Heap:", usage.native_heap),
        ("Code:", usage.code),
        ("Stack:", usage.stack),
        ("Graphics:", usage.graphics),
        ("Private Other:", usage.private_other),
        ("System:", usage.system),
    ]
    swapped = ("TOTAL SWAP PSS:", usage.swapped)
    if not rss:
        lines = [_pairs("", "Pss(KB)"), _pairs("", "------"), *(_pairs(*part) for part in parts)]
        return [*lines, " ", _pairs("TOTAL:", usage.pss, *swapped)]
    lines = [_pairs("", "Pss(KB)", "", "Rss(KB)"), _pairs("", "------", "", "------")]
    lines += [_pairs(name, size, "", 2 * size) for name, size in parts[:5]]
    lines += [_pairs(*part) for part in parts[5:]]
    lines.append(_pairs("Unknown:", "", "", _UNKNOWN))
    return [*lines, " ", _pairs("TOTAL PSS:", usage.pss, "TOTAL RSS:", usage.rss, *swapped)]
