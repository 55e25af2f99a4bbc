"""Requests and files whose cost is the product of two sizes."""

import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest

from audit.calls import make_call
from handheld.access.phone_filter import PhonePool
from handheld.audit import AuditLog, Masks
from handheld.audit.masking import MASK
from handheld.audit.recorder import Recorder
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.files import Place
from handheld.errors import ActionFailed, InvalidParams, UnknownTool
from handheld.phone.files.download import MEGABYTE, DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.files.text_file import REPLY_LIMIT, TextFile, is_text
from handheld.screen.text import screen_text
from handheld.server import envelope
from handheld.server.envelope import Refused, load
from handheld.server.limits import MAX_VALUES, PARSED_AT_ONCE
from handheld.server.options import HttpOptions
from handheld.server.v1 import V1
from handheld.tools.parameter import Param, declare, read_arguments
from handheld.tools.recording import Secret
from harness.patient_clock import PatientClock
from harness.serving import served
from harness.work import lines, memory
from screen.trees import node, screen, window
from server.little import TOKEN, LittleSurface, call

ATTACK = "products of sizes"
LOCATION = "com.android.externalstorage.documents/primary:Download"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/mcp", "/mcp/v1/tools/call"])
@pytest.mark.parametrize("large", [False, True])
async def test_others_are_answered_while_a_large_body_is_parsed(
    path: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is parsed in a thread; a small one is not, which would take longer."""
    parsed_by = list[int]()

    def load(text: str) -> Any:
        parsed_by.append(threading.get_ident())
        return json.loads(text)

    monkeypatch.setattr(envelope, "_DECODER", SimpleNamespace(decode=load))
    surface = LittleSurface()
    options = HttpOptions(port=0, token=TOKEN, v1=lambda: V1(surface, "little"))
    body = call("echo", {"text": "x" * (PARSED_AT_ONCE if large else 10)})
    headers = {"authorization": f"Bearer {TOKEN}", "accept": "*/*"}
    async with served(surface, options) as (http, _):
        answer = await http.post(path, json=body, headers=headers)
    assert answer.status_code == 200
    assert "error" not in answer.json()
    assert [thread != threading.get_ident() for thread in parsed_by] == [large]


class OneFile:
    """A driver whose phone has one file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    async def locate(self, root: str, path: str) -> Place:
        return Place(root, f"{root}/{path}", "file", len(self.data), 1)

    async def pull(self, path: str, *, limit: int) -> bytes:
        return self.data


def files_with(data: bytes, folder: Path) -> Files:
    storage = StorageFile(folder / "storage.toml")
    storage.put(LOCATION, allow_write=True)
    driver = cast(Any, OneFile(data))
    return Files(driver, PatientClock(), storage, ["virtual"], DownloadRules(8))


@pytest.mark.parametrize("name", ["x" * 8 * MEGABYTE, "android_app_" + "x" * MEGABYTE])
async def test_the_name_of_an_unknown_tool_is_cut_before_it_is_searched_or_kept(
    name: str, tmp_path: Path
) -> None:
    log = AuditLog(tmp_path / "audit.db")
    surface = LocalSurface(
        (), cast(PhonePool, SimpleNamespace()), SurfaceOptions(recorder=Recorder(log))
    )
    arguments = {"text": "abc" * 6000}
    # A copy to cut it, two bytes for each character, and no other.
    with memory(3 * len(name)), pytest.raises(UnknownTool) as caught:
        await surface.call(name, arguments, Caller("http"))
    assert len(caught.value.name) < 300
    log.write_ends()
    [entry] = log.entries()
    assert entry.tool.endswith("...truncated")
    log.close()


def test_a_long_failure_with_many_secrets_is_masked_without_a_search() -> None:
    """None of them is in it, so that a search would have left it as it is."""
    call = make_call("write_file", {"content": "".join(map(str, range(20_000)))})
    assert Masks().result(call, ["y" * MEGABYTE], failed=True) == [MASK]


def test_a_long_reply_with_many_secrets_is_masked_without_a_search() -> None:
    """The same."""
    call = make_call("write_file", {"content": [f"part {number}" for number in range(1000)]})
    assert Masks().result(call, ["y" * MEGABYTE], failed=False) == [MASK]


async def test_file_replace_refuses_a_result_that_is_too_large_before_it_is_made(
    tmp_path: Path,
) -> None:
    files = files_with(b"a" * 1000, tmp_path)
    with memory(32 * MEGABYTE), pytest.raises(ActionFailed, match="file size limit of 8 MB"):
        await files.replace(LOCATION, "notes.txt", "a", "b" * MEGABYTE, True)


@pytest.mark.slow
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
async def test_read_file_lists_no_lines_to_count_them(end: bytes, tmp_path: Path) -> None:
    count = 4 * MEGABYTE // len(end)
    files = files_with(end * count, tmp_path)
    with memory(16 * MEGABYTE):
        page = await files.read(LOCATION, "notes.txt", lambda file: file.page(count - 1, 200))
    assert page == (f"{count - 1}| \n{count}| ", ())
    with lines(count // 100):
        assert TextFile(end * count).page(count - 1, 200) == page


def test_a_file_of_control_characters_is_recognised_without_a_list() -> None:
    data = b"\x01\xff" * 4 * MEGABYTE
    with memory(2 * MEGABYTE):
        assert not is_text(data)
    with lines(len(data) // 100):
        assert not is_text(data)


def test_one_line_is_no_longer_than_a_reply() -> None:
    file = TextFile("\u202e".encode() + b"y" * 8 * MEGABYTE)
    with memory(24 * MEGABYTE):
        text, notes = file.page(1, 200)
    assert len(text) < REPLY_LIMIT + 100
    assert len(notes) == 2


@pytest.mark.parametrize("end", [b"", b"\\", b'\\"'])
def test_a_string_without_an_end_is_read_once(end: bytes) -> None:
    """A search that began again at each quotation mark would take hours."""
    raw = b'"' + b'\\"' * 4 * MEGABYTE + b"," * (MAX_VALUES + 1) + end
    with pytest.raises(Refused):
        load(raw)


@pytest.mark.parametrize("place", ["name", "value", "text"])
def test_what_an_error_quotes_is_cut_before_it_is_cleaned(place: str) -> None:
    odd = "\u202e" * 3 * MEGABYTE
    given: dict[str, Any] = {
        "name": {odd: 1},
        "value": {"count": odd},
        "text": {"words": odd},
    }[place]
    parameters = (
        declare("count", Annotated[int, Param("")], 1, False),
        declare("words", Annotated[str, Param("", secret=Secret.NO)], "", False),
    )
    with memory(MEGABYTE), pytest.raises(InvalidParams) as caught:
        read_arguments(parameters, given)
    assert len(caught.value.message) < 2000


def test_a_long_text_of_an_app_is_cut_before_it_is_cleaned() -> None:
    odd = "\u202e" * MEGABYTE
    shown = screen(window(node(text=odd, description=odd), title=odd))
    with memory(MEGABYTE):
        text = screen_text(shown, [["1f"]])
    assert len(text) < 5000
