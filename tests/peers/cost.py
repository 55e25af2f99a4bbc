"""What MCP servers cost a model: their lists of tools, and their replies on the same screens.

`make judges WHAT=peers` prints the table, and `cost.py --write` writes it into docs/comparison.md.
With the command of any server, `cost.py node SERVER.mjs mcp`, only its list is counted.
"""

import asyncio
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.economy.tokens import count
from hands import PROGRAMS, READ, TAP, Act, Program, Target
from pace import API, Preparation
from peering import CALCULATOR, ROOT, Peer, peer, rig

PAGE = ROOT / "docs" / "comparison.md"
BEGIN, END = "<!-- Written by tests/peers/cost.py -->\n", "<!-- The end of the costs -->"
SCREENS = ("com.android.settings", "dev.handheld.form", CALCULATOR)
HEAD = (
    *("server", "tools", "list and instructions"),
    *("Settings", "a form", "Calculator", "tap, and see what it did"),
)
SERVERS = [each for each in PROGRAMS if each.helper and each.speaks_mcp]
"""By adb alone Handheld says the same; a library has no list."""
READS: dict[str, Act] = {"agent-droid-bridge": lambda do, at: do("get_screen_elements")}
"""As the server recommends it, where the measurement of the paces needs another way."""
TELL = ("Handheld, agent surface, helper", "claude-in-mobile")
"""Their reply to a tap says what changed; after one of the others the screen is read again."""
NO_APP_TOOLS = {"HANDHELD_APPS_TRUST": "off"}
NOWHERE = Target(0, 0, "", "")


async def count_list(server: Peer) -> list[int]:
    """Return the number of tools, and the tokens of their list and of the instructions."""
    tools = [
        json.dumps(each, ensure_ascii=False, separators=(",", ":"))
        for each in await server.listings()
    ]
    return [len(tools), sum(count([server.instructions, *tools]))]


async def measure(program: Program) -> list[int]:
    """Return the figures of a row."""
    read = READS.get(program.name, program.actions[READ])
    with tempfile.TemporaryDirectory() as folder:
        async with rig(Path(folder), API) as ready:
            async with program.serve(ready, **NO_APP_TOOLS) as server:
                listed = await count_list(server)
            async with program.open(ready) as do:
                replies: list[str] = []
                for package in SCREENS:
                    await ready.adb("shell", "monkey", "-p", package, "1")
                    replies.append(await read(do, NOWHERE))
                stage = Preparation(ready)
                target = await stage.set(TAP)
                tapped = await program.actions[TAP](do, target)
                assert stage.shown(TAP) == "7"
                after = "" if program.name in TELL else await read(do, NOWHERE)
    return [*listed, *count(replies), sum(count([tapped, after]))]


async def count_one(command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with rig(Path(folder), API) as ready, peer(ready, command) as server:
            tools, tokens = await count_list(server)
            sys.stdout.write(f"{tools} tools, {tokens:,} tokens\n")


async def main(arguments: list[str]) -> None:
    if arguments and arguments != ["--write"]:
        await count_one(arguments)
        return
    lines = [f"| {' | '.join(HEAD)} |", f"|---|{'---:|' * (len(HEAD) - 1)}"]
    for program in SERVERS:
        figures = [f"{each:,}" for each in await measure(program)]
        lines.append(f"| {program.name.removesuffix(', helper')} | {' | '.join(figures)} |")
    table = f"Counted on {datetime.now(UTC).date()}.\n\n" + "\n".join(lines) + "\n"
    sys.stdout.write(table)
    if arguments:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}{table}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
