"""The videos that are kept on this computer, and whose they are."""

import os
from pathlib import Path

import pytest

from handheld.phone.video.video_folder import VideoFolder


def keep(folder: VideoFolder, name: str, token: str, at: int) -> Path:
    """A video of 100 kB."""
    part = folder.new(name, token)
    part.write_bytes(bytes(100_000))
    os.utime(part, (at, at))
    return folder.keep(part)


@pytest.mark.parametrize("token", ["reader", "oauth:alice|1@https://login.example.com"])
def test_only_its_own_videos_make_room_for_those_of_a_token(tmp_path: Path, token: str) -> None:
    folder = VideoFolder(tmp_path / "videos", most_mb=1)
    others = [keep(folder, "a.mp4", "other", 1), keep(folder, "a.mp4", "", 1)]
    own = [keep(folder, f"{number}.mp4", token, 10 + number) for number in range(5)]
    assert [path.exists() for path in own] == [False, False, False, True, True]
    assert all(path.exists() for path in others)
    assert len({path.parent for path in (*own, *others)}) == 3


def test_the_owners_videos_have_all_the_room(tmp_path: Path) -> None:
    folder = VideoFolder(tmp_path / "videos", most_mb=1)
    own = [keep(folder, f"{number}.mp4", "owner", number) for number in range(12)]
    assert [path.exists() for path in own] == [False] * 2 + [True] * 10
    assert (tmp_path / "videos").stat().st_mode & 0o777 == 0o700
