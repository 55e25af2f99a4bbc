"""The virtual phone with the product's adb client; neither uses the other's internals."""

import hashlib
from collections.abc import AsyncIterator

import pytest
from wire_client import until

from handheld.adb import shell, wire
from handheld.adb.direct import DirectLink
from handheld.adb.keys import generate_key
from handheld.helper.protocol import GREETING, MAIN_CLASS, FrameDecoder, FrameKind, decode_json
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock
from harness.phones import link_to

JAR = "/data/local/tmp/handheld-helper-x.jar"
COMMAND = (
    f"CLASSPATH={JAR} exec app_process / --nice-name=handheld {MAIN_CLASS} host=h pid=1 client=c"
)


@pytest.fixture
async def link(phone: VirtualPhone) -> AsyncIterator[DirectLink]:
    async with link_to(phone) as link:
        yield link


async def test_a_command_runs_with_output_errors_and_exit_code(link: DirectLink):
    done = await shell.run(link, ["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert done == shell.ShellResult(b"out\n", b"err\n", 3)


async def test_arguments_arrive_unchanged(link: DirectLink):
    words = ["a b", "'", '"', "$HOME", "*", "\\", "ü\n🙂", ""]
    done = await shell.run(link, ["printf", "[%s]", *words])
    assert done.stdout.decode() == "".join(f"[{word}]" for word in words)


async def test_key_allowed_while_waiting_is_authorized():
    key = generate_key("me@here")
    async with VirtualPhone(authorize=True) as phone:
        phone.authority.asked = phone.allow
        link = await DirectLink.connect(
            "127.0.0.1", phone.port, lambda: (key,), clock=PatientClock()
        )
        try:
            assert (await shell.run(link, ["echo", "hi"])).stdout == b"hi\n"
        finally:
            await link.aclose()


async def test_app_process_starts_the_helper_from_a_pushed_jar(
    phone: VirtualPhone, link: DirectLink
):
    phone.files.write(JAR, b"a jar")
    process = await shell.spawn(link, COMMAND)
    seen = b""
    while not (frames := list(FrameDecoder().feed(seen.removeprefix(GREETING)))):
        packet = await process.read()
        assert packet is not None
        assert packet.id == wire.SHELL_STDOUT
        seen += packet.data
    assert seen.startswith(GREETING)
    assert frames[0].kind == FrameKind.HELLO
    assert decode_json(frames[0].payload)["build"] == hashlib.sha256(b"a jar").hexdigest()[:16]
    assert phone.kill("handheld") == 1
    packet = await process.read()
    assert packet == (wire.SHELL_EXIT, bytes([137]))
    await process.aclose()
    await until(lambda: not phone.processes.all())


async def test_helper_exits_with_its_stream(phone: VirtualPhone, link: DirectLink):
    phone.files.write(JAR, b"a jar")
    process = await shell.spawn(link, COMMAND)
    await until(lambda: phone.processes.find("handheld"))
    await process.aclose()
    await until(lambda: not phone.processes.all())
    assert not phone.files.locked
