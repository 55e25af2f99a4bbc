"""A virtual phone behind a real link, and a client on it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from handheld.clock import Clock
from handheld.driver.by_helper.driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld.helper.jar import Jar, bundled_jar
from handheld.helper.protocol import (
    GREETING,
    CallRequest,
    Frame,
    FrameDecoder,
    FrameKind,
    decode_call,
    encode_frame,
    encode_json,
)
from handheld.helper.session import Timing
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process, Program
from harness.manual_clock import ManualClock
from harness.phones import WatchedLink, link_to
from harness.polling import HANG

QUICK = Timing(backoff_seconds=(0.0,))
"""For tests in which helpers are lost."""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def phone() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone() as phone:
        yield phone


@pytest.fixture
async def link(phone: VirtualPhone) -> AsyncIterator[WatchedLink]:
    async with link_to(phone) as link:
        yield WatchedLink(link)


Clients = Callable[..., HelperClient]


@pytest.fixture
async def clients(link: WatchedLink) -> AsyncIterator[Clients]:
    """Creates clients that are closed at the end."""
    made: list[HelperClient] = []

    def make(
        name: str = "suite",
        timing: Timing | None = None,
        jar: Jar | None = None,
        clock: Clock | None = None,
    ) -> HelperClient:
        client = HelperClient(link, client=name, timing=timing, jar=jar, clock=clock)
        made.append(client)
        return client

    yield make
    for client in made:
        await client.aclose()


@pytest.fixture
def client(clients: Clients) -> HelperClient:
    return clients()


@pytest.fixture
def driver(client: HelperClient) -> HelperDriver:
    return HelperDriver(client)


Reaction = Callable[["Script", Frame], Awaitable[None]]


class Script:
    """A scripted helper: it greets, records every frame, and reacts as the test defines."""

    def __init__(self, react: Reaction | None = None, *, hello: dict[str, Any] | None = None):
        self._react = react
        self._hello = {"build": bundled_jar().build, "features": []} if hello is None else hello
        self.frames: list[Frame] = []
        self.runs = 0
        self.changed = asyncio.Event()
        self._process: Process | None = None

    @property
    def program(self) -> Program:
        return self._run

    async def _run(self, process: Process) -> int:
        self.runs += 1
        self._process = process
        await self.write(GREETING + encode_json(FrameKind.HELLO, 0, self._hello))
        decoder = FrameDecoder()
        while data := await process.stdin.read():
            for frame in decoder.feed(data):
                self.frames.append(frame)
                self.changed.set()
                if self._react is not None:
                    await self._react(self, frame)
        return 0

    async def write(self, data: bytes) -> None:
        assert self._process is not None
        await self._process.stdout.write(data)

    async def reply(self, call: int, value: dict[str, Any]) -> None:
        await self.write(encode_json(FrameKind.REPLY, call, value))

    async def pong(self, frame: Frame) -> None:
        await self.write(encode_frame(Frame(FrameKind.PONG, frame.call)))

    @property
    def calls(self) -> list[CallRequest]:
        return [decode_call(frame.payload) for frame in self.frames if frame.kind == FrameKind.CALL]

    async def received(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG):
            while not done():
                self.changed.clear()
                await self.changed.wait()


def install(phone: VirtualPhone, program: Program) -> None:
    """Let `app_process` run another program than the reference helper."""
    phone.programs["app_process"] = program
