"""What the owner decided for a server holds on when another process takes over its phones."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from ...access.policy import ALL_TOOLSETS
from ...devices.ownership import OwnershipEntry
from ...settings import Settings
from ...settings.groups import AuditSettings
from ...settings.questions import DEFAULT
from ...tools.listing import OPTIONAL_TOOLSETS, OWNER_TOOLSETS

_GROUPS = ("sms", "apps", "download", "files", "packages")
"""Tables of options that limit what calls may do."""
_DECIDED = ("policy", "audit", *_GROUPS)
"""Tables by which the process decides that has the phone."""


def describe_limits(settings: Settings) -> dict[str, Any]:
    """The limits of an owning process, for its entry."""
    policy = settings.policy
    return {
        "read_only": settings.read_only,
        "tools": settings.tools.off,
        "toolsets": settings.toolsets.off,
        "on": settings.toolsets.on,
        "ask": policy.ask,
        "deny": policy.deny,
        "allow": policy.allow,
        "require_console": policy.require_console,
        "wait_seconds": policy.wait_seconds,
        "audit": asdict(settings.audit),
        **{group: asdict(getattr(settings, group)) for group in _GROUPS},
    }


def find_ignored(settings: Settings, entry: OwnershipEntry) -> str:
    """Return the flag or the variable of this process that would not hold for calls that go through
    another one, because that decides by its own; empty where all are as there."""
    for key, source in settings.sources.items():
        table, _, name = key.rpartition(".")
        if table in _DECIDED and key != "sms.port":
            own = getattr(getattr(settings, table), name)
            limits = entry.limits if table == "policy" else entry.limits.get(table, {})
            if name not in limits or not _is_kept(name, own, limits[name]):
                return source
    return ""


def _is_kept(name: str, own: Any, theirs: Any) -> bool:
    if name in ("ask", "deny"):
        # The other process may have more of these.
        return set(cast("tuple[str, ...]", own)) <= set(theirs or [DEFAULT])
    if name == "require_console":
        return theirs or not own
    return own == _plain({name: theirs})[name]


def inherit(settings: Settings, gone: OwnershipEntry) -> Settings:
    """Return the settings with the limits of a process that is gone, beside our own. Where it had
    a console, nothing that is to be asked about runs until there is one again: else whoever ends
    the server would get what its owner was asked about."""
    limits = gone.limits
    if not limits:
        return settings
    own = settings.policy
    # One that served a client over stdio says whether its console was used: it always has one.
    had_console = limits.get("console", bool(gone.console))
    needs_console = limits["require_console"] or had_console
    theirs = tuple(limits["allow"])
    policy = replace(
        own,
        # A process of an earlier version has None for the default.
        ask=_both(own.ask, [DEFAULT] if limits["ask"] is None else limits["ask"]),
        deny=_both(own.deny, limits["deny"]),
        allow=tuple(rule for rule in own.allow if rule in theirs),
        require_console=own.require_console or needs_console,
    )
    groups = {
        name: replace(getattr(settings, name), **_plain(limits[name]))
        for name in _GROUPS
        if name in limits  # a process of an earlier version has fewer
    }
    return replace(
        settings,
        policy=policy,
        audit=_audit(settings.audit, limits.get("audit")),
        read_only=settings.read_only or limits["read_only"],
        tools=replace(settings.tools, off=_both(settings.tools.off, limits["tools"])),
        toolsets=replace(
            settings.toolsets,
            off=_both(settings.toolsets.off, limits["toolsets"]),
            # A process of an earlier version does not tell it.
            on=_switched_on(settings.toolsets.on, limits.get("on", ())),
        ),
        **groups,
    )


def _audit(own: AuditSettings, theirs: Mapping[str, Any] | None) -> AuditSettings:
    """What either records is recorded, and what either masks is masked. A process of an earlier
    version tells nothing about it."""
    if theirs is None:
        return own
    return replace(
        own,
        off=own.off and theirs["off"],
        required=own.required or (theirs["required"] and not theirs["off"]),
        mask_typing=own.mask_typing or theirs["mask_typing"],
        mask_screens=_both(own.mask_screens, theirs["mask_screens"]),
        mask_files=own.mask_files or theirs["mask_files"],
        mask_apps=own.mask_apps or theirs["mask_apps"],
    )


def _switched_on(own: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """Our own without those that only an owner switches on, and theirs did not."""
    if ALL_TOOLSETS in theirs:
        return tuple(own)
    named = OPTIONAL_TOOLSETS if ALL_TOOLSETS in own else own
    return tuple(sorted(set(named) - (OWNER_TOOLSETS - set(theirs))))


def _both(own: tuple[str, ...], theirs: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *theirs)))


def _plain(group: Mapping[str, Any]) -> dict[str, Any]:
    """With tuples where JSON has lists."""
    return {
        name: tuple(cast("list[Any]", each)) if isinstance(each, list) else each
        for name, each in group.items()
    }
