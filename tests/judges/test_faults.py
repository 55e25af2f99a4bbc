"""Debian's adb on a virtual phone with a captured screen and injected faults."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_adb import Adb, Phone, adb, connected, run_phone

pytestmark = pytest.mark.needs_adb

__all__ = ["adb"]

DUMP = """<hierarchy rotation="0"><node index="0" text="Hello" resource-id="org.shop:id/hello"
 class="android.widget.TextView" package="org.shop" content-desc="" checkable="false"
 checked="false" clickable="true" enabled="true" focusable="false" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false"
 bounds="[0,0][720,1280]" /></hierarchy>"""


@pytest.fixture(scope="module")
def phone(adb: Adb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phone]:
    dump = tmp_path_factory.mktemp("shown") / "hello.xml"
    dump.write_text(DUMP, encoding="utf-8")
    for port in run_phone("--scene", "empty", "--show", str(dump)):
        yield from connected(adb, port)


def test_a_captured_screen_is_dumped_tapped_and_logged(phone: Phone) -> None:
    out, _, _ = phone("exec-out", "uiautomator", "dump", "/dev/tty")
    assert DUMP.replace("\n", "").encode() in out
    assert phone("shell", "wm size") == (b"Physical size: 720x1280\n", b"", 0)
    assert phone("shell", "input tap 300 300") == (b"", b"", 0)
    out, _, _ = phone("shell", "logcat -d -v raw -s Captured")
    assert b"click: android.widget.TextView org.shop:id/hello 'Hello' [0,0][720,1280]\n" in out


def test_a_full_disk_fails_a_push(phone: Phone, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(100_000))
    assert phone("shell", "virtual fault fill-disk=1000") == (b"", b"", 0)
    out, _, code = phone("push", str(tmp_path / "large"), "/sdcard/large")
    assert code == 1
    assert b"No space left on device" in out
    assert phone("shell", "virtual fault clear") == (b"", b"", 0)
    assert phone("push", str(tmp_path / "large"), "/sdcard/large")[2] == 0


def test_rejected_input_is_a_security_exception(phone: Phone) -> None:
    phone("shell", "virtual fault refuse-input")
    _, err, code = phone("shell", "input tap 1 1")
    assert code == 255
    assert b"java.lang.SecurityException: Injecting input events requires the caller" in err
    phone("shell", "virtual fault clear")
    assert phone("shell", "input tap 1 1") == (b"", b"", 0)


def test_a_dropped_connection_ends_the_command_and_is_restored(phone: Phone) -> None:
    out, _, code = phone("shell", "virtual fault drop-link; echo never")
    assert (out, code) != (b"never\n", 0)
    phone.adb("connect", phone.serial)
    phone.adb("-s", phone.serial, "wait-for-device")
    assert phone("shell", "echo again") == (b"again\n", b"", 0)
