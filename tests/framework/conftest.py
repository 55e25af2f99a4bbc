"""The tools over MCP's own surface, on a phone made of Android's own code."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from handheld.calls.local import Caller, LocalSurface
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.helper.session import Timing
from handheld.phone.phone import Phone
from handheld.tools.main import CATALOG
from handheld.tools.tool import Item
from harness.one_phone import OnePhone
from harness.phones import link_to
from harness.polling import HANG

from .jvm import JARS, FrameworkPhone, open_phone, why_not

LEVELS = [int(api) for api in os.environ.get("HANDHELD_LEVELS", "").split()] or list(JARS)
CALLER = Caller("test", "framework")
# A JVM may stand still for many seconds where others use the processor too: a phone's timeouts
# would end the only helper that it can start, and all tests after that would fail.
PATIENT = Timing(start_seconds=HANG, grace_ms=HANG * 1000, silence_seconds=HANG)


class Tools:
    """The tools on that phone, and the app's own views to compare with."""

    def __init__(
        self, android: FrameworkPhone, phone: Phone, helper: HelperClient, api: int
    ) -> None:
        self.android = android
        self.helper = helper
        self.api = api
        self.phone = phone
        self._surface = LocalSurface(CATALOG, OnePhone(phone))

    async def items(self, name: str, **arguments: Any) -> Sequence[Item]:
        return await self._surface.call(f"android_{name}", arguments, CALLER)

    async def call(self, name: str, **arguments: Any) -> str:
        """A reply that is one text."""
        [item] = await self.items(name, **arguments)
        assert isinstance(item, str)
        return item

    async def failure(self, name: str, **arguments: Any) -> str:
        """What the error says that the call ends in."""
        with pytest.raises(ToolError) as raised:
            await self.items(name, **arguments)
        return raised.value.message

    async def rows(self) -> list[list[str]]:
        """The columns of every element on the screen."""
        lines = (await self.call("get_screen_state")).split("\n")
        return [line.split("\t") for line in lines if line.startswith("node_")]

    async def id_of(self, view: str) -> str:
        """The id of the element that stands for one of the app's views."""
        return (await self.row_of(view))[0]

    async def row_of(self, view: str) -> list[str]:
        """By its class and its place: the app's own names for its views are not on the screen."""
        state = await self.android.state(view)
        wanted = [state["class"].rpartition(".")[2], state["bounds"]]
        [found] = [row for row in await self.rows() if [row[1], row[5]] == wanted]
        return found

    async def id_by_text(self, text: str) -> str:
        return (await self.find(text))[0]

    async def tap_middle(self, row: Sequence[str]) -> None:
        left, top, right, bottom = map(int, row[5].split(","))
        await self.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)

    async def find(self, *texts: str) -> list[str]:
        """The one element with such a text."""
        [found] = [row for row in await self.rows() if row[2] in texts or row[3] in texts]
        return found


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", params=LEVELS, ids=lambda api: f"api{api}")
async def framework(request: pytest.FixtureRequest) -> AsyncGenerator[Tools]:
    """One phone of each release for the whole run: a JVM takes seconds to start."""
    if (reason := why_not()) is not None:
        pytest.fail(reason)
    api: int = request.param
    async with open_phone(api) as android, link_to(android.device) as link:
        helper = HelperClient(link, timing=PATIENT)
        async with aclosing(Phone("framework", FallbackDriver(helper))) as phone:
            yield Tools(android, phone, helper, api)


@pytest.fixture
async def tools(framework: Tools, request: pytest.FixtureRequest) -> Tools:
    """The phone with a new activity, showing the page that the test's module names."""
    await framework.android.show(request.module.PAGE)
    return framework
