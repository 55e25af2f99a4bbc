"""`handheld connect`, `handheld pair` and `handheld disconnect`."""

import argparse
import asyncio
import getpass
import re
import sys

from ...adb.link import AdbError
from ...adb.server import AdbServer
from ...adb.state import PhoneState, PhoneUnavailable
from ...adb.wireless import DEFAULT_PHONE_PORT
from ...errors import ToolError
from ...settings import Settings, split_address
from ...settings.editing import ConfigFile
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_READY_SECONDS = 5.0
"""How long a phone may take to become usable after it was connected."""


def add_connect_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address",
        metavar="HOST[:PORT]",
        help="the address that the phone shows; the port defaults to 5555",
    )
    command.add_argument(
        "--save", action="store_true", help="add the phone to those in handheld.toml"
    )


async def connect(given: argparse.Namespace, settings: Settings) -> int:
    address = full_address(given.address)
    if not address:
        print_error(f"{given.address!r} is not HOST or HOST:PORT, such as 192.168.1.20:37099.")
        return USAGE_ERROR
    server = AdbServer(*settings.adb_address)
    try:
        already = await server.connect(address)
        await _wait_until_ready(server, address)
    except AdbError as problem:
        raise ToolError(str(problem)) from problem
    print_line(f"{address} was already connected." if already else f"{address} is connected.")
    if given.save:
        file = ConfigFile(settings)
        added = file.add_phone(address)
        print_line(f"{'Added to' if added else 'It was already in'} {file.path}.")
        if added:
            print_note("From now on, only the phones in that file are served.")
    else:
        print_note(f"To use it: handheld serve --phone {address}")
    return 0


def add_pair_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address",
        metavar="HOST:PORT",
        help="the address shown under “Pair device with pairing code”",
    )
    command.add_argument(
        "code", nargs="?", metavar="CODE", help="the pairing code; prompted for if omitted"
    )


async def pair(given: argparse.Namespace, settings: Settings) -> int:
    address = given.address if split_address(given.address) else ""
    if not address:
        print_error(
            f"{given.address!r} is not HOST:PORT. “Pair device with pairing code” shows both; its "
            "port is not the port for connecting."
        )
        return USAGE_ERROR
    code = (given.code if given.code is not None else await _ask_code()).strip()
    if not re.fullmatch(r"[!-9;-~]{1,100}", code):
        print_error("That is not a pairing code: enter the six digits that the phone shows.")
        return USAGE_ERROR
    try:
        name = await AdbServer(*settings.adb_address).pair(address, code)
    except AdbError as problem:
        raise ToolError(str(problem)) from problem
    print_line(f"Paired with {address}{f', which is {name}' if name else ''}.")
    print_note(
        "Now connect, to the port that the phone shows under Wireless debugging: "
        f"handheld connect {address.rpartition(':')[0]}:PORT"
    )
    return 0


def add_disconnect_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address", metavar="HOST[:PORT]", help="the phone, as `handheld phones` lists it"
    )


async def disconnect(given: argparse.Namespace, settings: Settings) -> int:
    address = full_address(given.address)
    if not address:
        print_error(f"{given.address!r} is not HOST or HOST:PORT.")
        return USAGE_ERROR
    try:
        was_there = await AdbServer(*settings.adb_address).disconnect(address)
    except AdbError as problem:
        raise ToolError(str(problem)) from problem
    if not was_there:
        raise ToolError(f"{address} is not connected. `handheld phones` lists those that are.")
    print_line(f"{address} is disconnected.")
    return 0


def full_address(text: str) -> str:
    """Add adb's default port; "" if this is not an address."""
    if not text or any(char.isspace() or not char.isprintable() for char in text) or "," in text:
        return ""
    if split_address(text):
        # An IPv6 address without brackets would lose its last group.
        return text if text.count(":") == 1 or text.startswith("[") else ""
    return "" if ":" in text and not text.endswith("]") else f"{text}:{DEFAULT_PHONE_PORT}"


async def _ask_code() -> str:
    """Prompt without echo at a terminal; otherwise read the first line of stdin."""
    if sys.stdin.isatty():
        return await asyncio.to_thread(getpass.getpass, "Pairing code: ")
    return await asyncio.to_thread(sys.stdin.readline)


async def _wait_until_ready(server: AdbServer, address: str) -> None:
    """Raises PhoneUnavailable."""
    state = PhoneState.ABSENT
    end = server.clock.now() + _READY_SECONDS
    while True:
        for device in await server.devices():
            if device.serial == address:
                state = device.state
        if state is PhoneState.DEVICE:
            return
        waits = state in (PhoneState.ABSENT, PhoneState.OFFLINE, PhoneState.CONNECTING)
        if not waits or server.clock.now() > end:
            raise PhoneUnavailable(address, state)
        await server.clock.sleep(0.1)
