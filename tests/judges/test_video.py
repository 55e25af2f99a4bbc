"""Debian's ffmpeg on the virtual phone's videos: every picture is that of a screenshot."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from judging import environment
from PIL import Image

from handheld_virtual.video.h264 import Encoder
from handheld_virtual.video.mp4 import Mp4Writer
from handheld_virtual.world import World
from harness.polling import HANG
from harness.video_reader import difference

pytestmark = pytest.mark.needs_ffmpeg

APPS = ("com.android.calculator2", "com.android.settings", "com.android.contacts")


def need(program: str) -> str:
    return shutil.which(program) or pytest.fail(
        f"{program} is not installed. On Debian: apt-get install ffmpeg"
    )


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=HANG, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def probe(video: Path) -> dict[str, str]:
    shown = "stream=codec_name,profile,width,height,nb_read_frames:format=duration"
    words = ("-v", "error", "-count_frames", "-show_entries", shown, "-of", "json", str(video))
    found = json.loads(run(need("ffprobe"), *words))
    return {**found["streams"][0], **found["format"]}


def decode(video: Path, folder: Path) -> list[Image.Image]:
    words = ("-v", "error", "-i", str(video), "-fps_mode", "passthrough", f"{folder}/%03d.png")
    run(need("ffmpeg"), *words)
    return [Image.open(file).convert("RGB") for file in sorted(folder.glob("*.png"))]


@pytest.mark.parametrize(("width", "height"), [(576, 1280), (1080, 2400), (294, 654)])
def test_every_picture_is_that_of_the_screen(tmp_path: Path, width: int, height: int) -> None:
    world = World()
    shown: list[Image.Image] = []
    encoder = Encoder(width, height)
    writer = Mp4Writer(encoder)
    data = writer.begin()
    for number, package in enumerate(("", *APPS, *APPS)):
        if package:
            world.launch(package)
        picture = world.picture(height).crop((0, 0, width, height))
        unit = encoder.encode(picture)
        assert unit is not None
        data += writer.add(unit, number * 400)
        shown.append(picture)
    video = tmp_path / "v.mp4"
    video.write_bytes(data + writer.end(len(shown) * 400))
    told = probe(video)
    assert (told["codec_name"], told["profile"]) == ("h264", "Constrained Baseline")
    assert (told["width"], told["height"]) == (width, height)
    assert int(told["nb_read_frames"]) == len(shown)
    assert float(told["duration"]) == pytest.approx(len(shown) * 0.4)
    pictures = decode(video, tmp_path)
    assert len(pictures) == len(shown)
    for picture, wanted in zip(pictures, shown, strict=True):
        assert difference(picture, wanted) < 2.5


def test_what_handheld_record_writes_can_be_played(tmp_path: Path) -> None:
    video = tmp_path / "v.mp4"
    words = [
        sys.executable,
        "-P",
        "-m",
        "handheld",
        "record",
        "--phone",
        "virtual",
        "--seconds",
        "1",
        "-o",
        str(video),
    ]
    subprocess.run(words, env=environment(tmp_path), timeout=HANG, check=True)
    told = probe(video)
    assert (told["width"], told["height"]) == (576, 1280)
    assert int(told["nb_read_frames"]) >= 1
    assert decode(video, tmp_path)
