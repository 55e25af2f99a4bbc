"""Starts the product as a user would, and checks that no process is left behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.program import left_running
from harness.polling import HANG, wait_until

ROOT = Path(__file__).resolve().parents[2]
NODE_TOOLS = ROOT / "scripts" / "judges"
HANDHELD = [str(Path(sys.executable).with_name("handheld"))]
TOKEN = "a-token-for-the-judges"
TOOLS = [
    "android_get_screen_state",
    "android_press_back",
    "android_press_home",
    "android_press_recents",
    "android_open_notifications",
    "android_open_quick_settings",
    "android_get_device_logs",
    "android_tap",
    "android_long_press",
    "android_double_tap",
    "android_swipe",
    "android_scroll",
    "android_pinch",
    "android_custom_gesture",
    "android_find_elements",
    "android_click_element",
    "android_long_click_element",
    "android_scroll_to_element",
    "android_type_append_text",
    "android_type_insert_text",
    "android_type_replace_text",
    "android_type_clear_text",
    "android_press_key",
    "android_get_clipboard",
    "android_set_clipboard",
    "android_wait_for_element",
    "android_wait_for_idle",
    "android_get_element_details",
    "android_list_storage_locations",
    "android_list_files",
    "android_read_file",
    "android_write_file",
    "android_append_file",
    "android_file_replace",
    "android_download_from_url",
    "android_delete_file",
    "android_open_app",
    "android_list_apps",
    "android_close_app",
    "android_send_sms",
    "android_get_sms_subscriptions",
    "android_app_add_note",
    "android_app_find_notes",
    "android_app_change_note",
    "android_app_delete_note",
    "android_app_clock_in_today",
    "android_app_query_clock_in",
    "android_app_make_up_clock_in",
    "android_app_get_weather_forecast",
]
"""The number of tools of a default virtual phone, including its app tools."""


_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/mcp\b")

KILLED = -signal.SIGTERM
"""The exit code of a program that does not handle signals."""


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    port: int
    token: str
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"


def need(tool: Path, remedy: str) -> None:
    if not tool.exists():
        pytest.fail(f"{tool.name} is not here. {remedy}")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A minimal environment: the settings of the user must not affect the tests."""
    tools = NODE_TOOLS / "node_modules" / ".bin"
    return {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "HANDHELD_HOME": str(home / "handheld"),
        **more,
    }


@contextlib.contextmanager
def serving(
    command: Sequence[str],
    home: Path,
    environment: Mapping[str, str],
    token: str = "",
    ends: int = 0,
) -> Generator[Served]:
    """Run `command --port 0` until the block ends. It must say its address, stop with exit code
    `ends` on request, and leave no process behind."""
    log = home / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=home,
        )
    try:
        wait_until(lambda: process.poll() is not None or _ADDRESS.search(_tail(log)))
        said = _ADDRESS.search(_tail(log))
        assert said, f"The server ended with {process.poll()}. {_tail(log)}"
        yield Served(int(said[1]), token, log)
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG) == ends, _tail(log)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(HANG)
        nothing_left(home)


def address_of(phone: subprocess.Popen[bytes]) -> str:
    """The address that `handheld virtual` prints, as adb connects to it."""
    assert phone.stdout is not None
    for line in phone.stdout:
        if said := re.search(rb"adb connect (\S+)", line):
            return said[1].decode()
    raise AssertionError("The virtual phone ended.")


def nothing_left(home: Path) -> None:
    """Fail if a process with this `home` still runs, and kill it."""
    if left := left_running(home):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        pytest.fail(f"Left running: {list(left.values())}")


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-4000:]
