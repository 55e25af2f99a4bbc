"""Decides whether a call may run: by the owner's rules, and by a person where a rule says ask."""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..clock import SYSTEM_CLOCK, Clock
from ..errors import PermissionDenied
from ..phone.leases.shares import OWNER, QUESTIONS, Shares
from ..settings.questions import (
    APPS_RULE,
    DEFAULT_ASK,
    OUTCOMES,
    SMS_RULE,
    Kind,
    Present,
    RuleOutcome,
)
from ..settings.rules import Decision, Rule, Rules, Subject, Verdict
from ..tools.app_offer import Standing
from ..tools.call import Beside, ToolCall
from ..tools.listing import OTHER_DEVICE
from .allowance import Allowance
from .attendance import is_attended, tell_person
from .remedy import NO_REMEDY, START, Remedy, find_remedy
from .takeover import STOPPED

WAIT_SECONDS = 45.0
MOST_QUESTIONS = 100
"""At the same time."""
MOST_ASKED = 200_000
"""The most characters of the arguments, as JSON in ASCII. They fit into one message of a fleet."""
_PHONES = ("device", "phone", OTHER_DEVICE)
"""Arguments that choose the phone. A question names the phone separately."""
_MOST_WAITING = 1000
"""How many changes a subscriber may lag behind."""
SMS_TRANSPORT = "sms"
"""The transport of the surface that has only the SMS tools."""

_APPS = {
    Standing.APPROVED: Kind.TRUSTED_APP,
    Standing.OURS: Kind.TRUSTED_APP,
    Standing.FOUND: Kind.FOUND_APP,
}
"""The kinds of calls to apps' tools. All other apps appeared after the first look at the phone."""
_BY_STRICTNESS = (RuleOutcome.ALLOWED, RuleOutcome.ASKED, RuleOutcome.DENIED)
_STRICTNESS = {kind: tuple(map(_BY_STRICTNESS.index, OUTCOMES[kind])) for kind in Kind}

_NO_OTHER_WAY = "Do not do it another way; tell your user."

Answered = Literal["asked", "allowed", "denied", "unanswered", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits for a person."""

    id: int
    call: ToolCall
    asked_at: float
    """In seconds since 1970, as is `until`."""
    until: float
    rule: str
    """The rule that asks."""
    remedy: Remedy = NO_REMEDY
    """How the owner allows such calls for good."""

    def as_json(self) -> dict[str, Any]:
        """The question as a person sees it. The arguments are unmasked and complete: a yes is valid
        only for what was shown."""
        call = self.call
        return {
            "id": self.id,
            "call": call.id,
            "tool": call.tool,
            "title": call.listing.title,
            "arguments": _shown(call),
            "phone": call.phone,
            "app": ", ".join(app for app in call.apps if not isinstance(app, Beside)),
            "screen": call.screen,
            "subject": call.subject,
            "client": call.caller.client,
            "door": call.caller.transport,
            "token": call.caller.token,
            "asked_at": self.asked_at,
            "until": self.until,
            "rule": self.rule,
            "package": call.listing.offer.package if call.listing.offer else "",
            "allow_by": {"setting": self.remedy.setting, "command": self.remedy.command},
            "always": self.remedy.app is not None,
        }


def _shown(call: ToolCall) -> dict[str, Any]:
    """The arguments that the tool declares, in its order. Undeclared arguments do nothing and could
    push the others out of sight, so only their number is shown."""
    declared: Mapping[str, Any] = call.listing.input_schema.get("properties", {})
    shown = {name: call.arguments[name] for name in declared if name in call.arguments}
    if more := sum(name not in declared and name not in _PHONES for name in call.arguments):
        note = "…"
        while note in shown:
            note += "…"
        shown[note] = f"{more} more that the tool does not declare, which do nothing"
    return shown


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A change in the state of a question."""

    pending: Pending
    state: Answered
    who: str = ""
    """Who answered."""


class ApprovalGate:
    """Questions and their answers. Only the console gives answers; no tool can."""

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        wait_seconds: float = WAIT_SECONDS,
        require_console: bool = False,
        allowance: Allowance | None = None,
        clock: Clock = SYSTEM_CLOCK,
        start: str = START,
    ) -> None:
        """`allowance` limits the messages sent without a question because nobody is there. `start`
        is the command that started this process, as the owner reads it."""
        self.consoles = 0
        """How many consoles are open now. The console server updates it."""
        self.gateways = 0
        """How many gateways have somebody at their console."""
        self._rules = rules or Rules()
        self._wait_seconds = wait_seconds
        self._require_console = require_console
        self._allowance = allowance
        self._clock = clock
        self._start = start
        self._ids = itertools.count(1)
        self._open: dict[int, _Question] = {}
        self._shares = Shares(QUESTIONS)
        self._watches: list[QuestionSubscription] = []

    @property
    def _present(self) -> Present:
        if self.consoles + self.gateways > 0 or is_attended():
            return Present.SOMEBODY
        return Present.NOBODY_REQUIRED if self._require_console else Present.NOBODY

    def wants_app(self, call: ToolCall) -> bool:
        """Whether the verdict on this call depends on the apps on the screen. The caller then fills
        in `call.apps`."""
        return not call.caller.person and any(map(self._rules.wants_app, _subjects(call, None)))

    async def ask(self, call: ToolCall) -> None:
        """Return when the call may run. Cancelling this withdraws the question. Raises
        PermissionDenied."""
        if call.caller.person:
            return
        judged = self._judge(call)
        outcome = judged.outcome(self._present)
        if outcome is RuleOutcome.ALLOWED:
            self._count_unasked(call, judged)
            return
        if outcome is RuleOutcome.ASKED:
            await self._ask_person(call, judged)
            return
        doubt = judged.rule is not None and judged.rule.app and not call.apps
        aside = " The app in front is not known." if doubt else ""
        if judged.kind is Kind.DENIED:
            raise PermissionDenied(
                f"Not done: {call.tool}, because the rule '{judged.rule}' denies it.{aside}"
                f" {_NO_OTHER_WAY}",
                for_owner=f"policy.deny has the rule '{judged.rule}'.",
            )
        raise _needs_owner(
            call,
            f"The rule '{judged.rule}' asks about it, and nobody was there.",
            self._remedy(call),
            aside,
        )

    def _count_unasked(self, call: ToolCall, judged: "_Judged") -> None:
        """Raises PermissionDenied once the hour's messages without a question are used up."""
        unasked = judged.kind is Kind.RISKY and str(judged.rule) == SMS_RULE
        if unasked and self._allowance is not None and not self._allowance.take():
            raise _needs_owner(
                call,
                f"Nobody was there, and {self._allowance.most} messages in an hour are sent without"
                " a question (sms.unasked_per_hour).",
                self._remedy(call),
            )

    def asks_person(self, call: ToolCall) -> bool:
        """Whether `ask` would wait for a person's answer now."""
        if call.caller.person:
            return False
        return self._judge(call).outcome(self._present) is RuleOutcome.ASKED

    def _judge(self, call: ToolCall) -> "_Judged":
        # With several apps on the screen, a call may be about any of them, so the strictest verdict
        # counts.
        return max(self._judge_each(call), key=lambda one: _STRICTNESS[one.kind])

    def _judge_each(self, call: ToolCall) -> "list[_Judged]":
        """The call judged as each of its abilities, in each of the apps."""
        apps = [app for app in call.apps if not isinstance(app, Beside)] or [None]
        subjects = [each for app in apps for each in _subjects(call, app)]
        decided = [(self._rules.decide(each), each) for each in subjects]
        for app in call.apps:
            if isinstance(app, Beside):
                beside = [(self._rules.decide(each), each) for each in _subjects(call, app)]
                decided += [one for one in beside if one[0].rule is not None and one[0].rule.app]
        return [_Judged(self._kind(call, one), one, each) for one, each in decided]

    def _kind(self, call: ToolCall, decision: Decision) -> Kind:
        if decision.verdict is Verdict.DENY:
            return Kind.DENIED
        # Whoever starts the SMS surface has thereby decided that messages may be sent.
        if decision.verdict is Verdict.ALLOW or call.caller.transport == SMS_TRANSPORT:
            return Kind.UNASKED
        if decision.rule not in self._rules.default:
            return Kind.OWN
        if call.listing.plain:
            return Kind.UNASKED
        if str(decision.rule) == APPS_RULE and call.listing.offer is not None:
            return _APPS.get(call.listing.offer.standing, Kind.LATER_APP)
        return DEFAULT_ASK[str(decision.rule)]

    def _remedy(self, call: ToolCall) -> Remedy:
        asking = [one for one in self._judge_each(call) if one.decision.verdict is Verdict.ASK]
        return find_remedy(
            self._rules,
            [(one.decision.rule, one.subject) for one in asking if one.decision.rule is not None],
            call.listing.offer,
            self._start,
        )

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> str | None:
        """The rule that stops a running call while these apps are on the screen. This asks nobody:
        a call that the same rule allowed goes on, except in an app that the rule is about and that
        the person did not see."""
        if call.caller.person:
            return None
        judged = self._judge(call._replace(apps=apps))
        if judged.kind is Kind.DENIED:
            return str(judged.rule)
        if judged.outcome(self._present) is RuleOutcome.ALLOWED:
            return None
        if judged.decision != self._judge(call).decision:
            return str(judged.rule)
        unseen = [app for app in apps if app not in call.apps] if apps else [None]
        asking = (self._rules.decide(each) for app in unseen for each in _subjects(call, app))
        rules = (one.rule for one in asking if one.verdict is Verdict.ASK)
        return next((str(rule) for rule in rules if rule is not None and rule.app), None)

    async def _ask_person(self, call: ToolCall, judged: "_Judged") -> None:
        if (size := len(json.dumps(_shown(call)))) > MOST_ASKED:
            raise PermissionDenied(
                f"The owner of the phone has to approve {call.tool} and must be able to read all"
                f" of its arguments: they have {size} characters as JSON, and {MOST_ASKED} are"
                " allowed. Nothing was done. Do it in smaller parts."
            )
        with self._shares.taken(call.caller.token) as room:
            if len(self._open) >= MOST_QUESTIONS or not room:
                most = f"{MOST_QUESTIONS} questions"
                if not room:
                    most = (
                        f"The most questions that tokens may have open ({QUESTIONS.of_one} of"
                        f" one, {QUESTIONS.of_all} of all)"
                    )
                raise PermissionDenied(
                    f"{most} wait for the owner of the phone already, so"
                    f" {call.tool} was not asked about. Nothing was done."
                )
            await self._wait_for_answer(call, str(judged.rule))

    async def _wait_for_answer(self, call: ToolCall, rule: str) -> None:
        asked_at, remedy = self._clock.time(), self._remedy(call)
        until = asked_at + self._wait_seconds
        pending = Pending(next(self._ids), call, asked_at, until, rule, remedy)
        question = self._open[pending.id] = _Question(pending)
        self._notify(QuestionChange(pending, "asked"))
        _tell_terminal(pending, self._wait_seconds)
        timer = asyncio.ensure_future(self._clock.sleep(self._wait_seconds))
        try:
            await asyncio.wait({question.answer, timer}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError as stop:
            # The person who takes over the phone refuses the call.
            self._end(question, "denied" if STOPPED in stop.args else "withdrawn")
            raise
        finally:
            timer.cancel()
            await asyncio.gather(timer, return_exceptions=True)
        if not question.answer.done():
            self._end(question, "unanswered")
            seconds = f"{self._wait_seconds:.0f} s"
            raise _needs_owner(
                call,
                f"Nobody answered the question within {seconds}.",
                remedy,
                f" There was no answer within {seconds}.",
            )
        if not question.answer.result():
            raise PermissionDenied(
                f"The owner of the phone was asked about {call.tool} and said no. Nothing was done."
                " Do not repeat it, nor look for a way around it, unless the user says so."
            )

    def pending(self) -> list[Pending]:
        """The oldest first."""
        return [question.pending for question in self._open.values()]

    def answer(self, id: int, allow: bool, who: str) -> bool:
        """Returns False if the question is no longer open; this answer then has no effect."""
        question = self._open.get(id)
        if question is None:
            return False
        question.answer.set_result(allow)
        self._end(question, "allowed" if allow else "denied", who)
        return True

    def subscribe(self) -> "QuestionSubscription":
        """Every question and answer from now on."""
        watch = QuestionSubscription(self._watches.remove)
        self._watches.append(watch)
        return watch

    def _end(self, question: "_Question", state: Answered, who: str = "") -> None:
        if self._open.pop(question.pending.id, None) is not None:
            self._notify(QuestionChange(question.pending, state, who))

    def _notify(self, change: QuestionChange) -> None:
        for watch in self._watches:
            watch.put(change)


def _tell_terminal(pending: Pending, left: float) -> None:
    if is_attended():
        tell_person({**pending.as_json(), "left": left})


class _Judged(NamedTuple):
    """A call as one of its abilities."""

    kind: Kind
    decision: Decision
    subject: Subject

    @property
    def rule(self) -> Rule | None:
        return self.decision.rule

    def outcome(self, present: Present) -> RuleOutcome:
        return OUTCOMES[self.kind][present]


def _needs_owner(call: ToolCall, why: str, remedy: Remedy, aside: str = "") -> PermissionDenied:
    """`why` and the remedy are for the owner only: an agent that has a shell could use them."""
    return PermissionDenied(
        f"Not done: {call.tool} needs the owner.{aside} {_NO_OTHER_WAY}",
        for_owner=f"{why} {remedy}".rstrip(),
    )


class _Question:
    def __init__(self, pending: Pending) -> None:
        self.pending = pending
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()


def _subjects(call: ToolCall, app: str | None) -> list[Subject]:
    """The call as each of its abilities: a rule that allows one does not allow another."""
    # Without tokens, the caller is the owner or one of the owner's programs.
    token = call.caller.token or OWNER
    return [
        Subject(
            (call.tool,) if call.tool == ability else (call.tool, ability),
            call.listing.toolset_of(ability),
            app,
            token,
        )
        for ability in call.listing.abilities
    ]


class QuestionSubscription:
    """Changes to questions. Read them with `async for` until it is closed; a context manager closes
    it. A slow reader loses the oldest changes."""

    def __init__(self, gone: "Callable[[QuestionSubscription], None]") -> None:
        self._queue: asyncio.Queue[QuestionChange | None] = asyncio.Queue(_MOST_WAITING)
        self._gone = gone
        self._closed = False

    def put(self, change: QuestionChange | None) -> None:
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(change)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._gone(self)
            self.put(None)

    def __enter__(self) -> "QuestionSubscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> "QuestionSubscription":
        return self

    async def __anext__(self) -> QuestionChange:
        change = await self._queue.get()
        if change is None:
            self.put(None)  # later iterations end, too
            raise StopAsyncIteration
        return change
