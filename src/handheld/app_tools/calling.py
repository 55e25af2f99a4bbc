"""Turns failed calls to apps into errors for the caller."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from ..driver import Driver
from ..driver.app_tools import AppFailed, AppProblem, DeclaringApp
from ..errors import ActionFailed, InvalidParams, PermissionDenied, TimedOut, ToolError
from ..screen.text import brief
from ..tools.tool import json_text
from .discovered import app_failed, end_sentence, name_app

EXTRAS_LIMIT = 512 * 1024
"""UTF-8 bytes of a call's message as JSON. The helper forwards no longer ones."""

_MESSAGE_LIMIT = 1000
"""UTF-16 units of a quoted message, which may repeat the app's declarations."""
_DOUBT = "It may or may not have done what it was asked."


def check_size(extras: Mapping[str, Any]) -> None:
    """Raises InvalidParams. Checks the whole message, because some arguments are sent twice."""
    size = len(json_text(extras).encode("utf-8", "replace"))
    if size > EXTRAS_LIMIT:
        raise InvalidParams(
            f"The arguments take {size} bytes on their way to the app; {EXTRAS_LIMIT} are the most."
            " Nothing was done."
        )


@asynccontextmanager
async def asking(driver: Driver, app: DeclaringApp, within_ms: int) -> AsyncGenerator[None]:
    """Turn AppFailed into the error that a tool raises."""
    try:
        yield
    except AppFailed as problem:
        ended = ""
        if problem.problem is AppProblem.DIED:
            ended = await driver.find_exit_reason(app.package, within_ms)
        raise _explain(problem, app, within_ms, ended or "ended") from problem


def switched_off(name: str) -> str:
    return f"{name} has switched this function off."


def refused_arguments(app: DeclaringApp, message: str) -> ToolError:
    """The error for arguments that the app refused; it did nothing."""
    theirs = app_failed(app, message)
    ours = f"{name_app(app)} refused the arguments. Nothing was done. {theirs.message}"
    return InvalidParams(ours, *theirs.details)


def failed_in_part(app: DeclaringApp, message: str) -> ToolError:
    theirs = app_failed(app, message)
    return ActionFailed(f"{name_app(app)} failed. {_DOUBT} {theirs.message}", *theirs.details)


def _explain(problem: AppFailed, app: DeclaringApp, within_ms: int, ended: str) -> ToolError:
    name, message = name_app(app), end_sentence(brief(problem.message, _MESSAGE_LIMIT))
    match problem.problem:
        case AppProblem.GONE:
            return ActionFailed(
                f"{name} is no longer on the phone, or no longer offers this. Nothing was done."
                " List the tools again."
            )
        case AppProblem.REFUSED:
            return PermissionDenied(f"{name} does not let adb call it: {message} Nothing was done.")
        case AppProblem.NOT_STARTED:
            return ActionFailed(
                f"Android did not let {name} start: {message} Nothing was done. Opening"
                " the app once may help."
            )
        case AppProblem.UNREACHABLE:
            return ActionFailed(f"{name} was not called. {message}")
        case AppProblem.DIED:
            return ActionFailed(f"{name} {ended} before it had answered. {_DOUBT}")
        case AppProblem.THREW:
            return app_failed(app, problem.message)
        case AppProblem.MISUSED:
            return refused_arguments(app, problem.message)
        case AppProblem.SWITCHED_OFF:
            return ActionFailed(f"{switched_off(name)} Nothing was done.")
        case AppProblem.FORBIDDEN:
            return PermissionDenied(
                f"The phone's administrator does not allow {name} to be called: {message} Nothing"
                " was done."
            )
        case AppProblem.FAILED:
            return failed_in_part(app, problem.message)
        case AppProblem.BROKEN:
            return ActionFailed(f"Android failed while it called {name}: {message} {_DOUBT}")
        case AppProblem.SILENT:
            others = ""
            if problem.dropped == 1:
                others = " It sent a reply to another request, which was dropped."
            elif problem.dropped:
                others = (
                    f" It sent {problem.dropped} replies to other requests, which were dropped."
                )
            seconds = (problem.after_ms or within_ms) / 1000
            return TimedOut(f"{name} did not answer within {seconds:g} s.{others} {_DOUBT}")
