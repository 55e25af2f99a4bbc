"""Decides whether a call may run: by the owner's rules, and by a person where a rule says ask."""

import asyncio
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ..clock import SYSTEM_CLOCK, Clock
from ..errors import PermissionDenied
from ..settings.rules import Decision, Rule, Rules, Subject, Verdict
from ..toolkit.call import OWNER, Beside, ToolCall
from ..toolkit.shares import QUESTIONS, Shares
from .attendance import is_attended, tell_person
from .takeover import STOPPED

WAIT_SECONDS = 45.0
MOST_QUESTIONS = 100
"""At a time."""
_MOST_WAITING = 1000
"""Changes that a subscriber may be behind."""
SMS_TRANSPORT = "sms"
"""The transport of the surface that has the SMS tools alone."""

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
    """The owner's rule by which it is asked."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change in the state of a question."""

    pending: Pending
    state: Answered
    who: str = ""
    """Who answered."""


class ApprovalGate:
    """Questions and their answers, which are given in the console: no tool can give one."""

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        wait_seconds: float = WAIT_SECONDS,
        require_console: bool = False,
        optional: Iterable[str] = (),
        unless_plain: Iterable[str] = (),
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`optional` are the rules that ask only while a console is open. Calls that another rule
        asks about are denied then; with `require_console`, all of them. `unless_plain` are those
        that do not ask about plain calls."""
        self.consoles = 0
        """How many consoles are open now; updated by the console server."""
        self.gateways = 0
        """How many gateways there are at whose consoles somebody is."""
        self._rules = rules or Rules()
        self._wait_seconds = wait_seconds
        self._optional = (
            frozenset[Rule]() if require_console else frozenset(map(Rule.read, optional))
        )
        self._unless_plain = frozenset(map(Rule.read, unless_plain))
        self._clock = clock
        self._ids = itertools.count(1)
        self._open: dict[int, _Question] = {}
        self._shares = Shares(QUESTIONS)
        self._watches: list[QuestionSubscription] = []

    @property
    def _is_somebody_there(self) -> bool:
        return self.consoles + self.gateways > 0 or is_attended()

    def wants_app(self, call: ToolCall) -> bool:
        """Whether the apps on the screen make a difference to this call; `call.apps` is to be
        filled in then."""
        return not call.caller.person and any(map(self._rules.wants_app, _subjects(call, None)))

    async def ask(self, call: ToolCall) -> None:
        """Return when the call may run. Raises PermissionDenied. When this is cancelled, the
        question is gone."""
        if call.caller.person:
            return
        decision = self._decide(call)
        doubt = decision.rule is not None and decision.rule.app and not call.apps
        aside = " Which app is in front could not be told." if doubt else ""
        if decision.verdict is Verdict.DENY:
            raise PermissionDenied(
                f"The owner of the phone does not allow {call.tool} here: the rule"
                f" '{decision.rule}' denies it.{aside} Nothing was done. Do not look for a way"
                " around it; tell the user. The owner can change policy.deny in handheld.toml."
            )
        if decision.verdict is Verdict.ALLOW or self._runs_unasked(call, decision):
            return
        if self._is_somebody_there:
            await self._ask_person(call, str(decision.rule))
            return
        raise PermissionDenied(
            f"The owner of the phone wants to be asked before {call.tool} (rule '{decision.rule}'),"
            f" and no console is open.{aside} Nothing was done. Tell the user to open one with"
            " `handheld console`, for which `handheld serve` must run, and to leave it open; then"
            " call this again."
        )

    def _runs_unasked(self, call: ToolCall, decision: Decision) -> bool:
        # Starting the SMS surface is itself the decision that messages may be sent.
        if call.caller.transport == SMS_TRANSPORT:
            return True
        if call.listing.plain and decision.rule in self._unless_plain:
            return True
        return not self._is_somebody_there and decision.rule in self._optional

    def asks_person(self, call: ToolCall) -> bool:
        """Whether `ask` would wait for a person's answer now."""
        if call.caller.person or not self._is_somebody_there:
            return False
        decision = self._decide(call)
        return decision.verdict is Verdict.ASK and not self._runs_unasked(call, decision)

    def _decide(self, call: ToolCall) -> Decision:
        # With several apps on the screen a call may be about any of them: the strictest counts.
        apps = [app for app in call.apps if not isinstance(app, Beside)] or [None]
        decisions = [self._rules.decide(each) for app in apps for each in _subjects(call, app)]
        for app in call.apps:
            if isinstance(app, Beside):
                beside = map(self._rules.decide, _subjects(call, app))
                decisions += [one for one in beside if one.rule is not None and one.rule.app]
        return max(decisions, key=lambda one: one.verdict)

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> str | None:
        """The rule by which a call that may run must not go on while these apps are on the screen.
        Nobody is asked: what was allowed by the same rule goes on, but not in an app that the rule
        is about and the person did not see."""
        if call.caller.person:
            return None
        decision = self._decide(call._replace(apps=apps))
        if decision.verdict is Verdict.ALLOW:
            return None
        if decision.verdict is Verdict.DENY:
            return str(decision.rule)
        if self._runs_unasked(call, decision):
            return None
        if decision != self._decide(call):
            return str(decision.rule)
        unseen = [app for app in apps if app not in call.apps] if apps else [None]
        asking = (self._rules.decide(each) for app in unseen for each in _subjects(call, app))
        rules = (one.rule for one in asking if one.verdict is Verdict.ASK)
        return next((str(rule) for rule in rules if rule is not None and rule.app), None)

    async def _ask_person(self, call: ToolCall, rule: str) -> None:
        with self._shares.taken(call.caller.token) as room:
            if len(self._open) >= MOST_QUESTIONS or not room:
                most = f"{MOST_QUESTIONS} questions"
                if not room:
                    most = (
                        "As many questions of tokens as may"
                        f" ({QUESTIONS.of_one} of one, {QUESTIONS.of_all} of all)"
                    )
                raise PermissionDenied(
                    f"{most} wait for the owner of the phone already, so that"
                    f" {call.tool} was not asked about. Nothing was done."
                )
            await self._wait_for_answer(call, rule)

    async def _wait_for_answer(self, call: ToolCall, rule: str) -> None:
        asked_at = self._clock.time()
        pending = Pending(next(self._ids), call, asked_at, asked_at + self._wait_seconds, rule)
        question = self._open[pending.id] = _Question(pending)
        self._notify(Change(pending, "asked"))
        _tell_terminal(pending, self._wait_seconds)
        timer = asyncio.ensure_future(self._clock.sleep(self._wait_seconds))
        try:
            await asyncio.wait({question.answer, timer}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError as stop:
            # The person who takes over refuses what is asked.
            self._end(question, "denied" if STOPPED in stop.args else "withdrawn")
            raise
        finally:
            timer.cancel()
            await asyncio.gather(timer, return_exceptions=True)
        if not question.answer.done():
            self._end(question, "unanswered")
            raise PermissionDenied(
                f"The owner of the phone was asked about {call.tool} and did not answer within"
                f" {self._wait_seconds:.0f} s. Nothing was done. Tell the user that the question"
                " appears in the console (`handheld console` opens it); then call this again."
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
        """False: the question is not open any more, and this answer counts for nothing."""
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
            self._notify(Change(question.pending, state, who))

    def _notify(self, change: Change) -> None:
        for watch in self._watches:
            watch.put(change)


def _tell_terminal(pending: Pending, left: float) -> None:
    if is_attended():
        from .question import question  # which imports this module

        tell_person({**question(pending), "left": left})


class _Question:
    def __init__(self, pending: Pending) -> None:
        self.pending = pending
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()


def _subjects(call: ToolCall, app: str | None) -> list[Subject]:
    """The call as each of the tools that it stands for: what allows one does not allow another."""
    # Where no token is required, the caller is the owner or a program of the owner.
    token = call.caller.token or OWNER
    return [
        Subject((call.tool,) if call.tool == name else (call.tool, name), toolset, app, token)
        for name, toolset in call.listing.judged_as
    ]


class QuestionSubscription:
    """Changes to questions, with `async for`, until it is closed; a context manager closes it. A
    slow reader loses the oldest changes."""

    def __init__(self, gone: "Callable[[QuestionSubscription], None]") -> None:
        self._queue: asyncio.Queue[Change | None] = asyncio.Queue(_MOST_WAITING)
        self._gone = gone
        self._closed = False

    def put(self, change: Change | None) -> None:
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

    async def __anext__(self) -> Change:
        change = await self._queue.get()
        if change is None:
            self.put(None)  # for further iterations
            raise StopAsyncIteration
        return change
