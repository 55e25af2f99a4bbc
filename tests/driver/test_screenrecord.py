"""Videos by Android's `screenrecord`."""

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.devices.opening import PhoneFactory
from handheld.driver.by_adb.screenrecord import EncoderRefused, even, explain, record, write_script
from handheld.driver.recording import VideoRequest
from handheld.errors import ActionFailed
from handheld.phone.video.movie import read_movie
from handheld.phone.video.recorder import VideoRecorder
from handheld.tools.main.recording import recording
from handheld_virtual.phone import VirtualPhone
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import WatchedLink, link_to, reached
from harness.polling import HANG

from .test_round_trips import CountedLink

SMALL = VideoRequest(60, 64, 144, 4_000_000)


def leftovers(phone: VirtualPhone) -> list[str]:
    return [name for name in phone.files.list("/data/local/tmp") if "recording" in name]


async def until_nothing_is_left(phone: VirtualPhone) -> None:
    async with asyncio.timeout(HANG):
        while True:
            if not leftovers(phone) and not phone.processes.find("screenrecord"):
                return
            await asyncio.sleep(0)


async def test_a_video_is_made_by_one_command(phone: VirtualPhone, link: WatchedLink) -> None:
    video = await record(link, SMALL)
    assert len(link.services) == 1
    assert video.limit == 60
    recorded = await video.stop()
    assert (recorded.said, recorded.by_itself) == ("", False)
    data = io.BytesIO()
    assert await video.pull_to(data, limit=10**7) == recorded.size
    assert read_movie(data).frames == 1
    assert await video.stop() == recorded
    await video.aclose()
    await until_nothing_is_left(phone)


@pytest.mark.parametrize("api", [29, 33, 34])
async def test_the_lit_panel_of_a_foldable_is_recorded(api: int) -> None:
    async with VirtualPhone(api=api, foldable=True) as phone, link_to(phone) as link:
        video = await record(link, SMALL)
        await video.stop()
        data = io.BytesIO()
        await video.pull_to(data, limit=10**7)
        assert read_movie(data).frames == 1
        await video.aclose()


async def test_who_is_stopped_while_it_ends_can_ask_again(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    video = await record(link, SMALL)
    asking = asyncio.create_task(video.stop())
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await video.wait_end()
    recorded = await video.stop()
    for _ in range(500):  # a second word on its input would remove the video
        await asyncio.sleep(0)
    assert await video.pull_to(io.BytesIO(), limit=10**7) == recorded.size > 0
    await video.aclose()
    await until_nothing_is_left(phone)


async def test_closing_it_ends_it_on_the_phone(phone: VirtualPhone, link: WatchedLink) -> None:
    video = await record(link, SMALL)
    await video.aclose()
    await until_nothing_is_left(phone)


async def test_a_lost_link_ends_it_on_the_phone(phone: VirtualPhone, link: WatchedLink) -> None:
    video = await record(link, SMALL)
    phone.drop_connections()
    await video.wait_end()
    assert video.lost
    await until_nothing_is_left(phone)
    with pytest.raises(ActionFailed):
        await video.stop()
    await video.aclose()


async def test_two_at_a_time_do_not_disturb_each_other(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    first, second = await record(link, SMALL), await record(link, SMALL)
    await first.stop()
    await first.aclose()
    assert len(phone.processes.find("screenrecord")) == 1
    assert (await second.stop()).size
    await second.aclose()


@pytest.mark.parametrize(
    ("api", "asked", "limit"), [(33, 181, 180), (33, 180, 180), (34, 600, 600)]
)
async def test_the_limit_is_what_the_phone_takes(api: int, asked: int, limit: int) -> None:
    async with VirtualPhone(api=api) as phone, link_to(phone) as link:
        video = await record(link, SMALL._replace(seconds=asked))
        assert video.limit == limit
        await video.aclose()


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("", ActionFailed, "screenrecord printed nothing."),
        ("/system/bin/sh: screenrecord: not found", ActionFailed, "has no `screenrecord`"),
        (
            "ERROR: unable to configure video/avc codec at 1x1 (err=-22)",
            EncoderRefused,
            "unable to configure",
        ),
        ("Encoder failed (err=-38)\n", EncoderRefused, "Encoder failed (err=-38)."),
        ("\x1b[31mRed\x07", ActionFailed, "Red"),
    ],
)
def test_what_screenrecord_says_is_explained(
    said: str, kind: type[ActionFailed], words: str
) -> None:
    failure = explain(said)
    assert type(failure) is kind
    assert words in failure.message
    assert "\x1b" not in failure.message


@given(st.text(max_size=500))
def test_whatever_it_says_is_one_short_sentence(said: str) -> None:
    message = explain(said).message
    assert len(message) < 400
    assert "\n" not in message


@pytest.mark.parametrize(("side", "expected"), [(1, 16), (101, 104), (576, 576), (573.9, 576)])
def test_sides_are_multiples_of_eight(side: float, expected: int) -> None:
    assert even(side) == expected


def test_the_command_stays_within_what_adb_takes() -> None:
    script = write_script(VideoRequest(600, 1080, 2400, 4_000_000), "/data/local/tmp/x.mp4")
    assert len(script) < 2000
    assert "--size 1080x2400 --bit-rate 4000000" in script


COSTS: list[tuple[str, dict[str, Any], list[str]]] = [
    # A picture for the size and the begin, and the command that goes on.
    ("start_recording", {}, ["changed", "capture", "exec"]),
    # The last picture, then the file.
    ("stop_recording", {"path": "a.mp4"}, ["capture", "sync"]),
]


@pytest.mark.slow
async def test_recording_needs_the_expected_round_trips(tmp_path: Path) -> None:
    make = PhoneFactory().make_phone
    async with reached(VirtualPhone(), make=make, links=CountedLink) as (_, link, made):
        assert isinstance(link, CountedLink)
        made.recorder = VideoRecorder(tmp_path)
        surface = LocalSurface((recording,), OnePhone(made), SurfaceOptions(policy=ALL_ON))
        costs: list[tuple[str, list[str]]] = []
        await made.driver.languages()  # the helper runs from here on
        for name, arguments, _ in COSTS:
            link.trips.clear()
            await surface.call(f"android_{name}", arguments, Caller("test"))
            # Changes are awaited beside the calls.
            trips = [trip for n, trip in enumerate(link.trips) if trip != "changed" or n == 0]
            costs.append((name, trips))
    assert costs == [(name, trips) for name, _, trips in COSTS]
