"""The person who makes a call at a terminal is asked about it there."""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..access.attendance import attended
from .tty import Tty, open_tty

if TYPE_CHECKING:
    from .asking import PersonAnswer, Prompt

Reply = Callable[[int, "PersonAnswer"], str]
"""Gives an answer to whoever asked. Returns what came of it, as a sentence."""


@contextmanager
def at_terminal(reply: Reply, *, lasting: bool) -> Generator[None]:
    """Ask here about the calls of this block. Without a terminal they are as any other caller's:
    an agent with a shell can make them, too. `lasting`: an answer may be for all later calls."""
    tty = open_tty()
    if tty is None:
        yield
        return
    person = _Person(tty, reply, lasting)
    try:
        with attended(person.tell):
            yield
    finally:
        person.leave()
        tty.close()


class _Person:
    """Is asked in a thread: the call goes on if somebody else answers, or nobody in time."""

    def __init__(self, tty: Tty, reply: Reply, lasting: bool) -> None:
        self._tty = tty
        self._lasting = lasting
        self._reply = reply
        self._asking: tuple[threading.Thread, Prompt] | None = None

    def tell(self, question: Mapping[str, Any]) -> None:
        from .asking import Prompt  # most calls are not asked about

        self.leave()
        always = self._lasting and bool(question.get("always"))
        prompt = Prompt(self._tty, {**question, "always": always})
        thread = threading.Thread(target=self._ask, args=(prompt, question["id"]), daemon=True)
        self._asking = thread, prompt
        thread.start()

    def _ask(self, prompt: "Prompt", id: int) -> None:
        with suppress(OSError):  # the terminal is gone
            answer = prompt.ask()
            if answer is not None and (said := self._reply(id, answer)):
                self._tty.print(said)

    def leave(self) -> None:
        if self._asking is not None:
            thread, prompt = self._asking
            prompt.end()
            thread.join()
            prompt.close()
            self._asking = None
