"""Running requests, each token in its turn, and stopping them: when the client cancels one or
leaves, when its token is revoked, and when the server stops."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from enum import Enum, auto

from ..clock import Clock
from ..phone.leases.shares import REQUESTS, RoundRobin, Shares
from .answers import ToolOutcome
from .bearer import Bearer
from .envelope import CANCELLED, Id, error_answer
from .exchange import Exchange, Headers, HttpRefusal
from .limits import MAX_REQUESTS

TOKEN_CHECK_SECONDS = 1.0
"""How often the tokens of running requests are checked again."""
OUTCOME_SECONDS = 3.0
"""How long a cancelled call may take to report how far it got."""
_TURNS_SECONDS = 1.0
"""So long after requests of several tokens ran at a time, they are still taken in turns."""
Session = tuple[str, str]
"""The name of the request's token, and the client's session id."""
Key = tuple[Session, Id] | None
"""The client's session and its request id; None for requests that cannot be cancelled. Without a
session, two clients that both count from 1 could not be told apart."""


class Reply:
    """The response to a request that ran, held until it is complete."""

    def __init__(self, status: int = 500, body: bytes = b"", *, typed: bool = True) -> None:
        self.status = status
        self.headers: Headers = [(b"content-type", b"application/json")] if typed else []
        self.body = body

    async def send(self, exchange: Exchange) -> None:
        length = str(len(self.body)).encode("ascii")
        await exchange.send(self.status, self.body, [*self.headers, (b"content-length", length)])


Work = Callable[[], Awaitable[Reply]]


class Stop(Enum):
    """Why a request was stopped."""

    CANCELLED = auto()
    DISCONNECTED = auto()
    REVOKED = auto()
    SHUTDOWN = auto()


class OpenRequest:
    """A running request; it can be stopped until it has ended."""

    def __init__(self, cancel: Callable[[Stop], object]) -> None:
        self._cancel = cancel
        self.ended = False
        self.stopped: Stop | None = None

    def stop(self, why: Stop) -> None:
        if self.stopped is not None or self.ended:
            return
        self.stopped = why
        self._cancel(why)


class Calls:
    def __init__(self) -> None:
        self._running: defaultdict[Key, list[OpenRequest]] = defaultdict(list)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, key: Key, call: OpenRequest) -> None:
        self._count += 1
        self._running[key].append(call)

    def remove(self, key: Key, call: OpenRequest) -> None:
        self._count -= 1
        self._running[key].remove(call)
        if not self._running[key]:
            del self._running[key]

    def cancel(self, session: Session, id: Id) -> None:
        for call in list(self._running.get((session, id), [])):
            call.stop(Stop.CANCELLED)

    def stop_all(self) -> None:
        for calls in list(self._running.values()):
            for call in list(calls):
                call.stop(Stop.SHUTDOWN)


class FairQueue:
    """The order in which requests begin while several tokens send some: one at a time, each token
    in its turn. Otherwise one with ninety clients would get nine tenths of the server."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: Counter[str] = Counter()
        self._waiting = RoundRobin()
        self._until = 0.0

    async def begin(self, token: str) -> None:
        """Return when a request may begin; `end` must follow in any case."""
        self._running[token] += 1
        if len(self._running) > 1:
            self._until = self._clock.now() + _TURNS_SECONDS
        elif not self._waiting and (not self._until or self._clock.now() > self._until):
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        await self._waiting.join(token)

    def end(self, token: str) -> None:
        self._running[token] -= 1
        if not self._running[token]:
            del self._running[token]

    def _next(self) -> None:
        """Let one begin in each turn of the event loop, which serves all that wait for nothing."""
        self._waiting.let_next()
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)


class _TokenWatch:
    """Stops running requests once their tokens are no longer valid. One timer for all of them:
    most requests end long before it."""

    def __init__(self, bearer: Bearer, clock: Clock) -> None:
        self._bearer, self._clock = bearer, clock
        self._watched: dict[OpenRequest, Exchange] = {}
        self._waits = False

    def begin(self, request: OpenRequest, exchange: Exchange) -> None:
        self._watched[request] = exchange
        if not self._waits:
            self._waits = True
            self._clock.call_later(TOKEN_CHECK_SECONDS, self._check)

    def end(self, request: OpenRequest) -> None:
        del self._watched[request]

    def _check(self) -> None:
        self._waits = bool(self._watched)
        if self._waits:
            self._clock.call_later(TOKEN_CHECK_SECONDS, self._check)
        for request, exchange in list(self._watched.items()):
            if not self._bearer.holds(exchange):
                request.stop(Stop.REVOKED)


class Runner:
    def __init__(self, bearer: Bearer, clock: Clock) -> None:
        self._bearer = bearer
        self._clock = clock
        self._watch = _TokenWatch(bearer, clock)
        self._calls = Calls()
        self._shares = Shares(REQUESTS)
        self._starts = FairQueue(clock)

    def check_capacity(self, token: str) -> None:
        """Raises HttpRefusal when too many requests are running, of all or of this token."""
        if len(self._calls) >= MAX_REQUESTS:
            raise HttpRefusal(503, "busy", f"{MAX_REQUESTS} requests are running; try again later.")
        if not self._shares.room(token):
            raise HttpRefusal(
                503,
                "busy",
                f"{REQUESTS.of_one} requests of a token, and {REQUESTS.of_all} of all tokens but"
                " the owner's, may run at a time; try again later.",
            )

    def cancel(self, session: Session, id: Id) -> None:
        """Stop a request that its client cancels."""
        self._calls.cancel(session, id)

    def stop_all(self) -> None:
        """Stop every request that has no answer yet; each client gets a 503."""
        self._calls.stop_all()

    async def run(
        self, work: Work, exchange: Exchange, key: Key, id: Id | None, outcome: ToolOutcome
    ) -> Reply | None:
        """The reply; None if the request was stopped and needs none. Raises HttpRefusal for other
        stops."""
        task = asyncio.current_task()
        assert task is not None
        answer: asyncio.Future[None] | None = None

        def cancel(why: Stop) -> None:
            nonlocal answer
            # Before the work ends, which may take longer than its client waits.
            answer = asyncio.ensure_future(self._answer_stopped(why, exchange, outcome, id))
            task.cancel()

        def leave() -> None:
            request.stop(Stop.DISCONNECTED)

        request = OpenRequest(cancel)
        unwatch = exchange.watch(leave)
        self._watch.begin(request, exchange)
        token = exchange.token or ""
        # Until the work has ended, which may be after the answer to a request that was stopped.
        self._calls.add(key, request)
        self._shares.take(token)
        reply: Reply | None = None
        try:
            await self._starts.begin(token)
            # In this task: another one, and waiting for it, would be a tenth of a call.
            reply = await work()
        except asyncio.CancelledError:
            if request.stopped is None and task.cancelling():
                raise
            reply = Reply()
        except Exception:
            if request.stopped is None:
                raise
        finally:
            request.ended = True
            unwatch()
            self._watch.end(request)
            self._calls.remove(key, request)
            self._shares.take(token, -1)
            self._starts.end(token)
        if answer is None:
            return reply
        task.uncancel()
        await answer
        return None

    async def _answer_stopped(
        self, stop: Stop, exchange: Exchange, outcome: ToolOutcome, id: Id | None
    ) -> None:
        match stop:
            case Stop.CANCELLED:
                message = await self._with_outcome("The client cancelled this request.", outcome)
                await exchange.send_json(200, error_answer(id, CANCELLED, message))
            case Stop.REVOKED:
                sentence = "The token of this request is no longer valid, so it was stopped."
                told = await self._with_outcome(sentence, outcome)
                raise self._bearer.refuse(exchange, told, "invalid_token")
            case Stop.SHUTDOWN:
                raise HttpRefusal(
                    503, "stopping", "The server is stopping; this request was stopped."
                )
            case Stop.DISCONNECTED:
                pass  # nobody is left to answer

    async def _with_outcome(self, sentence: str, outcome: ToolOutcome) -> str:
        """The sentence, with how far the call got."""
        await outcome.ended(OUTCOME_SECONDS, self._clock)
        return " ".join([sentence, *outcome.notes])
