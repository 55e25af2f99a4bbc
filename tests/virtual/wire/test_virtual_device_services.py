"""adbd's device services: reboot, modes, root, debuggers."""

import pytest
from wire_client import WireClient, connect, until

from handheld.adb import wire
from handheld.adb.wire import AdbMessage
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock

HOME = "com.android.launcher3"


@pytest.mark.parametrize(
    ("service", "answer"),
    [
        ("root:", b"adbd cannot run as root in production builds\n"),
        ("unroot:", b"adbd not running as root\n"),
        ("remount:", b"/system/bin/sh: /system/bin/remount: inaccessible or not found\n"),
        ("reboot:bootloader", b"reboot (reboot,bootloader) failed\n"),
        ("reboot:sideload", b"reboot (reboot,sideload) failed\n"),
    ],
)
async def test_user_build_refuses_root_services(
    phone: VirtualPhone, client: WireClient, service: str, answer: bytes
):
    assert await client.collect(await client.open(service)) == answer
    assert phone.adbd.connections == 1


async def test_older_phone_reports_why_it_does_not_remount():
    async with VirtualPhone(api=28) as phone, connect(phone.port) as client:
        answer = await client.collect(await client.open("remount:"))
        assert answer == b'Not running as root. Try "adb root" first.\n'


@pytest.mark.parametrize("service", ["track-jdwp", "track-app"])
async def test_no_process_is_debuggable(client: WireClient, service: str):
    theirs = await client.open(service)
    assert await client.exactly(theirs, 4) == b"0000"
    client.send(wire.CLSE, 1, theirs)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


async def test_bugreportz_is_not_found(client: WireClient):
    missing = b"/system/bin/sh: bugreportz: inaccessible or not found\n"
    assert await client.shell("bugreportz -v") == (b"", missing, 127)


async def test_reboot_stops_processes_and_keeps_storage(phone: VirtualPhone, client: WireClient):
    world = phone.world
    phone.files.write("/sdcard/kept", b"still here")
    world.launch("com.android.calculator2")
    world.notify("com.android.calculator2", "Title", "Text")
    world.automation.take("somebody")
    before = world.boot_id
    await client.open("shell,v2,raw:sleep 1000")
    await until(lambda: phone.processes.find("sleep"))
    client.send(wire.OPEN, 2, 0, b"reboot:\0")
    while await client.receive() is not None:
        pass
    await until(lambda: not phone.processes.all())
    assert (world.boot_id != before, world.automation.holder) == (True, None)
    assert (world.foreground or ("", ""))[0] == HOME
    assert [activity.app.package for activity in world.tasks.recent] == []
    assert world.notifications.posted == []
    assert world.running.pids("com.android.calculator2") == []
    async with connect(phone.port) as again:
        assert await again.shell("cat /sdcard/kept") == (b"still here", b"", 0)
        message = (f"{world.boot_id}\n".encode(), b"", 0)
        assert await again.shell("cat /proc/sys/kernel/random/boot_id") == message
    world.launch("com.android.calculator2")
    assert world.is_in_front("com.android.calculator2")


async def test_shell_can_reboot_the_phone(phone: VirtualPhone, client: WireClient):
    before = phone.world.boot_id
    await client.open("shell:reboot")
    await until(lambda: phone.adbd.connections == 0)
    assert phone.world.boot_id != before
    await until(lambda: not phone.processes.all() and not phone.processes.shells)


async def test_clients_are_refused_without_usb_debugging(phone: VirtualPhone, client: WireClient):
    await client.open("shell:settings put global adb_enabled 0")
    await until(lambda: phone.adbd.connections == 0)
    async with connect(phone.port, greet=False) as refused:
        assert await refused.greet() is None
    phone.world.preferences.put("global", "adb_enabled", "1")
    async with connect(phone.port) as again:
        assert await again.shell("echo back") == (b"back\n", b"", 0)


async def test_connections_are_refused_while_the_phone_boots():
    clock = ManualClock()
    async with VirtualPhone(clock=clock) as phone:
        phone.boot_ms = 20_000
        phone.reboot()
        async with connect(phone.port, greet=False) as early:
            assert await early.greet() is None
        await clock.advance(20_000)
        async with connect(phone.port) as client:
            assert await client.shell("echo up") == (b"up\n", b"", 0)


async def test_tcpip_listens_on_one_more_port_until_usb_is_asked_for(phone: VirtualPhone):
    async with connect(phone.port) as first:
        # A port that is known to be free: that of a phone which has just closed.
        async with VirtualPhone() as other:
            port = other.port
        answer = await first.collect(await first.open(f"tcpip:{port}"))
        assert answer == f"restarting in TCP mode port: {port}\n".encode()
        assert await first.receive() is None
    async with connect(port) as second:
        assert await second.shell("echo there") == (b"there\n", b"", 0)
        answer = await second.collect(await second.open("usb:"))
        assert answer == b"restarting in USB mode\n"
        assert await second.receive() is None
    with pytest.raises(ConnectionRefusedError):
        async with connect(port):
            pass
    async with connect(phone.port) as third:
        assert await third.shell("echo here") == (b"here\n", b"", 0)


async def test_port_in_use_is_reported(phone: VirtualPhone, client: WireClient):
    answer = await client.collect(await client.open(f"tcpip:{phone.port}"))
    reason = "address already in use"
    assert reason in answer.decode().lower()
    assert await client.shell("echo still here") == (b"still here\n", b"", 0)


async def test_a_terminal_knows_the_size_of_its_window(client: WireClient):
    theirs = await client.open("shell,v2,TERM=xterm,pty:")
    packets = wire.encode_shell(5, b"50x132,0x0")
    packets += wire.encode_shell(5, b"nonsense") + wire.encode_shell(9, b"unknown")
    packets += wire.encode_shell(wire.SHELL_STDIN, b"echo $LINES-$COLUMNS-$TERM; exit\n")
    client.send(wire.WRTE, 1, theirs, packets)
    shown = b"".join(data for _, data in wire.ShellDecoder().feed(await client.collect(theirs)))
    assert b"\r\n50-132-xterm\r\n" in shown


async def test_service_name_ends_at_a_nul(client: WireClient):
    client.send(wire.OPEN, 1, 0, b"exec:echo hi\0 there\0")
    opened = await client.receive()
    assert opened is not None
    assert await client.collect(opened.arg0) == b"hi\n"
