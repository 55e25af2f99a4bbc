"""Sends a Mobile MCP service the requests that it must answer (sections 3.1 and 3.2)."""

import asyncio
import json
import uuid
from collections.abc import Mapping
from typing import Any

from ...app_formats.mobile_mcp import (
    BadMessage,
    Capability,
    CapabilityRequest,
    Descriptor,
    Response,
    read_response,
)
from ...app_formats.mobile_mcp.message import FLAT_REQUEST, REQUEST, RESPONSE
from ...app_formats.schemas import RESPONSE as RESPONSE_SCHEMA
from ...app_formats.schemas import find_misfit, read_schema
from ...driver import Driver
from ...driver.app_tools import AppFailed, AppProblem, DeclaringService, ServiceReply
from .findings import Findings

WITHIN_MS = 10_000
NO_JSON_MS = 3_000
"""A reply to invalid JSON can have no id, so it is counted but never matched: this time always
passes."""
SIDE_BY_SIDE = 5
UNKNOWN = "handheld_check_no_such_capability"
WRONG: Mapping[str, Any] = {
    "string": ["not a string"],
    "boolean": "perhaps",
    "integer": "many",
    "number": "many",
    "array": "no array",
    "object": "no object",
}


async def try_service(
    findings: Findings,
    driver: Driver,
    service: DeclaringService,
    descriptor: Descriptor,
    *,
    call: bool,
) -> None:
    """With `call`, also calls the capabilities that need no arguments, with all their effects.
    Raises ToolError if the phone cannot be asked."""
    trial = _ServiceTrial(findings, driver, service)
    try:
        await _try_all(trial, descriptor, call=call)
    except CannotTry as problem:
        findings.fail("calls", *problem.sentences)
    else:
        trial.report_ids()
        trial.report_misfit()


async def _try_all(trial: "_ServiceTrial", descriptor: Descriptor, *, call: bool) -> None:
    await trial.refuses("unknown capability", "a capability that it does not have", UNKNOWN, {})
    asking = [one for one in descriptor.capabilities if any(p.required for p in one.input)]
    free = [one for one in descriptor.capabilities if one not in asking]
    for one in asking:
        name = next(each.name for each in one.input if each.required)
        await trial.refuses(f"{one.id}, missing {name!r}", "nothing it requires", one.id, {})
    for one in descriptor.capabilities:
        if one.input:
            wrong = {each.name: WRONG[each.json_type] for each in one.input}
            await trial.refuses(f"{one.id}, mistyped", "values of wrong types", one.id, wrong)
    await _try_version(trial, asking, free if call else [])
    await trial.parallel()
    await trial.malformed()
    if call:
        for one in free:
            await trial.does(one)
    elif free:
        trial.findings.warn(
            "calls",
            f"Not called, since it has effects: {', '.join(one.id for one in free)}.",
            "handheld apps check PACKAGE --call does what takes no arguments.",
        )


async def _try_version(
    trial: "_ServiceTrial", asking: list[Capability], free: list[Capability]
) -> None:
    # Without a capability that could succeed, a refusal may have another reason, which its message
    # shows.
    capability = free[0].id if free else asking[0].id if asking else UNKNOWN
    request = CapabilityRequest(str(uuid.uuid4()), capability, {}, "2.0")
    response = await trial.ask("wrong version", request.extras(), request.id)
    if response is None:
        return
    if trial.flat:
        trial.findings.warn(
            "wrong version",
            "It uses the flat form of the first apps, which has no version to check.",
            f"Read the extra {REQUEST}, and answer in {RESPONSE}.",
        )
    elif response.success:
        trial.findings.fail(
            "wrong version",
            'It did a request of version "2.0", which it cannot know.',
            'Answer failure unless the version is "1.0".',
        )
    elif free or "version" in (response.message or "").lower():
        trial.findings.ok("wrong version", f"Refused: {_message(response)}")
    else:
        trial.findings.warn(
            "wrong version",
            'It refused version "2.0", but seems not to have looked at the version:'
            f" {_message(response)}",
            "Look at the version before anything else, and name it in the message.",
        )


class CannotTry(Exception):
    """The app cannot be called at all, so nothing can be learned about it."""

    def __init__(self, problem: AppFailed) -> None:
        super().__init__(problem.message)
        self.sentences = explain(problem, WITHIN_MS)


HOPELESS = (
    AppProblem.GONE,
    AppProblem.NOT_STARTED,
    AppProblem.REFUSED,
    AppProblem.UNREACHABLE,
    AppProblem.FORBIDDEN,
)


class _ServiceTrial:
    def __init__(self, findings: Findings, driver: Driver, service: DeclaringService) -> None:
        self.findings = findings
        self._driver = driver
        self._service = service
        self.flat = False
        """Whether its last reply was in the form that only the first apps use."""
        self._answered = 0
        self._foreign = 0
        self._misfit = ""
        """What the schema of replies forbids, although the reply can be read."""

    async def refuses(
        self, subject: str, given: str, capability: str, arguments: Mapping[str, Any]
    ) -> None:
        request = CapabilityRequest(str(uuid.uuid4()), capability, arguments)
        response = await self.ask(subject, request.extras(), request.id)
        if response is None:
            return
        if response.success:
            self.findings.fail(
                subject,
                f"It was given {given} and answered success.",
                "Check the request against the descriptor before doing anything, and answer"
                " failure.",
            )
        elif not (response.message or "").strip():
            self.findings.warn(
                subject, "It refused and gave no reason.", "Say in message what was wrong."
            )
        else:
            self.findings.ok(subject, f"Refused: {_message(response)}")

    async def ask(
        self, subject: str, extras: Mapping[str, str], id: str, within_ms: int = WITHIN_MS
    ) -> Response | None:
        """The reply; None if there was no readable one, which is reported."""
        try:
            answer = await self._call(extras, id, within_ms)
            self._foreign += answer.dropped
            self.flat = RESPONSE not in answer.extras
            response = read_response(answer.extras)
            if not self.flat and not self._misfit:
                written = json.loads(answer.extras[RESPONSE])
                self._misfit = find_misfit(read_schema(RESPONSE_SCHEMA), written)
        except AppFailed as problem:
            self._foreign += problem.dropped
            self.findings.fail(subject, *explain(problem, within_ms))
            return None
        except BadMessage as problem:
            self.findings.fail(
                subject, f"Its reply {problem}.", "See section 3.2 for what a reply holds."
            )
            return None
        if response.id == id:
            self._answered += 1
        else:
            self._foreign += 1
        return response

    async def _call(self, extras: Mapping[str, str], id: str, within_ms: int) -> ServiceReply:
        service = self._service
        try:
            return await self._driver.call_service(
                service.app.package, service.class_name, id, extras, within_ms
            )
        except AppFailed as problem:
            if problem.problem in HOPELESS:
                raise CannotTry(problem) from problem
            raise

    async def parallel(self) -> None:
        requests = [CapabilityRequest(str(uuid.uuid4()), UNKNOWN, {}) for _ in range(SIDE_BY_SIDE)]
        answers = await asyncio.gather(
            *(self._call(one.extras(), one.id, WITHIN_MS) for one in requests),
            return_exceptions=True,
        )
        lost = [one for one in answers if isinstance(one, AppFailed)]
        for one in answers:
            if isinstance(one, BaseException) and not isinstance(one, AppFailed):
                raise one
        if lost:
            sentence, fix = explain(lost[0], WITHIN_MS)
            self.findings.fail(
                "parallel requests",
                f"{len(lost)} of {SIDE_BY_SIDE} requests at once had no answer. {sentence}",
                fix or "Keep nothing of a request in the service's own fields.",
            )
        else:
            self.findings.ok("parallel requests", f"{SIDE_BY_SIDE} at once, all answered.")

    async def malformed(self) -> None:
        id = str(uuid.uuid4())
        half = {REQUEST: {"version": "1.0", "request": {"id": id}}}
        extras = {REQUEST: json.dumps(half), FLAT_REQUEST: json.dumps({"id": id})}
        await self._is_answered("request without a capability", extras, id, WITHIN_MS)
        extras = {REQUEST: "{no JSON", FLAT_REQUEST: "{no JSON"}
        await self._is_answered("request that is no JSON", extras, id, NO_JSON_MS)

    async def _is_answered(
        self, subject: str, extras: Mapping[str, str], id: str, within_ms: int
    ) -> None:
        try:
            answer = await self._call(extras, id, within_ms)
            if read_response(answer.extras).success:
                self.findings.fail(subject, "It answered success.", "Answer failure.")
                return
        except AppFailed as problem:
            if problem.problem is not AppProblem.SILENT or not problem.dropped:
                self.findings.fail(subject, *explain(problem, within_ms))
                return
        except BadMessage as problem:
            self.findings.fail(subject, f"Its reply {problem}.", "Answer failure.")
            return
        self.findings.ok(subject, "It was answered with failure.")

    async def does(self, capability: Capability) -> None:
        subject = f"{capability.id}, called"
        request = CapabilityRequest(str(uuid.uuid4()), capability.id, {})
        response = await self.ask(subject, request.extras(), request.id)
        if response is None:
            return
        if not response.success:
            self.findings.warn(subject, f"It said that it failed: {_message(response)}")
            return
        declared = {one.name for one in capability.output}
        missing, unknown = declared - response.values.keys(), response.values.keys() - declared
        if missing or unknown:
            sentences = [f"{one!r} is declared and was not given" for one in sorted(missing)]
            sentences += [f"{one!r} was given and is not declared" for one in sorted(unknown)]
            self.findings.warn(
                subject, f"{'; '.join(sentences)}.", "Declare in <output> what it gives back."
            )
        else:
            message = f": {response.message!r}" if response.message else "."
            self.findings.ok(subject, f"It answered success{message}")

    def report_ids(self) -> None:
        if self._foreign:
            self.findings.fail(
                "ids",
                f"{self._foreign} of its replies had another id than the request.",
                "Put the request's id into its reply, also into a failure.",
            )
        elif self._answered:
            self.findings.ok("ids", "Every reply had the id of its request.")

    def report_misfit(self) -> None:
        if self._misfit:
            self.findings.warn(
                "form",
                f"A reply can be read, but does not match the specification: {self._misfit}.",
                f"{RESPONSE_SCHEMA} has the form; other agents may not read what differs.",
            )


def explain(problem: AppFailed, within_ms: int) -> tuple[str, str]:
    """Explain the failure in a sentence, and say what to do."""
    match problem.problem:
        case AppProblem.SILENT:
            others = f", but {problem.dropped} with another id" if problem.dropped else ""
            return (
                f"No reply within {within_ms / 1000:g} s{others}.",
                "Answer every request once, with its own id, and whatever happened.",
            )
        case AppProblem.DIED:
            return (
                "Its process ended before it had answered.",
                "Catch what goes wrong and answer failure; logcat has the exception.",
            )
        case AppProblem.THREW:
            return f"It threw: {problem.message}", "Catch what goes wrong and say it in the answer."
        case AppProblem.REFUSED:
            return f"adb may not call it: {problem.message}", "Export it, without a permission."
        case AppProblem.NOT_STARTED:
            return f"Android did not let it start: {problem.message}", ""
        case AppProblem.UNREACHABLE:
            return f"It could not be asked: {problem.message}", ""
        case AppProblem.GONE:
            return f"It is gone: {problem.message}", ""
        case AppProblem.SWITCHED_OFF:
            return "It has been switched off meanwhile.", ""
        case _:
            return f"It failed: {problem.message}", ""


def _message(response: Response) -> str:
    return repr(response.message) if response.message else "it gave no reason."
