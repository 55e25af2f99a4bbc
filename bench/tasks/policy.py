"""What the player does: steps in stages, and the surfaces that it does them on.

A stage is what an agent is sure of at once: each of its targets stands on the screen that it has
seen, or has a name that Android's own apps have had for years. It sees nothing but replies.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..client import Client
from ..economy.printed import read


@dataclass(frozen=True, slots=True)
class Step:
    tool: str
    """open, tap, type, clear or press. A place for scroll: both surfaces have a tool for it."""
    at: str = ""
    """What is on the screen, by its words; for open the app, for press the key."""
    text: str = ""
    """What is typed. `{0}` stands for what the task noted."""


@dataclass(frozen=True, slots=True)
class Stage:
    steps: Sequence[Step]
    sure: bool = False
    """Whether its targets are known without having seen them, such as "Display" in the settings, or
    the keys of a calculator."""
    note: str = ""
    """A pattern: its match on the screen after the stage is what the task needs later."""


@dataclass(slots=True)
class Call:
    tool: str
    request: str
    reply: str
    acts: bool
    failed: bool


@dataclass(slots=True)
class Player(ABC):
    """Plays a task on one surface, and keeps every call."""

    client: Client
    calls: list[Call] = field(default_factory=list[Call])
    noted: str = ""

    async def play(self, stages: Sequence[Stage], shows: str) -> None:
        """`shows` is a pattern for what the last screen shows once the task is done."""
        for stage in stages:
            steps = [
                Step(step.tool, step.at, step.text.replace("{0}", self.noted))
                for step in stage.steps
            ]
            await self.do(steps, sure=stage.sure)
            if stage.note:
                found = re.search(stage.note, await self.screen(stage.note))
                self.noted = found[0] if found else ""
        await self.screen(shows)

    @abstractmethod
    async def do(self, steps: Sequence[Step], *, sure: bool) -> None: ...

    @abstractmethod
    async def screen(self, pattern: str) -> str:
        """Return what is known of the screen; look, if that does not show the pattern."""

    async def call(self, tool: str, arguments: dict[str, Any], *, acts: bool) -> str:
        result = await self.client.request("tools/call", {"name": tool, "arguments": arguments})
        reply = "\n".join(item.get("text", "") for item in result["content"])
        request = f"{tool}{json.dumps(arguments, ensure_ascii=False)}"
        failed = bool(result.get("isError"))
        self.calls.append(Call(tool, request, reply, acts, failed))
        return reply

    @property
    def failed(self) -> bool:
        """Whether the last call failed."""
        return self.calls[-1].failed


class MainPlayer(Player):
    """Reads the screen after each action that changes it, because ids come from there alone; not
    between the keys of a calculator, which stay."""

    _rows: Sequence["_Row"] = ()
    _text = ""
    _stale = True

    async def do(self, steps: Sequence[Step], *, sure: bool) -> None:
        for step in steps:
            match step.tool:
                case "open":
                    await self._open(step.at)
                case "press":
                    await self.call(f"android_press_{step.at}", {}, acts=True)
                    self._stale = True
                case _:
                    await self._act(step)
        self._stale = True

    async def _open(self, name: str) -> None:
        package = _KNOWN_APPS.get(name)
        if package is None:
            listed = await self.call("android_list_apps", {"name_query": name}, acts=False)
            package = next(app["package_id"] for app in json.loads(listed) if app["name"] == name)
        await self.call("android_open_app", {"package_id": package}, acts=True)
        self._stale = True

    async def _act(self, step: Step) -> None:
        row = None if self._stale else self._find(step)
        if row is None:
            await self._read()
            row = self._find(step)
        if row is None:
            raise RuntimeError(f"No {step.at!r} on the screen:\n{self._text}")
        if not row.is_on:
            await self.call("android_scroll_to_element", {"element_id": row.id}, acts=True)
        id = {"element_id": row.id}
        match step.tool:
            case "tap":
                await self.call("android_click_element", id, acts=True)
            case "clear":
                await self.call("android_type_clear_text", id, acts=True)
            case _:
                speed = {"typing_speed": 10, "typing_speed_variance": 0}
                given = {**id, "text": step.text, **speed}
                await self.call("android_type_append_text", given, acts=True)
        self._stale = not _stays(step)
        if self.failed:
            raise RuntimeError(self.calls[-1].reply)

    async def _read(self) -> None:
        self._text = await self.call("android_get_screen_state", {}, acts=False)
        self._rows = [
            _Row(*columns)
            for line in self._text.split("\n")
            if line.startswith("node_") and len(columns := line.split("\t")) == 7
        ]
        self._stale = False

    def _find(self, step: Step) -> "_Row | None":
        """The element with these words; of several the one that takes what is done."""
        wanted = step.at.casefold()
        found = [row for row in self._rows if wanted in (row.text.casefold(), row.desc.casefold())]
        flag = "clk" if step.tool == "tap" else "edt"
        fit = [row for row in found if flag in row.flags.split(",")]
        if step.tool == "tap":  # a search field shows the words of what was found, too
            fit.sort(key=lambda row: "edt" in row.flags.split(","))
        if step.tool == "tap" and not any("edt" not in row.flags.split(",") for row in fit):
            # The words of a row: the smallest clickable element around them.
            fit = [
                row
                for words in found
                if "edt" not in words.flags.split(",")
                for row in sorted(self._rows, key=lambda row: row.size)
                if "clk" in row.flags.split(",") and row.holds(words)
            ][:1] or fit
        return (fit or found or [None])[0]

    async def screen(self, pattern: str) -> str:
        # What an action did is seen only by reading.
        if self.calls[-1].acts or self._stale:
            await self._read()
        return self._text


_KNOWN_APPS = {"Settings": "com.android.settings"}
"""The packages that every model knows."""


def _stays(step: Step) -> bool:
    """Whether a tap leaves the screen as it is, as everybody knows of a calculator's keys."""
    return len(step.at) == 1


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    class_name: str
    text: str
    desc: str
    res_id: str
    bounds: str
    flags: str

    @property
    def box(self) -> tuple[int, ...]:
        return tuple(map(int, self.bounds.split(",")))

    @property
    def size(self) -> int:
        left, top, right, bottom = self.box
        return (right - left) * (bottom - top)

    @property
    def is_on(self) -> bool:
        return "on" in self.flags.split(",")

    def holds(self, other: "_Row") -> bool:
        left, top, right, bottom = self.box
        inner = other.box
        return left <= inner[0] and top <= inner[1] and inner[2] <= right and inner[3] <= bottom


class AgentPlayer(Player):
    """Names targets by the refs that replies have shown, else by their words, and looks only where
    no reply has shown what it needs."""

    _known = ""

    async def do(self, steps: Sequence[Step], *, sure: bool) -> None:
        if not sure and steps[0].tool not in ("open", "press"):
            await self.screen(re.escape(steps[0].at))
        if len(steps) == 1:
            await self._one(steps[0])
            return
        given: list[dict[str, str]] = []
        seen = self._known
        for step in steps:
            given.append({"tool": _tool(step), **_arguments(step, seen)})
            if step.tool not in ("type", "clear"):
                seen = ""  # what is there after it was not shown yet
        self._learn(await self.call("phone_do", {"steps": given}, acts=True))
        if self.failed:
            done = re.match(r"(\d+) of ", self.calls[-1].reply)
            for step in steps[int(done[1]) if done else 0 :]:
                await self._again(step)

    async def _again(self, step: Step) -> None:
        """Do what a batch could not do, once the target was seen."""
        await self.screen(re.escape(step.at))
        await self._one(step)

    async def _one(self, step: Step) -> None:
        reply = await self.call(f"phone_{_tool(step)}", _arguments(step, self._known), acts=True)
        self._learn(reply)
        if self.failed:
            raise RuntimeError(reply)

    async def _look(self) -> None:
        self._learn(await self.call("phone_look", {}, acts=False))

    def _learn(self, reply: str) -> None:
        """Keep what a reply shows: a whole screen replaces what was known, changed rows add to it.
        After a failure that shows no screen nothing is known."""
        whole = re.search(r"^[^\n]*\bs\d+$", reply, re.MULTILINE)
        if whole:
            self._known = reply[whole.start() :]
        elif self.failed:
            self._known = ""
        else:
            rows = [line[2:] for line in reply.split("\n") if line.startswith(("~ ", "+ "))]
            self._known = "\n".join([self._known, *rows])

    async def screen(self, pattern: str) -> str:
        if not re.search(pattern, self._known):
            # What is not shown may be under the keyboard; the reply shows what was.
            if "keyboard open" in self._known:
                self._learn(await self.call("phone_press", {"key": "hide_keyboard"}, acts=True))
            else:
                await self._look()
        return self._known


def ref_of(step: Step, seen: str) -> str:
    """The ref of the element with these words on the screen that was seen; else the words."""
    types = step.tool != "tap"
    found = [
        item.refs[0]
        for item in read(seen).items
        if item.refs
        and (item.kind == "field") == types
        and step.at in [*item.pieces, *([item.value] if types else [])]
    ]
    return found[-1] if found else step.at


def _arguments(step: Step, seen: str) -> dict[str, str]:
    match step.tool:
        case "open":
            return {"what": step.at}
        case "press":
            return {"key": step.at}
        case "tap":
            return {"at": ref_of(step, seen)}
        case _:
            return {"into": ref_of(step, seen), "text": step.text}


def _tool(step: Step) -> str:
    return "type" if step.tool == "clear" else step.tool


PLAYERS = {"main": MainPlayer, "agent": AgentPlayer}
