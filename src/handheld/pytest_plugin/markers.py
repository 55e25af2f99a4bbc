"""Reads the markers `scene` and `api`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from handheld_virtual import (
    DEFAULT_API,
    NEWEST_API,
    OLDEST_API,
    ManualClock,
    PhoneThread,
    SceneError,
)

from .options import default_scene


class Levels(NamedTuple):
    """API levels, either listed or as a range."""

    each: tuple[int, ...]
    least: int
    most: int

    def to_run(self) -> list[int]:
        """The levels of virtual phones on which the test runs: each listed level, or the level of
        the range nearest to the default."""
        return [*self.each] or [max(self.least, min(DEFAULT_API, self.most))]

    def fits(self, level: int) -> bool:
        return level in self.each if self.each else self.least <= level <= self.most

    def __str__(self) -> str:
        if self.each:
            return " or ".join(map(str, self.each))
        return f"{self.least} to {self.most}"


def read_levels(marker: pytest.Mark) -> Levels:
    """Raises UsageError."""
    bounds: dict[str, Any] = dict(marker.kwargs)
    least, most = bounds.pop("min", None), bounds.pop("max", None)
    given = [*marker.args, *(each for each in (least, most) if each is not None)]
    if not given or bounds or (marker.args and len(given) > len(marker.args)):
        raise pytest.UsageError(
            "The marker api takes levels, as in api(26, 34), or min, max or both."
        )
    for level in given:
        if type(level) is not int or not OLDEST_API <= level <= NEWEST_API:
            raise pytest.UsageError(
                f"The marker api takes levels from {OLDEST_API} to {NEWEST_API}, got: {level!r}"
            )
    levels = Levels(tuple(dict.fromkeys(marker.args)), least or OLDEST_API, most or NEWEST_API)
    if levels.least > levels.most:
        raise pytest.UsageError(f"The marker api has min {levels.least} over max {levels.most}.")
    return levels


@contextmanager
def stage_phone(
    request: pytest.FixtureRequest, api: int | None, *, stands_still: bool
) -> Generator[PhoneThread]:
    """A virtual phone with the scene of a test. With `stands_still`, its time passes only while it
    is used. Raises UsageError."""
    marker = request.node.get_closest_marker("scene")
    names = marker.args if marker is not None else ()
    options: dict[str, Any] = dict(marker.kwargs) if marker is not None else {}
    if len(names) > 1 or options.keys() - {"api", "authorize"}:
        raise pytest.UsageError("The marker scene takes one name, and api and authorize.")
    if api is not None and options.get("api") is not None:
        raise pytest.UsageError("The API level is given by the markers scene and api: use one.")
    scene = names[0] if names else default_scene(request.config)
    if names and str(scene).endswith(".toml"):
        scene = Path(request.path).parent / scene
    if api is not None:
        options["api"] = api
    try:
        phone = PhoneThread(scene, **options, clock=ManualClock() if stands_still else None)
    except (SceneError, ValueError) as problem:
        raise pytest.UsageError(str(problem)) from None
    with phone:
        yield phone
