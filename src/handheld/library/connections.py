"""Connects to a phone: at an address, by the settings, of a running server, or a virtual one of
this process."""

import logging
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from ..access.request_scope import AGENT, RequestScope
from ..calls.protocols import Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices, restore
from ..devices.ownership import Owners, OwnershipEntry
from ..errors import ActionFailed, InvalidParams
from ..settings import VIRTUAL, Settings, load, split_address
from ..settings.folders import Folders
from ..settings.groups import PackagesSettings, ToolsetsSettings
from ..settings.slug import tool_prefix
from ..tools.call import Caller
from ..tools.listing import PHONE_PREFIX, STEPS_PREFIX, Item

if TYPE_CHECKING:
    from handheld_virtual import PhoneThread

    from ..audit import AuditLog
    from ..phone.phone import Phone

T = TypeVar("T")

_COMMAND = "python"
"""This process's name in messages to other processes that want its phone."""
_CALLER = Caller("library", "python")
_PATIENCE = 3.0
"""The factor by which the time limits of the connection to a virtual phone are extended: the
machine may be busy."""

_PLAIN_URL = re.compile(r"https?://[\w.:\[\]%-]+(?:/[^\s?#]*)?", re.IGNORECASE)
"""Without parts that would not be sent, such as a user name."""

_log = logging.getLogger(__name__)


async def _nobody() -> None:
    """This process has no phone."""


async def _nothing() -> str:
    return ""


async def _in_real_time(work: Coroutine[Any, Any, T]) -> T:
    return await work


@dataclass(slots=True)
class PhoneConnection:
    """The tools of a phone. Usable until closed."""

    surface: Surface
    close: Callable[[], Awaitable[None]]
    slug: str = ""
    """The slug in the names of the documented tools."""
    phone: str | None = None
    """The phone to use, if there are several."""
    device: "Callable[[], Awaitable[Phone | None]]" = _nobody
    """Returns the phone itself if this process has it and it is connected."""
    record: "Callable[[], AuditLog | None]" = lambda: None
    """Returns where this process records the calls."""
    restore: Callable[[], Awaitable[str]] = _nothing
    """Restores the settings changed on the phone, if this process has it, and says which. Raises
    ToolError if a setting stays changed."""
    pace: Callable[[Coroutine[Any, Any, Any]], Awaitable[Any]] = _in_real_time
    """Runs work with the phone, and lets a virtual phone's own time pass meanwhile."""

    async def do(self, verb: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        """Call a tool for models by its name without prefix. Replies also name other tools without
        prefix."""
        chosen = RequestScope(phone=self.phone, surface=AGENT, prefix="")
        return await self.surface.call(verb, arguments, _CALLER, chosen)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        """Call a tool by its name, as `handheld call` does: `phone_camera`, `tap`, `my_steps`."""
        if tool.startswith((PHONE_PREFIX, STEPS_PREFIX)):
            chosen = RequestScope(phone=self.phone, surface=AGENT, prefix=PHONE_PREFIX)
        else:
            chosen = RequestScope(phone=self.phone)
            if not tool.startswith(tool_prefix("")):
                tool = tool_prefix(self.slug) + tool
        return await self.surface.call(tool, arguments, _CALLER, chosen)


async def connect_virtual(virtual: "PhoneThread", *, recorded: bool) -> PhoneConnection:
    """Connect to a virtual phone of this process. If its clock stands still, the work runs in its
    thread, and its time passes meanwhile."""
    from handheld_virtual import ManualClock

    from ..tasks.phone_time import PlayedTime, passing

    clock = virtual.phone.clock
    if not isinstance(clock, ManualClock):
        return await connect_address(virtual.address, recorded=recorded)
    time = PlayedTime(lambda: virtual.phone, _PATIENCE)
    connection = await passing(clock, connect_address(virtual.address, time, recorded=recorded))
    connection.pace = partial(passing, clock)
    return connection


async def connect_address(
    address: str, clock: Clock = SYSTEM_CLOCK, *, recorded: bool = False
) -> PhoneConnection:
    """Connect to an adbd with all tools and without this user's settings, for phones that exist for
    tests. With `recorded`, calls are recorded while the connection lasts."""
    from ..adb.keys import generate_key
    from ..audit import AuditLog, Recorder
    from ..cli.parts import Parts
    from ..devices.direct import DirectDevice, TcpEndpoint
    from ..devices.opening import PhoneFactory
    from ..phone.files.storage import EXAMPLE, Location

    where = split_address(address)
    if where is None:
        raise InvalidParams(f"{address} is not an address: write HOST:PORT.")
    kept = tempfile.TemporaryDirectory(prefix="handheld-")
    folder = Path(kept.name)
    settings = Settings(
        phone=(address,),
        toolsets=ToolsetsSettings(on=("all",)),
        packages=PackagesSettings(folders=("/",)),
        folders=Folders(folder, folder / "state"),
    )
    factory = PhoneFactory(settings, (Location(EXAMPLE, allow_write=True, allow_delete=True),))
    endpoint = TcpEndpoint(*where, lambda: (generate_key(),), clock)
    devices = DirectDevice(endpoint, partial(factory.make_phone, also=(VIRTUAL,)), _log.debug)
    recorder = None
    if recorded:
        recorder = Recorder(AuditLog(folder / "calls.sqlite", clock=clock), clock=clock)

    parts = Parts(settings, devices, recorder, clock=clock)

    async def close() -> None:
        try:
            await parts.aclose()
        finally:
            kept.cleanup()

    try:
        await devices.pick(None)
    except BaseException:
        await close()
        raise
    record = None if recorder is None else recorder.log
    return PhoneConnection(
        parts.surface, close, device=partial(_first, devices), record=lambda: record
    )


async def connect_chosen(name: str | None) -> PhoneConnection:
    """Connect to a phone as a command does, with this user's settings, rules and record: through
    the process that has it, or as its owner."""
    from ..cli.owning import Owned
    from ..cli.reach import find_surface
    from ..server.sharing.failover import Reached, SharedSurface

    settings = load({"phone": name} if name else {})
    for entry in Owners(settings.folders.owners).entries():
        if entry.pid == os.getpid() and entry.phones == settings.phones:
            raise ActionFailed("This program has opened this phone already: use that, or close it.")
    owned: Owned | None = None

    async def find() -> Reached:
        nonlocal owned
        found = await find_surface(settings, _COMMAND)
        owned = found if isinstance(found, Owned) else None
        try:
            await found.demand_phone()
        except BaseException:
            await found.aclose()
            raise
        return found

    async def device() -> "Phone | None":
        return None if owned is None else await _first(owned.parts.devices)

    async def put_back() -> str:
        return "" if owned is None else await restore(owned.parts.devices, None)

    def record() -> "AuditLog | None":
        recorder = None if owned is None else owned.parts.recorder
        return None if recorder is None else recorder.log

    surface = SharedSurface(find)
    await surface.open()
    slug = settings.single_slug
    return PhoneConnection(surface, surface.aclose, slug, None, device, record, put_back)


async def connect_server(url: str, token: str, phone: str | None, cert: str) -> PhoneConnection:
    """Connect to a running server, with the tools and phones that the token allows."""
    from ..server.sharing.remote import RemoteSurface

    base, named = split_url(url)
    entry = ServerEntry("", 0, "", "", base, token, cert)
    surface = RemoteSurface(entry, refusal=f"{entry} does not take this token.")
    phone = phone or named or None
    try:
        await surface.tools(RequestScope(phone=phone, surface=AGENT, prefix=""))
    except BaseException:
        await surface.aclose()
        raise
    return PhoneConnection(surface, surface.aclose, phone=phone)


def read_token(token: str) -> str:
    """The token as it is sent, without the line end of a file. Raises InvalidParams."""
    token = token.strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise InvalidParams("The token has characters that no token can have.")
    return token


def check_certificate(file: str) -> None:
    """Raises InvalidParams if the file has no certificate."""
    import ssl

    from ..server.sharing.remote import first_certificate

    try:
        ssl.PEM_cert_to_DER_cert(first_certificate(file))
    except (OSError, ValueError):
        raise InvalidParams(f"{file} has no readable certificate.") from None


class ServerEntry(OwnershipEntry):
    """A server that a program names by its address."""

    def __str__(self) -> str:
        return f"The server at {self.url}"


def split_url(url: str) -> tuple[str, str]:
    """Return the address of a server, and the phone that the path names, or "". Raises
    InvalidParams."""
    try:
        parts = urlsplit(url)
        plain = _PLAIN_URL.fullmatch(url) and parts.port != 0
    except ValueError:
        parts, plain = urlsplit(""), False
    path = parts.path.rstrip("/").removesuffix(f"/{AGENT}").removesuffix("/mcp")
    phone = path.removeprefix("/phones/")
    known = not path or (phone not in ("", path) and "/" not in phone)
    if not plain or not known:
        scheme, slashes, rest = url.partition("//")
        _, at, host = rest.rpartition("@")
        shown = f"{scheme}//…@{host}" if slashes and at else url
        raise InvalidParams(
            f"{shown} is not the address of a server, such as http://127.0.0.1:8080."
        )
    return f"{parts.scheme}://{parts.netloc}", unquote(phone)


async def _first(devices: Devices) -> "Phone | None":
    return next(iter(await devices.present(None)), None)
