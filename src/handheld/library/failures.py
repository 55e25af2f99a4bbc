"""The exceptions that methods raise: one hierarchy, whose messages are the sentences that agents
read."""

from ..devices.ownership import OwnerError, OwnerGone
from ..errors import (
    KINDS,
    ActionFailed,
    InvalidParams,
    TimedOut,
    ToolError,
    UnknownTool,
)
from ..settings import SettingsError
from .loop_thread import Broken


class PhoneClosed(ActionFailed):
    """The phone was used after it was closed, or closed while it was used."""


class ExpectationFailed(TimedOut, AssertionError):
    """The screen is not as a program expects. Test runners count it as a failed assertion."""


def as_failure(problem: Exception) -> ToolError | None:
    """Return the exception that a program gets; None if this is not a failure of a tool."""
    if isinstance(problem, ToolError):
        return _public(problem)
    if isinstance(problem, Broken):
        return PhoneClosed(
            "The phone was closed during this call: it may or may not have happened."
        )
    if isinstance(problem, UnknownTool):
        return InvalidParams(f"There is no tool {problem.name!r} here.")
    if isinstance(problem, SettingsError):
        return InvalidParams(str(problem))
    if isinstance(problem, OwnerError):
        return ActionFailed(str(problem))
    if isinstance(problem, OwnerGone):
        if told := _tls_problem(problem):
            return ActionFailed(f"{told} Nothing was done.")
        happened = "It may or may not have happened." if problem.sent else "Nothing was done."
        return ActionFailed(f"{problem.entry} does not answer. {happened}")
    return None


def _tls_problem(gone: OwnerGone) -> str:
    """Why TLS prevented the connection; empty if TLS was not the cause."""
    cause = None if gone.__cause__ is None else gone.__cause__.__cause__
    if gone.sent or not isinstance(cause, OSError):
        return ""
    from ssl import SSLCertVerificationError, SSLError

    if isinstance(cause, SSLCertVerificationError):
        why = f"a certificate that is not trusted: {cause.verify_message.rstrip('.')}"
        return f"{gone.entry} has {why}. Give the one that it made itself with cert=."
    if isinstance(cause, SSLError):
        return f"{gone.entry} does not speak TLS as this program does."
    return ""


def _public(problem: ToolError) -> ToolError:
    """The failure as one of the documented classes. Further details become its notes, which
    tracebacks and pytest print."""
    kind = next((kind for kind in KINDS if isinstance(problem, kind)), ToolError)
    failure = kind(problem.message, *problem.details)
    for detail in problem.details:
        failure.add_note(detail)
    return failure
