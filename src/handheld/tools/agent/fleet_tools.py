"""Taking a phone for a limited time, and giving it back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from ...phone.leases.fleet import Fleet, FleetPhone, WantedPhone
from ...phone.leases.lease import Lease, clock_text, span_text
from ...phone.leases.leases import DEFAULT_MINUTES, MOST_MINUTES
from ..parameter import Param
from ..recording import Secret
from ..tool import Action, Listing, Reply, Toolset

fleet_tools = Toolset("fleet")

_ABILITIES: Mapping[str, tuple[str, ...]] = {
    "list": ("list_phones", "lease_status"),
    "take": ("take_phone",),
    "give_back": ("give_back_phone",),
}


def _lease_actions(listing: Listing) -> Action:
    actions = {
        name: replace(listing, abilities=tools, read_only=name == "list")
        for name, tools in _ABILITIES.items()
    }
    return Action(actions, _choose, "action")


def _choose(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("action"))


@fleet_tools.tool(
    name="phone_lease",
    title="Lease",
    of_fleet=True,
    secret_reply=Secret.NO,
    actions=_lease_actions,
)
async def lease(
    fleet: Fleet,
    action: Annotated[
        Literal["list", "take", "give_back"], Param("", schema={"description": None})
    ],
    phone: Annotated[str, Param("slug or serial, or lease-…", secret=Secret.NO)] = "",
    model: Annotated[str, Param("part of it", secret=Secret.NO)] = "",
    api: Annotated[int | None, Param("API level", 1, 1000)] = None,
    tags: Annotated[str, Param("as a,b", secret=Secret.NO)] = "",
    minutes: Annotated[int, Param("at most", 1, MOST_MINUTES)] = DEFAULT_MINUTES,
) -> Reply:
    """Take a phone so that no other agent uses it, give it back, or list phones and leases. A lease
    ends after 10 minutes without a call."""
    if action == "list":
        leases, told = await fleet.status()
        lines = [_line(each, fleet.now) for each in await fleet.phones()]
        connected = {each.handle for each in leases if any(each.handle in line for line in lines)}
        lines += [
            f"{each.phone} not connected, {_yours(each, fleet.now)}"
            for each in leases
            if each.handle not in connected
        ]
        return "\n".join([*(lines or ["No phone is connected."]), *([told] if told else [])])
    if action == "give_back":
        return await fleet.give_back(phone)
    names = tuple(name.strip() for name in tags.split(",") if name.strip())
    taken = await fleet.take(WantedPhone(model, api or 0, names, phone), minutes)
    return "\n".join([f"Took {_line(taken.phone, fleet.now)}.", *taken.notes])


def _line(phone: FleetPhone, now: float) -> str:
    api = f" API {phone.api}" if phone.api else ""
    tags = f" [{', '.join(phone.tags)}]" if phone.tags else ""
    lease, state = phone.lease, phone.state
    if lease is not None and state == "yours":
        state = _yours(lease, now)
    elif lease is not None:
        state = lease.describe().removeprefix(f"{phone.name} is ").removesuffix(".")
    elif state == "stopped":
        state = "stopped by its owner"
    elif state == "elsewhere":
        state = "used by another host"
    return f'{phone.name} "{phone.model}"{api}{tags}: {state}'


def _yours(lease: Lease, now: float) -> str:
    if not lease.held:
        return "yours soon"
    return f"yours as {lease.handle} until {clock_text(lease.until)} ({span_text(lease.left(now))})"
