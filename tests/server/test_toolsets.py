"""Toolsets that are off by default: how the settings, a token and a client's header switch them on,
and what none of them does."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from handheld.access.request_scope import AGENT, EVERYTHING, RequestScope
from handheld.access.tokens import Tokens
from handheld.calls.agent_tools import agent_catalog
from handheld.cli.parts import Parts
from handheld.clock import SYSTEM_CLOCK
from handheld.devices.ownership import OwnershipEntry
from handheld.errors import ToolError
from handheld.phone.leases.leases import Leases
from handheld.server.options import HttpOptions
from handheld.server.sharing.remote import RemoteSurface
from handheld.settings import Settings
from handheld.settings.groups import ToolsetsSettings, ToolsSettings
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld.tools.call import Caller
from handheld.tools.listing import EXTRA_TOOLSETS, OWNER_TOOLSETS
from handheld.tools.main import CATALOG, EVERY_TOOLSET
from harness.serving import served

from .little import META, headers_for

OWNER = "owner's"
KEPT = json.loads((Path(__file__).parent / "tool_lists.json").read_text(encoding="utf-8"))
DEFAULT = [f"android_{tool.name}" for toolset in CATALOG for tool in toolset.tools]
ERAS = pytest.mark.parametrize("modern", [False, True], ids=["2025", "2026"])


def of(*toolsets: str) -> list[str]:
    """The tools of these toolsets, in the order in which they are listed."""
    return [
        f"android_{tool.name}"
        for toolset in EVERY_TOOLSET
        if toolset.name in toolsets
        for tool in toolset.tools
    ]


class Served:
    """The tools of one process, as its clients get them; no phone is connected."""

    def __init__(self, http: httpx.AsyncClient, tokens: Tokens, url: str) -> None:
        self.http = http
        self.tokens = tokens
        self.url = url

    async def ask(
        self,
        method: str,
        params: dict[str, Any],
        *,
        modern: bool = False,
        path: str = "/mcp",
        secret: str = OWNER,
        toolsets: str | None = None,
        **headers: str,
    ) -> httpx.Response:
        asked = {**params, "_meta": META} if modern else params
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": asked}
        named = {} if toolsets is None else {"X-MCP-Toolsets": toolsets}
        shown = {"Authorization": f"Bearer {secret}", **headers_for(body, modern=modern), **named}
        return await self.http.post(path, json=body, headers={**shown, **headers})

    async def tools(self, toolsets: str | None = None, **how: Any) -> list[dict[str, Any]]:
        answer = await self.ask("tools/list", {}, toolsets=toolsets, **how)
        return answer.json()["result"]["tools"]

    async def names(self, toolsets: str | None = None, **how: Any) -> list[str]:
        return [tool["name"] for tool in await self.tools(toolsets, **how)]

    async def whats(self, toolsets: str | None = None, **how: Any) -> list[str]:
        """What `phone_read` reads."""
        for tool in await self.tools(toolsets, path="/mcp/agent", **how):
            if tool["name"] == "phone_read":
                return tool["inputSchema"]["properties"]["what"]["enum"]
        return []

    async def exists(self, name: str, toolsets: str | None = None, **how: Any) -> bool:
        """Whether a call finds the tool: without a phone it fails then."""
        arguments = {"what": "crashes"} if name == "phone_read" else {}
        answer = await self.ask(
            "tools/call", {"name": name, "arguments": arguments}, toolsets=toolsets, **how
        )
        answered = answer.json()
        if "error" in answered:
            assert answered["error"]["message"] == f"Unknown tool: {name}"
            return False
        assert answered["result"]["isError"]
        return True


@asynccontextmanager
async def serve(folder: Path, settings: Settings) -> AsyncGenerator[Served]:
    surface = Parts(settings, leases=Leases(SYSTEM_CLOCK)).surface
    tokens = Tokens(folder / "tokens.json")
    options = HttpOptions(
        port=0, token=OWNER, agent=True, recognise=tokens.recognise, token_names=tokens.names
    )
    async with served(surface, options) as (http, address):
        yield Served(http, tokens, address.url.removesuffix("/mcp"))


@pytest.fixture(scope="module")
async def plain(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    async with serve(tmp_path_factory.mktemp("plain"), Settings()) as opened:
        yield opened


@pytest.fixture(scope="module")
async def everything_on(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    settings = Settings(toolsets=ToolsetsSettings(on=("all",)))
    async with serve(tmp_path_factory.mktemp("all"), settings) as opened:
        yield opened


# The list


@ERAS
async def test_without_a_header_clients_have_the_documented_tools(
    plain: Served, modern: bool
) -> None:
    assert await plain.names(modern=modern) == DEFAULT
    assert await plain.tools(modern=modern) == KEPT["/mcp"]


@ERAS
async def test_optional_tools_follow_and_do_not_change_the_list_before_them(
    plain: Served, everything_on: Served, modern: bool
) -> None:
    """Not by a byte, so that what models' providers keep of a list stays valid."""

    async def listed(server: Served, toolsets: str | None) -> str:
        answer = await server.ask("tools/list", {}, modern=modern, toolsets=toolsets)
        _, opened, rest = answer.text.partition('"tools":[')
        assert opened
        return rest

    short = await listed(plain, None)
    kept = short[: short.rindex("]")]
    for longer in (await listed(plain, "all"), await listed(everything_on, None)):
        assert longer.startswith(f"{kept},")
    assert await plain.names("all", modern=modern) == [*DEFAULT, *_in_order(EXTRA_TOOLSETS)]
    everything = EXTRA_TOOLSETS | OWNER_TOOLSETS
    assert await everything_on.names(modern=modern) == [*DEFAULT, *_in_order(everything)]


def _in_order(toolsets: frozenset[str]) -> list[str]:
    return of(*toolsets)


async def test_the_list_for_models_has_one_more_tool_with_every_toolset(plain: Served) -> None:
    """They have what is optional as values of their tools, switched on, apart from recording."""
    without = await plain.tools(path="/mcp/agent")
    *others, record = await plain.tools("all", path="/mcp/agent")
    assert (others, record["name"]) == (without, "phone_record")
    whats = await plain.whats()
    assert {"crashes", "performance"} < set(whats)


# The header


@ERAS
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("default, diagnostics", [*DEFAULT, *of("diagnostics")]),
        ("diagnostics,default", [*DEFAULT, *of("diagnostics")]),
        ("default", DEFAULT),
        ("diagnostics", of("diagnostics")),
        ("screen, diagnostics", of("screen", "diagnostics")),
        ("screen", of("screen")),
        ("", DEFAULT),
        (",", DEFAULT),
        ("nonsense", []),
        ("default, nonsense", DEFAULT),
        ("intents", []),
        ("fleet", []),
        ("default, intents, fleet", DEFAULT),
    ],
)
async def test_the_header_says_which_toolsets_a_client_has(
    plain: Served, modern: bool, header: str, expected: list[str]
) -> None:
    assert await plain.names(header, modern=modern) == expected


@pytest.mark.slow
@ERAS
async def test_what_is_not_listed_cannot_be_called(plain: Served, modern: bool) -> None:
    for header, there in (
        (None, False),
        ("default", False),
        ("default, diagnostics", True),
        ("diagnostics", True),
        ("all", True),
        ("screen", False),
    ):
        found = await plain.exists("android_list_crashes", header, modern=modern)
        assert found is there, header
    for tool in of(*OWNER_TOOLSETS):
        for header in (None, "all", "default, intents, fleet", "intents", "fleet"):
            assert not await plain.exists(tool, header, modern=modern)


@pytest.mark.slow
@ERAS
async def test_the_header_limits_the_tools_for_models_by_their_values(
    plain: Served, modern: bool
) -> None:
    assert await plain.whats("diagnostics", modern=modern) == ["crashes", "performance"]
    assert "crashes" not in await plain.whats("utility", modern=modern)
    agent: dict[str, Any] = {"path": "/mcp/agent", "modern": modern}
    assert await plain.names("diagnostics", **agent) == ["phone_read"]
    listed = await plain.names(**agent)
    assert await plain.names("default, diagnostics", **agent) == listed
    owners = [
        tool.name
        for toolset in agent_catalog(leases=True)
        if toolset.name in OWNER_TOOLSETS
        for tool in toolset.tools
    ]
    for header in ("all", "default, intents, fleet", "intents", "fleet"):
        assert not set(owners) & set(await plain.names(header, **agent))
        for tool in owners:
            assert not await plain.exists(tool, header, **agent)


async def test_other_headers_limit_what_this_one_switches_on(plain: Served) -> None:
    on = "default, diagnostics"
    assert await plain.names(on, **{"X-MCP-Tools": "list_crashes,tap"}) == [
        "android_tap",
        "android_list_crashes",
    ]
    assert await plain.names(on, **{"X-MCP-Exclude-Tools": "get_crash,get_performance"}) == [
        *DEFAULT,
        "android_list_crashes",
    ]
    reading = {
        f"android_{tool.name}"
        for toolset in EVERY_TOOLSET
        for tool in toolset.tools
        if tool.listing.read_only
    }
    names = await plain.names(on, **{"X-MCP-Readonly": "true"})
    assert names == [name for name in [*DEFAULT, *of("diagnostics")] if name in reading]


# The settings


@pytest.mark.slow
async def test_the_header_brings_nothing_back_that_the_settings_leave_out(tmp_path: Path) -> None:
    settings = Settings(
        toolsets=ToolsetsSettings(off=("diagnostics", "sms")), tools=ToolsSettings(off=("tap",))
    )
    async with serve(tmp_path, settings) as plain:
        for header in ("all", "default, diagnostics", "diagnostics", "sms", "touch"):
            names = await plain.names(header)
            assert not set(names) & {*of("diagnostics", "sms"), "android_tap"}, header
            assert not await plain.exists("android_list_crashes", header)
        assert not {"crashes", "performance", "sims"} & set(await plain.whats("all"))
    async with serve(tmp_path, Settings(read_only=True)) as plain:
        assert "android_tap" not in await plain.names("all")
        assert "android_list_crashes" in await plain.names("all")


async def test_settings_switch_on_what_a_client_may_not(tmp_path: Path) -> None:
    on = ("fleet", "intents", "diagnostics")
    async with serve(tmp_path, Settings(toolsets=ToolsetsSettings(on=on))) as plain:
        assert await plain.names() == [*DEFAULT, *of(*on)]
        assert await plain.names("screen") == of("screen")
        assert await plain.names("fleet") == of("fleet")


# Tokens


async def test_a_token_has_the_optional_toolsets_that_it_names(plain: Served) -> None:
    secret = plain.tokens.make("doctor", ["screen", "diagnostics"])
    try:
        assert await plain.names(secret=secret) == of("screen", "diagnostics")
        assert await plain.exists("android_list_crashes", secret=secret)
        assert await plain.whats(secret=secret) == ["crashes", "performance"]
        for header in ("all", "default", "default, device, packages, links, notifications"):
            assert await plain.names(header, secret=secret) == of("screen", "diagnostics")
        assert await plain.names("screen, files", secret=secret) == of("screen")
        assert await plain.names("diagnostics", secret=secret) == of("diagnostics")
        assert await plain.names("files", secret=secret) == []
    finally:
        plain.tokens.revoke("doctor")


async def test_a_token_for_other_toolsets_gets_none_by_the_header(plain: Served) -> None:
    secret = plain.tokens.make("typist", ["text"])
    try:
        for header in ("all", "default, diagnostics", "diagnostics"):
            assert not set(await plain.names(header, secret=secret)) & set(of("diagnostics"))
            assert not await plain.exists("android_list_crashes", header, secret=secret)
            assert await plain.whats(header, secret=secret) == []
    finally:
        plain.tokens.revoke("typist")


async def test_a_token_without_toolsets_is_as_its_clients_say(plain: Served) -> None:
    secret = plain.tokens.make("reader", read_only=True)
    try:
        reading = {
            f"android_{tool.name}"
            for toolset in EVERY_TOOLSET
            for tool in toolset.tools
            if tool.listing.read_only
        }
        assert await plain.names(secret=secret) == [name for name in DEFAULT if name in reading]
        names = await plain.names("default, diagnostics", secret=secret)
        assert names == [name for name in [*DEFAULT, *of("diagnostics")] if name in reading]
    finally:
        plain.tokens.revoke("reader")


async def test_a_token_that_names_the_owners_toolsets_has_them(plain: Served) -> None:
    secret = plain.tokens.make("farm", ["fleet", "screen"])
    try:
        assert await plain.names(secret=secret) == of("screen", "fleet")
        assert await plain.names("screen", secret=secret) == of("screen")
    finally:
        plain.tokens.revoke("farm")


# Another process that owns the phone


@pytest.mark.parametrize("surface", ["", AGENT])
async def test_another_process_has_what_its_own_settings_switch_on(
    plain: Served, surface: str
) -> None:
    entry = OwnershipEntry("", 1, "handheld serve", "2026", plain.url, OWNER)
    asked = RequestScope(surface=surface)
    usual = RemoteSurface(entry)
    switched = RemoteSurface(entry, RequestScope(on=frozenset({"diagnostics", *OWNER_TOOLSETS})))
    try:
        before, after = await usual.tools(asked), await switched.tools(asked)
        if surface:
            assert after == before
            return
        assert [each.name for each in before] == DEFAULT
        # What is the owner's decision is that of the process that has the phone.
        assert [each.name for each in after] == [*DEFAULT, *of("diagnostics")]
        assert list(after[: len(before)]) == list(before)
        with pytest.raises(ToolError, match="No phone is connected"):
            await switched.call("android_list_crashes", {}, Caller("cli"), EVERYTHING)
    finally:
        await usual.aclose()
        await switched.aclose()


async def test_another_process_gets_nothing_that_the_owning_one_leaves_out(tmp_path: Path) -> None:
    settings = Settings(toolsets=ToolsetsSettings(off=("diagnostics",)))
    async with serve(tmp_path, settings) as plain:
        entry = OwnershipEntry("", 1, "handheld serve", "2026", plain.url, OWNER)
        remote = RemoteSurface(entry, RequestScope(on=EXTRA_TOOLSETS))
        try:
            names = [each.name for each in await remote.tools()]
            assert not set(names) & set(of("diagnostics"))
        finally:
            await remote.aclose()


def test_tools_for_models_have_every_optional_toolset_but_the_owners() -> None:
    named = {tool for toolset in AGENT_CATALOG for each in toolset.tools for tool in _stand(each)}
    assert {"list_crashes", "get_crash", "get_performance"} <= named


def _stand(tool: Any) -> set[str]:
    listings = tool.action.listings.values() if tool.action is not None else (tool.listing,)
    return {name for listing in listings for name in listing.abilities}
