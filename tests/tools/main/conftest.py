"""A virtual phone, and the tools on it as an MCP client has them."""

import asyncio
import base64
import re
from collections.abc import (
    AsyncGenerator,
    Callable,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import httpx
import pytest

from fleet.nats.lab import Lab
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.adb.direct import DirectLink
from handheld.adb.link import Link
from handheld.calls.choice import ChosenSurface
from handheld.calls.local import Caller, LocalSurface, Surface
from handheld.calls.options import SurfaceOptions
from handheld.driver.by_shell.unsupported import Unsupported, refusal
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.server.options import HttpOptions
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Image, Item, Listing
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.releases import DEFAULT_API
from harness.one_phone import ALL_ON
from harness.phones import PhoneClock, reached
from harness.polling import HANG
from harness.serving import served
from harness.through_engine import Current, open_way

TOKEN = "tests"
LONGEST_PAUSE_MS = 3000
"""What a call may wait for in one go. Budgets and the helper's silence take longer."""
LONGEST_SHELL_PAUSE_MS = 12_000
"""Android's own programs wait up to 10 s for a screen to come to rest."""

SHELL_ALONE = ("test_makers", "test_without_helper")
"""The modules whose tests without the helper `make test` runs. `WHAT=all` has the others."""

Result = TypeVar("Result")


class Counter:
    """The surface that the one server of a test module serves: that of the test at hand. With
    `--through engine` it is that of a host, and calls come through a gateway."""

    surface: LocalSurface
    failed: ToolError | None = None
    """The last failure: its kind does not show on the wire."""
    kind = ""
    """Which surface it is, as filters name it."""
    gateway: Surface | None = None
    phone: str | None = None
    """What the gateway calls the phone."""

    def __init__(self) -> None:
        self.others: dict[str, Surface] = {}
        """Further surfaces of the same phone."""

    def at_host(self) -> Surface:
        return ChosenSurface(self.surface, self.surface, self.others)

    def beside(self, kind: str, surface: LocalSurface) -> "Counter":
        """A further surface of the same phone, on the same way."""
        self.others[kind] = surface
        other = Counter()
        other.kind, other.surface = kind, surface
        other.gateway, other.phone = self.gateway, self.phone
        return other

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return ""

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        return await self._first.tools(self._addressed(scope))

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        self.failed = None
        try:
            return await self._first.call(name, arguments, caller, self._addressed(scope))
        except ToolError as failure:
            self.failed = failure
            raise

    @property
    def _first(self) -> Surface:
        return self.gateway or self.surface

    def _addressed(self, scope: RequestScope) -> RequestScope:
        if self.gateway is None:
            return scope
        return replace(scope, phone=scope.phone or self.phone, surface=self.kind)

    async def aclose(self) -> None: ...


@asynccontextmanager
async def open_counter(
    engine: Lab | None, counter: Counter, phone: str = "virtual"
) -> AsyncGenerator[None]:
    """Put the engine, if there is one, before the phones of the module."""
    if engine is None:
        yield
        return
    async with open_way(engine, Current(counter.at_host), phone) as gateway:
        counter.gateway, counter.phone = gateway, phone
        yield


@pytest.fixture(scope="module")
async def counter(engine: Lab | None) -> AsyncGenerator[tuple[Counter, httpx.AsyncClient]]:
    """A server and a client of it, made once: starting one takes longer than most tests."""
    counter = Counter()
    options = HttpOptions(port=0, token=TOKEN)
    async with open_counter(engine, counter), served(counter, options, TOKEN) as (http, _):
        yield counter, http


async def pass_time(
    clock: ManualClock, call: Coroutine[Any, Any, Result], longest_pause_ms: int
) -> Result:
    """The call's result; time passes when, and only when, something waits, for at most so long."""
    task = asyncio.create_task(call)
    try:
        async with asyncio.timeout(HANG):
            while not task.done():
                due, now = clock.due, clock.now()
                if due is not None and due - now <= longest_pause_ms:
                    await clock.advance(due - now)
                await asyncio.sleep(0)
    finally:
        task.cancel()
    return await task


class Lacked(Exception):
    """A tool refused what this driver cannot do, in the words that they have for it."""


class Bench:
    """One phone, called over MCP; its world is there to look at."""

    policy = ALL_ON
    link: DirectLink
    """The computer's end of the connection to it."""

    def __init__(
        self,
        device: VirtualPhone,
        phone: Phone,
        counter: Counter,
        http: httpx.AsyncClient,
        by: str = "helper",
        needed: Unsupported | None = None,
    ) -> None:
        """`by` is the phone's driver, `needed` what the test cannot do without."""
        self.by = by
        self._needed = needed
        self._lacked = False
        self.device = device
        self.world = device.world
        self.phone = phone
        options = SurfaceOptions(policy=self.policy)
        self.surface = counter.surface = LocalSurface((*CATALOG, *EXTRA), self, options)
        counter.kind = ""
        self.counter = counter
        self.http = http

    async def passing(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The call's result; time passes when, and only when, the phone or the tool waits."""
        return await pass_time(self.clock, call, self._longest_pause_ms)

    @property
    def _longest_pause_ms(self) -> int:
        return LONGEST_SHELL_PAUSE_MS if self.by == "shell" else LONGEST_PAUSE_MS

    @property
    def clock(self) -> ManualClock:
        clock = self.device.clock
        assert isinstance(clock, ManualClock)
        return clock

    def beside(self, call: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begin a call that the test looks at while it lasts; `until` tells of its refusal."""
        task = asyncio.create_task(call)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def until(self, happened: Callable[[], bool]) -> None:
        """Without the phone's time passing."""
        async with asyncio.timeout(HANG):
            while not happened():
                if self._lacked:
                    raise Lacked  # a call beside this one was refused: it will never happen
                await asyncio.sleep(0)

    async def pick(self, ref: str | None) -> Phone:
        return self.phone

    async def present(self, ref: str | None) -> list[Phone]:
        return [self.phone]

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return ""

    async def call(self, name: str, **arguments: Any) -> str:
        """A reply that is one text."""
        [item] = await self.items(name, **arguments)
        assert isinstance(item, str)
        return item

    async def items(self, name: str, **arguments: Any) -> Sequence[Item]:
        result = await self._result(name, arguments)
        assert "isError" not in result, result
        return [_item(part) for part in result["content"]]

    async def failure(self, name: str, **arguments: Any) -> ToolError:
        """The error that the call ended in, after a look at how the client sees it."""
        result = await self._result(name, arguments)
        failed = self.counter.failed
        assert failed is not None, result
        texts = [{"type": "text", "text": text} for text in (failed.message, *failed.details)]
        assert result == {"content": texts, "isError": True}
        return failed

    async def _result(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": f"android_{name}", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        asking = self.http.post("/mcp", json=body)
        # Commands of the shell take the phone's time, where the helper's calls need not.
        answer = await (self.passing(asking) if self.by == "shell" else asking)
        failed = self.counter.failed
        if failed is not None and self.by == "shell" and self._needed is not None:
            driver = self.phone.driver
            assert isinstance(driver, FallbackDriver)
            pattern = re.escape(refusal(self._needed, driver.trouble, "DETAIL"))
            found = re.search(pattern.replace(r":\ DETAIL", "(: .+)?"), failed.message)
            if driver.trouble and found is not None:
                self._lacked = True
                raise Lacked
        return answer.json()["result"]

    async def picture(self) -> tuple[str, Image]:
        text, image = await self.items("get_screen_state", include_screenshot=True)
        assert isinstance(text, str)
        assert isinstance(image, Image)
        return text, image

    async def rows(self) -> list[list[str]]:
        """The columns of every element on the screen."""
        lines = (await self.call("get_screen_state")).split("\n")
        return [line.split("\t") for line in lines if line.startswith("node_")]

    async def id_of(self, text: str) -> str:
        """The id of the first element with that text."""
        return next(row[0] for row in await self.rows() if row[2] == text)

    def acts(self) -> list[str]:
        """How elements were acted on, since last asked: by an action of theirs, or by a finger."""
        known = {"perform": "perform", "down": "touch"}
        kinds = (event[1] if event[0] == "touch" else event[0] for event in self.events())
        return [known[str(kind)] for kind in kinds if kind in known]

    @property
    def act(self) -> str:
        """How this driver acts on an element."""
        return "touch" if self.by == "shell" else "perform"

    def events(self) -> list[tuple[object, ...]]:
        """What was done to the phone, since last asked."""
        events = [(event.kind, *event.details) for event in self.world.events]
        self.world.events.clear()
        return events


def _item(part: dict[str, Any]) -> Item:
    if part["type"] == "image":
        return Image(base64.b64decode(part["data"]), part["mimeType"])
    return part["text"]


@pytest.fixture
def wake() -> bool:
    """Whether an action switches on a screen that is off. A test parametrizes it with False."""
    return True


@pytest.fixture
def api(request: pytest.FixtureRequest) -> int:
    """The phone's API level. A test parametrizes it indirectly."""
    return getattr(request, "param", DEFAULT_API)


@pytest.fixture
def driver_by(request: pytest.FixtureRequest) -> str:
    """Which driver the phone has."""
    return getattr(request, "param", "helper")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test of the tools runs twice: with the helper, and with the helper refused."""
    if "driver_by" in metafunc.fixturenames:
        marks = [pytest.mark.by_shell]
        if metafunc.definition.path.stem not in SHELL_ALONE:
            marks.append(pytest.mark.matrix)
        shell = pytest.param("shell", marks=marks)
        ways = ["helper", shell]
        if metafunc.definition.get_closest_marker("by_shell") is not None:
            ways = [shell]
        metafunc.parametrize("driver_by", ways, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`by_helper` leaves a test, or one of its parameters, out of the second run, and says why."""
    left_out: list[pytest.Item] = []
    for item in items:
        marker = item.get_closest_marker("by_helper")
        if marker is None:
            continue
        if len(marker.args) != 1 or not isinstance(marker.args[0], str):
            raise pytest.UsageError(f"{item.nodeid}: by_helper takes the reason.")
        call = getattr(item, "callspec", None)
        if call is not None and call.params.get("driver_by") == "shell":
            left_out.append(item)
    if left_out:
        items[:] = [item for item in items if item not in set(left_out)]
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A test that names what it needs ends, where the shell lacks it, in exactly that refusal."""
    needed = pyfuncitem.get_closest_marker("needs")
    if needed is None or pyfuncitem.get_closest_marker("by_shell") is None:
        return (yield)
    try:
        yield
    except Lacked:
        return True
    return pytest.fail(f"It went without what it says that it needs: {needed.args[0]}")


@pytest.fixture
async def bench(
    counter: tuple[Counter, httpx.AsyncClient],
    wake: bool,
    api: int,
    driver_by: str,
    request: pytest.FixtureRequest,
) -> AsyncGenerator[Bench]:
    def make(link: Link) -> Phone:
        driver = FallbackDriver(HelperClient(link), wake=wake)
        return Phone("virtual", driver, clock=PhoneClock(device))

    device = VirtualPhone(clock=ManualClock(), api=api)
    marker = request.node.get_closest_marker("needs")
    needed = None if marker is None else marker.args[0]
    async with reached(device, driver_by, make=make) as used:
        made = Bench(device, used.phone, *counter, driver_by, needed)
        made.link = used.link.link
        yield made
