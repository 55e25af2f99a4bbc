"""open_uri and find_handlers."""

import json

import pytest

from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from handheld.surface.local import LocalSurface
from handheld.surface.options import SurfaceOptions
from handheld.access.tool_filter import ToolFilter
from handheld.tools import EVERY_TOOLSET

from .conftest import Bench
from .link_apps import Hiking, Maps

BROWSER = "com.android.browser"


@pytest.fixture
def links(bench: Bench) -> Bench:
    policy = ToolFilter(on=frozenset({"links", "intents"}))
    bench.surface = bench.counter.surface = LocalSurface(
        EVERY_TOOLSET, bench, SurfaceOptions(policy=policy)
    )
    return bench


def app_names(bench: Bench, label: str, package: str) -> str:
    return package if bench.by == "shell" else f"{label} ({package})"


async def test_a_link_is_opened_and_the_app_is_named(links: Bench) -> None:
    assert await links.items("open_uri", uri="https://news.example/bridge") == [
        "URI opened successfully: https://news.example/bridge",
        f"Opened by {app_names(links, 'Browser', BROWSER)}.",
    ]
    assert links.world.front.app.package == BROWSER
    assert links.world.front.extras["data"] == "https://news.example/bridge"
