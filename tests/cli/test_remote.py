"""The owner's surface from another process: the same replies, and what happens when the owner
exits."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller, Surface
from handheld.devices.ownership import OwnerError, OwnerGone, OwnershipEntry
from handheld.errors import ActionFailed, InvalidParams, TimedOut, ToolError, UnknownTool
from handheld.progress import report, watched
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.failover import Reached, SharedSurface
from handheld.server.sharing.http_client import HttpClient
from handheld.server.sharing.remote import _CALL_SECONDS, RemoteSurface, has_phone
from handheld.tools.tool import Image, Item, Listing
from harness.manual_clock import ManualClock
from harness.polling import HANG, until
from server.little import Here

CALLER = Caller("cli")
TOOLS = [
    Listing("android_echo", "Echo", "Says it again.", {"type": "object"}, read_only=True),
    Listing("android_hang", "Hang", "Never ends.", {"type": "object"}, destructive=True),
]


class EchoSurface:
    """Echoes the call, or waits forever."""

    def __init__(self, listed: Sequence[Listing] = TOOLS) -> None:
        self.listed = listed
        self.seen: list[RequestScope] = []
        self.hanging = asyncio.Event()
        self.stopped = asyncio.Event()

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return "Echo, echo."

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        self.seen.append(scope)
        return self.listed

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        self.seen.append(scope)
        if name == "android_hang":
            self.hanging.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped.set()
        if name == "android_long":
            report(0, 10, "Sending")
            await asyncio.sleep(0)
            report(0, 0, "Checking")
            return ["done"]
        if name == "android_fail":
            raise InvalidParams("It cannot be.", "But this is known.")
        if name != "android_echo":
            raise UnknownTool(name)
        return [f"{dict(arguments)} on {scope.phone}", Image(b"\x00picture", "image/png")]

    async def aclose(self) -> None: ...


class Owner:
    """A served EchoSurface, and the ownership entry for it."""

    def __init__(self, surface: EchoSurface, entry: OwnershipEntry) -> None:
        self.surface = surface
        self.entry = entry


async def _phones() -> list[dict[str, Any]]:
    return [{"serial": "R58M", "state": "device", "model": ""}]


async def _release(ref: str) -> str:
    if ref != "R58M/2":
        raise ActionFailed(f"There is no {ref}.")
    return f"{ref} is let go."


@asynccontextmanager
async def owning(selection: str = "") -> AsyncGenerator[Owner]:
    surface = EchoSurface()
    async with open_http(
        surface, HttpOptions(port=0, token="hush", agent=True, phones=_phones, release=_release)
    ) as address:
        url = address.url.removesuffix("/mcp")
        yield Owner(surface, OwnershipEntry(selection, 1, "handheld serve", "2026", url, "hush"))


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    async with owning() as owner:
        yield owner


@pytest.fixture
async def remote(owner: Owner) -> AsyncIterator[RemoteSurface]:
    remote = RemoteSurface(owner.entry)
    yield remote
    await remote.aclose()


async def test_what_the_owner_reports_of_a_call_is_passed_on(remote: RemoteSurface) -> None:
    seen: list[tuple[float, float | None, str]] = []
    with watched(lambda *word: seen.append(word)):
        assert await remote.call("android_long", {}, CALLER) == ["done"]
    assert seen[0] == (0, 10, "Sending")
    assert await remote.call("android_long", {}, CALLER) == ["done"]
    assert len(seen) <= 2


async def test_tools_and_instructions_are_the_owners(remote: RemoteSurface) -> None:
    assert (await remote.tools(), await remote.instructions()) == (TOOLS, "Echo, echo.")


async def test_a_reply_is_returned_unchanged(remote: RemoteSurface) -> None:
    picture = Image(b"\x00picture", "image/png")
    arguments = {"text": "é☃", "n": 1}
    assert await remote.call("android_echo", arguments, CALLER) == [f"{arguments} on None", picture]
    assert await remote.call("android_echo", {}, CALLER, RequestScope("a/b")) == [
        "{} on a/b",
        picture,
    ]


async def test_a_surface_for_one_phone_names_it_in_every_call(owner: Owner) -> None:
    remote = RemoteSurface(owner.entry, RequestScope("R58M"))
    items = await remote.call("android_echo", {}, CALLER)
    assert items[0] == "{} on R58M"
    await remote.aclose()


async def test_an_error_keeps_its_message_and_details(remote: RemoteSurface) -> None:
    with pytest.raises(ToolError) as raised:
        await remote.call("android_fail", {}, CALLER)
    assert (raised.value.message, raised.value.details) == (
        "It cannot be.",
        ("But this is known.",),
    )


async def test_an_unknown_tool_raises_unknown_tool(remote: RemoteSurface) -> None:
    with pytest.raises(UnknownTool, match="Unknown tool: android_nothing"):
        await remote.call("android_nothing", {}, CALLER)


async def test_a_wrong_token_is_reported(owner: Owner) -> None:
    remote = RemoteSurface(
        OwnershipEntry("", 1, "handheld serve", "2026", owner.entry.url, "other")
    )
    with pytest.raises(ToolError, match="no longer accepts its own token"):
        await remote.tools()
    await remote.aclose()


async def test_phones_are_listed_and_released_through_the_owner(
    owner: Owner, remote: RemoteSurface
) -> None:
    assert await remote.phones() == await _phones()
    assert await remote.release("R58M/2") == "R58M/2 is let go."
    with pytest.raises(ToolError, match=r"There is no R58M\."):
        await remote.release("R58M")
    assert [await has_phone(owner.entry, serial) for serial in ("R58M", "other")] == [True, False]


async def test_a_cancelled_call_stops_the_owners_tool(owner: Owner, remote: RemoteSurface) -> None:
    call = asyncio.create_task(remote.call("android_hang", {}, CALLER))
    async with asyncio.timeout(HANG):
        await owner.surface.hanging.wait()
        call.cancel()
        await owner.surface.stopped.wait()
    with pytest.raises(asyncio.CancelledError):
        await call


async def has_read_its_end(remote: RemoteSurface) -> None:
    """Until then a request may be sent on a kept connection."""
    assert isinstance(remote._client, HttpClient)
    [((kept, _), _)] = remote._client._unused
    await until(kept.at_eof)


async def test_an_owner_that_never_answered_was_not_sent_anything() -> None:
    async with owning() as owner:
        remote = RemoteSurface(owner.entry)
        await remote.tools()
        assert isinstance(remote._client, HttpClient)
    await has_read_its_end(remote)
    with pytest.raises(OwnerGone) as raised:
        await remote.call("android_echo", {}, CALLER)
    assert raised.value.sent is False
    assert await has_phone(owner.entry, "R58M") is False
    await remote.aclose()


class BreakingOwner:
    """Accepts a request and closes without an answer."""

    async def __aenter__(self) -> OwnershipEntry:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return OwnershipEntry("R58M", 7, "handheld serve", "2026", f"http://127.0.0.1:{port}")

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async def __aexit__(self, *problem: object) -> None:
        self._server.close()
        await self._server.wait_closed()


async def test_an_owner_that_does_not_answer_is_not_considered_gone(owner: Owner) -> None:
    clock = ManualClock()
    remote = RemoteSurface(owner.entry, clock=clock)
    calling = asyncio.create_task(remote.call("android_hang", {}, CALLER))
    await asyncio.wait_for(owner.surface.hanging.wait(), HANG)
    await clock.until_waits_only(_CALL_SECONDS)
    await clock.advance(_CALL_SECONDS)
    with pytest.raises(TimedOut, match="may or may not have happened"):
        await calling
    await remote.aclose()


async def test_the_policy_is_sent_with_every_request(owner: Owner) -> None:
    policy = RequestScope("R58M", True, frozenset({"tap"}), frozenset({"swipe"}))
    remote = RemoteSurface(owner.entry, policy)
    await remote.tools()
    await remote.call("android_echo", {}, CALLER, RequestScope("other", only=frozenset({"a"})))
    assert owner.surface.seen == [
        policy,
        RequestScope("other", True, frozenset({"none"}), frozenset({"swipe"})),
    ]
    await remote.aclose()


class Finder:
    """Reaches one surface after the other, as owners change."""

    def __init__(self, *surfaces: Surface) -> None:
        self._surfaces = list(surfaces)

    async def __call__(self) -> Reached:
        if not self._surfaces:
            raise OwnerError("Somebody else has the phone.")
        found = self._surfaces.pop(0)
        return found if isinstance(found, RemoteSurface) else Here(found)


async def test_a_call_during_the_loss_of_its_owner_is_in_doubt() -> None:
    async with BreakingOwner() as entry:
        shared = SharedSurface(Finder(RemoteSurface(entry), EchoSurface()))
        with pytest.raises(ActionFailed) as raised:
            await shared.call("android_echo", {}, CALLER)
        assert raised.value.message == (
            f"`handheld serve` (pid 7, {entry.url}), which had the phone, ended during this call: "
            "it may or may not have happened. Look at the screen before you repeat it."
        )
        # The next call goes to another owner.
        assert (await shared.call("android_echo", {}, CALLER))[0] == "{} on None"
        await shared.aclose()


async def test_an_owner_lost_before_a_call_is_replaced_silently() -> None:
    async with owning("R58M") as owner:
        gone = RemoteSurface(owner.entry)
    shared = SharedSurface(Finder(gone, EchoSurface()))
    assert (await shared.call("android_echo", {}, CALLER))[0] == "{} on None"
    await shared.aclose()


async def test_a_virtual_phone_lost_with_its_owner_is_not_replaced_silently() -> None:
    async with owning("virtual") as owner:
        gone = RemoteSurface(owner.entry)
    shared = SharedSurface(Finder(gone, EchoSurface()))
    with pytest.raises(ActionFailed, match="Nothing was done by this call"):
        await shared.call("android_echo", {}, CALLER)
    assert (await shared.call("android_echo", {}, CALLER))[0] == "{} on None"
    await shared.aclose()


async def test_the_tool_list_is_read_from_the_next_owner() -> None:
    async with owning() as owner:
        gone = RemoteSurface(owner.entry)
    shared = SharedSurface(Finder(gone, EchoSurface()))
    assert (await shared.instructions(), await shared.tools()) == ("Echo, echo.", TOOLS)
    await shared.aclose()


@pytest.mark.slow
async def test_a_new_owner_with_other_tools_is_reported_as_a_change() -> None:
    async with owning() as second:
        async with owning() as first:
            owners = RemoteSurface(first.entry), RemoteSurface(second.entry)
            shared = SharedSurface(Finder(*owners, EchoSurface(TOOLS[:1])))
            change = asyncio.ensure_future(anext(shared.changes()))
            assert await shared.tools() == TOOLS
        await has_read_its_end(owners[0])
        await shared.call("android_echo", {}, CALLER)
        await asyncio.sleep(0)
        assert not change.done()
    await has_read_its_end(owners[1])
    await shared.call("android_echo", {}, CALLER)
    async with asyncio.timeout(HANG):
        await change
    assert await shared.tools() == TOOLS[:1]
    await shared.aclose()


async def test_an_owner_that_does_not_share_is_an_error_of_the_call() -> None:
    shared = SharedSurface(Finder())
    with pytest.raises(ToolError, match=r"Somebody else has the phone\."):
        await shared.call("android_echo", {}, CALLER)
    await shared.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["", "pixel_", "phone_"])
async def test_the_tools_for_models_have_the_prefix_of_the_process_that_asks(prefix: str) -> None:
    async with owning() as owner:
        remote = RemoteSurface(owner.entry, RequestScope(prefix=prefix))
        try:
            await remote.tools(RequestScope(surface="agent"))
            await remote.tools()
        finally:
            await remote.aclose()
        assert [seen.prefix for seen in owner.surface.seen] == [prefix, None]
