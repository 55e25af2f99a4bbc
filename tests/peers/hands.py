"""The six actions of each program that is measured at a phone's pace, by its own tools."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from peering import NODE, PEERS, Peer, PeerPhone, need, peer

from harness.polling import HANG

ACTIONS = (
    *("read", "tap", "click by id", "type 20 characters", "scroll to element", "screenshot"),
)
READ, TAP, CLICK, TYPE, SCROLL, PICTURE = ACTIONS
TEXT = "Twenty characters it"


class Target(NamedTuple):
    """An element on the screen."""

    x: int
    y: int
    id: str
    """Android's resource id."""
    words: str
    ref: str = ""
    """The program's own name for it."""


Do = Callable[..., Awaitable[str]]
"""Calls a tool and returns the text of its reply, which must be no error."""
Act = Callable[[Do, Target], Awaitable[str]]


async def _find_nothing(do: Do, target: Target) -> str:
    return ""


@dataclass(frozen=True)
class Program:
    name: str
    command: list[str]
    actions: Mapping[str, Act]
    """Those that it has a tool for."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    note: str = ""
    helper: bool = True
    """Whether Handheld's helper may start."""
    find: Act = _find_nothing
    """Returns the program's own name of an element, not measured."""
    speaks_mcp: bool = True

    @asynccontextmanager
    async def open(self, rig: PeerPhone) -> AsyncGenerator[Do]:
        if not self.speaks_mcp:
            need(Path(self.command[0]))
            async with _lines(self.command, {**rig.environment, **self.environment}) as written:
                yield written
            return
        async with self.serve(rig) as server:

            async def do(tool: str, **arguments: Any) -> str:
                given = {
                    name: rig.serial if value == "SERIAL" else value
                    for name, value in arguments.items()
                }
                return await server.call(tool, **given)

            yield do

    @asynccontextmanager
    async def serve(self, rig: PeerPhone, **more: str) -> AsyncGenerator[Peer]:
        """Its MCP server on that phone, with more variables in its environment."""
        need(Path(self.command[0]))
        words = {"HANDHELD_HOME": str(rig.home / "handheld"), **self.environment, **more}
        command = [part.replace("SERIAL", rig.serial) for part in self.command]
        async with peer(rig, command, **words) as server:
            yield server


@asynccontextmanager
async def _lines(command: list[str], environment: dict[str, str]) -> AsyncGenerator[Do]:
    """A program of ours that drives the phone with a library: a call and its reply are a line
    each."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
        limit=1 << 26,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    async def do(name: str, **arguments: Any) -> str:
        stdin.write(json.dumps([name, arguments]).encode() + b"\n")
        async with asyncio.timeout(HANG):
            return json.loads(await stdout.readline())

    try:
        yield do
    finally:
        process.terminate()
        await process.wait()


async def _find_main(do: Do, target: Target) -> str:
    rows = [line.split("\t") for line in (await do("android_get_screen_state")).split("\n")]
    return next(row[0] for row in rows if target.id in row)


async def _find_agent(do: Do, target: Target) -> str:
    screen = await do("phone_look")
    found = re.search(rf'\b([a-z]+\d+) (?:\w+ )?"{re.escape(target.words)}', screen)
    return found[1] if found else ""  # a row of text has none, and is found by its words


_HANDHELD = [sys.executable, "-m", "handheld", "stdio", "--phone", "SERIAL"]
_MAIN: Mapping[str, Act] = {
    READ: lambda do, at: do("android_get_screen_state"),
    TAP: lambda do, at: do("android_tap", x=at.x, y=at.y),
    CLICK: lambda do, at: do("android_click_element", element_id=at.ref),
    TYPE: lambda do, at: do("android_type_append_text", element_id=at.ref, text=TEXT),
    SCROLL: lambda do, at: do("android_scroll_to_element", element_id=at.ref),
    PICTURE: lambda do, at: do("android_get_screen_state", include_screenshot=True),
}
_AGENT: Mapping[str, Act] = {
    READ: lambda do, at: do("phone_look"),
    TAP: lambda do, at: do("phone_tap", at=f"{at.x},{at.y}"),
    CLICK: lambda do, at: do("phone_tap", at=at.ref),
    TYPE: lambda do, at: do("phone_type", text=TEXT, into=at.ref, mode="append"),
    SCROLL: lambda do, at: do("phone_scroll", until=at.words),
    PICTURE: lambda do, at: do("phone_look", picture="clean"),
}


def _handheld(surface: str, *, helper: bool) -> Program:
    return Program(
        f"Handheld, {surface} surface, {'helper' if helper else 'adb alone'}",
        [*_HANDHELD, "--surface", surface],
        _MAIN if surface == "main" else _AGENT,
        note="types 70 ms a character unless told otherwise; a screenshot comes with the screen"
        if surface == "main"
        else "every action answers with the screen at rest after it; a screenshot comes with it",
        helper=helper,
        find=_find_main if surface == "main" else _find_agent,
    )


PROGRAMS = (
    *(_handheld(surface, helper=way) for surface in ("main", "agent") for way in (True, False)),
    Program(
        "claude-in-mobile",
        [str(NODE), str(PEERS / "node_modules" / "claude-in-mobile" / "bin.mjs")],
        {
            READ: lambda do, at: do("ui", action="tree"),
            TAP: lambda do, at: do("input", action="tap", x=at.x, y=at.y),
            CLICK: lambda do, at: do("input", action="tap", resourceId=at.id),
            TYPE: lambda do, at: do("input", action="text", text=TEXT),
            PICTURE: lambda do, at: do("screen", action="capture"),
        },
        {"MCP_DEVICES_PLATFORMS": "android"},
        "an action answers with what changed",
    ),
    Program(
        "@landicefu/android-adb-mcp-server",
        [
            str(NODE),
            str(PEERS.joinpath("node_modules/@landicefu/android-adb-mcp-server/build/index.js")),
        ],
        {
            READ: lambda do, at: do("adb_shell", command="uiautomator dump /dev/tty"),
            TAP: lambda do, at: do("adb_shell", command=f"input tap {at.x} {at.y}"),
            TYPE: lambda do, at: do("adb_shell", command=f"input text {TEXT.replace(' ', '%s')}"),
            PICTURE: lambda do, at: do("take_screenshot_and_save", output_path="screen.png"),
        },
        note="the model writes the shell commands; a screenshot goes to a file",
    ),
    Program(
        "@mobilenext/mobile-mcp",
        [str(NODE), str(PEERS.joinpath("node_modules/@mobilenext/mobile-mcp/lib/index.js"))],
        {
            READ: lambda do, at: do("mobile_list_elements_on_screen", device="SERIAL"),
            TAP: lambda do, at: do(
                "mobile_click_on_screen_at_coordinates", device="SERIAL", x=at.x, y=at.y
            ),
            TYPE: lambda do, at: do("mobile_type_keys", device="SERIAL", text=TEXT, submit=False),
            PICTURE: lambda do, at: do("mobile_take_screenshot", device="SERIAL"),
        },
        {"MOBILEMCP_LEGACY_ROBOT": "1"},
        "in its mode of plain adb",
    ),
    Program(
        "agent-droid-bridge",
        [str(PEERS / "agent-droid-bridge" / "bin" / "agent-droid-bridge")],
        {
            READ: lambda do, at: do("get_screen_elements", mode="all"),
            TAP: lambda do, at: do("tap_screen", x=at.x, y=at.y),
            TYPE: lambda do, at: do("type_text", text=TEXT),
            PICTURE: lambda do, at: do("take_screenshot"),
        },
    ),
    Program(
        "mobilerun-core",
        [
            str(PEERS / "mobilerun-core" / "bin" / "python"),
            str(Path(__file__).with_name("mobilerun_actions.py")),
        ],
        {
            READ: lambda do, at: do("read"),
            TAP: lambda do, at: do("tap", x=at.x, y=at.y),
            CLICK: lambda do, at: do("click", resource_id=at.id),
            TYPE: lambda do, at: do("type", text=TEXT),
            SCROLL: lambda do, at: do("scroll", text=at.words),
            PICTURE: lambda do, at: do("screenshot"),
        },
        note="a library, driven by a small program",
        speaks_mcp=False,
    ),
)
