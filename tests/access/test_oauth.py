"""OAuth over HTTP: what clients find, what their access tokens allow, and the Python SDK's own
client from its first request on."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from bench.ports import keep_port

from handheld.access.issuer import Issuer
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.resource_server import ResourceServer
from handheld.access.tokens import Tokens
from handheld.calls.local import Caller
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.running import TOKEN_CHECK_SECONDS
from handheld.settings import SettingsError, load
from handheld.tools.tool import Item
from harness.manual_clock import MORNING, ManualClock
from harness.polling import HANG
from server.little import TOKEN, LittleSurface, call

from .authorization_server import AuthorizationServer

HERE = "https://phones.example.com"
CHALLENGE = f'resource_metadata="{HERE}/.well-known/oauth-protected-resource'


class Surface(LittleSurface):
    """Keeps who called."""

    token = ""

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        self.token = caller.token
        return await super().call(name, arguments, caller, scope)


class House:
    def __init__(self, issuer: AuthorizationServer, clock: ManualClock) -> None:
        self.issuer = issuer
        self.clock = clock
        self.surface = Surface()
        self.http = httpx.AsyncClient(timeout=HANG)

    async def ask(self, token: str, path: str = "/mcp", **headers: str) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        shown = {"Authorization": f"Bearer {token}", **headers} if token else headers
        return await self.http.post(path, json=body, headers=shown)

    async def limits(self, scope: object, **claims: Any) -> RequestScope:
        """What a token of these scopes may use."""
        token = self.issuer.token(HERE, MORNING, scope=scope, **claims)
        answer = await self.ask(token)
        assert answer.status_code == 200, answer.text
        assert self.surface.scope is not None
        return self.surface.scope


@asynccontextmanager
async def opened(**how: Any) -> AsyncGenerator[House]:
    clock = ManualClock()
    async with AuthorizationServer() as issuer:
        house = House(issuer, clock)
        server = ResourceServer(HERE, [Issuer(issuer.url, clock)], clock=clock, **how)
        options = HttpOptions(
            token=TOKEN, oauth=server, port=0, agent=True, clock=clock,
            allow_hosts=["phones.example.com"],
        )  # fmt: skip
        async with open_http(house.surface, options) as address:
            base = address.url.removesuffix("/mcp")
            async with httpx.AsyncClient(
                base_url=base, trust_env=False, timeout=HANG
            ) as house.http:
                yield house


@pytest.fixture
async def house() -> AsyncGenerator[House]:
    async with opened() as house:
        yield house


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "/mcp", "/mcp/agent"])
async def test_the_metadata_names_the_resource_and_its_issuers(house: House, path: str) -> None:
    answer = await house.http.get(f"/.well-known/oauth-protected-resource{path}")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "resource": f"{HERE}{path}",
            "authorization_servers": [house.issuer.url],
            "scopes_supported": ["handheld:read", "handheld:act"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Handheld",
        },
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    ["oauth-protected-resource/mcp/v1", "oauth-protected-resource/..", "openid-configuration", "",
     "oauth-authorization-server", "oauth-protected-resource%2fmcp"],
)  # fmt: skip
async def test_there_is_nothing_else_below_well_known(house: House, path: str) -> None:
    assert (await house.http.get(f"/.well-known/{path}")).status_code == 404


async def test_metadata_is_read_only_and_only_under_our_names(house: House) -> None:
    path = "/.well-known/oauth-protected-resource"
    assert (await house.http.post(path)).status_code == 405
    assert (await house.http.get(path, headers={"Host": "evil.org"})).status_code == 421
    answer = await house.http.get(path, headers={"Origin": "https://evil.org"})
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "suffix"),
    [("/mcp", "/mcp"), ("/mcp/agent", "/mcp/agent"), ("/phones/x/mcp", ""), ("/elsewhere", "")],
)
async def test_a_refusal_says_where_the_metadata_is(house: House, path: str, suffix: str) -> None:
    answer = await house.ask("", path)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == f'Bearer {CHALLENGE}{suffix}"'
    for token in ("wrong", "a.b.c"):
        answer = await house.ask(token, path)
        assert answer.status_code == 401
        challenge = f'Bearer error="invalid_token", {CHALLENGE}{suffix}"'
        assert answer.headers["www-authenticate"] == challenge


async def test_a_token_without_scopes_is_told_which_it_needs(house: House) -> None:
    answer = await house.ask(house.issuer.token(HERE, MORNING, scope="openid"))
    assert answer.status_code == 403
    assert answer.headers["www-authenticate"] == (
        f'Bearer error="insufficient_scope", scope="handheld:read handheld:act", {CHALLENGE}/mcp"'
    )
    assert "none of its scopes" in answer.json()["message"]


@pytest.mark.slow
@pytest.mark.parametrize("audience", [HERE, f"{HERE}/", f"{HERE}/mcp", ["x", f"{HERE}/mcp/agent"]])
async def test_tokens_for_any_part_of_this_server_are_accepted(
    house: House, audience: object
) -> None:
    assert (await house.ask(house.issuer.token(audience, MORNING))).status_code == 200


async def test_the_owners_token_is_accepted_beside(house: House) -> None:
    assert (await house.ask(TOKEN)).status_code == 200


async def test_scopes_become_limits(house: House) -> None:
    everything = RequestScope()
    assert await house.limits("handheld:act") == everything
    assert await house.limits("openid handheld:read handheld:act") == everything
    assert await house.limits("handheld:toolset:touch handheld:act") == everything
    assert await house.limits("handheld:read") == RequestScope(read_only=True)
    touch = RequestScope(toolsets=frozenset({"touch", "screen"}))
    assert await house.limits("handheld:toolset:touch handheld:toolset:screen") == touch
    both = "handheld:read handheld:toolset:touch handheld:toolset:screen"
    assert await house.limits(both) == touch
    # A toolset that is off by default is on for a token that names it.
    intents = RequestScope(toolsets=frozenset({"intents"}), on=frozenset({"intents"}))
    assert await house.limits("handheld:toolset:intents") == intents
    assert await house.limits("handheld:toolset:intents handheld:act") == everything
    one = RequestScope(phone="desk", phones=frozenset({"desk"}), read_only=True)
    assert await house.limits("handheld:read handheld:phone:desk") == one
    # As other authorization servers write them.
    assert await house.limits(None, scp=["handheld:read"]) == RequestScope(read_only=True)
    assert await house.limits(None, scp="handheld:read") == RequestScope(read_only=True)


async def test_phones_can_be_for_named_ones_only() -> None:
    async with opened(phone_scopes=True) as house:
        answer = await house.ask(house.issuer.token(HERE, MORNING))
        assert answer.status_code == 403
        assert answer.headers["www-authenticate"] == (
            f'Bearer error="insufficient_scope", {CHALLENGE}/mcp"'
        )
        assert "handheld:phone:NAME" in answer.json()["message"]
        desk = RequestScope(phone="desk", phones=frozenset({"desk"}))
        assert await house.limits("handheld:act handheld:phone:desk") == desk


async def test_the_caller_has_the_name_of_its_subject(house: House) -> None:
    token = house.issuer.token(HERE, MORNING, sub="Zoë Ü")
    headers = {"Authorization": f"Bearer {token}"}
    answer = await house.http.post("/mcp", json=call("who"), headers=headers)
    place = house.issuer.url.removeprefix("http://")
    assert house.surface.token == f"oauth:Zo%C3%AB%20%C3%9C@{place}"
    assert token not in answer.text


async def test_a_token_that_expires_stops_what_runs(house: House) -> None:
    token = house.issuer.token(HERE, MORNING, exp=int(MORNING) + 10)
    headers = {"Authorization": f"Bearer {token}"}
    task = asyncio.create_task(house.http.post("/mcp", json=call("slow"), headers=headers))
    await house.surface.slow_started.wait()
    for _ in range(42):
        await house.clock.advance(TOKEN_CHECK_SECONDS)
    answer = await task
    assert answer.status_code == 401
    assert "is no longer valid" in answer.json()["message"]
    await house.surface.slow_stopped.wait()


async def test_without_keys_nobody_is_told_that_the_token_is_wrong(house: House) -> None:
    house.issuer.routes.clear()
    answer = await house.ask(house.issuer.token(HERE, MORNING))
    assert answer.status_code == 503
    assert "cannot be fetched now" in answer.json()["message"]
    assert (await house.ask(TOKEN)).status_code == 200


def test_leases_of_callers_with_access_tokens_do_not_end_with_their_tokens(tmp_path: Any) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    assert tokens.stamp("oauth:alice@login.example.com") == 0.0
    assert tokens.stamp("alice") is None


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        ({"oauth_issuer": "https://login.example.com"}, "belong together"),
        ({"oauth_url": HERE}, "belong together"),
        ({"oauth_issuer": "http://login.example.com", "oauth_url": HERE}, "must begin with https"),
        ({"oauth_issuer": "login.example.com", "oauth_url": HERE}, "is not the URL of a web"),
        ({"oauth_issuer": "https://a@b.c", "oauth_url": HERE}, "is not the URL of a web"),
        ({"oauth_issuer": "https://a.b/?c", "oauth_url": HERE}, "is not the URL of a web"),
        ({"oauth_issuer": "https://a.b", "oauth_url": f"{HERE}/mcp"}, "leave out the path"),
        ({"oauth_issuer": "https://a.b", "oauth_url": f"{HERE}/"}, "leave out the path"),
        ({"oauth_issuer": "https://a.b", "oauth_url": "http://x.org"}, "must begin with https"),
        ({"oauth_issuer": "https://a.b,https://a.b/", "oauth_url": HERE}, "twice"),
        (
            {"oauth_issuer": "https://a.b", "oauth_url": HERE, "no_token": True},
            "cannot be combined",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(flags: dict[str, Any], fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        load(flags, {})


# The client of the Python SDK


class Browser:
    """Follows the redirects that a person would."""

    def __init__(self) -> None:
        self.answer: dict[str, str] = {}

    async def open(self, url: str) -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=HANG) as http:
            back = (await http.get(url)).headers["location"]
        self.answer = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}

    async def wait(self) -> Any:
        from mcp.shared.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(
            code=self.answer["code"], state=self.answer["state"], iss=self.answer.get("iss")
        )


class Storage:
    tokens: Any = None
    info: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.info

    async def set_client_info(self, client_info: Any) -> None:
        self.info = client_info


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
async def test_the_sdks_client_finds_its_way_and_calls(path: str) -> None:
    import httpx2
    from mcp import ClientSession
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientMetadata
    from pydantic import AnyUrl

    async with AuthorizationServer("/realms/lab") as issuer:
        port = keep_port()
        here = f"http://127.0.0.1:{port}"
        surface, browser, storage = Surface(), Browser(), Storage()
        server = ResourceServer(here, [Issuer(issuer.url)])
        options = HttpOptions(token=TOKEN, oauth=server, port=port, agent=True)
        about = OAuthClientMetadata(
            client_name="tests", redirect_uris=[AnyUrl("http://127.0.0.1:1/back")]
        )
        provider = OAuthClientProvider(f"{here}{path}", about, storage, browser.open, browser.wait)
        async with (
            open_http(surface, options),
            httpx2.AsyncClient(auth=provider, trust_env=False, timeout=HANG) as http,
            streamable_http_client(f"{here}{path}", http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            assert [tool.name for tool in (await session.list_tools()).tools] == ["slow", "echo"]
            await session.call_tool("echo", {})
            assert surface.token == f"oauth:alice@{issuer.url.removeprefix('http://')}"
        assert issuer.seen["resource"] == f"{here}{path}"
        assert issuer.seen["scope"].split() == ["handheld:read", "handheld:act"]
        assert issuer.asked["/realms/lab/.well-known/openid-configuration"] == 0
        assert storage.tokens.access_token.count(".") == 2
