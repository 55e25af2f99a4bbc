"""Pictures of a recording, moving pictures of them, and the folder of videos."""

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from handheld.errors import ActionFailed, InvalidParams
from handheld.phone.video.frames import MOST, PAUSE, STILLS, FrameLog, VideoFrame
from handheld.phone.video.moving_picture import shrink, write_moving_picture
from handheld.phone.video.video_folder import VideoFolder
from harness.video_reader import difference


def jpeg(color: int, size: tuple[int, int] = (60, 120), spot: int | None = None) -> bytes:
    picture = Image.new("RGB", size, (color, color, color))
    if spot is not None:
        picture.paste((255, 0, 0), (spot, spot, spot + 8, spot + 8))
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=88)
    return target.getvalue()


def test_the_same_picture_is_kept_once() -> None:
    log = FrameLog()
    for at, data in enumerate([b"a", b"a", b"b", b"b", b"a"]):
        log.add(at, data)
    assert [(frame.at, frame.data) for frame in log.frames] == [(0, b"a"), (2, b"b"), (4, b"a")]
    assert log.stills() == log.frames


@given(st.integers(1, 2000))
def test_the_first_and_the_last_of_any_number_are_kept(count: int) -> None:
    log = FrameLog()
    for number in range(count):
        log.add(number, b"%d" % number)
    assert len(log.frames) <= MOST
    assert log.frames[0].at == log.stills()[0].at == 0
    assert log.frames[-1].at == log.stills()[-1].at == count - 1
    times = [still.at for still in log.stills()]
    assert times == sorted(set(times))
    assert len(times) == min(STILLS, len(log.frames))
    assert (log.pause > PAUSE) == (count > MOST)


def test_large_pictures_make_room_for_others() -> None:
    log = FrameLog()
    for number in range(12):
        log.add(number, bytes([number]) * 10_000_000)
    assert sum(len(frame.data) for frame in log.frames) <= 48_000_000
    assert [log.frames[0].at, log.frames[-1].at] == [0, 11]


@pytest.mark.parametrize("ending", [".gif", ".webp"])
def test_a_moving_picture_has_each_picture_for_its_time(tmp_path: Path, ending: str) -> None:
    frames = [
        VideoFrame(0.0, jpeg(30)),
        VideoFrame(1.0, jpeg(200)),
        VideoFrame(1.5, jpeg(200, spot=20)),
    ]
    target = tmp_path / f"a{ending}"
    seconds, size = write_moving_picture(target, frames, 3.0, 120)
    assert seconds == pytest.approx(3.0)
    assert size == target.stat().st_size
    with Image.open(target) as moving:
        assert moving.size == (60, 120)
        assert moving.info["loop"] == 0
        shown: list[Image.Image] = []
        for number in range(getattr(moving, "n_frames", 1)):
            moving.seek(number)
            shown.append(moving.convert("RGB"))
    assert len(shown) == 3
    for picture, frame in zip(shown, frames, strict=True):
        assert difference(picture, Image.open(io.BytesIO(frame.data)).convert("RGB")) < 4


def test_a_slight_change_of_a_large_part_is_shown(tmp_path: Path) -> None:
    frames = [VideoFrame(0.0, jpeg(240)), VideoFrame(1.0, jpeg(228))]
    write_moving_picture(tmp_path / "a.webp", frames, 2.0, 120)
    with Image.open(tmp_path / "a.webp") as moving:
        moving.seek(1)
        assert difference(moving.convert("RGB"), Image.new("RGB", (60, 120), (228,) * 3)) < 3


def test_a_turned_picture_is_fitted_into_the_first(tmp_path: Path) -> None:
    frames = [VideoFrame(0.0, jpeg(200)), VideoFrame(1.0, jpeg(200, (120, 60)))]
    write_moving_picture(tmp_path / "a.gif", frames, 2.0, 120)
    with Image.open(tmp_path / "a.gif") as moving:
        moving.seek(1)
        turned = moving.convert("L")
    assert turned.size == (60, 120)
    assert turned.getpixel((30, 5)) == 0
    assert turned.getpixel((30, 60)) != 0


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot identify"):
        write_moving_picture(tmp_path / "a.gif", [VideoFrame(0.0, b"no picture")], 1.0, 100)
    with pytest.raises(ValueError, match="cannot identify"):
        shrink(b"no picture", 100)


def test_a_picture_is_made_smaller_and_never_larger() -> None:
    small = jpeg(3)
    assert shrink(small, 120) is small
    with Image.open(io.BytesIO(shrink(small, 60))) as picture:
        assert picture.size == (30, 60)


# The folder


def keep(folder: VideoFolder, name: str, size: int) -> Path:
    part = folder.new(name)
    part.write_bytes(bytes(size))
    return folder.keep(part)


def test_a_video_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    folder = VideoFolder(tmp_path / "videos")
    part = folder.new("a.mp4")
    assert part.suffix == ".part"
    part.write_bytes(b"x")
    assert folder.keep(part) == tmp_path / "videos" / "a.mp4"
    assert os.listdir(tmp_path / "videos") == ["a.mp4"]
    assert (tmp_path / "videos").stat().st_mode & 0o077 == 0


def test_two_of_one_second_have_two_names(tmp_path: Path) -> None:
    folder = VideoFolder(tmp_path)
    assert [keep(folder, "a.mp4", 1).name for _ in range(3)] == ["a.mp4", "a-2.mp4", "a-3.mp4"]


def test_the_oldest_are_deleted_and_never_the_newest(tmp_path: Path) -> None:
    folder = VideoFolder(tmp_path, most_mb=1)
    (tmp_path / "note.txt").write_text("not a video", encoding="utf-8")
    left = tmp_path / "a.mp4.12345678.part"
    left.write_bytes(bytes(100_000))
    os.utime(left, (1, 1))
    for number, name in enumerate(("b.gif", "c.mp4")):
        os.utime(keep(folder, name, 400_000), (10 + number, 10 + number))
    assert sorted(os.listdir(tmp_path)) == [left.name, "b.gif", "c.mp4", "note.txt"]
    os.utime(keep(folder, "d.mp4", 200_000), (20, 20))
    assert sorted(os.listdir(tmp_path)) == ["b.gif", "c.mp4", "d.mp4", "note.txt"]
    keep(folder, "e.mp4", 2_000_000)
    assert sorted(os.listdir(tmp_path)) == ["e.mp4", "note.txt"]


def test_without_a_folder_nothing_is_kept() -> None:
    with pytest.raises(ActionFailed, match="not stored on this computer"):
        VideoFolder(None).new("a.mp4")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ActionFailed, match="cannot be written"):
        VideoFolder(tmp_path / "file").new("a.mp4")


@pytest.mark.parametrize("name", ["", "a", "a.txt", "../a.mp4", "/a.mp4", ".a.mp4", "a\0.mp4"])
def test_only_names_of_videos_are_taken(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidParams):
        VideoFolder(tmp_path).check_name(name)
