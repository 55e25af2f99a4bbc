"""The surface for models: the tools of `agent/`, and several steps in one call."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..agent.arguments import normalise
from ..agent.screen_tools import SINCE_TOLD
from ..agent.targets import POINT
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ActionFailed, InvalidParams, TimedOut, ToolError, UnknownTool
from ..toolkit.call import Caller
from ..toolkit.tool import Item, Listing
from ..ui.rows.words import clean, cut
from .protocols import Surface

DO = "phone_do"
MOST_STEPS = 50
_STEPS = ("tap", "type", "scroll", "swipe", "press", "open", "wait")
LONGEST = 50.0
"""Seconds; clients give up after 60."""
LATEST = 45.0
"""A step that begins later might not end in time."""
_UNCHANGED = "Nothing changed since "
_SCREEN = re.compile(r"s\d+")
_FRONT = re.compile(r'^((dialog )?([\w.-]+)( ".*")?(, landscape)?) s\d+$', re.MULTILINE)
"""The first line of a whole screen."""
_LEADS_ELSEWHERE = ("tap", "open", "press")
"""Steps after which another app is no surprise."""
_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "tool": {"type": "string", "enum": list(_STEPS)},
                    **dict.fromkeys(("at", "within", "text", "into"), _TEXT),
                    "submit": _FLAG,
                    **dict.fromkeys(("key", "what", "until", "to"), _TEXT),
                    "gone": _FLAG,
                },
                "required": ["tool"],
            },
            "description": 'e.g. [{"tool":"open","what":"Clock"},{"tool":"tap","at":"Timer"}]; '
            "arguments as in phone_<tool>",
        }
    },
    "required": ["steps"],
}


class AgentSurface:
    """Adds `phone_do` to a surface. Each of its steps is a call of its own: recorded, asked about
    and cancelled like one."""

    def __init__(self, surface: Surface, clock: Clock = SYSTEM_CLOCK) -> None:
        self._surface = surface
        self._clock = clock

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._surface.instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        listed = list(await self._surface.tools(tool_filter))
        left = [each.name.removeprefix("phone_") for each in listed]
        steps = [step for step in _STEPS if step in left]
        if not any(not each.read_only for each in listed if each.name[6:] in steps):
            return listed
        at = next((n for n, each in enumerate(listed) if each.name == "phone_read"), len(listed))
        return [*listed[:at], _describe(steps), *listed[at:]]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        if name != DO:
            return await self._surface.call(name, arguments, caller, tool_filter)
        phone = {key: arguments[key] for key in ("phone",) if key in arguments}
        steps = [_read_step(step, phone) for step in _read_steps(arguments)]
        run = _Steps(self._surface, caller, tool_filter, phone, self._clock)
        return await run.run(steps)

    async def aclose(self) -> None:
        await self._surface.aclose()


class _Steps:
    def __init__(
        self,
        surface: Surface,
        caller: Caller,
        tool_filter: ToolFilter,
        phone: Mapping[str, Any],
        clock: Clock,
    ) -> None:
        self._surface = surface
        self._caller = caller
        self._filter = tool_filter
        self._phone = phone
        self._clock = clock
        self._began = clock.now()
        self._front = ""
        self._surprise = ""
        """What came up in front that no step named yet."""

    async def run(self, steps: Sequence[tuple[str, dict[str, Any]]]) -> Sequence[Item]:
        # What the agent knows is the screen that it was told last.
        before = await self._look(SINCE_TOLD)
        told, _, _ = before.partition("\n")
        since = told if _SCREEN.fullmatch(told) else ""
        self._note_front(before, "open")
        self._surprise = ""
        done: list[str] = []
        for number, (tool, arguments) in enumerate(steps, 1):
            try:
                self._check(tool, arguments)
                reply = await self._call(f"phone_{tool}", self._in_time(tool, arguments))
            except UnknownTool:
                failure = ToolError(f"{tool} is not allowed here.")
            except ToolError as problem:
                failure = problem
            else:
                self._note_front(reply, tool)
                done.append(reply.partition("\n")[0].rstrip("."))
                continue
            if not failure.details:
                # What the earlier steps brought up was not shown yet.
                shown = await self._show(since)
                failure.details = () if shown.startswith(_UNCHANGED) else (shown,)
            raise _stopped(number, len(steps), done, tool, arguments, failure)
        return [f"{len(steps)} of {len(steps)} done.\n{await self._show(since)}"]

    def _note_front(self, reply: str, tool: str) -> None:
        """Note what is in front after a step; a reply without its first line shows no other."""
        found = _FRONT.search(reply)
        if found is None or found[1] == self._front:
            return
        then = _FRONT.match(f"{self._front} s0")
        elsewhere = then is None or then[3] != found[3]
        if found[2] or (elsewhere and tool not in _LEADS_ELSEWHERE):
            self._surprise = found[1]
        self._front = found[1]

    def _check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Raises ToolError if a step must not begin."""
        if self._clock.now() - self._began > LATEST:
            raise TimedOut(f"{LATEST:.0f} s are over. Not tried: call phone_do again to go on.")
        surprise, harmless = self._surprise, tool in ("wait", "open")
        if not surprise or harmless:
            return
        if not _names_target(tool, arguments):
            raise ActionFailed(f"not tried, because {surprise} came up, which it does not name.")
        self._surprise = ""

    def _in_time(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Shorten a wait that would take longer than all steps may."""
        left = LONGEST - (self._clock.now() - self._began)
        try:
            wanted = float(arguments.get("seconds") or 10)
        except (TypeError, ValueError):
            return arguments  # refused by the tool
        return {**arguments, "seconds": left} if tool == "wait" and wanted > left else arguments

    async def _look(self, since: str = "") -> str:
        return await self._call("phone_look", {"since": since} if since else {})

    async def _show(self, since: str) -> str:
        """Return the screen after steps that were done: that it cannot be read undoes nothing."""
        try:
            return await self._look(since)
        except ToolError as problem:
            return f"The screen could not be read after it: {problem.message}"

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        items = await self._surface.call(
            name, {**arguments, **self._phone}, self._caller, self._filter
        )
        return "\n".join(item for item in items if isinstance(item, str))


def _names_target(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a step says what it acts on: something that is not there fails by itself."""
    target = arguments.get("into" if tool == "type" else "at") or ""
    return bool(target) and POINT.fullmatch(str(target).strip()) is None


def _stopped(
    number: int,
    count: int,
    done: Sequence[str],
    tool: str,
    arguments: Mapping[str, Any],
    failure: ToolError,
) -> ToolError:
    so_far = f": {'; '.join(done)}" if done else ""
    target = next((arguments[key] for key in ("at", "into", "what", "key") if key in arguments), "")
    step = f'{tool} "{cut(clean(str(target)), 60)}"' if target else tool
    rest = count - number
    last = "" if not rest else f" Step {count} was not tried."
    if rest > 1:
        last = f" Steps {number + 1} to {count} were not tried."
    return type(failure)(
        f"{number - 1} of {count} done{so_far}. Step {number}, {step}: {failure.message}{last}",
        *failure.details,
    )


def _describe(steps: Sequence[str]) -> Listing:
    schema = json.loads(json.dumps(_SCHEMA))
    schema["properties"]["steps"]["items"]["properties"]["tool"]["enum"] = list(steps)
    return Listing(
        DO,
        "Do",
        "Run several steps in one call. Stops at the first that fails or when an unexpected dialog"
        " appears, says what was done, then shows the screen.",
        schema,
    )


def _read_steps(arguments: Mapping[str, Any]) -> Sequence[Any]:
    known, _ = normalise(DO, _SCHEMA["properties"], arguments)
    steps: Any = known.get("steps")
    if isinstance(steps, dict):
        steps = [cast("dict[str, Any]", steps)]
    if not isinstance(steps, list) or not steps:
        raise InvalidParams(
            'phone_do needs steps: [{"tool":"tap","at":"k4"},{"tool":"press","key":"back"}].'
        )
    found = cast("list[Any]", steps)
    if len(found) > MOST_STEPS:
        raise InvalidParams(f"phone_do takes at most {MOST_STEPS} steps, got {len(found)}.")
    return found


def _read_step(step: Any, phone: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool and its arguments. `{"tap": "7"}` and `{"tap": {"at": "7"}}` are taken, too.
    Raises InvalidParams."""
    if isinstance(step, str):
        try:
            step = json.loads(step)
        except ValueError:
            step = None
    if isinstance(step, dict):
        given = cast("dict[str, Any]", step)
        tool = str(given.get("tool", "")).removeprefix("phone_")
        if tool in _STEPS:
            inner = given.get("arguments")
            nested = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
            rest = {key: value for key, value in given.items() if key not in ("tool", "arguments")}
            return tool, {**rest, **nested}
        for tool in _STEPS:
            value = given.get(tool, given.get(f"phone_{tool}"))
            if isinstance(value, dict):
                return tool, cast("dict[str, Any]", value)
            if isinstance(value, str | int | float):
                return tool, {_FIRST[tool]: str(value)}
    shown = cut(clean(json.dumps(step, ensure_ascii=False)), 80)
    raise InvalidParams(f"A step has tool, one of {', '.join(_STEPS)}; got {shown}.")


_FIRST = {
    "tap": "at",
    "type": "text",
    "scroll": "direction",
    "swipe": "at",
    "press": "key",
    "open": "what",
    "wait": "text",
}
"""The parameter that is meant where only one value is given."""
