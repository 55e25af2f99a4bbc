"""What members of a fleet do to each other, and who listens between them and their clients."""

import asyncio
import json
import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest

from handheld.access.request_scope import EVERYTHING
from handheld.errors import ToolError
from handheld.fleet.messages import HostCall
from handheld.fleet.nats.joining import Joined, join
from handheld.fleet.nats.plan import EngineError
from handheld.phone.leases.shares import OWNER
from handheld.server.http import HttpOptions, open_http
from handheld.server.tls import load_tls, self_signed
from handheld.tools.call import Caller
from harness.polling import HANG

from .fleet_lab import Fleet, ShiftedClock

pytestmark = pytest.mark.needs_nats
TAP: dict[str, Any] = {"x": 100, "y": 900}
HOUR = 3600.0


async def test_of_two_codes_for_one_name_one_counts(fleet: Fleet) -> None:
    codes: asyncio.Queue[str] = asyncio.Queue()
    admitting = [
        asyncio.create_task(
            fleet.lab.administration.admit("host", "desk", "main", codes.put_nowait)
        )
        for _ in range(2)
    ]
    given = [await codes.get() for _ in admitting]
    joined = await asyncio.gather(*map(join, given), return_exceptions=True)
    ended = await asyncio.gather(*admitting, return_exceptions=True)
    [won] = [each for each in joined if isinstance(each, Joined)]
    assert won.membership.id in ended
    [refused] = [each for each in ended if isinstance(each, EngineError)]
    assert "There is a member desk already" in refused.message
    assert len(fleet.lab.folder.load().members) == 1
    # Neither counts again.
    for code in given:
        with pytest.raises(EngineError, match="Nobody listens"):
            await join(code)


async def test_a_gateway_speaks_for_every_token_but_not_against_the_rules_of_a_host(
    fleet: Fleet,
) -> None:
    """Hosts trust it for who calls; what they allow nobody, it cannot have."""
    host = await fleet.host("left", deny=("press_home",))
    _, line = await fleet.line()
    for token in (OWNER, "ci", "oauth:somebody@https://elsewhere"):
        caller = Caller("http", "another program", token)
        tap, home = (
            HostCall(f"android_{tool}", {**given, "device": "left"}, caller, EVERYTHING)
            for tool, given in (("tap", TAP), ("press_home", {}))
        )
        await line.call(host.id, tap)
        with pytest.raises(ToolError, match="the rule 'press_home' denies it"):
            await line.call(host.id, home)
    assert host.touches("left") == 3
    # What was done is on record under the name that it told.
    tokens = {entry.token for entry in host.log.entries()}
    assert tokens >= {"ci", "oauth:somebody@https://elsewhere"}


@pytest.mark.parametrize("hours", [-1, 1])
async def test_clocks_that_differ_by_an_hour_end_no_lease(fleet: Fleet, hours: int) -> None:
    clock = ShiftedClock()
    clock.day_shift = hours * HOUR
    host = await fleet.host("left", clock=clock)
    gateway = await fleet.gateway("left")
    clock = ShiftedClock()
    clock.day_shift = -hours * HOUR
    other = await fleet.gateway("left", clock=clock)
    taken = json.loads(await gateway.call("take_phone", minutes=30))
    for each in (gateway, other):
        assert "failed" not in await each.call("tap", device=taken["device"], **TAP)
        [lease] = json.loads(await each.call("lease_status"))
        assert 1700 < lease["seconds_left"] <= 1800
        assert "failed" not in await each.call("tap", **TAP)
        refused = await each.call("tap", token="eve", device="left", **TAP)
        assert "left is leased to" in refused
    assert host.touches("left") == 4
    assert "given back" in await other.call("give_back_phone")


async def test_a_gateway_with_tls_talks_to_nobody_without(fleet: Fleet, tmp_path: Path) -> None:
    await fleet.host("left")
    gateway = await fleet.gateway("left")
    certificate, key = self_signed(tmp_path / "tls")
    stranger, _ = self_signed(tmp_path / "stranger")
    options = HttpOptions(port=0, token="the-token-of-the-owner", tls=load_tls(certificate, key))
    headers = {"Authorization": "Bearer the-token-of-the-owner"}
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "android_list_phones", "arguments": {}},
    }

    async def ask(url: str, trusted: Path) -> httpx.Response:
        trust = ssl.create_default_context(cafile=trusted)
        async with httpx.AsyncClient(verify=trust, trust_env=False, timeout=HANG) as client:
            return await client.post(url, json=request, headers=headers)

    async with open_http(gateway.surface, options) as served:
        assert served.url.startswith("https://")
        assert "left" in (await ask(served.url, certificate)).text
        with pytest.raises(httpx.ConnectError):
            await ask(served.url, stranger)
        with pytest.raises(httpx.TransportError):
            await ask(served.url.replace("https://", "http://"), certificate)
