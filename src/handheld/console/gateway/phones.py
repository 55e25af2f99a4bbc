"""The phones of all hosts, as a gateway's console shows them."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ...clock import Clock
from ...fleet.messages import OperatorAction, OperatorCommand, SentPicture
from ...fleet.nats.directory import PhoneRow
from ...fleet.nats.names import is_member_id, is_phone_id
from ...fleet.surface import FleetSurface
from ...server.exchange import HttpRefusal
from ..pages.live import frame_arguments
from ..routes import PageResponse, Request, Route, not_found
from ..sharing import Sharing
from .rows import FleetRows

SHOWN_WITHIN = 2.0
"""Seconds until the directory reflects a person's action."""


class FleetPhones:
    def __init__(self, rows: FleetRows, surface: FleetSurface, clock: Clock) -> None:
        self._rows = rows
        self._clock = clock
        self._changes = surface.phones.changes
        self._directory = surface.directory
        self._hosts = surface.hosts
        self._looks: Sharing[SentPicture] = Sharing()
        """Pages that show the same phone share requests."""

    async def all(self, request: Request) -> dict[str, Any]:
        self._rows.look()
        return {
            "change": self._rows.change,
            "rows": self._rows.since(-1),
            "engine": self._rows.engine,
        }

    async def frame(self, request: Request) -> Any:
        """Replies like the same route of one process's console."""
        host, row = self._find(request.params["phone"])
        asked = frame_arguments(request)
        key = (host, row.serial, tuple(asked.items()))
        picture = await self._looks.ask(key, lambda: self._hosts.look(host, row.serial, asked))
        details = picture._asdict()
        jpeg = details.pop("jpeg")
        if not jpeg:
            return {"changes": picture.changes}
        # Header bytes are Latin-1; window titles may not be.
        return PageResponse(jpeg, "image/jpeg", {"x-frame": json.dumps(details)})

    async def stop(self, request: Request) -> dict[str, Any]:
        return await self._obey(request, OperatorAction.STOP, lambda row: row.state == "stopped")

    async def resume(self, request: Request) -> dict[str, Any]:
        return await self._obey(request, OperatorAction.RESUME, lambda row: row.state != "stopped")

    async def end_lease(self, request: Request) -> dict[str, Any]:
        return await self._obey(request, OperatorAction.END_LEASE, lambda row: row.lease is None)

    async def _obey(
        self, request: Request, do: OperatorAction, shown: Callable[[PhoneRow], bool]
    ) -> dict[str, Any]:
        """Forward an order to the host. `shown` tells from the directory's row whether it was
        carried out; the page waits for that."""
        host, row = self._find(request.params["phone"])
        said = await self._hosts.obey(host, OperatorCommand(do, row.serial, request.session.name))
        with suppress(TimeoutError, HttpRefusal), self._changes.watch() as changed:
            async with self._clock.timeout(SHOWN_WITHIN):
                while not shown(self._find(request.params["phone"])[1]):
                    await changed.wait()
                    changed.clear()
        return {"message": said}

    def _find(self, id: str) -> tuple[str, PhoneRow]:
        host, _, phone = id.partition(".")
        found = is_member_id(host) and is_phone_id(phone) and self._directory.phone(host, phone)
        if not found:
            raise not_found("This phone no longer exists.")
        return host, found


def routes(rows: FleetRows, surface: FleetSurface, clock: Clock) -> Sequence[Route]:
    phones = FleetPhones(rows, surface, clock)
    return (
        Route("GET", "fleet", phones.all),
        Route("GET", "phones/{phone}/frame", phones.frame),
        Route("POST", "phones/{phone}/stop", phones.stop),
        Route("POST", "phones/{phone}/resume", phones.resume),
        Route("POST", "phones/{phone}/lease/end", phones.end_lease),
    )
