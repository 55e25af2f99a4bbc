"""Finding problems, and the commands that fix them."""

import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ...access.owner_token import SHORTEST, TokenError, read_token
from ...access.policy import describe_unasked
from ...access.takeover import ALL, RESUME, Takeover
from ...adb.link import AdbError
from ...adb.server import AdbDevice, AdbServer, find_adb
from ...adb.state import PhoneState, PhoneUnavailable
from ...app_tools.check.finding import Finding, Severity, ok
from ...clock import SYSTEM_CLOCK, Clock
from ...devices.ownership import Owners, OwnershipEntry
from ...screen.characters import plain
from ...server.listener import bind
from ...settings import VIRTUAL, Settings, split_address, unknown_variables
from ...settings.editing import ConfigFile
from ...settings.rules import Rule

_OLDEST_PYTHON = (3, 11)
_IN_TERMUX = hasattr(sys, "getandroidapilevel")
_INSTALL_ADB = "pkg install android-tools" if _IN_TERMUX else "apt-get install adb"
_LEAST_FREE_BYTES = 2_000_000
"""Free space that the record of calls should have: the file it appends to grows by a million."""


async def examine(
    settings: Settings, *, stderr: bool = False, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[Finding]:
    """Check one thing after the other. Nothing is changed, and no phone is taken from its owner.
    `stderr`: include what the helper printed on each phone."""
    owners = Owners(settings.folders.owners).entries()
    for finding in _examine_computer(settings, owners, clock):
        yield finding
    for issuer in settings.oauth.issuer:
        from .oauth import check_issuer  # only where it is needed

        yield await check_issuer(issuer, clock)
    async for finding in _check_adb(settings, owners, partial(_check_phone, stderr=stderr)):
        yield finding
    from .direct_phones import without_server

    for name in await without_server(settings):
        for finding in await _check_address(settings, name, owners, stderr):
            yield finding
    yield await _check_virtual()
    from .engine import examine_engine

    async for finding in examine_engine(settings, clock):
        yield finding


async def examine_briefly(
    settings: Settings, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[Finding]:
    """The same without what takes long: no phone is opened, what speaks to phones is not even
    imported, and nobody but the adb server is asked."""
    owners = Owners(settings.folders.owners).entries()
    for finding in _examine_computer(settings, owners, clock):
        yield finding
    async for finding in _check_adb(settings, owners, _name_phone):
        yield finding


def _examine_computer(
    settings: Settings, owners: list[OwnershipEntry], clock: Clock
) -> Iterator[Finding]:
    """What is known without asking anybody."""
    yield _check_python(sys.version_info[:3])
    for sentence in unknown_variables():
        yield Finding(Severity.WARNING, "settings", sentence)
    yield from check_token(settings)
    yield from check_named_tokens(settings, clock.time())
    yield check_record(settings, _free_bytes)
    yield ok("approval", describe_unasked(settings.policy))
    if names := Takeover(settings.folders.held).names:
        where = "on every phone" if ALL in names else "on phones that `handheld phones` names"
        yield Finding(Severity.WARNING, "agents", f"Agents are held back {where}.", RESUME)
    yield from _check_originals(settings)
    if "main" in settings.surface:
        yield _check_port(settings, settings.port, "port", owners)
    if "sms" in settings.surface:
        yield _check_port(settings, settings.sms.port, "sms-port", owners)
    yield _check_apps(settings)
    for entry in owners:
        yield ok("owner", f"{entry} has {entry.selection or 'every phone that adb has'}.")


def _check_originals(settings: Settings) -> Iterator[Finding]:
    """What agents changed on phones and nobody has put back."""
    if not settings.folders.originals.exists():
        return
    from ...phone.device.settable import label_of
    from ...phone.device.settings_backup import SettingsBackup

    for kept in SettingsBackup(settings.folders.originals).all():
        labels = ", ".join(map(label_of, kept.values))
        sentence = f"Changed on {plain(kept.phone)} by agents, and not put back: {labels}."
        fix = f"handheld phones restore {plain(kept.address)}"
        yield Finding(Severity.WARNING, "phone", sentence, fix)


def _check_python(version: tuple[int, ...]) -> Finding:
    text = ".".join(map(str, version))
    if version[:2] >= _OLDEST_PYTHON:
        return ok("python", f"Python {text} at {sys.executable}.")
    return Finding(
        Severity.PROBLEM,
        "python",
        f"Python {text} is too old; 3.11 or newer is needed.",
        "make setup PYTHON=python3.12",
    )


def check_token(settings: Settings) -> Iterator[Finding]:
    """Check the owner's token: that there is one, that nobody guesses it, and that no other user of
    this machine reads it."""
    if settings.no_token:
        yield Finding(
            Severity.WARNING,
            "token",
            "No token is required.",
            "Leave out --no-token to require one",
        )
        return
    kept = settings.folders.token
    source = settings.sources.get("token", "")
    try:
        value = settings.token or read_token(kept)
    except TokenError as problem:
        yield Finding(Severity.PROBLEM, "token", str(problem), "handheld token new")
        return
    if value is None:
        yield ok("token", f"None yet; it is created at the first start and kept in {kept}.")
        return
    file, fix = kept, "handheld token new"
    if settings.token:
        # In the configuration file, unless a variable or a flag gave it.
        file = ConfigFile(settings).path
        fix = (
            f"Remove token from {source or file}: then one is made and kept where only you read it"
        )
    short = len(value) < SHORTEST
    if short:
        sentence = f"The token has fewer than {SHORTEST} characters: it can be guessed."
        yield Finding(Severity.PROBLEM, "token", sentence, fix)
    mode = file.stat().st_mode & 0o777 if not source and file.exists() else 0
    if mode & 0o077:
        yield Finding(
            Severity.PROBLEM,
            "token",
            f"Other users of this machine can read {file} (mode {mode:04o}).",
            f"chmod 600 {file} && {fix}"
            if file == kept
            else f"chmod 600 {file}, then set another token",
        )
    elif not short:
        where = f"Set by {source}." if source else f"It is kept in {file}, which only you can read."
        yield ok("token", where)


def check_named_tokens(settings: Settings, now: float) -> Iterator[Finding]:
    from ...access.tokens import OWNER, Tokens, TokensError

    file = settings.folders.tokens
    try:
        every = Tokens(file).all()
    except TokensError as problem:
        yield Finding(Severity.PROBLEM, "tokens", str(problem), f"rm {file}")
        return
    known = {OWNER, *(token.name for token in every)}
    policy = settings.policy
    rules = map(Rule.read, (*policy.ask, *policy.deny, *policy.allow))
    # Those of callers with access tokens are in no list.
    named = {rule.token for rule in rules if "*" not in rule.token and ":" not in rule.token}
    for name in sorted(named - known - {""}):
        sentence = f"A policy rule names the token {name}, which does not exist."
        yield Finding(Severity.WARNING, "tokens", sentence, f"handheld token add {name}")
    if not every:
        return
    mode = file.stat().st_mode & 0o777
    if mode & 0o077:
        yield Finding(
            Severity.PROBLEM,
            "tokens",
            f"Other users of this machine can reach {file} (mode {mode:04o}).",
            f"chmod 600 {file}",
        )
    for token in every:
        if token.ended(now):
            sentence = f"The token {token.name} has expired and is refused."
            yield Finding(
                Severity.WARNING, "tokens", sentence, f"handheld token revoke {token.name}"
            )
        elif token.near_end(now) and token.expires is not None:
            left = max(1, round((token.expires - now) / 3600))
            span = f"{left} h" if left < 48 else f"{left // 24} days"
            sentence = f"The token {token.name} expires in {span}."
            fix = f"handheld token revoke {token.name} && handheld token add {token.name}"
            yield Finding(Severity.WARNING, "tokens", sentence, fix)
    yield ok("tokens", f"Known: {', '.join(token.name for token in every)}.")


def check_record(settings: Settings, free_bytes: Callable[[Path], int]) -> Finding:
    """`free_bytes` returns the free space on the disk of a file, which need not exist yet."""
    file = settings.folders.audit
    if settings.audit.off:
        return ok("record", "Calls are not recorded: audit.off is set.")
    if (free := free_bytes(file)) < _LEAST_FREE_BYTES:
        needed = settings.audit.required
        without = "calls are refused" if needed else "calls are not recorded"
        return Finding(
            Severity.PROBLEM if needed else Severity.WARNING,
            "record",
            f"Calls are recorded in {file}, and its disk has {free // 1000} kB left: once it is"
            f" full, {without}.",
            "Free some space there" + (", or set audit.required = false" if needed else ""),
        )
    return ok("record", f"Calls are recorded in {file}.")


def _free_bytes(file: Path) -> int:
    folder = next(folder for folder in file.parents if folder.is_dir())
    return shutil.disk_usage(folder).free


def _check_apps(settings: Settings) -> Finding:
    """Check what is recorded about apps; no phone is asked."""
    if settings.apps.trust == "off":
        return ok("apps", "No app's tools are listed: apps.trust is off.")
    file, none = settings.folders.apps, "No app that declares tools has been found yet."
    if not file.exists():
        return ok("apps", none)
    from ...app_tools.trust import Standing, Trust, TrustError

    try:
        phones = Trust(file, first_use=False).records()
    except TrustError as problem:
        return Finding(Severity.PROBLEM, "apps", str(problem), f"rm {file}")
    declaring = [app for apps in phones.values() for app in apps if app.tools and app.present]
    if not declaring:
        return ok("apps", none)
    waiting = {
        Standing.NEW: "waiting for approval",
        Standing.CHANGED: "withdrawn because it has changed",
    }
    if settings.apps.trust == "first-use":
        del waiting[Standing.NEW]  # listed when the phone is next asked
    parts = [f"{len(declaring)} declare tools"]
    found: list[str] = []
    for standing, state in waiting.items():
        packages = [app.package for app in declaring if app.standing is standing]
        if packages:
            parts.append(f"{len(packages)} {state}: {', '.join(dict.fromkeys(packages))}")
        found += packages
    sentence = f"Apps: {'; '.join(parts)}."
    if not found:
        return ok("apps", sentence)
    fix = "PACKAGE" if len(set(found)) > 1 else found[0]
    return Finding(Severity.WARNING, "apps", sentence, f"handheld apps approve {fix}")


def _check_port(settings: Settings, port: int, flag: str, owners: list[OwnershipEntry]) -> Finding:
    for entry in owners:
        if entry.listens_at(port):
            return ok(flag, f"{port} is served by {entry}.")
    surface = " --surface sms" if flag == "sms-port" else ""
    try:
        bind(settings.host, port).close()
    except (OSError, UnicodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not an address"
        return Finding(
            Severity.PROBLEM,
            flag,
            f"{settings.host}:{port} cannot be listened on: {reason}.",
            f"handheld serve{surface} --{flag} {port + 1 if port < 65535 else 8080}",
        )
    return ok(flag, f"{settings.host}:{port} is free.")


CheckPhone = Callable[[AdbServer, AdbDevice], Awaitable[Sequence[Finding]]]
"""Examines a phone that nobody uses."""


async def _check_adb(
    settings: Settings, owners: list[OwnershipEntry], check: CheckPhone
) -> AsyncIterator[Finding]:
    host, port = settings.adb_address
    phones = settings.phones or tuple(phone for entry in owners for phone in entry.phones)
    optional = bool(phones) and not _through_server(phones)
    command = find_adb()
    if command:
        yield ok("adb", f"The adb command is {command}.")
    try:
        server = AdbServer(host, port)
        version = await server.version()
        devices = await server.devices()
    except AdbError as problem:
        yield Finding(
            Severity.WARNING if optional else Severity.PROBLEM,
            "adb",
            f"{problem} (The chosen phone does not need it.)" if optional else str(problem),
            "adb start-server" if command else _INSTALL_ADB,
        )
        return
    yield ok("adb", f"The adb server at {host}:{port} answers (version {version}).")
    if not devices and optional:
        others = ", ".join(phones)
        yield ok(
            "phones", f"No phone is connected to the adb server; {others} is reached without it."
        )
    elif not devices:
        yield Finding(
            Severity.WARNING,
            "phones",
            "No phone is connected to the adb server.",
            "Plug one in and allow USB debugging on its screen (some cables only charge: try "
            "another); over Wi-Fi: handheld connect HOST:PORT; or try: handheld demo",
        )
    for device in devices:
        serial = device.serial
        if device.state is not PhoneState.DEVICE:
            yield _unavailable(serial, device.state)
        elif any(not entry.phones or serial in entry.phones for entry in owners):
            yield ok("phone", f"{serial} is connected and in use by a running Handheld.")
        else:
            for finding in await check(server, device):
                yield finding
    for name in _through_server(settings.phones):
        if name not in {device.serial for device in devices}:
            sentence = str(PhoneUnavailable(name, PhoneState.ABSENT))
            yield Finding(Severity.WARNING, "phones", sentence, "adb devices -l")


def _through_server(phones: Sequence[str]) -> list[str]:
    """The phones that only an adb server can reach."""
    return [name for name in phones if name != VIRTUAL and split_address(name) is None]


async def _check_phone(server: AdbServer, device: AdbDevice, *, stderr: bool) -> Sequence[Finding]:
    from .checkup import examine_phone, findings_of

    return findings_of(
        device.serial, await examine_phone(server.link(device.serial)), stderr=stderr
    )


async def _name_phone(server: AdbServer, device: AdbDevice) -> Sequence[Finding]:
    model = device.details.get("model", "").replace("_", " ")
    named = f" ({plain(model)})" if model else ""
    return [ok("phone", f"{device.serial}{named} is connected.")]


def _unavailable(serial: str, state: PhoneState) -> Finding:
    what, _, fix = str(PhoneUnavailable(serial, state)).partition(": ")
    return Finding(Severity.PROBLEM, "phone", f"{what}.", f"{fix[:1].upper()}{fix[1:]}")


async def _check_virtual() -> Finding:
    from ...devices.virtual_process import VirtualEndpoint
    from .direct_phones import examine_endpoint

    endpoint = VirtualEndpoint(_ignore)
    facts = await examine_endpoint(endpoint)
    if problem := facts.problem or facts.helper_problem:
        sentence = f"The virtual phone does not work: {problem}"
        return Finding(Severity.PROBLEM, "virtual", sentence, "handheld virtual")
    return ok("virtual", "The virtual phone answers, and the helper starts on it.")


async def _check_address(
    settings: Settings, name: str, owners: list[OwnershipEntry], stderr: bool
) -> list[Finding]:
    """Check a phone that is reached without an adb server."""
    if any(name in entry.phones for entry in owners):
        return [ok("phone", f"{name} is in use by a running Handheld.")]
    from .checkup import findings_of
    from .direct_phones import examine_address

    facts = await examine_address(settings, name)
    if facts.problem:
        sentence = f"The phone at {name} does not work: {facts.problem}"
        return [Finding(Severity.PROBLEM, "phone", sentence)]
    return findings_of(name, facts, stderr=stderr)


def _ignore(line: str) -> None:
    """Phones connect and disconnect here only because of the check itself."""


__all__ = ["Finding", "Severity", "examine", "examine_briefly"]
