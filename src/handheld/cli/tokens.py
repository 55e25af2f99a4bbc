"""`handheld token`: the owner's token, and further ones with limits."""

import argparse
from datetime import UTC, datetime

from ..access.owner_token import ensure_token, new_token
from ..access.tokens import OWNER, AccessToken, Tokens, read_expiry
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import Settings
from .exit_codes import USAGE_ERROR
from .terminal import complain, note, say

_LIMITS = {"toolset": "--toolset", "only": "--for", "reads": "--read-only", "expires": "--expires"}


def token(given: argparse.Namespace, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> int:
    """Servers that run take notice of added and revoked tokens by themselves. Raises TokenError."""
    if wrong := _wrong(given):
        complain(wrong)
        return USAGE_ERROR
    tokens = Tokens(settings.folders.tokens, clock=clock)
    match given.action:
        case "show":
            say(settings.token or ensure_token(settings.folders.token).value)
        case "new":
            say(new_token(settings.folders.token))
            complain("Servers that run keep the old token until they are started again.")
        case "list":
            _list(tokens, clock.time())
        case "revoke":
            tokens.revoke(given.name)
            note(f"Revoked: {given.name}. It opens nothing any more.")
        case _:
            expires = None
            if given.expires is not None:
                expires = read_expiry(given.expires, clock.time())
            made = tokens.make(
                given.name, given.toolset or (), given.only or (), bool(given.reads), expires
            )
            say(made)
            note("This is shown once: only a digest of it is kept.")
            if settings.no_token:
                note("no_token is set: until it is taken out, no token limits anything.")
    return 0


def _wrong(given: argparse.Namespace) -> str:
    named = given.action in ("add", "revoke")
    if named and not given.name:
        return f"Say which token: handheld token {given.action} NAME"
    if given.name and not named:
        return f"handheld token {given.action} takes no NAME."
    if given.action != "add":
        for dest, flag in _LIMITS.items():
            if getattr(given, dest) is not None:
                return f"{flag} belongs to handheld token add."
    return ""


def _list(tokens: Tokens, now: float) -> None:
    say(f"{OWNER}  all tools  all phones  (handheld token show)")
    for one in tokens.all():
        say(describe(one, now))


def describe(one: AccessToken, now: float) -> str:
    """A token in a line."""
    tools = ", ".join(one.toolsets) or "all tools"
    phones = ", ".join(one.phones) or "all phones"
    reads = "  read-only" if one.read_only else ""
    return f"{one.name}  {tools}  {phones}{reads}{_end(one, now)}"


def _end(one: AccessToken, now: float) -> str:
    if one.expires is None:
        return ""
    when = datetime.fromtimestamp(one.expires, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"  ended {when}" if one.ended(now) else f"  ends {when}"
