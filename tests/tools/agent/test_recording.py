"""Recording the screen, for models."""

import re
from pathlib import Path

import pytest

from handheld.access.request_scope import RequestScope
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.phone.video.recorder import VideoRecorder
from handheld.tools.tool import Image
from harness.phones import PhoneClock

from .conftest import AgentBench

CALCULATOR = "com.android.calculator2"
ON = RequestScope(on=frozenset({"recording"}))


def switch_on(bench: AgentBench, folder: Path, policy: RequestScope = ON) -> None:
    bench.phone.recorder = VideoRecorder(folder)
    options = SurfaceOptions(policy=policy, clock=PhoneClock(bench.device))
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]


@pytest.mark.parametrize(
    "agent_by", ["helper", pytest.param("shell", marks=pytest.mark.matrix)], indirect=True
)
async def test_a_recording_is_started_and_stopped(bench: AgentBench, tmp_path: Path) -> None:
    switch_on(bench, tmp_path)
    started = "Recording started. phone_record stop ends it and gives the video."
    assert await bench.call("record", action="start") == started
    bench.world.bring(CALCULATOR)
    said, *pictures = await bench.items("record", action="stop")
    assert isinstance(said, str)
    found = re.match(r"Recorded [\d.]+ s, [\d.]+ MB: (.+)\n", said)
    assert found is not None
    assert Path(found[1]).parent == tmp_path
    assert pictures
    assert all(isinstance(picture, Image) for picture in pictures)


async def test_nothing_is_recorded_at_first(bench: AgentBench, tmp_path: Path) -> None:
    switch_on(bench, tmp_path)
    assert (await bench.failure("record", action="stop")).message == "Nothing is being recorded."


async def test_it_is_off_unless_it_is_switched_on(bench: AgentBench) -> None:
    surface = make_agent_surface(bench, SurfaceOptions())
    assert "phone_record" not in {tool.name for tool in await surface.tools()}
    assert "phone_record" in {tool.name for tool in await surface.tools(ON)}


async def test_rules_go_by_the_action(bench: AgentBench, tmp_path: Path) -> None:
    policy = RequestScope(on=frozenset({"recording"}), off=frozenset({"start_recording"}))
    switch_on(bench, tmp_path, policy)
    surface = make_agent_surface(bench, SurfaceOptions(policy=policy))
    [record] = [tool for tool in await surface.tools() if tool.name == "phone_record"]
    assert record.input_schema["properties"]["action"]["enum"] == ["stop"]
