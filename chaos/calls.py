"""A call with what it should do to a phone, and what came of it."""

import re
from dataclasses import dataclass
from enum import StrEnum

_DOUBT = re.compile(
    r"may or may not|may have been|begun and not completed|whether the message was sent"
    r"|had been typed|were pressed|during typing|was broken off|was done whole",
    re.I,
)
_NOTHING = re.compile(r"nothing was (tapped|scrolled)", re.I)


class Outcome(StrEnum):
    DONE = "done"
    FAILED = "not done"
    """It says, or a failure implies, that nothing was done."""
    UNKNOWN = "unknown"
    """It says that it may or may not have happened."""
    LEFT = "client left"
    """The client disconnected on purpose, before the answer."""
    REFUSED = "refused"
    """The server, not a tool, refused it: an error of JSON-RPC or HTTP."""
    LOST = "no answer"
    HUNG = "hung"


@dataclass(frozen=True, slots=True)
class Effect:
    """What the phone notes when it happens: a `row` or `button` that is clicked, a finger that
    comes `down`, a word that is `typed`, an `sms`, a line `appended`, a file `written`."""

    kind: str
    what: str
    times: int = 1


@dataclass(slots=True)
class Call:
    client: str
    phone: str
    tool: str
    effects: tuple[Effect, ...] = ()
    budget: float = 0.0
    """Seconds within which it must be answered."""
    began: float = 0.0
    """Seconds since the start of the run."""
    took: float = 0.0
    outcome: Outcome = Outcome.LOST
    text: str = ""
    """The reply, as far as it is kept."""


def judge(failed: bool, text: str) -> Outcome:
    """What a reply says about what happened."""
    if not failed:
        return Outcome.FAILED if _NOTHING.search(text.split("\n")[0]) else Outcome.DONE
    return Outcome.UNKNOWN if _DOUBT.search(text) else Outcome.FAILED


_STEPS = re.compile(r"(\d+) of \d+ done")


def outcome_of(call: Call, number: int) -> Outcome:
    """What was said about one of the call's effects: `phone_do` says how many of its steps, each
    with one effect, were done before one failed."""
    steps = _STEPS.match(call.text)
    if steps is None or call.outcome not in (Outcome.FAILED, Outcome.UNKNOWN):
        return call.outcome
    done = int(steps[1])
    if number == done:
        return call.outcome
    return Outcome.DONE if number < done else Outcome.FAILED
