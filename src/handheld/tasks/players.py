"""Carries out a plan's steps on a surface. A player sees only replies."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..access.request_scope import AGENT, EVERYTHING, RequestScope
from ..calls.protocols import Surface
from ..errors import ToolError
from ..tools.call import Caller
from .task import Stage, Step

_CALLER = Caller("tasks", "handheld tasks")
WAIT_SECONDS = 10


class Stuck(Exception):
    """A step could not be done."""


class Player(ABC):
    scope: RequestScope

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self.noted: list[str] = []

    async def play(self, stage: Stage) -> None:
        """Carry out the steps of a stage. Raises Stuck."""
        steps = [
            Step(step.tool, step.at, self.fill(step.text), step.within) for step in stage.steps
        ]
        if steps:
            await self.do(steps)
        if stage.note:
            found = re.search(stage.note, await self.screen(stage.note))
            if found is None:
                raise Stuck(f"Nothing on the screen fits {stage.note}.")
            self.noted.append(found[1])

    def fill(self, text: str) -> str:
        """Insert the notes into a text."""
        for number, note in enumerate(self.noted):
            text = text.replace(f"{{{number}}}", note)
        return text

    @abstractmethod
    async def do(self, steps: Sequence[Step]) -> None: ...

    @abstractmethod
    async def screen(self, pattern: str = "") -> str:
        """Return what is known of the screen; read the screen if that does not match the
        pattern."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """Return the reply's text, and whether the call failed."""
        try:
            items = await self._surface.call(tool, arguments, _CALLER, self.scope)
        except ToolError as failure:
            return "\n".join((failure.message, *failure.details)), True
        return "\n".join(item for item in items if isinstance(item, str)), False

    async def demand(self, tool: str, arguments: dict[str, Any]) -> str:
        reply, failed = await self.call(tool, arguments)
        if failed:
            raise Stuck(reply)
        return reply


class AgentPlayer(Player):
    """Carries out each stage in one call, and reads the screen only if no reply showed what it
    needs."""

    scope = RequestScope(surface=AGENT)
    _known = ""

    async def do(self, steps: Sequence[Step]) -> None:
        if len(steps) == 1:
            await self._act(f"phone_{_tool(steps[0])}", _arguments(steps[0]))
            return
        await self._act("phone_do", {"steps": [as_argument(step) for step in steps]})

    async def _act(self, tool: str, arguments: dict[str, Any]) -> None:
        reply, failed = await self.call(tool, arguments)
        self._learn(reply, failed)
        if failed:
            raise Stuck(reply)

    def _learn(self, reply: str, failed: bool) -> None:
        """A whole screen replaces the known rows, and changed rows are added to them. After a
        failure that shows no screen, nothing is known."""
        whole = re.search(r"^[^\n]*\bs\d+(, [a-z ]+)*$", reply, re.MULTILINE)
        if whole:
            self._known = reply[whole.start() :]
        elif failed:
            self._known = ""
        else:
            rows = [line[2:] for line in reply.split("\n") if line.startswith(("~ ", "+ "))]
            self._known = "\n".join([self._known, *rows])

    async def screen(self, pattern: str = "") -> str:
        if not self._known or not re.search(pattern, self._known):
            if "keyboard open" in self._known:  # the keyboard may cover the target
                self._learn(*await self.call("phone_press", {"key": "hide_keyboard"}))
            else:
                self._learn(*await self.call("phone_look", {}))
        return self._known


def as_argument(step: Step) -> dict[str, Any]:
    """The step as `phone_do` takes it."""
    return {"tool": _tool(step), **_arguments(step)}


def _tool(step: Step) -> str:
    return "tap" if step.tool == "hold" else step.tool


def _arguments(step: Step) -> dict[str, Any]:
    match step.tool:
        case "open":
            return {"what": step.at}
        case "press":
            return {"key": step.at}
        case "wait":
            return {"text": step.at}
        case "type":
            return {"into": step.at, "text": step.text}
        case _:
            within = {"within": step.within} if step.within else {}
            return {"at": step.at, **within, **({"hold": True} if step.tool == "hold" else {})}


class MainPlayer(Player):
    """Reads the screen after each action that changes it, because only that returns ids; but not
    between a calculator's keys, which stay in place."""

    scope = EVERYTHING
    _rows: Sequence["_Row"] = ()
    _text = ""
    _stale = True

    async def do(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step.tool:
                case "open":
                    await self._open(step.at)
                case "press":
                    await self.demand(*_KEYS.get(step.at, ("android_press_key", {"key": step.at})))
                case "wait":
                    given = {"by": "text", "value": step.at, "timeout": WAIT_SECONDS * 1000}
                    await self.demand("android_wait_for_element", given)
                case _:
                    await self._act(step)
                    continue
            self._stale = True

    async def _open(self, name: str) -> None:
        package = _KNOWN_APPS.get(name)
        if package is None:
            listed = await self.demand("android_list_apps", {"name_query": name})
            package = next(app["package_id"] for app in json.loads(listed) if app["name"] == name)
        await self.demand("android_open_app", {"package_id": package})

    async def _act(self, step: Step) -> None:
        row = None if self._stale else self._find(step)
        if row is None:
            await self._read()
            row = self._find(step)
        if row is None:
            raise Stuck(f"No {step.at!r} is on the screen:\n{self._text}")
        id = {"element_id": row.id}
        if "on" not in row.flags:
            await self.demand("android_scroll_to_element", id)
        match step.tool:
            case "tap":
                await self.demand("android_click_element", id)
            case "hold":
                await self.demand("android_long_click_element", id)
            case _:
                if "hint" not in row.flags:  # the field has content
                    await self.demand("android_type_clear_text", id)
                if step.text:
                    speed = {"typing_speed": 10, "typing_speed_variance": 0}
                    await self.demand(
                        "android_type_append_text", {**id, "text": step.text, **speed}
                    )
        # A tap on a calculator's key leaves the screen as it is.
        self._stale = len(step.at) > 1

    async def _read(self) -> None:
        self._text = await self.demand("android_get_screen_state", {})
        self._rows = [
            _Row(
                id,
                text,
                f"{text}\n{desc}\n#{res_id.rpartition('/')[2]}".casefold().split("\n"),
                _box(bounds),
                frozenset(flags.split(",")),
            )
            for line in self._text.split("\n")
            if line.startswith("node_") and len(columns := line.split("\t")) == 7
            for id, _, text, desc, res_id, bounds, flags in [columns]
        ]
        self._stale = False

    def _find(self, step: Step) -> "_Row | None":
        """The element with these words; if there are several, the one that accepts the action."""
        wanted = step.at.casefold()
        found = [row for row in self._rows if wanted in row.names]
        if step.within:
            marks = [row for row in self._rows if step.within.casefold() in row.text.casefold()]
            found = [row for row in found if any(row.beside(mark) for mark in marks)]
        if step.tool == "type":
            return next((row for row in found if "edt" in row.flags), None)
        flag = "lclk" if step.tool == "hold" else "clk"
        texts = [row for row in found if "edt" not in row.flags]
        fit = [row for row in texts if flag in row.flags]
        # The words of a row: choose the smallest element around them that accepts the action.
        fit = fit or [
            row
            for words in texts
            for row in sorted(self._rows, key=lambda row: row.size)
            if flag in row.flags and row.holds(words)
        ]
        return (fit or found or [None])[0]

    async def screen(self, pattern: str = "") -> str:
        if self._stale:  # only reading shows the effect of an action
            await self._read()
        return self._text


_KNOWN_APPS = {"Settings": "com.android.settings"}
"""The packages that every model knows."""
_KEYS: dict[str, tuple[str, dict[str, Any]]] = {
    "back": ("android_press_back", {}),
    "home": ("android_press_home", {}),
    "notifications": ("android_open_notifications", {}),
    "enter": ("android_press_key", {"key": "ENTER"}),
}


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    text: str
    names: Sequence[str]
    """The names by which a step may refer to it."""
    box: tuple[int, ...]
    flags: frozenset[str]

    @property
    def size(self) -> int:
        left, top, right, bottom = self.box
        return (right - left) * (bottom - top)

    def holds(self, other: "_Row") -> bool:
        left, top, right, bottom = self.box
        inner = other.box
        return left <= inner[0] and top <= inner[1] and inner[2] <= right and inner[3] <= bottom

    def beside(self, other: "_Row") -> bool:
        """Whether both are at the same height."""
        return self.box[1] < other.box[3] and other.box[1] < self.box[3]


def _box(bounds: str) -> tuple[int, ...]:
    return tuple(map(int, bounds.split(",")))


PLAYERS: dict[str, type[Player]] = {"agent": AgentPlayer, "main": MainPlayer}
