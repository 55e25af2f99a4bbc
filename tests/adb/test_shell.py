"""Commands over both kinds of link, run by a real sh."""

import asyncio
import subprocess

import pytest
from adb_peer import PeerStream, reach, shell
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.adb import wire
from handheld.adb.link import LinkLost, NoAnswer
from handheld.adb.shell import OutputTooLong, ShellResult, quote, run, spawn
from handheld.adb.wire import ShellPacket, encode_shell
from harness.manual_clock import ManualClock
from harness.polling import HANG

SHELL = {"shell,v2,raw:": shell}
WORDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=30)


@given(st.lists(WORDS, max_size=4))
@example(["", " ", "'", '"', "$HOME", "`id`", "a;b", "~", "*", "\n", "\\", "-e", "!", "пример"])
def test_shell_receives_exactly_the_quoted_arguments(words: list[str]) -> None:
    line = quote(["printf", "%s\\0", "first", *words])
    result = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert result.stdout == b"".join(word.encode() + b"\0" for word in ("first", *words))


def test_program_name_with_an_equals_sign_is_quoted() -> None:
    assert quote(["a=b", "c=d"]) == "'a=b' c=d"
    assert quote(["it's=odd"]) == "'it'\"'\"'s=odd'"


@pytest.mark.parametrize("arguments", [[], [""], ["ls", "a\0b"]])
def test_invalid_command_is_rejected(arguments: list[str]) -> None:
    with pytest.raises(ValueError, match="A command"):
        quote(arguments)


async def test_output_error_and_exit_code_are_separate(way: str) -> None:
    async with reach(way, SHELL) as link:
        result = await run(link, ["sh", "-c", "echo out; echo 'böse' >&2; exit 7"])
        assert result == ShellResult(b"out\n", "böse\n".encode(), 7)


async def test_standard_input_of_any_size_reaches_the_command(way: str) -> None:
    async with reach(way, SHELL) as link:
        data = bytes(range(256)) * 8192
        assert await run(link, ["cat"], stdin=data) == ShellResult(data, b"", 0)
        assert await run(link, ["cat"]) == ShellResult(b"", b"", 0)
        assert await run(link, ["true"], stdin=data) == ShellResult(b"", b"", 0)


async def test_many_commands_run_at_once(way: str) -> None:
    async with reach(way, SHELL) as link, asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(link, ["echo", str(n)])) for n in range(20)]
    assert [task.result().stdout for task in tasks] == [b"%d\n" % n for n in range(20)]


async def test_too_much_output_stops_the_command(way: str) -> None:
    async with reach(way, SHELL) as link:
        with pytest.raises(OutputTooLong, match="The command yes printed more than 100000 bytes"):
            await run(link, ["yes"], limit=100_000)


class Sleeper:
    """A shell in which only `sleep` differs: it never exits."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.stopped = asyncio.Event()

    async def run(self, stream: PeerStream, command: str) -> None:
        if not command.startswith("sleep"):
            await shell(stream, command)
            return
        self.started.set()
        try:
            while await stream.read():
                pass
        finally:  # a connection that is closed before its answer is read is reset
            self.stopped.set()


async def test_command_that_does_not_exit_is_stopped(way: str) -> None:
    sleeper, clock = Sleeper(), ManualClock()
    async with (
        reach(way, {"shell,v2,raw:": sleeper.run}, clock=clock) as link,
        asyncio.timeout(HANG),
    ):
        running = asyncio.create_task(run(link, ["sleep", "1000"]))
        await sleeper.started.wait()
        await clock.until_waits_only(30)
        await clock.advance(30)
        with pytest.raises(NoAnswer, match=r"sleep on the phone did not end within 30 s"):
            await running
        await sleeper.stopped.wait()


async def test_cancelled_command_is_stopped(way: str) -> None:
    sleeper = Sleeper()
    async with reach(way, {"shell,v2,raw:": sleeper.run}) as link, asyncio.timeout(HANG):
        running = asyncio.create_task(run(link, ["sleep", "1000"]))
        await sleeper.started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await sleeper.stopped.wait()
        assert (await run(link, ["echo", "on"])).stdout == b"on\n"


async def test_a_stream_without_an_exit_code_is_lost(way: str) -> None:
    async def half(stream: PeerStream, _: str) -> None:
        await stream.write(encode_shell(wire.SHELL_STDOUT, b"half of i"))

    async with reach(way, {"shell,v2,raw:": half}) as link:
        with pytest.raises(LinkLost, match="before the command ls did; it may have run or not"):
            await run(link, ["ls"])


async def test_invalid_shell_packets_are_link_lost(way: str) -> None:
    async def nonsense(stream: PeerStream, _: str) -> None:
        await stream.write(b"\xff\xff\xff\xff\xff\xff")
        await stream.read()

    async with reach(way, {"shell,v2,raw:": nonsense}) as link:
        with pytest.raises(LinkLost, match="does not speak adb's protocol"):
            await run(link, ["ls"])


async def test_running_command_is_interactive(way: str) -> None:
    async with reach(way, SHELL) as link:
        process = await spawn(link, 'while read line; do echo "<$line>"; done; exit 3')
        await process.write(b"one\n")
        assert await process.read() == ShellPacket(wire.SHELL_STDOUT, b"<one>\n")
        await process.write(b"two\n")
        assert await process.read() == ShellPacket(wire.SHELL_STDOUT, b"<two>\n")
        await process.close_stdin()
        assert await process.read() == ShellPacket(wire.SHELL_EXIT, b"\3")
        assert await process.read() is None
        await process.aclose()
        await process.aclose()
