"""A virtual phone in a process of its own, which notes what is done to it and breaks on command.

Commands are lines of JSON on stdin, each answered by one on stdout; the notes are lines of JSON in
a file.
"""

import argparse
import asyncio
import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from handheld_virtual import Box, Event, JavaException, Message, VirtualPhone

from .ledger import PACKAGE, Ledger

BOOT_MS = 1500.0
FOLDER = "/sdcard/Download"

Note = Callable[[str, str], None]


class NotedEvents(list[Event]):
    """The world's events, of which it forgets the oldest: each is noted as it comes."""

    def __init__(self, note: Note) -> None:
        super().__init__()
        self._note = note

    def append(self, event: Event, /) -> None:
        super().append(event)
        if event.kind == "touch" and event.details[0] == "down":
            x, y = event.details[2:4]
            assert isinstance(x, float | int)
            assert isinstance(y, float | int)
            self._note("down", f"{round(x)},{round(y)}")


class Stage:
    def __init__(self, phone: VirtualPhone, journal: Path, seed: int, change_ms: float) -> None:
        self._phone = phone
        self._journal = journal.open("a", encoding="utf-8", buffering=1)
        self._sent: set[int] = set()
        phone.boot_ms = BOOT_MS
        phone.world.events = NotedEvents(self.note)
        phone.world.telephony.watch(self._message)
        ledger = phone.install(Ledger)
        assert isinstance(ledger, Ledger)
        ledger.begin(self._clicked, seed, change_ms)
        self._ledger = ledger
        phone.world.launch(PACKAGE)

    def note(self, kind: str, what: str) -> None:
        self._journal.write(json.dumps([kind, what]) + "\n")

    def _clicked(self, kind: str, what: str) -> None:
        """Tell a click by a finger of Android's own commands from the helper's."""
        by_finger = kind != "typed" and self._phone.world.events[-1].kind == "touch"
        by_shell = by_finger and not self._phone.processes.find("handheld")
        self.note(f"touched {kind}" if by_shell else kind, what)

    def _message(self, message: Message) -> None:
        if message.box is Box.SENT and message.id not in self._sent:
            self._sent.add(message.id)
            self.note("sms", message.body)

    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        phone = self._phone
        match command["do"]:
            case "turn":
                phone.world.rotate(command["to"])
            case "kill helper":
                return {"killed": phone.faults.kill_helper()}
            case "reboot":
                phone.reboot()
            case "crash":
                if phone.world.running.pids(PACKAGE):
                    problem = JavaException("java.lang.IllegalStateException", "on command")
                    phone.world.running.crash(self._ledger, problem)
            case "latency":
                phone.latency = command["to"]
            case "files":
                return {"files": self._files()}
            case unknown:
                raise ValueError(unknown)
        return {}

    def _files(self) -> dict[str, str]:
        """The text of every file that clients wrote."""
        files = self._phone.files
        return {
            name: files.read(f"{FOLDER}/{name}").decode()
            for name in files.list(FOLDER)
            if name.startswith("chaos-")
        }


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--api", type=int, required=True)
    parser.add_argument("--serial", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--change-ms", type=float, required=True)
    parser.add_argument("--no-helper", action="store_true")
    options = parser.parse_args()
    phone = VirtualPhone.from_scene("default", api=options.api, serial=options.serial)
    phone.world.boot_id = str(uuid4())
    stage = Stage(phone, options.journal, options.seed, options.change_ms)
    if options.no_helper:
        phone.faults.refuse_helper()
    async with phone:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 100)
        _print({"port": phone.port})
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        # It ends with the process that started it.
        while line := await reader.readline():
            _print(stage.obey(json.loads(line)))


def _print(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
