"""An allow is stretched to more than it was written for, and a file is destroyed without being
deleted."""

from typing import Any

import pytest

from attacks.conftest import AGENT
from handheld.access.approval import ApprovalGate
from handheld.errors import PermissionDenied
from handheld.phone.files.files import Files
from handheld.phone.files.storage import Location, StorageFile
from handheld.phone.phone import Phone
from handheld.settings.rules import Rules, Subject, Verdict
from handheld.tools.call import ToolCall
from handheld.tools.v1 import V1_TOOLS

from .conftest import Target

ATTACK = "an allow is stretched"
V1 = {tool.name: tool.listing for tool in V1_TOOLS.tools}
DOWNLOAD = "com.android.externalstorage.documents/primary:Download"


@pytest.mark.parametrize(
    ("allow", "tool"),
    [
        ("set_*", "set_text"),
        ("clear_*", "clear_text"),
        ("capture_*", "capture_screenshot"),
        ("type_append_text", "set_text"),
        ("type_*", "capture_screenshot"),
    ],
)
async def test_an_allow_covers_a_v1_tool_only_with_everything_that_it_stands_for(
    allow: str, tool: str
) -> None:
    gate = ApprovalGate(Rules(deny=["*"], allow=[allow]))
    with pytest.raises(PermissionDenied, match="denies it"):
        await gate.ask(ToolCall(tool, V1[tool], {}, AGENT))


async def test_an_allow_that_covers_everything_of_a_v1_tool_holds_for_it() -> None:
    gate = ApprovalGate(Rules(deny=["*"], allow=["type_*"]))
    await gate.ask(ToolCall("set_text", V1["set_text"], {}, AGENT))


@pytest.mark.parametrize(
    ("allow", "verdict"),
    [("p*", Verdict.DENY), ("*_tap", Verdict.DENY), ("phone_*", Verdict.ALLOW), ("phone_tap", 0)],
)
def test_a_pattern_allows_a_tool_for_models_only_if_it_was_written_for_them(
    allow: str, verdict: int
) -> None:
    rules = Rules(deny=["*"], allow=[allow])
    assert rules.decide(Subject(("phone_tap", "get_screen_state"), "screen")).verdict == verdict


@pytest.mark.parametrize(
    ("tool", "arguments", "asked"),
    [
        ("write_file", {"content": ""}, True),
        ("write_file", {"content": "x"}, True),
        ("write_file", {"content": "x", "path": "new.txt"}, False),
        ("download_from_url", {"url": "https://127.0.0.1:1/x"}, True),
        ("file_replace", {"old_string": "kept", "new_string": ""}, True),
        ("file_replace", {"old_string": "kept", "new_string": "longer"}, False),
        ("append_file", {"content": "x"}, False),
        ("phone_file", {"action": "write", "text": ""}, True),
        ("phone_file", {"action": "replace", "old": "kept", "text": "-"}, True),
        ("phone_file", {"action": "append", "text": "x"}, False),
    ],
)
async def test_a_file_is_emptied_or_overwritten_only_where_it_may_be_deleted(
    target: Target, tmp_path: Any, tool: str, arguments: dict[str, Any], asked: bool
) -> None:
    files = target.device.files
    files.write("/sdcard/Download/kept.txt", b"kept")
    storage = StorageFile(
        tmp_path / "storage.toml", (Location(DOWNLOAD, allow_write=True, allow_delete=True),)
    )
    phone: Phone = target.phone
    phone.files = Files(phone.driver, phone.clock, storage, {"virtual"})
    target.deny("delete_file")
    if tool == "phone_file":
        path = f"{DOWNLOAD}/kept.txt"
        call = target.call(tool, **{"path": path, **arguments})
    else:
        call = target.call(tool, **{"location_id": DOWNLOAD, "path": "kept.txt", **arguments})
    if asked:
        with pytest.raises(PermissionDenied, match="the rule 'delete_file' denies it"):
            await call
        assert files.read("/sdcard/Download/kept.txt") == b"kept"
    else:
        await call
