"""A server in this process, and a client of it over HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx

from handheld.calls.local import Surface
from handheld.server.http import open_http
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from harness.polling import HANG


def client_of(address: Address, token: str = "") -> httpx.AsyncClient:
    """A client that shows this token with every request."""
    return httpx.AsyncClient(
        base_url=address.url.removesuffix("/mcp"),
        headers={"Authorization": f"Bearer {token}"} if token else {},
        trust_env=False,
        timeout=HANG,
    )


@asynccontextmanager
async def served(
    surface: Surface, options: HttpOptions, token: str = ""
) -> AsyncGenerator[tuple[httpx.AsyncClient, Address]]:
    """`token` is what the client shows; the server's is among the options."""
    async with open_http(surface, options) as address, client_of(address, token) as http:
        yield http, address
