"""Files of the computer that an app may be installed from: those of the owner's folders alone."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handheld.errors import ActionFailed, PermissionDenied
from handheld.phone.apps import package_files
from handheld.phone.apps.package_files import Copies, PackageRules, copy_host_files


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    (folder / "deep" / "down").mkdir(parents=True)
    (folder / "a.apk").write_bytes(b"an app")
    (folder / "deep" / "down" / "b.apk").write_bytes(b"another")
    (tmp_path / "secret.apk").write_bytes(b"what nobody shared")
    (tmp_path / "shared2").mkdir()
    (tmp_path / "shared2" / "secret.apk").write_bytes(b"what nobody shared")
    return folder


@pytest.fixture
def take(tmp_path: Path, shared: Path) -> Callable[[str], list[tuple[str, bytes]]]:
    def take(path: str) -> list[tuple[str, bytes]]:
        copies = Copies(Path(os.fspath(tmp_path), "copies"), PackageRules((str(shared),), 1))
        copies.folder.mkdir(exist_ok=True)
        found = copy_host_files(copies, (str(shared),), path)
        return [(each.name, each.path.read_bytes()) for each in found]

    return take


Take = Callable[[str], list[tuple[str, bytes]]]


def test_files_of_the_folder_and_of_those_in_it_are_copied(take: Take, shared: Path) -> None:
    assert take(f"{shared}/a.apk") == [("a.apk", b"an app")]


def test_a_path_may_go_through_links_that_stay_inside(take: Take, shared: Path) -> None:
    (shared / "latest").symlink_to("deep/down")
    (shared / "newest.apk").symlink_to(shared / "latest" / "b.apk")
    assert take(f"{shared}/newest.apk") == [("b.apk", b"another")]


def test_a_folder_stands_for_the_packages_in_it(take: Take, shared: Path) -> None:
    (shared / "deep" / "down" / "A.APK").write_bytes(b"one")
    (shared / "deep" / "down" / "notes.txt").write_bytes(b"no")
    assert take(f"{shared}/deep/down/") == [("A.APK", b"one"), ("b.apk", b"another")]


@pytest.mark.parametrize(
    "path",
    [
        "{up}/secret.apk",
        "{up}/shared2/secret.apk",
        "{shared}/../secret.apk",
        "{shared}/deep/../../secret.apk",
        "{shared}/file.apk",
        "{shared}/out/secret.apk",
        "{shared}2/secret.apk",
        "{up}/nothing.apk",
        "/etc/passwd",
        "/proc/self/environ",
        "a.apk",
        "~/a.apk",
        "{shared}/a.apk\0",
        "\ud800",
        "/\ud800",
        "",
    ],
)
def test_what_is_elsewhere_is_refused_whether_it_exists_or_not(
    take: Take, shared: Path, path: str
) -> None:
    (shared / "file.apk").symlink_to(shared.parent / "secret.apk")
    (shared / "out").symlink_to(shared.parent)
    given = path.replace("{shared}", str(shared)).replace("{up}", str(shared.parent))
    with pytest.raises(PermissionDenied, match="in none of the folders") as refused:
        take(given)
    assert str(shared) in refused.value.message


def test_without_a_folder_nothing_of_the_computer_is_installed(tmp_path: Path) -> None:
    (tmp_path / "a.apk").write_bytes(b"an app")
    copies = Copies(tmp_path, PackageRules())
    with pytest.raises(PermissionDenied, match=r"has not named a folder.*packages\.folders"):
        copy_host_files(copies, (), f"{tmp_path}/a.apk")


def test_pipes_devices_and_folders_without_packages_are_refused(take: Take, shared: Path) -> None:
    os.mkfifo(shared / "pipe.apk")
    with pytest.raises(ActionFailed, match="is not a file"):
        take(f"{shared}/pipe.apk")
    with pytest.raises(ActionFailed, match="contains no packages"):
        take(f"{shared}/deep")
    with pytest.raises(ActionFailed, match="File not found on the computer"):
        take(f"{shared}/nothing.apk")
    (shared / "deep" / "x.apk").mkdir()
    with pytest.raises(ActionFailed, match="is not a file"):
        take(f"{shared}/deep")


def test_a_link_that_is_put_there_after_the_check_is_not_followed(
    take: Take, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is checked, then opened: whoever can write there may change it in between."""
    checked = package_files._find_folder  # pyright: ignore[reportPrivateUsage]

    def check_and_swap(folders: list[str], path: str) -> tuple[str, list[str]]:
        found = checked(folders, path)
        (shared / "a.apk").unlink(missing_ok=True)
        (shared / "a.apk").symlink_to(shared.parent / "secret.apk")
        return found

    monkeypatch.setattr(package_files, "_find_folder", check_and_swap)
    with pytest.raises(ActionFailed, match="its links changed"):
        take(f"{shared}/a.apk")


def test_a_file_over_the_limit_is_refused_also_if_it_grows(
    take: Take, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shared / "large.apk").write_bytes(bytes(1024 * 1024 + 1))
    with pytest.raises(ActionFailed, match=r"large\.apk is too large.*1 MB"):
        take(f"{shared}/large.apk")
    monkeypatch.setattr(Copies, "check", lambda *_: None)
    with pytest.raises(ActionFailed, match=r"large\.apk is too large"):
        take(f"{shared}/large.apk")


def test_files_of_a_folder_together_may_not_be_too_large(take: Take, shared: Path) -> None:
    for name in ("b.apk", "c.apk"):
        (shared / name).write_bytes(bytes(600 * 1024))
    with pytest.raises(ActionFailed, match=r"c\.apk is too large"):
        take(str(shared))


class OpenFiles:
    """Counts those that were opened by `os.open` and not closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: set[int] = set()
        self.ever = self.most = 0
        self._open, self._close = os.open, os.close
        monkeypatch.setattr(os, "open", self._opening)
        monkeypatch.setattr(os, "close", self._closing)

    def _opening(self, *arguments: Any, **named: Any) -> int:
        number = self._open(*arguments, **named)
        self.now.add(number)
        self.ever += 1
        self.most = max(self.most, len(self.now))
        return number

    def _closing(self, number: int) -> None:
        self._close(number)
        self.now.discard(number)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> OpenFiles:
    return OpenFiles(monkeypatch)


def test_nothing_stays_open(take: Take, shared: Path, files: OpenFiles) -> None:
    take(f"{shared}/deep/down")
    with pytest.raises(ActionFailed):
        take(f"{shared}/deep")
    assert (files.ever > 5, files.now) == (True, set())


def test_a_folder_of_many_packages_takes_few_open_files(
    take: Take, shared: Path, files: OpenFiles
) -> None:
    for number in range(100):
        (shared / f"{number}.apk").write_bytes(b"x")
    assert len(take(str(shared))) >= 100
    assert (files.ever > 100, files.most) == (True, 2)  # the folder, and one at a time
