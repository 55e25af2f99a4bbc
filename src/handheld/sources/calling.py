"""Why a call to an app came to nothing, in words for whoever called."""

from collections.abc import Generator
from contextlib import contextmanager

from ..errors import ActionFailed, PermissionDenied, TimedOut, ToolError
from ..hands.offers import AppFailed, AppProblem, OfferingApp
from .offer import app_failed, name_app

_DOUBT = "It may or may not have done what it was asked."


@contextmanager
def asking(app: OfferingApp, within_ms: int) -> Generator[None]:
    """Turns AppFailed into what a tool raises."""
    try:
        yield
    except AppFailed as problem:
        raise _explain(problem, app, within_ms) from problem


def _explain(problem: AppFailed, app: OfferingApp, within_ms: int) -> ToolError:
    name = name_app(app)
    match problem.problem:
        case AppProblem.GONE:
            return ActionFailed(
                f"{name} is no longer on the phone, or no longer offers this. Nothing was done."
                " List the tools again."
            )
        case AppProblem.REFUSED:
            return PermissionDenied(
                f"{name} does not let adb call it: {problem.message} Nothing was done."
            )
        case AppProblem.NOT_STARTED:
            return ActionFailed(
                f"Android did not let {name} start: {problem.message} Nothing was done. Opening"
                " the app once may help."
            )
        case AppProblem.UNREACHABLE:
            return ActionFailed(f"{name} was not called. {problem.message}")
        case AppProblem.DIED:
            return ActionFailed(f"{name} crashed before it had answered. {_DOUBT}")
        case AppProblem.THREW:
            return app_failed(app, problem.message)
        case AppProblem.SILENT:
            others = ""
            if problem.dropped:
                replies = "a reply" if problem.dropped == 1 else f"{problem.dropped} replies"
                others = f" It sent {replies} to other requests, which were dropped."
            seconds = within_ms / 1000
            return TimedOut(f"{name} did not answer within {seconds:g} s.{others} {_DOUBT}")
