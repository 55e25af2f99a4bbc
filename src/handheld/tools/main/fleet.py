"""Phones as a fleet: listing them, taking one for a limited time, giving it back. The toolset is
off unless the owner switches it on."""

from datetime import UTC, datetime
from typing import Annotated, Any

from ...phone.leases.fleet import Fleet, FleetPhone, WantedPhone
from ...phone.leases.lease import Lease
from ...phone.leases.leases import DEFAULT_MINUTES, IDLE_SECONDS, MOST_MINUTES
from ..parameter import Param
from ..recording import Secret
from ..tool import Reply, Toolset, json_text

fleet = Toolset("fleet")

Model = Annotated[str | None, Param("Part of the model's name", secret=Secret.NO)]
Api = Annotated[int | None, Param("Android API level, such as 34", 1, 1000)]
Tags = Annotated[list[str] | None, Param("Tags that the phone must all have", secret=Secret.NO)]
Slug = Annotated[str | None, Param("This phone: its slug or serial", secret=Secret.NO)]
Minutes = Annotated[
    int,
    Param(f"Minutes after which the lease ends at the latest (1-{MOST_MINUTES})", 1, MOST_MINUTES),
]
LeasedDevice = Annotated[
    str | None,
    Param("The lease's handle, or the phone. With one lease it can be left out", secret=Secret.NO),
]


@fleet.tool(
    title="List phones", read_only=True, idempotent=True, of_fleet=True, secret_reply=Secret.NO
)
async def list_phones(fleet: Fleet) -> str:
    """Lists the connected phones: which are free, who has leased the others, and until when."""
    return json_text([_row(phone, fleet.now) for phone in await fleet.phones()])


@fleet.tool(title="Take phone", of_fleet=True, secret_reply=Secret.NO)
async def take_phone(
    fleet: Fleet,
    model: Model = None,
    api: Api = None,
    tags: Tags = None,
    slug: Slug = None,
    minutes: Minutes = DEFAULT_MINUTES,
) -> Reply:
    """Takes a free phone, the least used one that fits: until the lease ends no other client uses
    it. The reply has a handle, which goes where tools take a device. Every call renews the lease;
    without one for 10 minutes it ends."""
    wanted = WantedPhone(model or "", api or 0, tuple(tags or ()), slug or "")
    taken = await fleet.take(wanted, minutes)
    row = {"device": taken.lease.handle, **_row(taken.phone, fleet.now)}
    return [json_text(row), *taken.notes]


@fleet.tool(
    title="Lease status", read_only=True, idempotent=True, of_fleet=True, secret_reply=Secret.NO
)
async def lease_status(fleet: Fleet) -> Reply:
    """Lists your leases, with the time that is left, and renews them."""
    leases, told = await fleet.status()
    rows = [
        {"device": each.handle, "phone": each.phone, **_ends(each, fleet.now)} for each in leases
    ]
    return [json_text(rows), *([told] if told else [])]


@fleet.tool(title="Give back phone", idempotent=True, of_fleet=True, secret_reply=Secret.NO)
async def give_back_phone(fleet: Fleet, device: LeasedDevice = None) -> str:
    """Ends a lease, so that others can use the phone. Your calls that still run on it are
    stopped."""
    return await fleet.give_back(device or "")


def _row(phone: FleetPhone, now: float) -> dict[str, Any]:
    row: dict[str, Any] = {"phone": phone.name}
    if phone.serial != phone.name:
        row["serial"] = phone.serial
    row |= {"model": phone.model, "api": phone.api or None}
    if phone.tags:
        row["tags"] = list(phone.tags)
    row["state"] = phone.state
    if phone.lease is not None:
        if phone.state == "leased":
            row["by"] = phone.lease.who
        row |= _ends(phone.lease, now)
    return row


def _ends(lease: Lease, now: float) -> dict[str, Any]:
    if not lease.held:
        return {}
    until = datetime.fromtimestamp(lease.until, UTC).astimezone()
    return {
        "ends": until.isoformat(timespec="seconds"),
        "seconds_left": round(lease.left(now)),
        "idle_seconds": round(IDLE_SECONDS),
    }
