"""`monkey`, which tools use to open an app by its package name."""

import re

from ...world import NotInstalled, NotLaunchable
from ..call import CommandCall, refuse

MOST_EVENTS = 100_000
_VALUED = {
    "-p", "-c", "-s", "--throttle", "--pct-touch", "--pct-motion", "--pct-trackball", "--pct-nav",
    "--pct-majornav", "--pct-syskeys", "--pct-appswitch", "--pct-flip", "--pct-anyevent",
    "--pct-pinchzoom", "--pct-permission", "--pct-rotation",
}  # fmt: skip
_FLAGS = {
    "-v", "--ignore-crashes", "--ignore-timeouts", "--ignore-security-exceptions",
    "--ignore-native-crashes", "--monitor-native-crashes", "--kill-process-after-error", "--hprof",
    "--dbg-no-events", "--randomize-throttle",
}  # fmt: skip


async def monkey(call: CommandCall) -> None:
    options: dict[str, list[str]] = {}
    words = iter(call.arguments)
    count = ""
    for word in words:
        if word in _VALUED:
            value = next(words, None)
            if value is None:
                await refuse(
                    call,
                    f'** Error: java.lang.RuntimeException: Option "{word}" requires an argument',
                    1,
                )
                return
            options.setdefault(word, []).append(value)
        elif word in _FLAGS or set(word) <= {"-", "v"}:
            options.setdefault("-v" if "v" in word[:2] else word, []).extend("v" * word.count("v"))
        elif word.startswith("-") or count:
            await refuse(call, f"** Error: Unknown option: {word}", 1)
            return
        else:
            count = word
    if not re.fullmatch("[0-9]{1,9}", count) or int(count) > MOST_EVENTS:
        await refuse(call, f'** Error: Count not specified or not a number: "{count}"', 252)
        return
    await _run(call, options, int(count))


async def _run(call: CommandCall, options: dict[str, list[str]], count: int) -> None:
    world = call.phone.world
    loud = len(options.get("-v", [])) > 0
    if loud:
        seed = options.get("-s", ["0"])[-1]
        await call.write(f":Monkey: seed={seed} count={count}\n")
        for name in options.get("-p", []):
            await call.write(f":AllowPackage: {name}\n")
        for name in options.get("-c", []):
            await call.write(f":IncludeCategory: {name}\n")
    packages = [
        name for name in options.get("-p", list(world.apps)) if _launchable(call, name, options)
    ]
    if not packages:
        await refuse(call, "** No activities found to run, monkey aborted.", 252)
        return
    if count > 1:
        await refuse(
            call,
            "** Error: random events are not supported by this phone: only the launch by a count of"
            " 1",
            1,
        )
        return
    started = call.phone.clock.now()
    try:
        name = world.launch(packages[0])
    except (NotInstalled, NotLaunchable):
        await refuse(call, "** No activities found to run, monkey aborted.", 252)
        return
    if loud:
        await call.write(
            ":Switch: #Intent;action=android.intent.action.MAIN;category=android.intent.category."
            f"LAUNCHER;launchFlags=0x10200000;component={packages[0]}/{name};end\n"
            "    // Allowing start of Intent { act=android.intent.action.MAIN cat=[android.intent."
            f"category.LAUNCHER] cmp={packages[0]}/{name} }} in package {packages[0]}\n"
        )
    took = int(call.phone.clock.now() - started)
    await call.write(
        f"Events injected: {count}\n"
        f"## Network stats: elapsed time={took}ms (0ms mobile, 0ms wifi, {took}ms not connected)\n"
    )
    if loud:
        await call.write("// Monkey finished\n")


def _launchable(call: CommandCall, name: str, options: dict[str, list[str]]) -> bool:
    world = call.phone.world
    app = world.apps.get(name)
    if app is None or name in world.disabled_packages:
        return False
    wanted = set(options.get("-c", []))
    filters = [filter for component in app.manifest.components for filter in component.filters]
    return any(
        "android.intent.action.MAIN" in filter.actions
        and (not wanted or wanted & set(filter.categories))
        for filter in filters
    )
