"""`handheld serve` beside a `handheld stdio` that has the phone: its clients share it with that
one."""

import asyncio
import logging

from ..access.tokens import Tokens
from ..clock import SYSTEM_CLOCK
from ..devices.ownership import Owners, OwnershipEntry, holder
from ..server.sharing.failover import Reached, SharedSurface
from ..server.sharing.remote import has_phone
from ..settings import Settings
from ..settings.slug import server_name
from .clients.snippets import agent_url
from .reach import find_surface
from .server_process import allowed_hosts, find_token, open_tls, print_token
from .terminal import print_error, print_line

log = logging.getLogger("handheld")


async def find_client_process(settings: Settings) -> OwnershipEntry | None:
    """The process that has the phone for one client. Raises OwnerError."""
    owners = Owners(settings.folders.owners)
    entry = await holder(owners, settings.phones, has_phone)
    return entry if entry is not None and entry.has_one_client else None


async def serve_beside(settings: Settings) -> int:
    """Serve the phone of another process until it ends, and as its owner then."""
    from ..server.http import serve_http
    from ..server.listener import Address, CannotServe
    from ..server.options import HttpOptions

    last: OwnershipEntry | None = None

    answered = asyncio.Event()

    async def find() -> Reached:
        nonlocal last
        found = await find_surface(settings, "serve", answered=answered, after=last)
        if (entry := getattr(found, "entry", None)) is not None:
            last = entry
        elif last is not None:
            log.info("%s has ended: this process has the phone now.", last)
        return found

    surface = SharedSurface(find, answered)
    token = find_token(settings)
    try:
        await surface.open()
        tls, _ = open_tls(settings, SYSTEM_CLOCK)
        options = HttpOptions(
            host=settings.host,
            port=settings.port,
            token=token.value if token else "",
            allow_hosts=allowed_hosts(settings),
            body_limit=settings.body_limit,
            tls=tls,
            name=server_name(settings.single_slug),
            agent=True,
        )

        def ready(address: Address) -> None:
            print_line(f"{last} has the phone, and shares it with this server.")
            print_line(f"Handheld serves MCP at {agent_url(address.url)}")
            print_line(f"Programs that use the documented android_ tools connect to {address.url}")
            if missing := _missing(settings):
                print_line(f"Not served beside it: {', '.join(missing)}.")
            print_token(token, settings)
            if last is not None and last.console:
                print_line("`handheld console` prints a link to the console.")

        await serve_http(surface, options, ready)
    except CannotServe as problem:
        print_error(str(problem))
        return 1
    finally:
        await surface.aclose()
    return 0


def _missing(settings: Settings) -> list[str]:
    """What takes the phone itself, or could not be told from the owner's own calls there."""
    named = bool(list(Tokens(settings.folders.tokens).names()))
    parts = {
        "named tokens": named and not settings.no_token,
        "OAuth": bool(settings.oauth.issuer),
        "the sms surface": "sms" in settings.surface,
        "/mcp/v1": not settings.no_v1,
    }
    return [name for name, wanted in parts.items() if wanted]
