"""`handheld token`: the owner's token, and further ones with limits."""

import argparse
from datetime import UTC, datetime

from ..access.owner_token import ensure_token, new_token
from ..access.tokens import OWNER, AccessToken, Tokens, read_expiry
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import Settings
from .exit_codes import USAGE_ERROR
from .terminal import print_error, print_line, print_note

_LIMITS = {"toolset": "--toolset", "only": "--for", "reads": "--read-only", "expires": "--expires"}


def token(given: argparse.Namespace, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> int:
    """Running servers notice added and revoked tokens by themselves. Raises TokenError."""
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    tokens = Tokens(settings.folders.tokens, clock=clock)
    match given.action:
        case "show":
            print_line(settings.token or ensure_token(settings.folders.token).value)
        case "new":
            print_line(new_token(settings.folders.token))
            print_error("Running servers keep the old token until they are restarted.")
        case "list":
            _list(tokens, clock.time())
        case "revoke":
            tokens.revoke(given.name)
            print_note(f"Revoked: {given.name}. It is no longer accepted.")
        case _:
            expires = None
            if given.expires is not None:
                expires = read_expiry(given.expires, clock.time())
            made = tokens.make(
                given.name, given.toolset or (), given.only or (), bool(given.reads), expires
            )
            print_line(made)
            print_note("It is shown only once: only its digest is stored.")
            if settings.no_token:
                print_note("no_token is set: as long as it is, tokens limit nothing.")
    return 0


def _usage_error(given: argparse.Namespace) -> str:
    named = given.action in ("add", "revoke")
    if named and not given.name:
        return f"Name the token: handheld token {given.action} NAME"
    if given.name and not named:
        return f"handheld token {given.action} takes no NAME."
    if given.action != "add":
        for dest, flag in _LIMITS.items():
            if getattr(given, dest) is not None:
                return f"{flag} is only for handheld token add."
    return ""


def _list(tokens: Tokens, now: float) -> None:
    print_line(f"{OWNER}  all tools  all phones  (handheld token show)")
    for access_token in tokens.all():
        print_line(describe(access_token, now))


def describe(access_token: AccessToken, now: float) -> str:
    """One line about a token."""
    tools = ", ".join(access_token.toolsets) or "all tools"
    phones = ", ".join(access_token.phones) or "all phones"
    reads = "  read-only" if access_token.read_only else ""
    return f"{access_token.name}  {tools}  {phones}{reads}{_expiry(access_token, now)}"


def _expiry(access_token: AccessToken, now: float) -> str:
    if access_token.expires is None:
        return ""
    when = datetime.fromtimestamp(access_token.expires, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"  expired {when}" if access_token.ended(now) else f"  expires {when}"
