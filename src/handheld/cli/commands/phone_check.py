"""`handheld phones check`: ten checks of a phone, with the person who has it, and a report."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ... import __version__
from ...devices.ownership import Owners, OwnershipEntry, join
from ...errors import ToolError
from ...phone.phone import Phone
from ...server.sharing.remote import has_phone
from ...settings import Settings
from ..doctor.phone_checks import CHECKS, Check, CheckResult, Person, run_check
from ..doctor.private_words import PrivateWords
from ..exit_codes import USAGE_ERROR
from ..reach import command_line
from ..terminal import print_error, print_line, print_note
from ..tty import NO_TERMINAL, Tty, open_tty

REPORT = "phone-check.md"
_BEGIN = (
    "These checks open a notification and the settings, swipe, type into a field that you open,"
    " use the clipboard, the location and the camera, and record the screen. Each puts back what it"
    " changes. Begin?"
)
_FACTS = {
    "maker": "manufacturer",
    "model": "model",
    "Android": "android",
    "API": "api",
    "security patch": "patch",
}


class AtTerminal:
    """The person at a terminal. A question ends with its task."""

    def __init__(self, tty: Tty) -> None:
        self._tty = tty

    async def confirms(self, question: str) -> bool:
        interrupted, interrupt = os.pipe()
        asking = asyncio.ensure_future(
            asyncio.to_thread(
                self._tty.ask, f"{question} y = yes, anything else = no: ", interrupted
            )
        )
        try:
            typed = await asyncio.shield(asking)
        finally:
            os.write(interrupt, b"\n")
            await asyncio.wait((asking,))
            os.close(interrupted)
            os.close(interrupt)
        return (typed or "").strip().lower() in ("y", "yes")


async def check(settings: Settings, serial: str, output: str | None) -> int:
    file = Path(output or REPORT)
    if _is_there(file):
        print_error(f"{file} exists already: name another with -o.")
        return USAGE_ERROR
    tty = open_tty()
    if tty is None:
        print_error(f"{NO_TERMINAL}: handheld phones check asks what only a person sees.")
        return USAGE_ERROR
    try:
        return await _check_own(settings, serial, file, AtTerminal(tty))
    finally:
        tty.close()


def _is_there(file: Path) -> bool:
    return file.exists()


async def _check_own(settings: Settings, serial: str, file: Path, person: Person) -> int:
    """Raises ToolError, OwnerError."""
    joined = await join(
        Owners(settings.folders.owners),
        settings.phones or ((serial,) if serial else ()),
        command_line("phones check", settings),
        has_phone,
        slug=settings.single_slug,
    )
    if isinstance(joined, OwnershipEntry):
        raise ToolError(f"{joined} has the phone. Stop it, and try again.")
    try:
        from ...devices.opening import open_devices

        devices = await open_devices(settings, lambda _: None)
        try:
            await devices.settle()
            return await check_phone(await devices.pick(serial or None), person, file)
        finally:
            await devices.aclose()
    finally:
        joined.release()


async def check_phone(
    phone: Phone, person: Person, file: Path, checks: Sequence[Check] = CHECKS
) -> int:
    """Do the checks, print a line for each, and write what was done, however it ends."""
    if not await person.confirms(_BEGIN):
        print_note("Nothing was done.")
        return 0
    results: list[CheckResult] = []
    facts = await phone.driver.read_device(tuple(_FACTS.values()))
    about = [f"- {label}: {facts[name].strip() or '?'}" for label, name in _FACTS.items()]
    try:
        async with phone.acting("phones check", person=True):
            for number, each in enumerate(checks, 1):
                print_note(f"{number} of {len(checks)}: {each.about} …")
                result = await run_check(each, phone, person)
                results.append(result)
                print_line(f"{result.outcome.value:<8} {result.name:<13} {result.sentence}")
    finally:
        left = [f"- {each.name}: not done" for each in checks[len(results) :]]
        text = write_report(about, results, left, (phone.serial, phone.name))
        with suppress(FileExistsError):
            # Opened as a new file: it may have come there meanwhile.
            with file.open("x", encoding="utf-8") as stream:
                stream.write(text)
            print_note(f"{file} has the report. Read it before you send it.")
    return 0


def write_report(
    about: Sequence[str], results: Sequence[CheckResult], left: Sequence[str], names: Sequence[str]
) -> str:
    """Without words of the screen, and without the names of the phone."""
    lines = [
        "# Handheld check of a phone",
        "",
        f"- Handheld {__version__}",
        *about,
        "",
        "## Checks",
        "",
        *(f"- {each.name}: {each.outcome.value}. {each.sentence}" for each in results),
        *left,
    ]
    words = PrivateWords(dict.fromkeys(names, "<phone>"))
    return "\n".join(words.hide(line) for line in lines) + "\n"
