"""Files for models: the paths that `phone_read files` prints are those that the others take."""

from pathlib import Path

import pytest

from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from harness.patient_clock import PatientClock

from .conftest import AgentBench

DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
FOLDER = "/storage/emulated/0/Download"


@pytest.fixture
def shared(bench: AgentBench, tmp_path: Path) -> AgentBench:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD, allow_write=True, allow_delete=True)
    rules = DownloadRules(1)
    bench.phone.files = Files(bench.phone.driver, PatientClock(), storage, ["virtual"], rules)
    return bench


async def test_a_file_is_written_changed_read_listed_and_deleted_by_the_path_that_is_printed(
    shared: AgentBench,
) -> None:
    [row] = (await shared.call("read", what="files")).split("\n")
    folder = row.split(" ")[0]
    assert folder == f"{DOWNLOAD}/"
    path = f"{folder}list.txt"
    assert await shared.call("file", action="write", path=path, text="milk") == f"Wrote {path}."
    await shared.call("file", action="append", path=path, text="\neggs")
    await shared.call("file", action="replace", path=path, old="milk", text="tea")
    assert shared.device.files.read(f"{FOLDER}/list.txt") == b"tea\neggs"
    assert await shared.call("read", what="file", of=path) == "tea\neggs"
    assert "list.txt 8 bytes" in (await shared.call("read", what="files", of=folder)).split("\n")
    assert await shared.call("file", action="delete", path=path) == f"Deleted {path}."
    assert "list.txt" not in shared.device.files.list(FOLDER)


async def test_a_path_in_no_shared_folder_names_what_is_missing(shared: AgentBench) -> None:
    failed = await shared.failure("file", action="write", path="elsewhere/a.txt", text="a")
    assert failed.message.startswith("Storage location 'elsewhere' not found.")


@pytest.mark.slow
async def test_a_path_without_a_folder_is_refused(shared: AgentBench) -> None:
    failed = await shared.failure("file", action="delete", path="/")
    assert failed.message.startswith("A path begins with its folder's id")
