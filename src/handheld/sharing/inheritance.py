"""What the owner decided for a server holds on when another process takes over its phones."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast

from ..devices.ownership import OwnershipEntry
from ..settings import Settings
from ..settings.groups import DEFAULT_ASK

_GROUPS = ("sms", "apps", "download", "files")
"""Tables of options that limit what calls may do."""


def describe_limits(settings: Settings) -> dict[str, Any]:
    """The limits of an owning process, for its entry."""
    policy = settings.policy
    return {
        "read_only": settings.read_only,
        "tools": settings.tools.off,
        "toolsets": settings.toolsets.off,
        "ask": None if policy.ask is DEFAULT_ASK else policy.ask,
        "deny": policy.deny,
        "allow": policy.allow,
        "require_console": policy.require_console,
        **{group: asdict(getattr(settings, group)) for group in _GROUPS},
    }


def inherit(settings: Settings, gone: OwnershipEntry) -> Settings:
    """Return the settings with the limits of a process that is gone, beside our own. Where it had
    a console, nothing that is to be asked about runs until there is one again: else whoever ends
    the server would get what its owner was asked about."""
    limits = gone.limits
    if not limits:
        return settings
    own = settings.policy
    ask = own.ask
    if limits["ask"] is not None:
        ask = _both(own.ask, limits["ask"])
    theirs = tuple(limits["allow"])
    policy = replace(
        own,
        ask=ask,
        deny=_both(own.deny, limits["deny"]),
        allow=tuple(rule for rule in own.allow if rule in theirs),
        require_console=own.require_console or limits["require_console"] or bool(gone.console),
    )
    groups = {name: replace(getattr(settings, name), **_plain(limits[name])) for name in _GROUPS}
    return replace(
        settings,
        policy=policy,
        read_only=settings.read_only or limits["read_only"],
        tools=replace(settings.tools, off=_both(settings.tools.off, limits["tools"])),
        toolsets=replace(settings.toolsets, off=_both(settings.toolsets.off, limits["toolsets"])),
        **groups,
    )


def _both(own: tuple[str, ...], theirs: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *theirs)))


def _plain(group: Mapping[str, Any]) -> dict[str, Any]:
    """With tuples where JSON has lists."""
    return {
        name: tuple(cast("list[Any]", each)) if isinstance(each, list) else each
        for name, each in group.items()
    }
