"""`Phone` and `AsyncPhone`."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import ActionFailed, InvalidParams, TimedOut
from .async_verbs import AsyncVerbs
from .failures import ExpectationFailed
from .handle import Handle, parts_of, screen_of, text_of
from .screen import Picture, Screen, read_screen
from .verbs import Verbs

_LOOKED: Mapping[str, Any] = {"picture": "clean"}
_WAIT = "wait"


class Phone(Verbs, Handle):
    """An Android phone. Its methods are the tools that agents have, with the same names, parameters
    and sentences; what fails raises a `ToolError`.

        with Phone.virtual() as phone:
            phone.open("Settings")
            phone.tap("Network & internet")
            assert "Roaming" in phone.look()

    It can be used from several threads, and inside a running event loop.
    """

    def screenshot(self, path: "str | Path | None" = None) -> Picture:
        """Take a picture of the screen.

        Args:
            path: where to save it, too: .jpg, .png or .webp
        """
        __tracebackhide__ = True
        return _saved(self._look(_LOOKED), path)

    def expect(self, text: str, *, gone: bool = False, seconds: float = 10) -> Screen:
        """Wait until a text is visible, and return the screen. What it waits for in vain is a
        failed assertion: it raises `ExpectationFailed`, which is an `AssertionError`, too.

        Args:
            text: words on the screen, compared without regard to case, accents, width and spaces
            gone: wait until they are gone instead
            seconds: how long, at most 50
        """
        __tracebackhide__ = True
        waited = _waited(text, gone, seconds)
        try:
            reply = self._do(_WAIT, waited)
        except TimedOut as problem:
            if not problem.details:  # no screen: the phone has not answered
                raise
            failure = _unexpected(text, gone, seconds, problem)
        else:
            return _screen_after(reply)
        raise failure

    def call(self, tool: str, /, **arguments: Any) -> list[str | Picture]:
        """Call any tool by its name, as `handheld call` does: one for models (`phone_camera`), a
        documented one (`android_tap`, or `tap`), or one of an app. Return the parts of its reply.

        Args:
            tool: its name
            arguments: its arguments
        """
        __tracebackhide__ = True
        return parts_of(self._session.wait(self._session.call(tool, arguments)))

    def close(self) -> None:
        """Close the phone. What still runs in other threads is broken off."""
        self._end()

    def __enter__(self) -> Self:
        __tracebackhide__ = True
        self._session.wait(_opened)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _do(self, verb: str, arguments: Mapping[str, Any]) -> str:
        __tracebackhide__ = True
        return text_of(self._session.wait(self._session.call(verb, arguments, verb=True)))

    def _look(self, arguments: Mapping[str, Any]) -> Screen:
        __tracebackhide__ = True
        return screen_of(self._session.wait(self._session.call("look", arguments, verb=True)))


class AsyncPhone(AsyncVerbs, Handle):
    """An Android phone for asynchronous programs: as `Phone`, with methods to be awaited.

        async with AsyncPhone.virtual() as phone:
            await phone.open("Settings")
            assert "Display" in await phone.look()

    It can be used in any asyncio event loop, also in several. Who is cancelled while awaiting a
    method stops what it does on the phone.
    """

    @classmethod
    def of(cls, phone: Phone) -> Self:
        """The same phone for asynchronous code. It is closed by `phone`.

        Args:
            phone: the one to use
        """
        self = cls.__new__(cls)
        self._share(phone)
        return self

    async def screenshot(self, path: "str | Path | None" = None) -> Picture:
        """Take a picture of the screen.

        Args:
            path: where to save it, too: .jpg, .png or .webp
        """
        __tracebackhide__ = True
        return _saved(await self._look(_LOOKED), path)

    async def expect(self, text: str, *, gone: bool = False, seconds: float = 10) -> Screen:
        """Wait until a text is visible, and return the screen. What it waits for in vain is a
        failed assertion: it raises `ExpectationFailed`, which is an `AssertionError`, too.

        Args:
            text: words on the screen, compared without regard to case, accents, width and spaces
            gone: wait until they are gone instead
            seconds: how long, at most 50
        """
        __tracebackhide__ = True
        waited = _waited(text, gone, seconds)
        try:
            reply = await self._do(_WAIT, waited)
        except TimedOut as problem:
            if not problem.details:  # no screen: the phone has not answered
                raise
            failure = _unexpected(text, gone, seconds, problem)
        else:
            return _screen_after(reply)
        raise failure

    async def call(self, tool: str, /, **arguments: Any) -> list[str | Picture]:
        """Call any tool by its name, as `handheld call` does: one for models (`phone_camera`), a
        documented one (`android_tap`, or `tap`), or one of an app. Return the parts of its reply.

        Args:
            tool: its name
            arguments: its arguments
        """
        __tracebackhide__ = True
        return parts_of(await self._session.waited(self._session.call(tool, arguments)))

    async def close(self) -> None:
        """Close the phone. What still runs in other tasks is broken off."""
        if self._finalizer is not None:
            await asyncio.to_thread(self._end)

    async def __aenter__(self) -> Self:
        __tracebackhide__ = True
        await self._session.waited(_opened)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _do(self, verb: str, arguments: Mapping[str, Any]) -> str:
        __tracebackhide__ = True
        return text_of(await self._session.waited(self._session.call(verb, arguments, verb=True)))

    async def _look(self, arguments: Mapping[str, Any]) -> Screen:
        __tracebackhide__ = True
        call = self._session.call("look", arguments, verb=True)
        return screen_of(await self._session.waited(call))


async def _opened(connection: object) -> None:
    """Opening is all that is wanted."""


def _saved(screen: Screen, path: "str | Path | None") -> Picture:
    __tracebackhide__ = True
    if screen.picture is None:
        raise ActionFailed("The reply has no picture.")
    if path is not None:
        screen.picture.save(path)
    return screen.picture


def _waited(text: str, gone: bool, seconds: float) -> Mapping[str, Any]:
    """Without words, `wait` would wait until the screen rests."""
    __tracebackhide__ = True
    if not str(text or "").strip():
        raise InvalidParams("expect needs the words to wait for.")
    return {"text": text, "gone": gone or None, "seconds": seconds}


def _screen_after(reply: str) -> Screen:
    """The screen in the reply to a wait: what came up meanwhile stands before it."""
    lines = reply.split("\n")
    ids = (number for number, line in enumerate(lines) if read_screen(line).id)
    return read_screen("\n".join(lines[next(ids, 0) :]))


def _unexpected(text: str, gone: bool, seconds: float, problem: TimedOut) -> ExpectationFailed:
    state = "still" if gone else "not"
    failure = ExpectationFailed(
        f"{text!r} is {state} on the screen after {seconds:g} s.", *problem.details
    )
    for detail in problem.details:
        failure.add_note(detail)
    return failure
