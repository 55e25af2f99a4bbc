"""Several steps in one call, and steps that are kept."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..access.request_scope import EVERYTHING, RequestScope
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import InvalidParams, PermissionDenied, ToolError, UnknownTool
from ..screen.characters import replace_surrogates
from ..tools.agent.arguments import PHONE, check_known, normalise, take_phones
from ..tools.agent.catalog import AGENT_CATALOG, instruct
from ..tools.call import ToolCall
from ..tools.recording import AuditPolicy, Secret
from ..tools.steps import (
    SavedSteps,
    StepsError,
    check_filled,
    check_values,
    find_parameters,
    read_name,
    read_values,
)
from ..tools.tool import STEPS_PREFIX, Item, Listing
from ..tools.tool import STEPS_TOOL as DO
from .call import Call
from .kept_tools import KeptTools
from .kept_way import GivenStep, make_way
from .protocols import Approver, Surface
from .resolution import UNLISTED
from .step_run import PlannedStep, StepRun
from .steps import STEPS, read_step, read_steps

READ, _SAVED = "phone_read", "saved"
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
_KEPT: Mapping[str, Any] = {
    "save_as": {
        "type": "string",
        "description": "keep the steps under this name; {text} in them is a parameter",
    },
    "run": {"type": "string", "description": "kept steps, instead of steps"},
    "values": {
        "type": "array",
        "items": _TEXT,
        "description": 'of parameters: ["text=Milk"]',
    },
}
"""What else `phone_do` takes where steps are kept."""
_KEPT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {**_SCHEMA["properties"], **_KEPT},
    "required": [],
}
_REFUSED = replace(
    UNLISTED, recording=AuditPolicy({"steps": Secret.WHOLE, "values": Secret.WHOLE}, Secret.NO)
)
_TOOLS = {tool.name: tool for toolset in AGENT_CATALOG for tool in toolset.tools}
_SAVED_LISTING = replace(_TOOLS[READ].listing, abilities=(READ,))
DoSteps = Callable[[], Awaitable[Sequence[Item]]]


class StepTools:
    """Tools of a surface that make further calls on it: `phone_do`, each of whose steps is a call
    of its own, recorded, asked about and cancelled like one; `my_…`, which does steps again that
    were done and kept; and what lists those."""

    def __init__(
        self,
        policy: RequestScope = EVERYTHING,
        clock: Clock = SYSTEM_CLOCK,
        kept: KeptTools | None = None,
        gate: Approver | None = None,
    ) -> None:
        """`policy` and `gate` are those that the surface has. `kept`: None where no steps are
        kept."""
        self._policy = policy
        self._clock = clock
        self._kept = kept
        self._gate = gate

    def instruct(self, listed: Sequence[Listing], *, app_tools: bool) -> str:
        """The instructions for a client with these tools, and with those of apps."""
        return instruct({each.name for each in listed}, app_tools=app_tools)

    def add(self, listed: list[Listing], scope: RequestScope) -> list[Listing]:
        """The list with `phone_do`, if that may do anything."""
        steps = {step: each for step in STEPS for each in listed if each.name == f"phone_{step}"}
        if all(each.read_only for each in steps.values()) or not self._leaves_do(scope):
            return listed
        at = next((n for n, each in enumerate(listed) if each.name == READ), len(listed))
        phone = next(iter(steps.values())).input_schema["properties"].get(PHONE)
        do = _describe([*steps], phone, keeps=self._kept is not None)
        return [*listed[:at], do, *listed[at:]]

    async def add_kept(self, listed: list[Listing], scope: RequestScope) -> list[Listing]:
        """The list with the steps that are kept."""
        steps = next((each for each in listed if each.name == DO), None)
        if self._kept is None or steps is None:
            return listed
        phone = steps.input_schema["properties"].get(PHONE)
        mine = await self._kept.listings(listed, scope, phone)
        return [
            *(_with_saved(each) if each.name == READ else each for each in listed),
            *(each for each in mine if self._leaves_kept(each.name, scope)),
        ]

    def _leaves_do(self, scope: RequestScope) -> bool:
        """It does nothing that its steps may not do, so only its own name matters."""
        both = scope.within(self._policy)
        chosen = both.only or ()
        return DO not in both.off and (
            DO in chosen or not any(name.startswith("phone_") for name in chosen)
        )

    def _leaves_kept(self, name: str, scope: RequestScope) -> bool:
        """Kept steps are a call of `phone_do`."""
        both = scope.within(self._policy)
        return name not in both.off and (self._leaves_do(scope) or name in (both.only or ()))

    def find(self, name: str, arguments: Mapping[str, Any]) -> Listing | None:
        """The listing by which a call is recorded that is for one of these tools."""
        if name == READ and self._kept is not None and _is_saved(arguments):
            return _SAVED_LISTING
        kept = self._kept is not None and name.startswith(STEPS_PREFIX)
        return _REFUSED if kept or name == DO else None

    def offers(self, name: str, listed: Sequence[Listing], scope: RequestScope) -> bool:
        """Whether one of these tools is left. What a list hides, a call refuses."""
        names = {each.name for each in listed}
        if name.startswith(STEPS_PREFIX):
            return DO in names and self._leaves_kept(name, scope)
        return {DO, name} <= names

    async def plan(self, call: Call, surface: Surface) -> DoSteps | None:
        """Check a call before anything is done. Returns what does its steps on `surface`; None for
        one that has none, and is answered. Raises UnknownTool, ToolError."""
        name, arguments, kept = call.name, call.arguments, self._kept
        if name == READ:
            call.reply = [await self._describe_saved(call)]
            return None
        if kept is not None and name != DO:
            given = {key: each for key, each in arguments.items() if each is not None}
            phones = take_phones(given)
            return await self._plan_kept(surface, kept, name, read_values(given), phones, call)
        given = normalise(DO, _SCHEMA if kept is None else _KEPT_SCHEMA, arguments)
        try:
            values = {} if kept is None else read_values(given.get("values"))
            save_as = "" if kept is None else given.get("save_as") or ""
            save_as = read_name(str(save_as)) if save_as else ""
        except StepsError as problem:
            raise InvalidParams(f"{problem}. Nothing was done.") from None
        phones = take_phones(given)
        if kept is not None and given.get("run"):
            if given.get("steps"):
                raise InvalidParams("phone_do takes steps or run, not both. Nothing was done.")
            check_known(DO, given, ("run", "values"))
            return await self._plan_kept(surface, kept, str(given["run"]), values, phones, call)
        check_known(DO, given, ("steps", *(("save_as", "values") if kept is not None else ())))
        if values and not save_as:
            raise InvalidParams("values are those of save_as or run. Nothing was done.")
        steps = [read_step(step) for step in read_steps(given.get("steps"))]
        phones += [phone for _, step in steps for phone in take_phones(step)]
        declared = [_declared(tool, step) for tool, step in steps]
        phone = _one_phone(phones)
        if kept is not None and save_as:
            return await self._plan_keeping(surface, kept, save_as, declared, values, phone, call)
        run = StepRun(surface, call.caller, call.scope, phone, self._clock)
        return partial(run.run, [PlannedStep(*step) for step in steps])

    async def _plan_keeping(
        self,
        surface: Surface,
        kept: KeptTools,
        name: str,
        given: Sequence[GivenStep],
        values: Mapping[str, str],
        phone: Mapping[str, Any],
        call: Call,
    ) -> DoSteps:
        caller, scope = call.caller, call.scope
        label = await kept.label(scope, phone.get(PHONE), caller)
        stopped = kept.stopped(name, label, caller)
        texts = [
            text for step in given for text in step.arguments.values() if isinstance(text, str)
        ]
        try:
            parameters = find_parameters(texts)
            known = stopped.kept.sequence.parameters if stopped is not None else ()
            check_known(name, values, dict.fromkeys([*parameters, *(each.name for each in known)]))
            if stopped is not None:
                parameters |= {each.name: each for each in known if each.name in parameters}
                values = {**stopped.values, **values}
            values = check_values(parameters.values(), values)
            check_filled(texts, values)
        except StepsError as problem:
            raise InvalidParams(f"{problem}. Nothing was done.") from None
        run = StepRun(surface, call.caller, call.scope, phone, self._clock, keeps=True)

        async def do_and_keep() -> list[Item]:
            reply = await run.run(
                [PlannedStep(step.tool, step.arguments, values=values) for step in given]
            )
            try:
                sequence = make_way(given, run.done, parameters, values, kept.masks)
                said = kept.save(name, label, caller, sequence, stopped, scope)
            except (StepsError, ToolError) as problem:
                said = f"Not kept: {str(problem).rstrip('.')}."
            return [*reply, said]

        return do_and_keep

    async def _plan_kept(
        self,
        surface: Surface,
        kept: KeptTools,
        name: str,
        values: Mapping[str, str],
        phones: Sequence[Any],
        call: Call,
    ) -> DoSteps:
        caller, scope = call.caller, call.scope
        phone = _one_phone(phones)
        label = await kept.label(scope, phone.get(PHONE), caller)
        found = kept.find(_kept_name(name), label, caller)
        if found is None or not self._leaves_kept(STEPS_PREFIX + found.name, scope):
            if name.startswith(STEPS_PREFIX):
                raise UnknownTool(replace_surrogates(name))
            raise InvalidParams(f"No steps are kept as {name[:60]!r}: phone_read saved lists them.")
        check_known(
            STEPS_PREFIX + found.name, values, [each.name for each in found.sequence.parameters]
        )
        planned = kept.plan(found, values)
        run = StepRun(surface, call.caller, call.scope, phone, self._clock)

        async def do_kept() -> list[Item]:
            try:
                reply = await run.run(planned)
            except PermissionDenied:
                raise
            except ToolError as failure:
                kept.note_stopped(found, label, caller, len(run.done), values)
                failure.message += _how_to_finish(found)
                raise
            kept.forget_stopped(found.name, label, caller)
            return reply

        return do_kept

    async def _describe_saved(self, call: Call) -> str:
        """The steps that are kept. They are on no screen, so no app is asked about. Raises
        ToolError."""
        kept, caller, scope = self._kept, call.caller, call.scope
        assert kept is not None
        given = normalise(READ, _SAVED_LISTING.input_schema, call.arguments)
        phone = _one_phone(take_phones(given))
        check_known(READ, given, _SAVED_LISTING.input_schema["properties"])
        await kept.check_held(scope, phone.get(PHONE), caller)
        label = await kept.label(scope, phone.get(PHONE), caller)
        if self._gate is not None:
            await self._gate.ask(ToolCall(READ, _SAVED_LISTING, given, caller, label, ("",)))
        limit = given.get("limit")
        of = str(given.get("of") or "").strip()
        return kept.describe(label, caller, of, limit if isinstance(limit, int) else 50)


def _one_phone(phones: Sequence[Any]) -> dict[str, Any]:
    """The argument that chooses the phone. Raises InvalidParams."""
    if any(phone != phones[0] for phone in phones):
        raise InvalidParams(
            "The steps of one phone_do are all on one phone: call it once for each phone."
            " Nothing was done."
        )
    return {PHONE: phones[0]} if phones else {}


def _kept_name(name: str) -> str:
    try:
        return read_name(name)
    except StepsError:
        return ""


def _how_to_finish(kept: SavedSteps) -> str:
    return f' Go on with phone_do: save_as: "{kept.name}" keeps the steps from here.'


def _declared(tool: str, arguments: Mapping[str, Any]) -> GivenStep:
    """A step with its arguments under the names that the tool declares. Raises InvalidParams for
    others: a step that lacks what its caller meant is not begun, nor those before it."""
    declared = _TOOLS[f"phone_{tool}"]
    assert declared.normalise is not None
    normalised = declared.normalise(arguments)
    check_known(declared.name, normalised, declared.listing.input_schema["properties"])
    return GivenStep(tool, dict(normalised))


def _is_saved(arguments: Mapping[str, Any]) -> bool:
    return str(arguments.get("what", "")).strip().lower() == _SAVED


def _with_saved(listing: Listing) -> Listing:
    schema = listing.input_schema
    what = schema["properties"]["what"]
    properties = {**schema["properties"], "what": {**what, "enum": [*what["enum"], _SAVED]}}
    return replace(listing, input_schema={**schema, "properties": properties})


def _describe(
    steps: Sequence[str], phone: Mapping[str, Any] | None, *, keeps: bool = False
) -> Listing:
    schema = json.loads(json.dumps(_SCHEMA))
    if keeps:
        schema["properties"] |= _KEPT
        del schema["required"]
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
