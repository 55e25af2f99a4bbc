"""The errors of the v1 surface's tools: each kind, with its code."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from handheld.devices.opening import open_devices
from handheld.server.options import HttpOptions
from handheld.server.v1 import V1, v1_surface
from handheld.settings import load
from handheld_virtual.sh.process import Process
from harness.serving import served
from tools.main.conftest import TOKEN

from .stage import Stage, Switch, open_stage

CALCULATOR = "com.android.calculator2"
DOCUMENTED = (
    *("get_accessibility_tree", "capture_screenshot", "get_current_app", "get_screen_info"),
    *("press_back", "press_home", "press_recents", "open_notifications", "open_quick_settings"),
    "get_device_logs",
)
HELD = (
    "Android's UiAutomation is held by another program (uiautomator2). Only one program at a time"
    " can have it. Stop that program (uiautomator2, Appium and test runs are the usual ones) and"
    " try again; if it is another Handheld, run `handheld phones release` there."
)


def hold_automation(stage: Stage) -> None:
    stage.world.automation.holder = "uiautomator2"


def hide_root(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    stage.world.rootless_packages.add(CALCULATOR)


def turn_off(stage: Stage) -> None:
    stage.world.awake = False


def break_logcat(stage: Stage) -> None:
    async def fail(process: Process) -> int:
        await process.stderr.write(b"logcat: Logcat read failure: Invalid argument\n")
        return 1

    stage.device.programs["logcat"] = fail


def nothing(stage: Stage) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Case:
    """What causes the error, and its message."""

    arrange: Callable[[Stage], object]
    message: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


def refused(text: str) -> Case:
    return Case(
        turn_off,
        f"{text} failed: The screen is off: a button would have no effect. Wake the phone first."
        " Nothing was done.",
    )


CASES: dict[tuple[str, int], tuple[Case, ...]] = {
    ("get_accessibility_tree", -32003): (
        Case(
            hide_root,
            "Failed to obtain root node: no window has the focus. The screen may be transitioning."
            f" Window 4 {CALCULATOR} gave no content and is missing.",
        ),
    ),
    ("capture_screenshot", -32602): (
        Case(nothing, "Quality must be between 1 and 100, got 0", {"quality": 0}),
        Case(nothing, "Quality must be between 1 and 100, got 101", {"quality": 101}),
    ),
    ("capture_screenshot", -32003): (
        Case(turn_off, "Screenshot capture failed: the screen is off."),
    ),
    **{
        (name, -32001): (Case(hold_automation, HELD),)
        for name in (
            *("get_accessibility_tree", "get_current_app", "get_screen_info", "press_back"),
            *("press_home", "press_recents", "open_notifications", "open_quick_settings"),
        )
    },
    **{
        (name, -32003): (refused(text),)
        for name, text in (
            ("press_back", "Back button press"),
            ("press_home", "Home button press"),
            ("press_recents", "Recents button press"),
            ("open_notifications", "Open notifications"),
            ("open_quick_settings", "Open quick settings"),
        )
    },
    ("get_device_logs", -32602): (
        Case(nothing, "last_lines must be between 1 and 1000, got 0", {"last_lines": 0}),
        Case(nothing, "last_lines must be between 1 and 1000, got 1001", {"last_lines": 1001}),
        Case(nothing, "level must be one of: V, D, I, W, E, F. Got: 'X'", {"level": "X"}),
    ),
    ("get_device_logs", -32003): (
        Case(
            break_logcat,
            "logcat command failed (exit 1): logcat: Logcat read failure: Invalid argument",
        ),
    ),
}


@pytest.fixture
async def stage(switch: tuple[Switch, httpx.AsyncClient]) -> AsyncGenerator[Stage]:
    # A phone that wakes for an action would accept the buttons that it must refuse here.
    async with open_stage(*switch, wake=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("tool", "code", "case"),
    [
        pytest.param(tool, code, case, id=f"{tool} {code} {turn}")
        for (tool, code), cases in CASES.items()
        for turn, case in enumerate(cases, 1)
    ],
)
async def test_a_failure_has_its_code_and_message(
    stage: Stage, tool: str, code: int, case: Case
) -> None:
    case.arrange(stage)
    assert await stage.first(tool, **case.arguments) == (code, case.message)


@pytest.mark.at_host("the phone is looked for by the server itself")
async def test_a_phone_that_cannot_be_reached_has_the_code_of_a_service_that_is_off(
    tmp_path: Path,
) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": "1"}
    settings = load({"phone": "127.0.0.1:1"}, environment)
    async with aclosing(await open_devices(settings, lambda line: None)) as devices:
        v1 = V1(v1_surface(devices), "handheld")
        options = HttpOptions(port=0, token=TOKEN, v1=lambda: v1)
        async with served(Switch(), options, TOKEN) as (http, at):
            for tool in DOCUMENTED:
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool}}
                answer = (await http.post(f"{at.url}/v1/tools/call", json=body)).json()
                assert answer["error"]["code"] == -32001, tool
                assert answer["error"]["message"].startswith("No phone answers adb at 127.0.0.1:1:")
