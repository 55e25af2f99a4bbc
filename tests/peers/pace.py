"""How long six actions take with each program at a phone's pace.

`make judges WHAT=peers` prints the table and saves it in build/peers.json; `make tables WHAT=pace`
writes it into docs/paces.md.

Every program gets a phone of its own and reaches it through adb's server. What is measured is a
tool's call as its client sees it, after one that is not counted; the phone is asked what it did.
The paces are constants of the virtual phone: the table compares ways to work, not phones.
"""

import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from hands import (
    ACTIONS,
    CLICK,
    PICTURE,
    PROGRAMS,
    READ,
    SCROLL,
    TAP,
    TEXT,
    TYPE,
    Act,
    Do,
    Program,
    Target,
)
from peering import CALCULATOR, ROOT, SEVEN, PeerPhone, rig

from handheld.screen.model import Node, split_hint
from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene

API = 34
LATENCIES = ("phone", "wifi")
ROUNDS = 5
_ROUNDS = range(1 + ROUNDS)
FIELD = "dev.handheld.form:id/notes"
ROWS, _FIRST = 40, "Row 0"
SAVED = ROOT / "build" / "peers.json"
PAGE = ROOT / "docs" / "paces.md"
BEGIN = "<!-- Written by make tables WHAT=pace -->\n"
END = "<!-- The end of the paces -->"


class Row(TypedDict):
    program: str
    latency: str
    ms: dict[str, float | None]
    """The median of each action that the program has a tool for; None where that failed."""
    note: str


class Measured(TypedDict):
    date: str
    machine: str
    busy: bool
    """Others used the machine at the same time."""
    rounds: int
    rows: list[Row]


class Preparation:
    """Sets the phone's screen before a call, and looks at it afterwards."""

    def __init__(self, rig: PeerPhone) -> None:
        self._rig = rig
        self._list: RecycledList | None = None

    async def set(self, action: str) -> Target:
        """Show what the action is done on."""
        if action == SCROLL:
            scene = show_scene(self._rig.phone.world, "long_list", count=str(ROWS))
            assert scene.window is not None
            scene.window.layout()
            views = list(scene.window.root.walk())
            [self._list] = [view for view in views if isinstance(view, RecycledList)]
            return Target(0, 0, _FIRST, _FIRST)
        if action == TYPE:
            await self._start("dev.handheld.form/.ContactForm")
            target = self._target(FIELD, "Notes")
            await self._rig.adb("shell", "input", "tap", str(target.x), str(target.y))
            return target
        await self._start(f"{CALCULATOR}/.Calculator")
        return self._target(SEVEN, "7")

    def begin(self, action: str) -> str:
        """Prepare one call; return what the phone must show after it."""
        if self._list is not None:
            self._list.scroll_by(self._list.extent)
            return _FIRST
        return self.shown(action) + {TAP: "7", CLICK: "7", TYPE: TEXT}.get(action, "")

    def shown(self, action: str) -> str:
        if self._list is not None:
            texts = [node.text for node in self._nodes()]
            return _FIRST if _FIRST in texts else ""
        if action == TYPE:
            return split_hint(self._node(FIELD))[0] or ""
        return self._rig.formula or ""

    async def _start(self, component: str) -> None:
        await self._rig.adb("shell", "am", "start", "-n", component)

    def _target(self, id: str, words: str) -> Target:
        bounds = self._node(id).bounds
        x, y = (bounds.left + bounds.right) // 2, (bounds.top + bounds.bottom) // 2
        return Target(x, y, id, words)

    def _node(self, id: str) -> Node:
        return next(node for node in self._nodes() if node.resource_id == id)

    def _nodes(self) -> list[Node]:
        windows = self._rig.phone.world.automation.read_windows()
        return [node for window in windows for node in window.nodes]


async def measure(program: Program, latency: str) -> Row:
    medians: dict[str, float | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with rig(Path(folder), API) as ready:
            ready.phone.latency = latency
            if not program.helper:
                ready.phone.faults.refuse_helper()
            stage = Preparation(ready)
            async with program.open(ready) as do:
                # Read after a tap, so that nobody answers with what was read before.
                for action in (TAP, READ, CLICK, PICTURE, TYPE, SCROLL):
                    call = program.actions.get(action)
                    if call is None:
                        continue
                    target = await stage.set(action)
                    target = target._replace(ref=await program.find(do, target))
                    look = program.actions[READ]
                    try:
                        times = [
                            await _time(stage, action, call, look, do, target) for _ in _ROUNDS
                        ]
                    except AssertionError as problem:
                        sys.stderr.write(f"{program.name} failed to {action}: {problem}\n")
                        medians[action] = None
                    else:
                        medians[action] = round(statistics.median(times[1:]), 1)
    return Row(program=program.name, latency=latency, ms=medians, note=program.note)


async def _time(
    stage: Preparation, action: str, call: Act, look: Act, do: Do, target: Target
) -> float:
    wanted = stage.begin(action)
    if action == SCROLL:
        await look(do, target)  # the list was moved behind the program's back
    began = time.perf_counter()
    await call(do, target)
    spent = (time.perf_counter() - began) * 1000
    shown = stage.shown(action)
    assert shown == wanted, f"the phone shows {shown!r} instead of {wanted!r}"
    return spent


def table(measured: Measured) -> str:
    """As it stands in the documentation."""
    lines = [
        f"Measured on {measured['date']} ({measured['machine']}): milliseconds from a client's call"
        f" to its reply, median of {measured['rounds']} after one that is not counted, each program"
        " as it works by default, on its own phone with Android 14, through adb's server. The paces"
        " are the virtual phone's constants: the columns compare ways to work, not phones. —: no"
        " tool for it.",
    ]
    if measured["busy"]:
        lines[0] += " **The machine was busy: these figures are too high, and not to be compared.**"
    for latency in LATENCIES:
        rows = [row for row in measured["rows"] if row["latency"] == latency]
        lines += [
            "",
            f"| latency `{latency}`, ms | {' | '.join(ACTIONS)} |",
            f"|---|{'---:|' * len(ACTIONS)}",
        ]
        for row in rows:
            cells = [_cell(row["ms"][one]) if one in row["ms"] else "—" for one in ACTIONS]
            lines.append(f"| {row['program']} | {' | '.join(cells)} |")
    notes: dict[str, dict[str, None]] = {}
    for row in measured["rows"]:
        if row["note"]:
            notes.setdefault(row["note"], {})[row["program"]] = None
    lines += ["", *(f"- {', '.join(programs)}: {note}" for note, programs in notes.items())]
    return "\n".join(lines) + "\n"


def _cell(ms: float | None) -> str:
    return "failed" if ms is None else f"{ms:,.0f}"


def write(measured: Measured) -> None:
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    tail = rest.partition(END)[2]
    PAGE.write_text(f"{head}{BEGIN}{table(measured)}{END}{tail}", encoding="utf-8")


async def main(names: list[str]) -> None:
    """Measure the programs whose names contain one of these, or all."""
    chosen = [each for each in PROGRAMS if not names or any(name in each.name for name in names)]
    rows: list[Row] = []
    for latency in LATENCIES:
        for program in chosen:
            sys.stderr.write(f"Measuring {program.name}, latency {latency} …\n")
            rows.append(await measure(program, latency))
    cores, load = os.cpu_count() or 1, os.getloadavg()[2]
    machine = f"{cores} cores, {platform.system()} {platform.machine()}, load {load:.1f}"
    date = datetime.now(UTC).date().isoformat()
    measured = Measured(date=date, machine=machine, busy=load > cores, rounds=ROUNDS, rows=rows)
    sys.stdout.write(table(measured))
    if not names:
        SAVED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write(json.loads(SAVED.read_text(encoding="utf-8")))
    else:
        asyncio.run(main(sys.argv[1:]))
