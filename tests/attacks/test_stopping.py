"""What would keep the server from stopping."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE

import pytest

from handheld.cli.exit_codes import INTERRUPTED
from harness.polling import HANG

ATTACK = "what keeps the server from stopping"
PROGRAM = """
import argparse, asyncio, threading
from handheld.cli import dispatch

dispatch.LAST_SECONDS = {seconds}

async def work():
    print("ready", flush=True)
    {work}

command = argparse.Namespace(serves=True)
raise SystemExit(asyncio.run(dispatch._until_stopped(work(), command, argparse.Namespace())))
"""
STUBBORN = """while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            print("stopping", flush=True)"""
THREAD = """threading.Thread(target=threading.Event().wait).start()
    try:
        await asyncio.Event().wait()
    finally:
        print("stopping", flush=True)"""


@pytest.mark.parametrize(
    ("work", "code"),
    [
        ("await asyncio.Event().wait()", 0),
        ("while True: pass", -signal.SIGALRM),
        ("await asyncio.to_thread(threading.Event().wait)", -signal.SIGALRM),
        (STUBBORN, -signal.SIGALRM),
    ],
    ids=["waiting", "a busy event loop", "a thread", "a task that goes on"],
)
async def test_sigterm_ends_the_server_whatever_runs(work: str, code: int) -> None:
    seconds = 0.2 if code else 600  # on a busy machine a clean end takes longer than the shortest
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM.format(work=work, seconds=seconds), stdout=PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(HANG):
        assert await process.stdout.readline() == b"ready\n"
        process.terminate()
        assert await process.wait() == code


@pytest.mark.matrix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("work", [STUBBORN, THREAD], ids=["a task that goes on", "a thread"])
async def test_the_second_signal_ends_the_server_at_once_and_without_a_word(
    work: str, number: signal.Signals
) -> None:
    program = PROGRAM.format(work=work, seconds=3600)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(HANG):
        assert await process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert await process.stdout.readline() == b"stopping\n"
        process.send_signal(number)
        assert await process.communicate() == (b"", b"")
    assert process.returncode == INTERRUPTED
