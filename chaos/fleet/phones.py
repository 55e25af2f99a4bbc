"""Virtual phones in one process, which note every finger that comes down, with its time: lines of
JSON in a file. Their ports are printed; they end with stdin."""

import argparse
import asyncio
import gc
import json
import sys
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from handheld_virtual import VirtualPhone
from handheld_virtual.toolkit import MATCH, Activity, App, Column, Text, View

from ..phone import NotedEvents

PACKAGE = "dev.handheld.pad"


class Page(Activity):
    def content(self) -> View:
        # What is touched does nothing, wherever it is.
        return Column(Text("Pad", id="pad", width=MATCH, height=0, weight=1))


class Pad(App):
    package, label = PACKAGE, "Pad"
    screens = (Page,)


def note(journal: TextIO, phone: str, kind: str, what: str) -> None:
    journal.write(json.dumps([time.monotonic(), phone, what]) + "\n")


def make_phone(name: str, journal: TextIO) -> VirtualPhone:
    phone = VirtualPhone.from_scene("default", serial=f"CHAOS-{name}")
    phone.world.boot_id = str(uuid4())
    phone.world.events = NotedEvents(partial(note, journal, name))
    phone.install(Pad)
    phone.world.launch(PACKAGE)
    return phone


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(options.journal.open("a", encoding="utf-8", buffering=1))
        phones = [
            await stack.enter_async_context(make_phone(name, journal)) for name in options.names
        ]
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 100)
        print(json.dumps([phone.port for phone in phones]), flush=True)
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        await reader.read()


if __name__ == "__main__":
    asyncio.run(main())
