"""The whole product on a phone through Debian's adb server, as with real phones."""

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Generator
from pathlib import Path

import pytest
from bench.ports import keep_port
from judging import HANDHELD, TOKEN, Served, address_of, environment, need, serving

from cli.program import ADB_ALONE
from harness.polling import HANG, wait_until

pytestmark = pytest.mark.needs_adb


class PhoneOfAdb:
    """A virtual phone, a private adb server, and Handheld's server."""

    def __init__(self, environment: dict[str, str], serial: str, served: Served) -> None:
        self._environment = environment
        self.serial = serial
        self._served = served

    def adb(self, *words: str) -> str:
        done = subprocess.run(
            ["adb", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # Not a pipe: a server that adb starts would keep it open.
            stderr=subprocess.DEVNULL,
            env=self._environment,
            timeout=HANG,
            check=False,
        )
        return done.stdout.decode()

    def call(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """Return the text of the reply, and whether it is an error."""
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        request = urllib.request.Request(
            self._served.url,
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=HANG) as answer:
            result = json.load(answer)["result"]
        return result["content"][0]["text"], result.get("isError", False)

    def call_until(self, text: str, tool: str, **arguments: object) -> None:
        """Repeat a read until its reply contains the text: the phone connects asynchronously."""
        wait_until(lambda: text in self.call(tool, **arguments)[0])


@pytest.fixture
def rig(home: Path) -> Generator[PhoneOfAdb]:
    need(Path(shutil.which("adb") or "adb"), "On Debian: apt-get install adb")
    given = environment(
        home, HANDHELD_TOKEN=TOKEN, ANDROID_ADB_SERVER_PORT=str(keep_port()), **ADB_ALONE
    )
    phone = subprocess.Popen(
        [*HANDHELD, "virtual", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=given,
    )
    assert phone.stdout is not None
    try:
        serial = address_of(phone)
        with serving([*HANDHELD, "serve"], home, given, TOKEN) as served:
            rig = PhoneOfAdb(given, serial, served)
            try:
                yield rig
            finally:
                rig.adb("kill-server")
                phone.terminate()
                phone.wait(HANG)
    finally:
        phone.kill()
        phone.wait(HANG)
        phone.stdout.close()


def test_a_phone_is_picked_up_when_it_appears_and_after_a_restart_of_the_adb_server(
    rig: PhoneOfAdb,
) -> None:
    reply, failed = rig.call("android_get_screen_state")
    assert failed
    assert reply.startswith("No phone is connected. Plug one in")

    assert "connected to" in rig.adb("connect", rig.serial)
    rig.call_until("title:Launcher", "android_get_screen_state")
    assert rig.call("android_open_app", package_id="com.android.calculator2") == (
        "App opened successfully: com.android.calculator2",
        False,
    )

    rig.adb("kill-server")
    rig.call_until("No phone is connected", "android_get_screen_state")
    assert "connected to" in rig.adb("connect", rig.serial)
    rig.call_until("pkg:com.android.calculator2", "android_get_screen_state")
    assert rig.call("android_press_home") == ("Home button press executed successfully", False)

    rig.adb("disconnect", rig.serial)
    rig.call_until("No phone is connected", "android_get_screen_state")
