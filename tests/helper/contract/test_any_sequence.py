"""Whatever a host sends, each call gets exactly one answer, or the stream ends."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handheld.helper.protocol import CallRequest, Frame, FrameKind, encode_call, encode_frame

from .conftest import MemoryStage, Stage
from .host import Host
from .java_stage import JavaStage

numbers = st.one_of(st.integers(-10, 3000), st.floats(-1e12, 1e12), st.none())
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
points = st.tuples(st.integers(0, 1080), st.integers(0, 2400))


@st.composite
def strokes(draw: st.DrawFn) -> list[list[list[int]]]:
    times = st.lists(st.integers(0, 3000), min_size=1, max_size=4).map(sorted)
    fingers = draw(st.lists(times, min_size=1, max_size=3))
    return [[[*draw(points), time] for time in finger] for finger in fingers]


arguments: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "screen": st.just({}),
    "touch": st.fixed_dictionaries({"strokes": strokes()}),
    "scroll": st.fixed_dictionaries(
        {
            "direction": st.sampled_from(["up", "down", "left", "right"]),
            "share": st.sampled_from([0.25, 1]),
            "duration_ms": st.integers(1, 400),
        }
    ),
    "pinch": st.fixed_dictionaries(
        {
            "x": st.integers(0, 1080),
            "y": st.integers(0, 2400),
            "scale": st.floats(0.1, 20),
            "duration_ms": st.integers(1, 400),
        }
    ),
    "press": st.fixed_dictionaries(
        {"button": st.sampled_from(["back", "home", "recents", "notifications", "quick_settings"])}
    ),
    "launch": st.fixed_dictionaries(
        {"package": st.sampled_from(["com.android.calculator2", "com.nobody"])}
    ),
    "changed": st.fixed_dictionaries(
        {"after": st.integers(0, 5), "within_ms": st.integers(0, 4000)}
    ),
    "key": st.fixed_dictionaries({"key": st.sampled_from(["enter", "del", "tab", "space"])}),
    "release": st.just({}),
    "offers": st.just({}),
    "packages_changed": st.fixed_dictionaries({"after": st.integers(0, 3)}),
    "provider_call": st.fixed_dictionaries(
        {
            "authority": st.sampled_from(["dev.handheld.weather.mcptool", "com.nobody"]),
            "method": st.sampled_from(["get_tool_info", "execute_tool", "x"]),
            "arg": st.none() | st.text(max_size=3),
            "extras": st.none()
            | st.fixed_dictionaries({"tool_name": st.just("get_weather_forecast")}),
        }
    ),
    "service_call": st.fixed_dictionaries(
        {
            "package": st.sampled_from(["com.example.mcpdemo", "dev.handheld.keeper"]),
            "class": st.just("com.example.mcpdemo.CommandGatewayService"),
            "id": st.text(min_size=1, max_size=3),
            "extras": st.dictionaries(
                st.sampled_from(["request", "mobile-mcp-request", "x"]), st.text(max_size=5)
            ),
        }
    ),
    "dance": st.just({}),
}
budgets = st.integers(1, 5000)
good_calls = st.sampled_from(sorted(arguments)).flatmap(
    lambda do: st.tuples(st.just("call"), st.just(do), arguments[do], budgets)
)
odd_calls = st.tuples(
    st.just("call"),
    st.sampled_from(
        ["screen", "touch", "capture", "act", "changed", "launch", "press", "type", "key"]
    ),
    st.dictionaries(st.sampled_from(["strokes", "key", "after", "button", "x"]), junk, max_size=3),
    budgets,
)
steps = st.one_of(
    good_calls,
    good_calls,
    odd_calls,
    st.tuples(st.just("cancel"), st.integers(0, 30)),
    st.tuples(st.just("advance"), st.integers(1, 1500)),
    st.tuples(st.just("freeze")),
)


async def perform(host: Host, stage: Stage, step: tuple[Any, ...]) -> None:
    match step:
        case ("call", do, with_, budget_ms):
            await host.call(do, with_, budget_ms=budget_ms, act=True)
        case ("cancel", number):
            await host.cancel(number)
        case ("advance", ms):
            await host.advance(ms)
        case _:
            stage.world.frozen_packages ^= {"com.android.calculator2"}


async def answer_all(stage: Stage, sequence: list[tuple[Any, ...]]) -> None:
    host, _ = await stage.start()
    for step in sequence:
        await perform(host, stage, step)
    for _ in range(12):
        await host.advance(500)
    assert sorted(host.order) == list(range(1, host.number + 1))
    fingers = [event.details[0] for event in stage.world.events if event.kind == "touch"]
    assert fingers.count("down") == fingers.count("up") + fingers.count("cancel")
    await host.end()
    assert await host.ended() == 0
    assert stage.clock.sleepers == 0
    await stage.aclose()


@given(st.lists(steps, max_size=45))
def test_every_call_gets_exactly_one_answer(sequence: list[tuple[Any, ...]]) -> None:
    async def run() -> None:
        await answer_all(MemoryStage(), sequence)

    asyncio.run(run())


@pytest.mark.needs_java
@settings(max_examples=15, deadline=None)
@given(st.lists(steps, min_size=10, max_size=45))
def test_every_call_to_java_gets_exactly_one_answer(sequence: list[tuple[Any, ...]]) -> None:
    async def run() -> None:
        await answer_all(JavaStage(), sequence)

    asyncio.run(run())


pieces_of_bytes = st.lists(
    st.one_of(
        st.binary(max_size=60),
        st.builds(
            lambda kind, call, payload: encode_frame(Frame(kind, call, payload)),
            st.sampled_from([*FrameKind, 0, 99]),
            st.integers(0, 6),
            st.one_of(st.binary(max_size=20), st.just(b"{}"), st.just(b"[]")),
        ),
        st.builds(
            lambda call: encode_call(call, CallRequest("screen", {}, 50, False)),
            st.integers(0, 6),
        ),
    ),
    max_size=6,
)


async def answer_or_end(stage: Stage, pieces: list[bytes]) -> None:
    host, _ = await stage.start()
    host.number = 6
    host.tolerant = True
    for piece in pieces:
        await host.write(piece)
    await host.end()
    assert await host.ended() in (0, 1)
    assert stage.world.automation.holder is None
    assert stage.clock.sleepers == 0
    await stage.aclose()


@given(pieces_of_bytes)
def test_any_bytes_are_answered_or_end_the_stream(pieces: list[bytes]) -> None:
    async def run() -> None:
        await answer_or_end(MemoryStage(), pieces)

    asyncio.run(run())


@pytest.mark.needs_java
@settings(max_examples=20, deadline=None)
@given(pieces_of_bytes)
def test_any_bytes_are_answered_by_java_or_end_the_stream(pieces: list[bytes]) -> None:
    async def run() -> None:
        await answer_or_end(JavaStage(), pieces)

    asyncio.run(run())
