"""Runs steps one after the other, each as a separate call, and stops at the first that fails."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..access.request_scope import RequestScope
from ..access.takeover import TakenOver
from ..clock import Clock
from ..errors import ActionFailed, PermissionDenied, TimedOut, ToolError, UnknownTool
from ..screen.rows.token_bound import most_tokens
from ..screen.rows.words import clean, cut
from ..tools.agent.elements.targets import is_point
from ..tools.agent.screen.notices import is_notice
from ..tools.agent.screen_tools import SINCE_TOLD
from ..tools.agent.steps import AgentStep, StepNotes, running
from ..tools.call import Caller
from ..tools.parameter import LONGEST as LONGEST_TEXT
from ..tools.steps import SavedStep, fill_arguments, fill_step
from ..tools.tool import Item
from .protocols import Surface

_TARGETS = ("at", "into", "what", "key", "until", "direction")
"""What a step is called by."""
LONGEST = 50.0
"""Seconds; clients give up after 60."""
LATEST = 45.0
"""A step that begins later might not end in time."""
SHORT_REPLY, LEAST_SCREEN = 225, 60
"""Tokens of the reply to kept steps, and of the screen in it: what it looks like then is known from
the first time."""
_MOST_LINES = 6
_UNCHANGED = "Nothing changed since "
_NOTHING = re.compile(r"Nothing (?:else )?changed in ")
_SCREEN = re.compile(r"s\d+")
_FRONT = re.compile(r'^((dialog )?([\w.-]+)( ".*")?) s\d+(?:, [a-z ,]+)?$', re.MULTILINE)
"""The first line of a whole screen."""
_LEADS_ELSEWHERE = ("tap", "open", "press")
"""Steps after which another app is no surprise."""


class PlannedStep(NamedTuple):
    tool: str
    arguments: Mapping[str, Any]
    kept: SavedStep | None = None
    """The kept step that this is, which has the arguments."""
    values: Mapping[str, str] | None = None
    """Of its parameters; None where it has none."""

    def filled(self) -> "PlannedStep":
        """Put the values in. It is done when its turn comes: all steps together may be large."""
        if self.kept is not None:
            kept = fill_step(self.kept, self.values or {})
            return PlannedStep(self.tool, kept.called, kept)
        if self.values is None:
            return self
        return PlannedStep(self.tool, fill_arguments(self.arguments, self.values))


class DoneStep(NamedTuple):
    """What is known of a step that was done."""

    keeping: StepNotes
    changed: bool


class StepRun:
    def __init__(
        self,
        surface: Surface,
        caller: Caller,
        scope: RequestScope,
        phone: Mapping[str, Any],
        clock: Clock,
        *,
        keeps: bool = False,
    ) -> None:
        """`keeps`: what the steps act on is noted, to keep them."""
        self._keeps = keeps
        self._surface = surface
        self._caller = caller
        self._filter = scope
        self._phone = phone
        self._clock = clock
        self._began = clock.now()
        self._front = ""
        self._surprise = ""
        """What came up in front that no step named yet."""
        self.done: list[DoneStep] = []

    async def run(self, steps: Sequence[PlannedStep]) -> list[Item]:
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
        differed: list[str] = []
        came_up: list[str] = []
        for number, planned in enumerate(steps, 1):
            step = planned.filled()
            tool, arguments = step.tool, step.arguments
            noted = self._keeps or step.kept is not None
            keeping = StepNotes(arguments, step.kept) if noted else None
            try:
                self._check(tool, arguments)
                arguments = self._in_time(tool, arguments)
                place = AgentStep.LAST if number == len(steps) else AgentStep.FOLLOWED
                reply = await self._call(f"phone_{tool}", arguments, place, keeping)
            except UnknownTool:
                failure = ToolError(f"{tool} is not allowed here.")
            except ToolError as problem:
                failure = problem
            else:
                self._note_front(reply, tool)
                first, *rest = reply.split("\n")
                done.append(first.rstrip("."))
                came_up += filter(is_notice, rest)
                changed = not _NOTHING.search(first)
                if keeping is not None:
                    self.done.append(DoneStep(keeping, changed))
                    if tool != "open" and (how := _difference(keeping, changed)):
                        differed.append(f"Step {number}, {_called(tool, arguments)}: {how}.")
                continue
            if not failure.details and not isinstance(failure, TakenOver):
                # What the earlier steps brought up was not shown yet.
                # Whoever goes on with kept steps may have seen none of this.
                shown = await self._show("" if step.kept is not None else since)
                lines = [*came_up] if shown.startswith(_UNCHANGED) else [*came_up, shown]
                failure.details = ("\n".join(lines),) if lines else ()
            raise _stopped(number, len(steps), done, tool, arguments, failure)
        said = [f"{len(steps)} of {len(steps)} done.", *_first(differed), *came_up]
        most = None
        if all(step.kept is not None for step in steps):
            most = max(LEAST_SCREEN, SHORT_REPLY - most_tokens("\n".join(said)))
        reply = "\n".join([*said, await self._show(since, most)])
        return [reply]

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

    async def _look(self, since: str = "", most: int | None = None) -> str:
        arguments: dict[str, Any] = {"since": since} if since else {}
        return await self._call(
            "phone_look", arguments if most is None else {**arguments, "max_tokens": most}
        )

    async def _show(self, since: str, most: int | None = None) -> str:
        """Return the screen after steps that were done: that it cannot be read undoes nothing."""
        try:
            return await self._look(since, most)
        except ToolError as problem:
            return f"The screen is not shown: {problem.message}"

    async def _call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        step: AgentStep = AgentStep.LAST,
        keeping: StepNotes | None = None,
    ) -> str:
        with running(step, keeping):
            items = await self._surface.call(
                name, {**arguments, **self._phone}, self._caller, self._filter
            )
        return "\n".join(item for item in items if isinstance(item, str))


def _names_target(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a step says what it acts on: something that is not there fails by itself."""
    target = arguments.get("into" if tool == "type" else "at") or ""
    return bool(target) and not is_point(str(target))


def _difference(keeping: StepNotes, changed: bool) -> str:
    """Say what was not as it was when the step was kept; empty if all was."""
    if keeping.expected is not None and keeping.expected.changed and not changed:
        return "nothing changed this time"
    if keeping.already:
        return "it was selected already, and not tapped"
    return "at another place" if keeping.moved else ""


def _first(lines: Sequence[str]) -> list[str]:
    rest = len(lines) - _MOST_LINES
    return [*lines] if rest < 2 else [*lines[:_MOST_LINES], f"{rest} more steps differed."]


def _called(tool: str, arguments: Mapping[str, Any]) -> str:
    """How messages call a step."""
    target = next((arguments[key] for key in _TARGETS if key in arguments), "")
    return f'{tool} "{cut(clean(str(target)[:LONGEST_TEXT]), 60)}"' if target else tool


def _stopped(
    number: int,
    count: int,
    done: Sequence[str],
    tool: str,
    arguments: Mapping[str, Any],
    failure: ToolError,
) -> ToolError:
    so_far = f": {'; '.join(done)}" if done else ""
    rest = count - number
    last = "" if not rest else f" Step {count} was not tried."
    if rest > 1:
        last = f" Steps {number + 1} to {count} were not tried."
    step = _called(tool, arguments)
    return type(failure)(
        f"{number - 1} of {count} done{so_far}. Step {number}, {step}: {failure.message}{last}",
        *failure.details,
    )
