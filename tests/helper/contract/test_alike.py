"""In any state of the phone the Java helper answers every call like the reference helper, and has
the same effect on the phone."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handheld.helper.protocol import FrameKind, encode_json
from handheld_virtual.sms.message import Outcome

from .conftest import MemoryStage, Stage
from .host import Answer, Host
from .java_stage import JavaStage

FORM, CALCULATOR = "dev.handheld.form", "com.android.calculator2"
TEMP = ".handheld-0123456789abcdef.part"
FOLDER = "/storage/emulated/0/Download"
SIGNATURE = ("class", "resource_id", "description", "text")

words = st.sampled_from(["", "a", "é", "👩‍👩‍👧‍👦", "\ud83d", "a\nb", "x" * 2001])
numbers = st.sampled_from(
    [0, 1, -1, 7, 0.5, -0.0, 1e-300, 1e300, 100, 101, 1080, 1080.5, 60_000, 60_001, 2**31, 2**53,
     2**53 + 1, 2**63, -(2**63) - 1, 10**30]
)  # fmt: skip
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["key", "text", "offset", "search", "a"]), inner),
    ),
    max_leaves=5,
)
packages = st.sampled_from([CALCULATOR, FORM, "com.android.settings", "com.nobody", "android"])
strokes = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from([0, 540, 1080.0]), st.integers(0, 2400), st.sampled_from([0, 50, 400])
        ),
        min_size=1,
        max_size=3,
    ).map(lambda points: [list(point) for point in sorted(points, key=lambda point: point[2])]),
    min_size=1,
    max_size=3,
)
roots = st.sampled_from(
    ["primary:Download", "primary:", "1A2B-3C4D:", "primary:Download/notes", "x"]
)
paths = st.sampled_from(["", "notes", "notes/todo.txt", "a/b", "link/x", "../x", "loop", "."])
bundles = st.none() | st.dictionaries(
    st.sampled_from(["tool_name", "args", "n"]),
    st.one_of(words, numbers, st.booleans()),
    max_size=3,
)
INTENTS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["activity", "activity", "service", "broadcast"]),
    "action": st.sampled_from(
        [
            *("android.intent.action.VIEW", "android.intent.action.SEND", "mobile.mcp.SERVICE"),
            *("android.settings.WIFI_SETTINGS", "android.intent.action.BOOT_COMPLETED", None),
        ]
    ),
    "data": st.sampled_from([None, "https://news.example/", "smsto:+361", "foo://x"]),
    "mime": st.sampled_from([None, None, "text/plain"]),
    "package": st.sampled_from([None, "dev.handheld.notes", "com.nobody", "com.android.browser"]),
    "class": st.sampled_from([None, None, "dev.handheld.notes.NoteList", "dev.handheld.notes.X"]),
    "categories": st.sampled_from([[], ["android.intent.category.BROWSABLE"]]),
}
thens = st.sampled_from(
    [
        None,
        {"first_ms": 500, "quiet_ms": 250, "most_ms": 3000},
        {"first_ms": 30, "quiet_ms": 0, "most_ms": 20},
        {"first_ms": 0},
    ]
)

ARGUMENTS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "screen": {},
    "capture": {
        "max_size": st.sampled_from([None, 1, 40, 2400]),
        "format": st.sampled_from(["jpeg", "png"]),
        "quality": st.integers(1, 100),
    },
    "touch": {"strokes": strokes},
    "scroll": {
        "direction": st.sampled_from(["up", "down", "left", "right"]),
        "share": st.sampled_from([0.25, 1]),
        "duration_ms": st.sampled_from([10, 400]),
    },
    "pinch": {
        "x": st.integers(0, 1081),
        "y": st.integers(0, 2400),
        "scale": st.sampled_from([0.1, 1, 2.5, 20]),
        "duration_ms": st.sampled_from([10, 400]),
    },
    "press": {"button": st.sampled_from(["back", "home", "recents", "notifications"])},
    "key": {"key": st.sampled_from(["enter", "del", "tab", "space"])},
    "launch": {"package": packages},
    "changed": {"after": st.integers(0, 5), "within_ms": st.sampled_from([0, 100, 3000])},
    "release": {},
    "clipboard": {"set": st.none() | words},
    "locate": {"root": roots, "path": paths},
    "commit": {
        "root": roots,
        "temp": st.just(TEMP),
        "path": paths,
        "expect": st.none() | st.just({"size": 26, "sha256": "0" * 64}),
    },
    "remove": {"root": roots, "path": paths},
    "packages": {
        "kind": st.sampled_from(["all", "user", "system"]),
        "user": st.sampled_from([None, 0, 10]),
    },
    "processes": {"package": packages},
    "stop": {"package": packages},
    "resolve": INTENTS,
    "intent": {
        **INTENTS,
        "flags": st.sampled_from([0, 0x10000000, 0x8000, 2**31 - 1]),
        "extras": st.lists(
            st.tuples(
                st.sampled_from(["a", "address"]),
                st.sampled_from(["string", "int", "long", "float", "double", "boolean", "strings"]),
                st.one_of(words, numbers, st.booleans(), st.just(["a", "b"])),
            ).map(list),
            max_size=2,
        ),
    },
    "offers": {},
    "packages_changed": {"after": st.integers(0, 3)},
    "provider_call": {
        "authority": st.sampled_from(["dev.handheld.weather.mcptool", "com.nobody"]),
        "method": st.sampled_from(["get_tool_info", "execute_tool", "x"]),
        "arg": st.none() | words,
        "extras": bundles,
    },
    "service_call": {
        "package": st.sampled_from(["com.example.mcpdemo", "dev.handheld.keeper"]),
        "class": st.just("com.example.mcpdemo.CommandGatewayService"),
        "id": words,
        "extras": st.dictionaries(st.sampled_from(["request", "x"]), words, max_size=2),
    },
    "sims": {},
    "sms": {
        "subscription": st.sampled_from([14, 17, 3]),
        "to": st.sampled_from(["+36301112233", "x"]),
        "text": words,
    },
}
TARGETED: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "act": {
        "action": st.sampled_from(
            ["click", "long_click", "scroll_forward", "scroll_backward", "focus"]
        )
    },
    "seek": {
        "wanted": st.sampled_from([{"text": "Row 30"}, {"class": None}, {"key": "1:2:-1"}]),
        "beside": st.none() | st.just({"text": "Row 30"}),
        "row": st.none() | st.just(30),
        "column": st.none() | st.just(0),
        "forward": st.booleans(),
        "pages": st.sampled_from([0, 1, 50]),
    },
    "type": {
        "where": st.sampled_from(["end", "all", {"offset": 0}, {"offset": 1}, {"search": "a"}]),
        "text": words,
        "delay_ms": st.sampled_from([0, 10]),
        "variance_ms": st.just(0),
    },
}
"""The arguments beside the view, which is known only once the screen was read."""


@st.composite
def calls(draw: st.DrawFn, *, odd: bool) -> tuple[Any, ...]:
    do = draw(st.sampled_from([*ARGUMENTS, *TARGETED]))
    made = {**ARGUMENTS, **TARGETED}[do]
    arguments = {name: draw(value) for name, value in made.items()}
    if odd:
        names = [*made, "key", "expect", "anchor", "more"]
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            arguments[name] = draw(junk)
        else:
            arguments.pop(name, None)
    target = draw(st.integers(0, 60)) if do in TARGETED else None
    # Never at the moment in which a gesture ends anyway.
    budget = draw(st.sampled_from([7, 307, 5007, 19_007]))
    then = draw(thens)
    return "call", do, arguments, target, budget, draw(st.booleans()), then


steps = st.one_of(
    calls(odd=False),
    calls(odd=False),
    calls(odd=True),
    st.tuples(st.just("cancel"), st.integers(1, 3)),
    st.tuples(st.just("advance"), st.sampled_from([1, 10, 300, 2000])),
    st.tuples(
        st.just("happen"),
        st.sampled_from(
            ["show form", "show calculator", "lock", "dark", "refuse", "freeze", "hang", "hold",
             "no clip", "no radio", "push"]
        ),
    ),
)  # fmt: skip


def happen(stage: Stage, what: str) -> None:
    world = stage.world
    match what:
        case "show form":
            world.show(FORM)
        case "show calculator":
            world.show(CALCULATOR)
        case "lock":
            world.keyguard.lock()
        case "dark":
            world.awake = not world.awake
        case "refuse":
            world.input_refused = not world.input_refused
        case "freeze":
            world.frozen_packages ^= {CALCULATOR}
        case "hang":
            world.last_views[FORM] = 4
        case "hold":
            if world.automation.holder is None:
                world.automation.take("another")
        case "no clip":
            world.clipboard.refusal = "Disallowed."
        case "no radio":
            world.telephony.fail("*", Outcome.GENERIC_FAILURE)
        case _:
            stage.files.write(f"{FOLDER}/{TEMP}", b"new")


def view(stage: Stage, place: int) -> dict[str, Any]:
    """A node on the screen, in the form a host sends it."""
    nodes = [node for window in stage.world.automation.read_windows() for node in window.nodes]
    if not nodes:
        return {"key": "1:1:-1", "expect": {}, "anchor": None}
    node = nodes[place % len(nodes)]
    signature = (node.class_name, node.resource_id, node.description)
    return {
        "key": node.key,
        "expect": dict(zip(SIGNATURE, signature, strict=False)),
        "anchor": None,
    }


async def perform(stage: Stage, host: Host, step: tuple[Any, ...]) -> None:
    match step:
        case ("call", do, arguments, target, budget_ms, wake, then):
            if target is not None:
                arguments = {**view(stage, target), **arguments}
            host.number += 1
            call = {"do": do, "with": arguments, "budget_ms": budget_ms, "act": True, "wake": wake}
            if then is not None:
                call["then"] = then
            await host.write(encode_json(FrameKind.CALL, host.number, call))
            await host.settle()
        case ("cancel", back):
            await host.cancel(max(0, host.number + 1 - back))
            await host.settle()
        case ("advance", ms):
            await host.advance(ms)
        case _:
            happen(stage, step[1])
            await host.settle()


def without_words(answer: Answer) -> tuple[FrameKind, Mapping[str, Any], bytes]:
    """Error messages differ; the reference helper's lock file occupies space on the phone."""
    kind, value, data = answer
    return kind, _without_own(value), data


def _without_own(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: _without_own(part) if name in ("then", "error") and part else part
        for name, part in value.items()
        if name not in ("message", "available")
    }


async def play(stage: Stage, sequence: list[tuple[Any, ...]]) -> list[Any]:
    """Return all answers, and all effects on the phone."""
    try:
        host, _ = await stage.start()
        for step in sequence:
            await perform(stage, host, step)
        await host.advance(19_100)  # an app may leave a call unanswered until its budget ends
        answers = [without_words(host.answers[number + 1]) for number in range(host.number)]
        events = [(event.kind, *event.details) for event in stage.world.events]
        return [answers, events]
    finally:
        await stage.aclose()


RESULT_BEFORE_CANCEL = [
    ("call", "sms", {"subscription": 14, "to": "x", "text": "a"}, None, 7, False, None),
    ("cancel", 1),
]


@pytest.mark.needs_java
@settings(max_examples=15, deadline=None)
@given(st.lists(steps, min_size=5, max_size=40))
@example(RESULT_BEFORE_CANCEL)
def test_java_helper_answers_like_the_reference_helper(sequence: list[tuple[Any, ...]]) -> None:
    async def run() -> None:
        assert await play(JavaStage(), sequence) == await play(MemoryStage(), sequence)

    asyncio.run(run())
