"""Running a request in an application, and stopping it: when its client cancels it or leaves, when
its token is revoked, and when the server stops."""

import asyncio

from ..clock import Clock
from .bearer import Bearer
from .calls import Calls, Key, OpenRequest, Outcome, Session, Stop
from .envelope import CANCELLED, Id, error_answer
from .exchange import App, Event, Exchange, HttpRefusal, Scope
from .limits import MAX_REQUESTS
from .mcp import SCOPE_OUTCOME
from .reply import Reply

TOKEN_CHECK_SECONDS = 1.0
"""How often the token of a running request is checked again."""
OUTCOME_SECONDS = 3.0
"""How long a cancelled call may take to report how far it got."""


class Runner:
    def __init__(self, bearer: Bearer, clock: Clock) -> None:
        self._bearer = bearer
        self._clock = clock
        self._calls = Calls()

    def check_capacity(self) -> None:
        """Raises HttpRefusal when too many requests are running."""
        if len(self._calls) >= MAX_REQUESTS:
            raise HttpRefusal(503, "busy", f"{MAX_REQUESTS} requests are running; try again later.")

    def cancel(self, session: Session, id: Id) -> None:
        """Stop a request that its client cancels."""
        self._calls.cancel(session, id)

    def stop_all(self) -> None:
        """Stop every request that has no answer yet; each client gets a 503."""
        self._calls.stop_all()

    async def run(
        self, app: App, exchange: Exchange, scope: Scope, body: bytes, key: Key, id: Id | None
    ) -> Reply | None:
        """The application's reply; None if the request was stopped and needs none. Raises
        HttpRefusal for other stops."""
        reply = Reply()
        left = asyncio.Event()
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Event:
            if pending:
                return pending.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(event: Event) -> None:
            call.answering = True
            reply.take(event)

        def check_token() -> None:
            nonlocal token_timer
            if self._bearer.holds(exchange):
                token_timer = self._clock.call_later(TOKEN_CHECK_SECONDS, check_token)
            else:
                left.set()
                call.stop(Stop.REVOKED)

        work = asyncio.ensure_future(app(scope, receive, send))
        watch = asyncio.ensure_future(exchange.gone())
        call = OpenRequest(work)
        token_timer = self._clock.call_later(TOKEN_CHECK_SECONDS, check_token)
        try:
            with self._calls.registered(key, call):
                await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    left.set()
                    call.stop(Stop.DISCONNECTED)
                    await asyncio.wait({work})
        finally:
            token_timer.cancel()
            work.cancel()
            watch.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        if call.stopped is not None:
            await self._answer_stopped(call.stopped, exchange, scope, id)
            return None
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error
        return reply

    async def _answer_stopped(
        self, stop: Stop, exchange: Exchange, scope: Scope, id: Id | None
    ) -> None:
        match stop:
            case Stop.CANCELLED:
                message = await self._with_outcome("The client cancelled this request.", scope)
                await exchange.send_json(200, error_answer(id, CANCELLED, message))
            case Stop.REVOKED:
                sentence = (
                    "The token of this request does not hold any more, so that it was stopped."
                )
                raise HttpRefusal(
                    401,
                    "unauthorized",
                    await self._with_outcome(sentence, scope),
                    www_authenticate="Bearer",
                )
            case Stop.SHUTDOWN:
                raise HttpRefusal(
                    503, "stopping", "The server is stopping; this request was stopped."
                )
            case Stop.DISCONNECTED:
                pass  # nobody is left to answer

    async def _with_outcome(self, sentence: str, scope: Scope) -> str:
        """The sentence, with how far the call got."""
        outcome: Outcome = scope.get(SCOPE_OUTCOME) or Outcome()
        await outcome.ended(OUTCOME_SECONDS, self._clock)
        return " ".join([sentence, *outcome.notes])
