"""The helper driver: files, and the translation of failures."""

import hashlib

import pytest

from handheld.adb.sync import SyncError
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.failures import FailedCall, translate
from handheld.driver.files import Content, FileChanged, InDoubt, LeadsOutside, Place
from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.helper.session import HelperLost
from handheld_virtual.phone import VirtualPhone

ROOT = "primary:Download"
FOLDER = "/storage/emulated/0/Download"
TEMP = ".handheld-0123456789abcdef.part"


async def test_file_is_located_committed_and_removed(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    files = phone.files
    found = await driver.locate(ROOT, "readme.txt")
    assert found == Place(FOLDER, f"{FOLDER}/readme.txt", "file", 47, files.capacity - files.used)
    files.write(f"{FOLDER}/{TEMP}", b"new")
    old = files.read(f"{FOLDER}/readme.txt")
    expect = Content(len(old), hashlib.sha256(old).hexdigest())
    await driver.commit(ROOT, TEMP, "readme.txt", expect)
    assert files.read(f"{FOLDER}/readme.txt") == b"new"
    files.write(f"{FOLDER}/{TEMP}", b"newer")
    with pytest.raises(FileChanged):
        await driver.commit(ROOT, TEMP, "readme.txt", expect)
    await driver.commit(ROOT, TEMP, "readme.txt", None)
    assert files.read(f"{FOLDER}/readme.txt") == b"newer"
    assert await driver.remove(ROOT, "readme.txt")
    assert not await driver.remove(ROOT, "readme.txt")


async def test_refused_file_operation_has_its_reason(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.files.furnish_link("/data", f"{FOLDER}/out")
    with pytest.raises(LeadsOutside):
        await driver.locate(ROOT, "out")
    with pytest.raises(SyncError) as caught:
        await driver.remove(ROOT, "notes")
    assert (caught.value.errno, str(caught.value)) == (21, "notes: it is a folder.")
    with pytest.raises(SyncError) as caught:
        await driver.locate("primary:Nowhere", "")
    assert str(caught.value) == "primary:Nowhere: there is no such file or folder."


@pytest.mark.parametrize("do", ["commit", "remove"])
def test_lost_file_operation_is_in_doubt(do: str) -> None:
    asked = FailedCall(do, {"root": ROOT, "path": "x"}, act=True)
    for problem in (
        HelperLost("The stream ended.", Happened.MAYBE),
        HelperFailure(Code.OUT_OF_TIME, "The stream ended.", Happened.MAYBE),
    ):
        doubt = translate(problem, asked)
        assert type(doubt) is InDoubt
        assert doubt.message == "The stream ended."
    sure = translate(HelperLost("The stream ended.", Happened.NO), asked)
    assert str(sure) == "The stream ended. Nothing was done."
