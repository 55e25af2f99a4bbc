"""`handheld token`: the owner's token, and further ones with limits."""

import argparse
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...access.owner_token import ensure_token, new_token
from ...access.tokens import OWNER, AccessToken, Tokens, read_expiry
from ...clock import SYSTEM_CLOCK, Clock
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_LIMITS = {"toolset": "--toolset", "only": "--for", "reads": "--read-only", "expires": "--expires"}


def add_token_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("show", "new", "list", "add", "revoke"),
        help="show or replace the owner's token; list, add or revoke others",
    )
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="with add and revoke: the token's name"
    )
    command.add_argument(
        "--toolset",
        action="append",
        metavar="NAME",
        help="with add: only the tools of this toolset; repeat for several",
    )
    command.add_argument(
        "--for",
        dest="only",
        action="append",
        metavar="PHONE",
        help="with add: only this phone, by slug or serial; repeat for several",
    )
    command.add_argument(
        "--read-only",
        dest="reads",
        action="store_true",
        default=None,
        help="with add: only tools that change nothing",
    )
    command.add_argument(
        "--expires",
        metavar="WHEN",
        help="with add: how long it is valid, such as 12h, 30d or 4w, or its last day, such as"
        " 2030-12-31",
    )
    command.add_argument(
        "--fleet",
        action="store_true",
        help="with list, add and revoke: the tokens that all gateways of an engine accept; run it"
        " where the engine's keys are",
    )
    command.add_argument(
        "--tenant", metavar="NAME", help="with --fleet: whose gateways; defaults to main"
    )
    command.add_argument(
        "--folder",
        metavar="FOLDER",
        help="with --fleet: where the engine is; defaults to the state folder",
    )


def token(
    given: argparse.Namespace, settings: Settings, clock: Clock = SYSTEM_CLOCK
) -> int | Coroutine[Any, Any, int]:
    """Running servers notice added and revoked tokens by themselves. Raises TokenError."""
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    if given.fleet:
        return _fleet_token(given, settings, clock)
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
            _show(tokens.make(*_wanted(given, clock.time())))
            if settings.no_token:
                print_note("no_token is set: as long as it is, tokens limit nothing.")
    return 0


async def _fleet_token(given: argparse.Namespace, settings: Settings, clock: Clock) -> int:
    """Running gateways and hosts notice added and revoked tokens by themselves. Raises TokenError,
    EngineError."""
    from ...fleet.nats.administration import Administration
    from ...fleet.nats.names import TOKENS
    from ...fleet.nats.plan import FIRST_TENANT, EngineFolder
    from ...fleet.tokens import add_token, list_tokens, revoke_token

    folder = EngineFolder(Path(given.folder or settings.folders.engine))
    now = clock.time()
    async with Administration(folder, clock).table(TOKENS, given.tenant or FIRST_TENANT) as kv:
        match given.action:
            case "list":
                for access_token in await list_tokens(kv):
                    print_line(describe(access_token, now))
            case "revoke":
                await revoke_token(kv, given.name)
                print_note(f"Revoked: {given.name}. Gateways no longer accept it.")
            case _:
                name, toolsets, phones, read_only, expires = _wanted(given, now)
                wanted = AccessToken(name, tuple(toolsets), tuple(phones), read_only, now, expires)
                _show(await add_token(kv, wanted))
    return 0


def _wanted(
    given: argparse.Namespace, now: float
) -> tuple[str, Sequence[str], Sequence[str], bool, float | None]:
    """What a token is made with. Raises TokensError."""
    expires = None if given.expires is None else read_expiry(given.expires, now)
    toolsets, phones = (tuple(dict.fromkeys(each or ())) for each in (given.toolset, given.only))
    return given.name, toolsets, phones, bool(given.reads), expires


def _show(secret: str) -> None:
    print_line(secret)
    print_note("It is shown only once: only its digest is stored.")


def _usage_error(given: argparse.Namespace) -> str:
    named = given.action in ("add", "revoke")
    if named and not given.name:
        return f"Name the token: handheld token {given.action} NAME"
    if given.name and not named:
        return f"handheld token {given.action} takes no NAME."
    if given.fleet and given.action in ("show", "new"):
        return f"handheld token {given.action} is about the owner's token: leave out --fleet."
    if not given.fleet and (given.tenant or given.folder):
        return f"{'--tenant' if given.tenant else '--folder'} is only for --fleet."
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
