"""The surface for models: the tools of `agent/`, and several steps in one call."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..agent.arguments import IGNORED, PHONE, name_ignored, normalise, take_phones
from ..agent.catalog import INSTRUCTIONS, instruct
from ..agent.notices import is_notice
from ..agent.screen_tools import SINCE_TOLD
from ..agent.steps import Step, running
from ..agent.targets import is_point
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import (
    ActionFailed,
    InvalidParams,
    PermissionDenied,
    TimedOut,
    ToolError,
    UnknownTool,
)
from ..toolkit.call import Caller
from ..toolkit.tool import STEPS_TOOL as DO
from ..toolkit.tool import Item, Listing
from ..ui.rows.words import clean, cut
from .local import LocalSurface
from .protocols import Surface
from .steps import STEPS, read_step, read_steps

_TARGETS = ("at", "into", "what", "key", "until", "direction")
"""What a step is called by."""
LONGEST = 50.0
"""Seconds; clients give up after 60."""
LATEST = 45.0
"""A step that begins later might not end in time."""
_UNCHANGED = "Nothing changed since "
_SCREEN = re.compile(r"s\d+")
_FRONT = re.compile(r'^((dialog )?([\w.-]+)( ".*")?) s\d+(?:, [a-z ,]+)?$', re.MULTILINE)
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
                    "tool": {"type": "string", "enum": list(STEPS)},
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

    def __init__(
        self, surface: LocalSurface, policy: ToolFilter = EVERYTHING, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        """`policy` is the one that the surface has."""
        self._surface = surface
        self._policy = policy
        self._clock = clock

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        text = await self._surface.instructions(tool_filter)
        listed = self._add_do(await self._surface.own_tools(tool_filter), tool_filter)
        named = instruct(
            {each.name for each in listed}, app_tools=self._surface.lists_app_tools(tool_filter)
        )
        return text.replace(INSTRUCTIONS, named)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return self._add_do(await self._surface.tools(tool_filter), tool_filter)

    def _add_do(self, listed: Sequence[Listing], tool_filter: ToolFilter) -> Sequence[Listing]:
        steps = {step: each for step in STEPS for each in listed if each.name == f"phone_{step}"}
        if all(each.read_only for each in steps.values()) or not self._leaves_do(tool_filter):
            return listed
        at = next((n for n, each in enumerate(listed) if each.name == "phone_read"), len(listed))
        phone = next(iter(steps.values())).input_schema["properties"].get(PHONE)
        return [*listed[:at], _describe([*steps], phone), *listed[at:]]

    def _leaves_do(self, tool_filter: ToolFilter) -> bool:
        """It does nothing that its steps may not do, so that only its own name matters."""
        both = tool_filter.within(self._policy)
        chosen = both.only or ()
        return DO not in both.off and (
            DO in chosen or not any(name.startswith("phone_") for name in chosen)
        )

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        if name != DO or not self._leaves_do(tool_filter):
            return await self._surface.call(name, arguments, caller, tool_filter)
        given = normalise(DO, _SCHEMA, arguments)
        steps = [read_step(step) for step in read_steps(given.get("steps"))]
        phones = [
            phone for each in (given, *(step[1] for step in steps)) for phone in take_phones(each)
        ]
        if any(phone != phones[0] for phone in phones):
            raise InvalidParams(
                "The steps of one phone_do are all on one phone: call it once for each phone."
                " Nothing was done."
            )
        phone = {PHONE: phones[0]} if phones else {}
        run = _Steps(self._surface, caller, tool_filter, phone, self._clock)
        reply = await run.run(steps)
        if ignored := [name for name in given if name != "steps"]:
            reply.append(name_ignored(DO, ignored, ", ".join(("steps", *phone))))
        return reply

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

        self._ignored: list[str] = []
        """What the replies to steps say about their arguments."""

    async def run(self, steps: Sequence[tuple[str, dict[str, Any]]]) -> list[Item]:
        # What the agent knows is the screen that it was told last.
        try:
            before = await self._look(SINCE_TOLD)
        except UnknownTool:
            raise PermissionDenied("phone_do needs phone_look, which is switched off.") from None
        told, _, _ = before.partition("\n")
        since = told if _SCREEN.fullmatch(told) else ""
        self._note_front(before, "open")
        self._surprise = ""
        done: list[str] = []
        came_up: list[str] = []
        for number, (tool, arguments) in enumerate(steps, 1):
            step = Step.LAST if number == len(steps) else Step.FOLLOWED
            try:
                self._check(tool, arguments)
                arguments = self._in_time(tool, arguments)
                reply = await self._call(f"phone_{tool}", arguments, step)
            except UnknownTool:
                failure = ToolError(f"{tool} is not allowed here.")
            except ToolError as problem:
                failure = problem
            else:
                self._note_front(reply, tool)
                first, *rest = reply.split("\n")
                done.append(first.rstrip("."))
                came_up += filter(is_notice, rest)
                continue
            if not failure.details:
                # What the earlier steps brought up was not shown yet.
                shown = await self._show(since)
                lines = [*came_up] if shown.startswith(_UNCHANGED) else [*came_up, shown]
                failure.details = ("\n".join(lines),) if lines else ()
            raise _stopped(number, len(steps), done, tool, arguments, failure)
        after = await self._show(since)
        reply = "\n".join([f"{len(steps)} of {len(steps)} done.", *came_up, after])
        return [reply, *dict.fromkeys(self._ignored)]

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
            return f"The screen is not shown: {problem.message}"

    async def _call(self, name: str, arguments: Mapping[str, Any], step: Step = Step.LAST) -> str:
        with running(step):
            items = await self._surface.call(
                name, {**arguments, **self._phone}, self._caller, self._filter
            )
        texts = [item for item in items if isinstance(item, str)]
        self._ignored += [text for text in texts[1:] if text.startswith(IGNORED)]
        return "\n".join(texts)


def _names_target(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a step says what it acts on: something that is not there fails by itself."""
    target = arguments.get("into" if tool == "type" else "at") or ""
    return bool(target) and not is_point(str(target))


def _stopped(
    number: int,
    count: int,
    done: Sequence[str],
    tool: str,
    arguments: Mapping[str, Any],
    failure: ToolError,
) -> ToolError:
    so_far = f": {'; '.join(done)}" if done else ""
    target = next((arguments[key] for key in _TARGETS if key in arguments), "")
    step = f'{tool} "{cut(clean(str(target)), 60)}"' if target else tool
    rest = count - number
    last = "" if not rest else f" Step {count} was not tried."
    if rest > 1:
        last = f" Steps {number + 1} to {count} were not tried."
    return type(failure)(
        f"{number - 1} of {count} done{so_far}. Step {number}, {step}: {failure.message}{last}",
        *failure.details,
    )


def _describe(steps: Sequence[str], phone: Mapping[str, Any] | None) -> Listing:
    schema = json.loads(json.dumps(_SCHEMA))
    schema["properties"]["steps"]["items"]["properties"]["tool"]["enum"] = list(steps)
    if phone is not None:
        schema["properties"][PHONE] = dict(phone)
    return Listing(
        DO,
        "Do",
        "Run several steps in one call. Stops at the first that fails or when an unexpected dialog"
        " appears, says what was done, then shows the screen.",
        schema,
    )
