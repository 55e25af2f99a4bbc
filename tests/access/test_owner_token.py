"""The token file."""

import fcntl
import os
import threading
from pathlib import Path
from typing import NoReturn

import pytest

from handheld.access.owner_token import OwnerToken, TokenError, ensure_token, new_token, read_token
from harness.polling import HANG


def test_the_first_start_makes_a_token_that_only_its_user_can_read(tmp_path: Path) -> None:
    file = tmp_path / "state" / "token"
    token = ensure_token(file)
    assert token.made
    assert len(token.value) == 43
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert ensure_token(file) == OwnerToken(token.value, made=False)
    assert [entry.name for entry in file.parent.iterdir()] == ["token"]


def _refuse(*_: object) -> NoReturn:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("links", ["allowed", "refused", "unknown"])
def test_of_many_simultaneous_starts_one_creates_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: str
) -> None:
    """Android refuses hard links, and Python in Termux has no os.link."""
    if links == "refused":
        monkeypatch.setattr(os, "link", _refuse)
    elif links == "unknown":
        monkeypatch.delattr(os, "link")
    file = tmp_path / "token"
    found: list[OwnerToken] = []
    threads = [threading.Thread(target=lambda: found.append(ensure_token(file))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert {token.value for token in found} == {read_token(file)}
    assert sum(token.made for token in found) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["token"]


def test_without_hard_links_nobody_comes_between_the_look_and_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", _refuse)
    looked: list[str] = []
    exists = os.path.lexists

    def look(file: Path) -> bool:
        handle = os.open(file.parent, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
        looked.append(file.name)
        return exists(file)

    monkeypatch.setattr(os.path, "lexists", look)
    assert ensure_token(tmp_path / "token").made
    assert looked == ["token"]


def test_a_new_token_replaces_the_old(tmp_path: Path) -> None:
    file = tmp_path / "token"
    old = ensure_token(file).value
    fresh = new_token(file)
    assert fresh != old
    assert read_token(file) == fresh
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"\n", b"two words\n", b"\xff\xfe"])
def test_a_token_file_that_holds_no_token_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(TokenError):
        ensure_token(file)


def test_a_folder_that_others_can_enter_is_made_private(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    ensure_token(folder / "token")
    assert folder.stat().st_mode & 0o777 == 0o700
