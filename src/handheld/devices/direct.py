"""One phone whose adbd is connected directly over TCP, without an adb server."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from ..adb.direct import DirectLink, Keys, serial_at
from ..adb.link import AdbError, LinkLost
from ..adb.state import PhoneState, PhoneUnavailable
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ActionFailed, InvalidParams, UnknownPhone, Unreachable
from ..phone.phone import Phone
from ..screen.characters import plain
from ..screen.text import cut
from . import DeviceInfo, MakePhone, Notify, as_tool_error, release, unknown

ALLOW_SECONDS = 30.0
"""How long to wait for a person who has to allow the connection on the phone."""
_PICK_SECONDS = 20.0
_RETRY_SECONDS = (1.0, 10.0)

log = logging.getLogger("handheld")


class Endpoint(Protocol):
    """The address at which a phone's adbd listens."""

    @property
    def name(self) -> str: ...

    @property
    def clock(self) -> Clock: ...

    async def dial(self, on_waiting: Callable[[], None] | None = None) -> DirectLink:
        """Connect; `on_waiting` is called if a person at the phone has to allow it first. Raises
        AdbError."""
        ...

    def take_notice(self) -> str:
        """Return, once, the notice that the next caller must read before it acts; "" if there is
        none."""
        ...

    async def aclose(self) -> None: ...


class TcpEndpoint:
    """An adbd at a known address."""

    def __init__(
        self,
        host: str,
        port: int,
        keys: Keys,
        clock: Clock = SYSTEM_CLOCK,
        allow_within: float = ALLOW_SECONDS,
    ) -> None:
        self.name = serial_at(host, port)
        self._address = (host, port)
        self._keys = keys
        self.clock = clock
        self._allow_within = allow_within

    async def dial(self, on_waiting: Callable[[], None] | None = None) -> DirectLink:
        return await DirectLink.connect(
            *self._address,
            self._keys,
            allow_within=self._allow_within,
            on_waiting=on_waiting,
            clock=self.clock,
        )

    def take_notice(self) -> str:
        return ""

    async def aclose(self) -> None: ...


class DirectDevice:
    """Keeps one connection open. After a loss it redials immediately for a call, and otherwise
    after a pause."""

    def __init__(
        self, endpoint: Endpoint, make_phone: MakePhone, notify: Notify, slug: str = ""
    ) -> None:
        self._endpoint = endpoint
        self._clock = endpoint.clock
        self._slug = slug
        self._make_phone = make_phone
        self._notify = notify
        self._link: DirectLink | None = None
        self._phone: Phone | None = None
        self._lost_at: float | None = None
        """When the last connection was lost."""
        self._problem = ""
        self._dialling: asyncio.Task[DirectLink] | None = None
        self._waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the attempt waits for a person to allow this computer on the phone."""
        self._closed = False
        self._tried = asyncio.Event()
        self._watch = asyncio.create_task(self._keep(), name=f"keep {endpoint.name}")

    async def pick(self, ref: str | None) -> Phone:
        if ref is not None and not self.knows(ref):
            raise InvalidParams(unknown(ref, self.describe()))
        if self._phone is None or self._live is None:
            try:
                async with self._clock.timeout(_PICK_SECONDS):
                    await self._ensure()
            except TimeoutError:
                raise Unreachable(
                    f"{self._endpoint.name} did not answer within {_PICK_SECONDS:g} s."
                ) from None
            except AdbError as problem:
                raise as_tool_error(problem, self._lost_at) from problem
        if notice := self._endpoint.take_notice():
            raise ActionFailed(notice)
        assert self._phone is not None
        return self._phone

    async def present(self, ref: str | None) -> list[Phone]:
        await self.settle()
        if self._phone is None or not self.connected() or not (ref is None or self.knows(ref)):
            return []
        return [self._phone]

    async def slug_of(self, ref: str) -> str:
        if not self.knows(ref):
            raise UnknownPhone(unknown(ref, self.describe()))
        return self._slug

    def knows(self, ref: str) -> bool:
        serial = self._link.serial if self._link else ""
        return bool(ref) and ref in (self._slug, self._endpoint.name, serial)

    async def settle(self) -> None:
        with suppress(TimeoutError):
            async with self._clock.timeout(_PICK_SECONDS):
                await self._tried.wait()

    def connected(self) -> list[DeviceInfo]:
        return [] if self._live is None else [self._info(self._live)]

    def absent(self) -> list[str]:
        lost = DeviceInfo(self._endpoint.name, PhoneState.ABSENT, "", self._slug)
        return [] if self.connected() else [str(lost)]

    def describe(self) -> str:
        if self._live is not None:
            return f"Connected: {self._info(self._live)}."
        if self._problem:
            return self._problem
        return f"The phone {self._endpoint.name} is being connected."

    async def known(self) -> list[DeviceInfo]:
        try:
            async with self._clock.timeout(_PICK_SECONDS):
                link = await self._ensure()
        except PhoneUnavailable as problem:
            return [DeviceInfo(self._endpoint.name, problem.state, "", self._slug)]
        except (AdbError, TimeoutError):
            return [DeviceInfo(self._endpoint.name, PhoneState.OFFLINE, "", self._slug)]
        return [self._info(link)]

    def _info(self, link: DirectLink) -> DeviceInfo:
        # The model comes from the phone and is printed where line breaks matter.
        model = cut(plain(link.properties.get("ro.product.model", "")))
        return DeviceInfo(link.serial, PhoneState.DEVICE, model, self._slug)

    async def release(self, ref: str | None) -> str:
        return await release(await self.pick(ref))

    async def aclose(self) -> None:
        self._closed = True
        tasks: list[asyncio.Task[Any]] = [self._watch]
        tasks += [self._dialling] if self._dialling else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._drop()
        await self._endpoint.aclose()

    async def _ensure(self) -> DirectLink:
        """Return the connection. All callers share one attempt. It continues when a caller gives up
        or learns that the phone waits for a person, because the person may be about to answer its
        prompt."""
        if self._live is not None:
            return self._live
        attempt = self._attempt()
        await asyncio.wait({attempt, self._waiting}, return_when=asyncio.FIRST_COMPLETED)
        if attempt.done():
            return attempt.result()
        raise PhoneUnavailable(self._endpoint.name, PhoneState.UNAUTHORIZED)

    @property
    def _live(self) -> DirectLink | None:
        return None if self._link is None or self._link.lost else self._link

    def _attempt(self) -> asyncio.Task[DirectLink]:
        """The running attempt to connect, or a new one."""
        if self._closed:
            raise LinkLost(f"The phone {self._endpoint.name} is no longer served.")
        if self._dialling is None or self._dialling.done():
            self._waiting = asyncio.get_running_loop().create_future()
            self._dialling = asyncio.create_task(self._dial(), name=f"dial {self._endpoint.name}")
            # Retrieve the exception here, because every waiting caller may have given up.
            self._dialling.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._dialling

    async def _dial(self) -> DirectLink:
        await self._drop()
        try:
            link = await self._endpoint.dial(self._note_waiting)
        except AdbError as problem:
            self._report(str(problem))
            raise
        self._problem, self._lost_at = "", None
        self._link, self._phone = link, self._make_phone(link)
        self._notify(f"Phone {self._info(link)} is connected.")
        return link

    def _note_waiting(self) -> None:
        self._report(str(PhoneUnavailable(self._endpoint.name, PhoneState.UNAUTHORIZED)))
        self._waiting.set_result(None)
        self._tried.set()

    def _report(self, problem: str) -> None:
        if problem != self._problem:
            self._notify(problem)
        self._problem = problem

    async def _drop(self) -> None:
        link, phone = self._link, self._phone
        self._link = self._phone = None
        if phone is not None:
            await phone.aclose()
        if link is not None:
            await link.aclose()

    async def _keep(self) -> None:
        pause, longest = _RETRY_SECONDS
        while True:
            try:
                link = self._live or await asyncio.shield(self._attempt())
            except Exception as problem:
                self._tried.set()
                if not isinstance(problem, AdbError):
                    log.exception("The connection to %s failed; trying again.", self._endpoint.name)
                await self._clock.sleep(pause)
                pause = min(2 * pause, longest)
                continue
            self._tried.set()
            pause = _RETRY_SECONDS[0]
            await link.wait_lost()
            self._lost_at = self._clock.time()
            self._notify(f"Phone {link.serial} is gone.")
