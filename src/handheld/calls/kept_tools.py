"""Kept steps as tools: found by name, listed within a bound, kept and replaced."""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..access.request_scope import RequestScope
from ..audit import Masks
from ..clock import Clock
from ..errors import InvalidParams, ToolError
from ..phone.leases.shares import OWNER
from ..screen.rows.token_bound import most_tokens
from ..screen.rows.words import clean, cut, fold, short_name
from ..tools.agent.catalog import AGENT_CATALOG
from ..tools.call import Caller
from ..tools.steps import SavedStep, SavedSteps, StepParameter, StepSequence, StepsError, StepsFile
from ..tools.tool import STEPS_PREFIX, Listing, combine
from .addressing import Addressing
from .kept_way import begins_alike, join_ways, plan_steps
from .options import SurfaceOptions
from .step_run import PlannedStep

if TYPE_CHECKING:
    from ..phone.phone import Phone

MOST_LISTED = 1_500
"""Tokens, at most, of all kept steps in a list of tools; the others are run by `phone_do`."""
LONGEST_READ = 50
UNREADABLE = "The kept steps cannot be read: the owner has to mend or delete their file."
_STOPPED_SECONDS = 600.0
"""For how long steps that stopped can be finished."""
_MOST_STOPPED = 64
_LIST_SECONDS = 3.0
_TOOLS = {tool.name: tool for toolset in AGENT_CATALOG for tool in toolset.tools}
_TYPES = {"text": "string", "number": "number", "choice": "string"}

log = logging.getLogger(__name__)


class StepsStopped(NamedTuple):
    """A run that did not end."""

    kept: SavedSteps
    done: int
    """Of its steps that were done."""
    values: Mapping[str, str]
    at: float


class KeptTools:
    def __init__(self, file: StepsFile, addressing: Addressing, options: SurfaceOptions) -> None:
        self._file = file
        self._addressing = addressing
        self._several = options.several
        self._clock: Clock = options.clock
        self._takeover = options.takeover
        self.masks = Masks() if options.recorder is None else options.recorder.log.masks
        self._stopped: dict[tuple[str, str, str], StepsStopped] = {}

    async def label(self, scope: RequestScope, phone: str | None, caller: Caller) -> str:
        """What the phone of a call is called. Raises ToolError."""
        return await self._addressing.label(await self._pick(scope, phone, caller))

    async def check_held(self, scope: RequestScope, phone: str | None, caller: Caller) -> None:
        """Raises TakenOver, for what is read here and not by a call of a tool."""
        if self._takeover is not None:
            await self._takeover.check(await self._pick(scope, phone, caller))

    async def _pick(self, scope: RequestScope, phone: str | None, caller: Caller) -> "Phone":
        phones = self._addressing.phones_for(scope, caller)
        return await phones.pick(phone or scope.phone)

    def _usable(self, labels: Sequence[str] | None, token: str | None) -> list[SavedSteps]:
        """Those for these phones, None being all, that a client with this token may use; None is
        a client that is not known. A phone's own come first. Raises ToolError."""
        try:
            kept = self._file.all()
        except StepsError as problem:
            log.warning("%s", problem)
            raise ToolError(UNREADABLE) from None
        found = [
            each
            for each in kept
            if (labels is None or each.phone in ("", *labels))
            # Steps of a client with few rights must not be run by one with more unawares.
            and (each.owned or not each.by or each.by == token)
        ]
        return sorted(found, key=lambda each: not each.phone)

    async def listings(
        self, listed: Sequence[Listing], scope: RequestScope, phone: Mapping[str, Any] | None
    ) -> list[Listing]:
        """Those whose tools are listed, as far as they fit, the newest first. `phone` declares the
        parameter that chooses the phone."""
        try:
            usable = self._usable(await self._labels(scope), None)
        except ToolError:
            return []
        names = {each.name for each in listed}
        found: dict[str, Listing] = {}
        left = MOST_LISTED
        for kept in sorted(usable, key=lambda each: -each.made):
            if any(f"phone_{step.tool}" not in names for step in kept.sequence.steps):
                continue
            listing = make_listing(kept, phone)
            shown = [listing.name, listing.description, listing.input_schema]
            left -= most_tokens(json.dumps(shown, ensure_ascii=False))
            if left < 0:
                break
            found.setdefault(listing.name, listing)
        return [found[name] for name in sorted(found)]

    async def _labels(self, scope: RequestScope) -> list[str] | None:
        if not any(each.phone for each in self._usable(None, None)):
            return None
        try:
            async with self._clock.timeout(_LIST_SECONDS):
                present = await self._addressing.phones(scope).present(scope.phone)
                return [await self._addressing.label(each) for each in present]
        except (TimeoutError, ToolError):
            return []

    def find(self, name: str, label: str, caller: Caller) -> SavedSteps | None:
        """Raises ToolError."""
        usable = self._usable([label], caller.token)
        return next((each for each in usable if each.name == name), None)

    def describe(self, label: str, caller: Caller, of: str, limit: int) -> str:
        """What `phone_read saved` answers. Raises ToolError."""
        found = {each.name: each for each in reversed(self._usable([label], caller.token))}
        lines = [
            _line(kept)
            for name, kept in sorted(found.items())
            if fold(of) in fold(name.replace("_", " ")) or fold(of) in name
        ]
        shown = lines[: min(limit, LONGEST_READ)]
        more = len(lines) - len(shown)
        rest = [f"{more} more: say of."] if more else []
        return "\n".join([*shown, *rest]) or "No steps are kept."

    def plan(self, kept: SavedSteps, values: Mapping[str, str]) -> list[PlannedStep]:
        """Raises InvalidParams."""
        try:
            return plan_steps(kept.sequence, values)
        except StepsError as problem:
            raise InvalidParams(
                f"{problem}. {STEPS_PREFIX}{kept.usage}. Nothing was done."
            ) from None

    def note_stopped(
        self, kept: SavedSteps, label: str, caller: Caller, count: int, values: Mapping[str, str]
    ) -> None:
        key = (kept.name, label, caller.token)
        # Others that were sent along may be of any number and length.
        values = {each.name: values[each.name] for each in kept.sequence.parameters}
        self._stopped.pop(key, None)
        self._stopped[key] = StepsStopped(kept, count, values, self._clock.now())
        if len(self._stopped) > _MOST_STOPPED:
            # Of whoever has most: none ends what another can go on with.
            most = Counter(token for *_, token in self._stopped).most_common(1)[0][0]
            del self._stopped[next(each for each in self._stopped if each[-1] == most)]

    def stopped(self, name: str, label: str, caller: Caller) -> StepsStopped | None:
        """The run of that name that the next steps go on with."""
        found = self._stopped.get((name, label, caller.token))
        if found is None or self._clock.now() - found.at > _STOPPED_SECONDS:
            return None
        return found

    def forget_stopped(self, name: str, label: str, caller: Caller) -> None:
        self._stopped.pop((name, label, caller.token), None)

    def save(
        self,
        name: str,
        label: str,
        caller: Caller,
        sequence: StepSequence,
        stopped: StepsStopped | None,
        scope: RequestScope,
    ) -> str:
        """Keep steps that were done, and say so. Raises StepsError."""
        phone = label if self._several or scope.phone else ""
        before = ""
        if stopped is not None:
            phone, old = stopped.kept.phone, stopped.kept.sequence
            if stopped.done and not begins_alike(old, sequence):
                sequence = join_ways(old.steps[: stopped.done], old.parameters, sequence)
                before = f", the first {stopped.done} as before"
        else:
            # What is kept for this phone already is replaced.
            known = self.find(name, label, caller)
            phone = phone if known is None else known.phone
        client = cut(clean(caller.client or caller.token or caller.transport), 60)
        by = "" if caller.token == OWNER else caller.token
        kept = self._file.keep(name, phone, sequence, by, f"kept by {client}")
        self.forget_stopped(name, label, caller)
        usage = f"{STEPS_PREFIX}{SavedSteps(name, sequence).usage}"
        count = f"{len(sequence.steps)} step{'s' * (len(sequence.steps) != 1)}"
        if not kept:
            return f"Proposed as {usage}, {count}{before}: the owner decides about it."
        asked = [each.name for each in sequence.parameters if each.secret]
        secret = f" Not kept, but asked for: {', '.join(asked)}." if asked else ""
        return f"Kept as {usage}, {count}{before}.{secret}"


def make_listing(kept: SavedSteps, phone: Mapping[str, Any] | None = None) -> Listing:
    """The steps as a tool, with the strictest hints of its steps. What apps wrote is left out: a
    description is read as ours."""
    sequence = kept.sequence
    packages = dict.fromkeys(
        short_name(step.front.package) for step in sequence.steps if step.front
    )
    apps = f" in {', '.join(list(packages)[:3])}" if packages else ""
    tools = ", ".join(step.tool for step in sequence.steps[:12])
    more = "" if len(sequence.steps) <= 12 else ", …"
    properties: dict[str, Any] = {each.name: _schema(each) for each in sequence.parameters}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if properties:
        schema["required"] = [*properties]
    if phone is not None:
        properties = {**properties, "phone": dict(phone)}
        schema["properties"] = properties
    listing = Listing(
        STEPS_PREFIX + kept.name,
        kept.name.replace("_", " ").capitalize(),
        f"Kept steps{apps}: {tools}{more}.",
        schema,
    )
    return combine(listing, [_listing_of(step) for step in sequence.steps])


def _listing_of(step: SavedStep) -> Listing:
    tool = _TOOLS[f"phone_{step.tool}"]
    arguments = dict(step.called)
    if tool.normalise is not None:
        arguments = dict(tool.normalise(arguments))
    listing = tool.chosen(arguments).listing
    # Twice is not once: a second run begins where the first ended.
    return Listing(
        listing.name,
        "",
        "",
        {},
        listing.read_only,
        listing.destructive,
        False,
        listing.open_world,
    )


def _schema(parameter: StepParameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": _TYPES[parameter.type]}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    elif parameter.example:
        schema["description"] = f'e.g. "{clean(parameter.example)}"'
    return schema


def _line(kept: SavedSteps) -> str:
    steps = [
        " ".join(
            [step.tool, *(f'"{cut(clean(each.label), 30)}"' for each in step.targets.values())]
        )
        for step in kept.sequence.steps
    ]
    examples = ", ".join(
        f'{each.name} e.g. "{clean(each.example)}"'
        for each in kept.sequence.parameters
        if each.example
    )
    usage = STEPS_PREFIX + kept.usage
    return f"{usage}: {cut(', '.join(steps), 200)}{'; ' + examples if examples else ''}"
