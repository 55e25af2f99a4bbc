"""A report for an issue tracker: the computer and its phones, without personal data."""

import getpass
import platform
import secrets
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ... import __version__
from ...adb.link import AdbError
from ...adb.server import AdbDevice, AdbServer
from ...adb.state import PhoneState
from ...devices.ownership import Owners
from ...settings import Settings
from ...settings.private_file import private_folder, write_private
from .checkup import Facts, examine_phone
from .direct_phones import examine_address, without_server
from .private_words import PrivateWords, alias

_SALT_FILE = "report-salt"
_TITLE = "# Handheld report"
_IN_USE = "- in use by a running Handheld; stop it for a full report"
_NOTE = "Phones have other names here instead of their serials. Read it before you send it."


async def write_report(settings: Settings) -> str:
    """Return the report as Markdown. Phones in use by another Handheld are not checked."""
    lines = [_TITLE, "", _NOTE, "", "## Computer", ""]
    lines.append(f"- Handheld {__version__}, Python {platform.python_version()}")
    lines.append(f"- {platform.system()} {platform.release()}, {platform.machine()}")
    server = AdbServer(*settings.adb_address)
    devices: list[AdbDevice] = []
    try:
        lines.append(f"- adb server of version {await server.version()}")
        devices = await server.devices()
    except AdbError as problem:
        lines.append(f"- adb server: {problem}")
    lines.append(f"- phones: {len(devices)}")
    owners = Owners(settings.folders.owners).entries()
    secret = _secret(settings.folders.state)
    names = {device.serial: alias(device.serial, secret) for device in devices}
    for device in devices:
        lines += ["", f"## {names[device.serial]}", ""]
        if device.state is not PhoneState.DEVICE:
            lines.append(f"- state: {device.state.value}")
        elif any(not entry.phones or device.serial in entry.phones for entry in owners):
            lines.append(_IN_USE)
        else:
            way = "USB" if "usb" in device.details else "network or emulator"
            facts = await examine_phone(server.link(device.serial))
            lines += describe(device.state, way, facts)
    for name in await without_server(settings):
        names[name] = alias(name, secret)
        lines += ["", f"## {names[name]}", ""]
        if any(name in entry.phones for entry in owners):
            lines.append(_IN_USE)
        else:
            lines += describe(PhoneState.DEVICE, "address", await examine_address(settings, name))
    words = PrivateWords({**_own_words(settings), **names})
    return "\n".join(words.hide(line) for line in lines) + "\n"


def describe(state: PhoneState, way: str, facts: Facts) -> Sequence[str]:
    """The lines about one phone."""
    lines = [f"- state: {state.value}, by {way}"]
    if facts.problem:
        return [*lines, f"- it did not answer: {facts.problem}"]
    lines += [
        f"- maker: {facts.manufacturer or '?'} ({facts.brand or '?'}), model {facts.model or '?'}",
        f"- Android {facts.android or '?'}, API {facts.api or '?'}, "
        f"patch {facts.patch or '?'}, build {facts.build or '?'}",
        f"- current user: {'the first' if facts.user == '0' else 'another'}",
        f"- free: {'?' if facts.free_mb is None else facts.free_mb} MB",
    ]
    if facts.apps is not None:
        lines.append(f"- apps: {facts.apps[0]} system, {facts.apps[1]} others")
    if facts.helper_problem:
        lines.append(f"- helper: {facts.helper_problem}")
    else:
        lines.append(
            f"- helper: build {facts.helper_build}, starts in {facts.helper_ms} ms, "
            f"{facts.features} commands"
        )
    if facts.conflicts:
        lines.append(f"- other programs: {facts.conflicts}")
    if facts.stderr:
        lines += ["- the helper printed:", "", "```", *facts.stderr, "```"]
    return lines


def _own_words(settings: Settings) -> dict[str, str]:
    """The placeholders for names of this computer and its user."""
    words = {socket.gethostname(): "<this computer>", str(Path.home()): "~"}
    words[str(settings.folders.state)] = "<state>"
    words[str(settings.folders.config)] = "<config>"
    with suppress(OSError, KeyError):  # a user without a name
        words[getpass.getuser()] = "<user>"
    if settings.token:
        words[settings.token] = "<token>"
    for phone, slug in settings.slugs.items():
        words |= {phone: "<phone>", slug: "<slug>"}
    words |= dict.fromkeys(settings.phone, "<phone>")
    return words


def _secret(state: Path) -> bytes:
    """The secret for aliases; kept, so that a phone has the same name in all reports."""
    file = private_folder(state) / _SALT_FILE
    if not file.exists():
        write_private(file, secrets.token_bytes(16), replace=False)
    return file.read_bytes()
