"""Scrolling with the tools for models: what moves on the phone, and what is answered."""

import pytest

from handheld.virtual.apps.testbed import LongList
from handheld.virtual.views.recycler import RecycledList

from .conftest import AgentBench


def show_list(bench: AgentBench, **extras: str) -> tuple[LongList, RecycledList]:
    scene = bench.world.show_scene("long_list", **extras)
    assert isinstance(scene, LongList)
    assert scene.window is not None
    [rows] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
    scene.window.layout()
    return scene, rows


async def test_try(bench: AgentBench) -> None:
    scene, rows = show_list(bench)
    async def call(name, **a):
        r = await bench._result(name, a)
        print("\n###", name, a, "offset", rows.offset, "clicked", scene.clicked)
        for i in r["content"]:
            print(i["text"][:700])
    await call("look")
    await call("scroll")
    await call("scroll", direction="up", screens=3)
    await call("scroll", screens=2.5)
    await call("scroll", screens=99)
    await call("scroll")
    await call("scroll", until="Row 500")
    await call("scroll", until="Row 2")
    await call("scroll", until="Zoe")
    await call("scroll", until="Row 999", direction="up")
    await call("tap", at="Open", within="Row 700", scroll=True)
    await call("tap", at="Zoe", scroll=True)
    await call("tap", at="Row 1000")
    await call("scroll", within="nope")
    await call("do", steps=[{"scroll": "down"}, {"tool": "scroll", "until": "Row 30"}])
    assert 0
