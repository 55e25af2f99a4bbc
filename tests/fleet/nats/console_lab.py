"""A gateway with its console, and people at it, on a fleet of the tests."""

from contextlib import AsyncExitStack

import httpx

from console.rig import Person
from handheld.console import Console
from handheld.console.gateway.site import gateway_site
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from harness.polling import HANG

from .fleet_lab import Fleet, Gateway

TOKEN = "a token of an agent"


class GatewayConsole:
    def __init__(self, gateway: Gateway, url: str, console: Console, stack: AsyncExitStack) -> None:
        self.gateway = gateway
        self.url = url
        self.console = console
        self._stack = stack

    async def browser(self) -> Person:
        """One that is not logged in."""
        client = httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=HANG)
        return Person(await self._stack.enter_async_context(client))

    async def person(self) -> Person:
        person = await self.browser()
        secret = self.console.make_link(self.url).partition("#login=")[2]
        assert (await person.log_in(secret)).status_code == 200
        return person


async def open_console(fleet: Fleet, *slugs: str) -> GatewayConsole:
    """With a gateway that knows these phones; until the test ends."""
    gateway = await fleet.gateway(*slugs)
    console = Console(gateway_site(gateway.surface, "front", linger=0))
    options = HttpOptions(port=0, token=TOKEN, console=console)
    address = await fleet.stack.enter_async_context(open_http(gateway.surface, options))
    clients = await fleet.stack.enter_async_context(AsyncExitStack())
    return GatewayConsole(gateway, address.url.removesuffix("/mcp"), console, clients)
