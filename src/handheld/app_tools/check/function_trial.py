"""Tries the functions that an app declares to Android: their declarations and their answers."""

from collections.abc import Sequence
from typing import Any

from ...app_formats.app_functions import (
    DataType,
    DeclaredFunctions,
    Function,
    Impossible,
    TypeKind,
    Types,
)
from ...app_formats.app_functions.arguments import write
from ...driver import Driver
from ...driver.app_tools import AppFailed, AppProblem, DeclaringApp
from ..discovered import Unfit, words
from ..functions import make_function_tool
from .findings import Findings
from .service_trial import HOPELESS, WITHIN_MS, CannotTry, explain

WRONG = "many"
WRONG_TEXT = 5
"""Sent in place of a text."""


async def try_functions(
    findings: Findings,
    driver: Driver,
    app: DeclaringApp,
    declared: DeclaredFunctions,
    *,
    call: bool,
) -> None:
    """With `call`, also calls functions that need no arguments. Raises ToolError if the phone
    cannot be asked."""
    for problem in declared.problems:
        findings.fail("app functions", problem)
    types = Types(declared.types)
    fit = [one for one in declared.functions if _check(findings, app, one, types)]
    trial = _FunctionTrial(findings, driver, app)
    try:
        await _try_all(trial, [one for one in fit if one.enabled], types, call=call)
    except CannotTry as problem:
        findings.fail("calls", *problem.sentences)


def _check(findings: Findings, app: DeclaringApp, function: Function, types: Types) -> bool:
    """Returns whether the function can be called."""
    subject = _name(function)
    try:
        make_function_tool(app, function, types)
    except Unfit as problem:
        fix = "It is left out of every list until then."
        if function.returns is None:
            fix = "Name the newer file of the two in android.app.appfunctions.v2; " + fix
        findings.fail(subject, f"It {problem}.", fix)
        return False
    if not function.description.strip():
        findings.warn(
            subject,
            "Its description is empty.",
            "Write a KDoc and @AppFunction(isDescribedByKDoc = true): agents choose by it.",
        )
    if not function.enabled:
        findings.warn(subject, "It is switched off, so nobody can call it.")
    else:
        findings.ok(subject, "It is listed and switched on.")
    return True


async def _try_all(
    trial: "_FunctionTrial", functions: Sequence[Function], types: Types, *, call: bool
) -> None:
    free: list[Function] = []
    for function in functions:
        needed = [one for one in function.parameters if one.required]
        if not needed:
            free.append(function)
            continue
        await trial.refuses(f"{_name(function)}, missing {needed[0].name!r}", function, {})
        wrong = {one.name: _wrong(one.type, types) for one in needed}
        await trial.refuses(f"{_name(function)}, mistyped", function, wrong)
    if call:
        for function in free:
            await trial.does(function)
    elif free:
        trial.findings.warn(
            "calls",
            f"Not called, since it has effects: {', '.join(map(_name, free))}.",
            "handheld apps check PACKAGE --call does what takes no arguments.",
        )


def _wrong(type: DataType, types: Types) -> Any:
    """A value of another type."""
    try:
        return WRONG_TEXT if types.resolve(type).kind is TypeKind.STRING else WRONG
    except Impossible:
        return WRONG


def _name(function: Function) -> str:
    return words(function.short_name, 60)


class _FunctionTrial:
    def __init__(self, findings: Findings, driver: Driver, app: DeclaringApp) -> None:
        self.findings = findings
        self._driver = driver
        self._app = app

    async def _call(self, function: Function, arguments: dict[str, Any]) -> AppFailed | None:
        """Returns None if the function answered."""
        try:
            await self._driver.call_function(
                self._app.package, function.id, write(arguments), WITHIN_MS
            )
        except AppFailed as problem:
            if problem.problem in HOPELESS:
                raise CannotTry(problem) from problem
            return problem
        return None

    async def refuses(self, subject: str, function: Function, arguments: dict[str, Any]) -> None:
        problem = await self._call(function, arguments)
        if problem is None:
            self.findings.fail(
                subject,
                "It answered success.",
                "Throw AppFunctionInvalidArgumentException: a model may give anything.",
            )
        elif problem.problem is AppProblem.MISUSED:
            self.findings.ok(subject, f"Refused: {problem.message!r}")
        elif problem.problem is AppProblem.FAILED:
            self.findings.warn(
                subject,
                f"It failed where it should refuse: {problem.message or 'without a reason'}",
                "Throw AppFunctionInvalidArgumentException, which says that nothing was done.",
            )
        else:
            self.findings.fail(subject, *explain(problem, WITHIN_MS))

    async def does(self, function: Function) -> None:
        subject = f"{_name(function)}, called"
        problem = await self._call(function, {})
        if problem is None:
            self.findings.ok(subject, "It answered success.")
        elif problem.problem is AppProblem.FAILED:
            self.findings.warn(
                subject, f"It said that it failed: {problem.message or 'without a reason'}"
            )
        else:
            self.findings.fail(subject, *explain(problem, WITHIN_MS))
