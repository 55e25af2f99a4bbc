"""A tool provider asked what it must have an answer to."""

from collections.abc import Mapping
from typing import Any

from ...app_formats.schemas import TOOL_INPUT, find_misfit, read_schema
from ...app_formats.tool_provider import (
    EXECUTE_TOOL,
    GET_TOOL_INFO,
    BadTool,
    ProviderTool,
    execute_extras,
    read_result,
    read_tools,
)
from ...driver import Driver
from ...driver.app_tools import AppFailed, Bundle, DeclaringProvider
from ..discovered import Unfit, words
from ..providers import make_provider_tool
from .findings import Findings
from .service_trial import HOPELESS, WITHIN_MS, CannotTry, explain

UNKNOWN_METHOD = "handheld_check_no_such_method"
UNKNOWN_TOOL = "handheld_check_no_such_tool"
WRONG = "many"
_TYPED = ("integer", "number", "boolean", "array", "object")


async def try_provider(
    findings: Findings, driver: Driver, provider: DeclaringProvider, *, call: bool
) -> None:
    """With `call`, also executes tools that need no arguments. Raises ToolError if the phone cannot
    be asked."""
    trial = _ProviderTrial(findings, driver, provider)
    try:
        await _try_all(trial, call=call)
    except CannotTry as problem:
        findings.fail("calls", *problem.sentences)


async def _try_all(trial: "_ProviderTrial", *, call: bool) -> None:
    tools = await trial.describe()
    if tools is None:
        return
    await trial.refuses("unknown method", UNKNOWN_METHOD, None)
    await trial.refuses("unknown tool", EXECUTE_TOOL, execute_extras(UNKNOWN_TOOL, {}))
    for tool in tools:
        if tool.required:
            subject = f"{tool.name}, missing {tool.required[0]!r}"
            await trial.refuses(subject, EXECUTE_TOOL, execute_extras(tool.name, {}))
        if wrong := _mistyped(tool):
            await trial.validates(f"{tool.name}, mistyped", execute_extras(tool.name, wrong))
    free = [tool for tool in tools if not tool.required]
    if call:
        for tool in free:
            await trial.does(tool)
    elif free:
        trial.findings.warn(
            "calls",
            f"Not called, since it has effects: {', '.join(tool.name for tool in free)}.",
            "handheld apps check PACKAGE --call does what takes no arguments.",
        )


def _mistyped(tool: ProviderTool) -> dict[str, str]:
    """What is required or has a type, with a value that does not fit; {} where every text fits."""
    typed = {name for name, schema in tool.properties.items() if schema.get("type") in _TYPED}
    return dict.fromkeys((*typed, *tool.required), WRONG) if typed else {}


class _ProviderTrial:
    def __init__(self, findings: Findings, driver: Driver, provider: DeclaringProvider) -> None:
        self.findings = findings
        self._driver = driver
        self._provider = provider

    async def _ask(
        self, subject: str, method: str, extras: Mapping[str, Any] | None
    ) -> tuple[bool, Bundle | None]:
        """Whether it answered, and what."""
        try:
            return True, await self._driver.call_provider(
                self._provider.authority, method, extras, WITHIN_MS
            )
        except AppFailed as problem:
            if problem.problem in HOPELESS:
                raise CannotTry(problem) from problem
            self.findings.fail(subject, *explain(problem, WITHIN_MS))
            return False, None

    async def describe(self) -> list[ProviderTool] | None:
        answered, bundle = await self._ask(GET_TOOL_INFO, GET_TOOL_INFO, None)
        if not answered:
            return None
        try:
            tools = read_tools(bundle)
        except BadTool as problem:
            self.findings.fail(GET_TOOL_INFO, f"It {problem}.")
            return None
        if not tools:
            self.findings.fail(GET_TOOL_INFO, "It describes no tool.")
            return None
        names = ", ".join(tool.name for tool in tools)
        self.findings.ok(GET_TOOL_INFO, f"Tools: {names}.")
        for tool in tools:
            try:
                make_provider_tool(self._provider, tool)
            except Unfit as problem:
                self.findings.fail(
                    f"tool {words(tool.name, 60)}",
                    f"It {problem}.",
                    "It is left out of every list until then.",
                )
            if misfit := find_misfit(read_schema(TOOL_INPUT), tool.properties):
                self.findings.warn(
                    f"tool {words(tool.name, 60)}",
                    f"Its tool_input_schema can be read, but {words(misfit, 200)}.",
                    f"{TOOL_INPUT} has the form; a parameter without a known type is sent as text.",
                )
        return tools

    async def refuses(self, subject: str, method: str, extras: Mapping[str, Any] | None) -> None:
        answered, bundle = await self._ask(subject, method, extras)
        if not answered:
            return
        result = read_result(bundle)
        if bundle is None:
            self.findings.fail(
                subject, "It answered null.", "Answer success=false and an error_message."
            )
        elif result.success:
            self.findings.fail(
                subject, "It answered success.", "Answer success=false and an error_message."
            )
        elif not (result.text or "").strip():
            self.findings.warn(
                subject, "It refused and gave no error_message.", "Say what was wrong."
            )
        else:
            self.findings.ok(subject, f"Refused: {result.text!r}")

    async def validates(self, subject: str, extras: Mapping[str, Any]) -> None:
        """Check that it validates its arguments."""
        answered, bundle = await self._ask(subject, EXECUTE_TOOL, extras)
        result = read_result(bundle)
        if answered and result.success:
            self.findings.warn(
                subject,
                f"It took {WRONG!r} for a value that is none by its own schema.",
                "Check what comes: a model may give anything.",
            )
        elif answered:
            self.findings.ok(subject, f"Refused: {result.text!r}")

    async def does(self, tool: ProviderTool) -> None:
        subject = f"{tool.name}, called"
        answered, bundle = await self._ask(subject, EXECUTE_TOOL, execute_extras(tool.name, {}))
        if not answered:
            return
        result = read_result(bundle)
        if bundle is None:
            self.findings.fail(subject, "It answered null.")
        elif not result.success:
            self.findings.warn(
                subject, f"It said that it failed: {result.text or 'without a reason'}"
            )
        elif result.text is None:
            self.findings.fail(subject, "It has no tool_result, or one that is no string.")
        else:
            self.findings.ok(subject, "It answered success with a result.")
