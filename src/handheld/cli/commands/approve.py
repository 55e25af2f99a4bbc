"""`handheld approve`."""

import argparse
import asyncio
from contextlib import suppress
from typing import Any, NamedTuple

from ...clock import SYSTEM_CLOCK, Clock
from ...devices.ownership import OwnerGone, Owners, OwnershipEntry, listening
from ...errors import ToolError
from ...screen.characters import plain
from ...server.sharing.console_client import ConsoleClient
from ...settings import Settings
from ..asking import PersonAnswer, Prompt, describe, send_answer
from ..terminal import print_error, print_line, print_note
from ..tty import NO_TERMINAL, Tty, open_tty

_LOOK_SECONDS = 1.0
"""How often new owners are looked for."""
_ENDS = {
    "allowed": "It was allowed by {who}.",
    "denied": "It was denied by {who}.",
    "unanswered": "The time is over: it was denied.",
    "withdrawn": "The caller has withdrawn it.",
}
"""How a question ends that was not answered here."""

_Key = tuple[str, str]
"""The owner's URL, and the question's id."""


def add_approve_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--list", action="store_true", help="print the open questions instead of waiting for them"
    )
    command.add_argument(
        "--gateway",
        action="store_true",
        help="those of the gateway that runs here, with the phones of all hosts",
    )


async def approve(given: argparse.Namespace, settings: Settings) -> int:
    folders = settings.folders
    owners = Owners(folders.gateways if given.gateway else folders.owners)
    if given.list:
        return await _list(owners)
    tty = open_tty()
    if tty is None:
        print_error(
            f"{NO_TERMINAL}. The console asks the same: handheld console. What is open now:"
            " handheld approve --list"
        )
        return 1
    try:
        await _Attendant(owners, tty).serve()
    except OSError as problem:
        print_error(f"The terminal can no longer be used: {problem.strerror}.")
    finally:
        tty.close()
    return 1


async def _list(owners: Owners) -> int:
    entries = [entry for entry in await listening(owners) if entry.console]
    code = count = 0
    for entry in entries:
        client = ConsoleClient(entry)
        try:
            for question in await client.questions():
                for line in (*describe(question, str(entry)), ""):
                    print_line(line)
                count += 1
        except OwnerGone:
            continue
        except ToolError as problem:
            print_error(problem.message)
            code = 1
        finally:
            await client.aclose()
    if not count:
        print_note("No question is open.")
    return code


class _Open(NamedTuple):
    question: dict[str, Any]
    client: ConsoleClient
    ends: float


class _Attendant:
    """Asks about the calls on all phones, one question after the other. It counts as an open
    console of each process that has some."""

    def __init__(self, owners: Owners, tty: Tty, clock: Clock = SYSTEM_CLOCK) -> None:
        self._owners = owners
        self._tty = tty
        self._clock = clock
        self._watching: dict[str, asyncio.Task[None]] = {}
        """By the owner's URL."""
        self._reading: set[asyncio.Task[None]] = set()
        self._open: dict[_Key, _Open] = {}
        self._changed = asyncio.Event()
        self._shown: tuple[_Key, Prompt] | None = None
        self._ended = ""
        """How the one that is shown was ended elsewhere."""

    async def serve(self) -> None:
        """Until it is cancelled. Raises OSError if the terminal is gone."""
        work = {asyncio.ensure_future(self._find()), asyncio.ensure_future(self._ask())}
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()
        finally:
            tasks = {*work, *self._watching.values(), *self._reading}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _find(self) -> None:
        told: set[str] = set()
        while True:
            entries = [entry for entry in self._owners.entries() if entry.url]
            for entry in entries:
                if not entry.console and entry.url not in told:
                    told.add(entry.url)
                    self._tty.print(f"{entry} was started with --no-console and asks nobody.")
                watched = self._watching.get(entry.url)
                if entry.console and (watched is None or watched.done()):
                    self._watching[entry.url] = asyncio.create_task(self._watch(entry))
            if not entries and "" not in told:
                self._tty.print("No process of yours has a phone now. Waiting for one.")
            told = {*told, ""} if not entries else told - {""}
            await self._clock.sleep(_LOOK_SECONDS)

    async def _watch(self, entry: OwnershipEntry) -> None:
        client = ConsoleClient(entry)
        connected = False

        def note(change: dict[str, Any]) -> None:
            nonlocal connected
            if not change:
                connected = True
                self._tty.print(f"Waiting for questions of {entry}. Ctrl-C ends this.")
                reading = asyncio.create_task(self._read(client))
                self._reading.add(reading)
                reading.add_done_callback(self._reading.discard)
            elif change["state"] == "asked":
                self._add(client, change)
            else:
                who = plain(str(change.get("who") or "the owner, who stopped agents"))
                self._drop((entry.url, str(change["id"])), _ENDS[change["state"]].format(who=who))

        try:
            await client.watch(note)
        except OwnerGone:
            pass
        except ToolError as problem:
            self._tty.print(problem.message)
        finally:
            for key in [key for key in self._open if key[0] == entry.url]:
                self._drop(key, "The question is no longer open.")
            await client.aclose()
        if connected:
            self._tty.print(f"{entry} has ended or no longer answers.")

    async def _read(self, client: ConsoleClient) -> None:
        """Questions that were asked before."""
        with suppress(OwnerGone, ToolError):
            for question in await client.questions():
                self._add(client, question)

    def _add(self, client: ConsoleClient, question: dict[str, Any]) -> None:
        ends = self._clock.now() + question["left"]
        self._open.setdefault(
            (client.entry.url, str(question["id"])), _Open(question, client, ends)
        )
        self._changed.set()

    def _drop(self, key: _Key, sentence: str) -> None:
        if self._open.pop(key, None) is not None and self._shown and self._shown[0] == key:
            self._ended = sentence
            self._shown[1].end()

    async def _ask(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._open:
                key = next(iter(self._open))
                question, client, ends = self._open[key]
                question = {**question, "left": ends - self._clock.now()}
                running = [task for task in self._watching.values() if not task.done()]
                whose = str(client.entry) if len(running) > 1 else ""
                answer = await self._prompt(key, Prompt(self._tty, question, whose))
                if answer is None:
                    self._tty.print(self._ended)
                else:
                    self._open.pop(key, None)
                    self._tty.print(await send_answer(client, question["id"], answer))

    async def _prompt(self, key: _Key, prompt: Prompt) -> PersonAnswer | None:
        self._shown = key, prompt
        asking = asyncio.ensure_future(asyncio.to_thread(prompt.ask))
        try:
            return await asyncio.shield(asking)
        finally:
            self._shown = None
            prompt.end()
            await asyncio.wait({asking})
            prompt.close()
