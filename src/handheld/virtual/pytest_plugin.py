"""A pytest plugin: the fixture `virtual_phone`, and the marker `scene` for its scene.

Installed with Handheld; `-p no:handheld` disables it. Nothing is imported before a test uses it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .phone_thread import PhoneThread


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "scene(name, *, api=None, authorize=None): what is on the `virtual_phone` of this test: "
        "a scene that ships, or a TOML file beside the test.",
    )


@pytest.fixture
def virtual_phone(request: pytest.FixtureRequest) -> "Iterator[PhoneThread]":
    """A virtual phone that listens for adb on loopback: `address` is where, `run` and `hold` access
    its state. For plain and asynchronous tests alike."""
    from .phone_thread import PhoneThread
    from .scenes.table import SceneError

    marker = request.node.get_closest_marker("scene")
    names = marker.args if marker is not None else ()
    options = dict(marker.kwargs) if marker is not None else {}
    unknown = set(options) - {"api", "authorize"}
    if len(names) > 1 or unknown:
        raise pytest.UsageError("The marker scene takes one name, and api and authorize.")
    scene = names[0] if names else "default"
    if str(scene).endswith(".toml"):
        scene = Path(request.path).parent / scene
    try:
        phone = PhoneThread(scene, **options)
    except SceneError as problem:
        raise pytest.UsageError(str(problem)) from None
    with phone:
        yield phone
