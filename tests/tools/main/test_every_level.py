"""Every tool without the helper, on Androids old and new: each does what it does, or says exactly
what it lacks."""

from pathlib import Path

import pytest

from driver.test_round_trips import every_call, open_counted
from handheld.driver.by_shell.unsupported import Unsupported, refusal
from handheld.errors import ToolError
from handheld.helper.client import NO_HELPER
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock

LACKS = {
    "pinch": ("", Unsupported.FINGERS),
    "get_clipboard": ("Clipboard access failed: ", Unsupported.CLIPBOARD),
    "set_clipboard": ("Clipboard set failed: ", Unsupported.CLIPBOARD),
    "get_sms_subscriptions": ("", Unsupported.MESSAGES),
    "send_sms": ("", Unsupported.MESSAGES),
    "list_cameras": ("", Unsupported.CAMERA),
    "take_camera_photo": ("", Unsupported.CAMERA),
    "save_camera_photo": ("", Unsupported.CAMERA),
    "save_camera_video": ("", Unsupported.CAMERA),
}
CLOSED = {
    "list_messages": (29, "Messages can be read from Android 10 on; this phone has {release}."),
    "list_calls": (31, "Call logs can be read from Android 12 on; this phone has {release}."),
}
"""What adb's shell may read only from some API level on, helper or not."""
VERSIONS = {26: "8.0.0", 28: "9", 30: "11"}


@pytest.mark.matrix
@pytest.mark.parametrize("api", [26, 28, 30, 34, 36, 37])
async def test_every_tool_works_by_the_shell_or_reports_what_is_unsupported(
    tmp_path: Path, api: int
) -> None:
    device = VirtualPhone(clock=ManualClock(), api=api)
    device.faults.refuse_helper()
    refused: dict[str, str] = {}
    async with open_counted(tmp_path, device) as counted, every_call(counted) as calls:
        for name, arguments in calls.items():
            try:
                await counted.call(name, arguments)
            except ToolError as failure:
                refused[name] = failure.message
    assert refused == {
        **{name: before + refusal(lack, NO_HELPER) for name, (before, lack) in LACKS.items()},
        **{
            name: sentence.format(release=VERSIONS[api])
            for name, (since, sentence) in CLOSED.items()
            if api < since
        },
    }
