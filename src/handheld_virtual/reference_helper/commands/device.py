"""The commands `language`, `location` and `mock_location`."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import (
    FIX_LIMIT_MS,
    MOST_LANGUAGES,
    Code,
    Happened,
    HelperFailure,
)

from ...system.whereabouts import ALLOWED, DEFAULT, PROVIDERS, Fix, MockRefused
from ...world import World
from ..protocol.command import Answer, bad, check_keys, check_whole, is_number

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,10}")
_PLACE = {"latitude": 90.0, "longitude": 180.0, "accuracy": 100_000.0}
"""The bound of each number, on both sides of 0."""
LOOK_MS = 100.0
AGAIN_MS = 1000.0


def check_language(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "set")
    tags = arguments["set"]
    if tags is None:
        return
    listed = cast(list[Any], tags) if isinstance(tags, list) else []
    fits = all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in listed)
    if not fits or not 1 <= len(listed) <= MOST_LANGUAGES:
        raise bad(f"`set` is not null or 1 to {MOST_LANGUAGES} language tags.")


async def language(helper: "Helper", job: "Job") -> Answer:
    languages, tags = helper.world.languages, job.arguments["set"]
    if tags is not None:
        job.happened = Happened.MAYBE
        languages.choose(tags)
    return Answer({"locales": list(languages.system)})


def check_location(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "fresh_ms")
    check_whole(arguments["fresh_ms"], "fresh_ms", FIX_LIMIT_MS)


async def location(helper: "Helper", job: "Job") -> Answer:
    world, where = helper.world, helper.world.whereabouts
    world.settle()
    if where.refused:
        message = "Android does not tell the shell where the phone is."
        raise HelperFailure(Code.FAILED, message)
    enabled = world.preferences.is_on("secure", "location_mode")
    fresh_ms = job.arguments["fresh_ms"]
    fix = heard(world, where.last)
    if fresh_ms:
        fix = None
        began = world.clock.now()
        while enabled and fix is None and world.clock.now() - began < fresh_ms:
            await job.wait(world.clock.sleep(LOOK_MS))
            if where.fix_ms is not None and world.clock.now() - began >= where.fix_ms:
                fix = heard(world, where.find(began))
    return Answer({"enabled": enabled, "location": encode_fix(fix, world.clock.now())})


def heard(world: World, fix: Fix | None) -> Fix | None:
    """The fix that a program without a window gets."""
    return None if world.android.location_kept_from_background else fix


def encode_fix(fix: Fix | None, now: float) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {
        "latitude": fix.latitude,
        "longitude": fix.longitude,
        "accuracy": fix.accuracy,
        "provider": fix.provider,
        "age_ms": max(0, round(now - fix.at)),
        "mock": fix.mock,
    }


def check_mock_location(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "set")
    place = arguments["set"]
    if place is None:
        return
    if not isinstance(place, dict) or cast(dict[str, Any], place).keys() != _PLACE.keys():
        raise bad("`set` is not null or latitude, longitude and accuracy.")
    for name, most in _PLACE.items():
        value = cast(dict[str, Any], place)[name]
        least = 0 if name == "accuracy" else -most
        if not is_number(value) or not least <= value <= most:
            raise bad(f"`{name}` is not a number from {least:g} to {most:g}.")


async def mock_location(helper: "Helper", job: "Job") -> Answer:
    place = job.arguments["set"]
    job.happened = Happened.PARTLY
    wanted = None
    if place is not None:
        wanted = place["latitude"], place["longitude"], place["accuracy"]
    helper.stop_repeating()
    pretend(helper.world, wanted)
    if wanted is not None:
        _keep_telling(helper, wanted)
    return Answer()


Place = tuple[float, float, float]
"""Latitude, longitude and accuracy."""


def pretend(world: World, place: Place | None) -> None:
    """Mock a location; None ends mocking. Raises HelperFailure."""
    where = world.whereabouts
    where.mock_mode = ALLOWED
    try:
        for provider in _pretended(world):
            # Up to Android 10, there may be no provider to remove.
            with suppress(MockRefused):
                where.remove(provider)
            if place is not None:
                where.add(provider)
                where.enable(provider, True)
                where.pretend(provider, *place)
    except MockRefused as refused:
        what = "does not remove the test provider" if place is None else "refuses a test provider"
        raise HelperFailure(Code.FAILED, f"Android {what}: {refused}") from refused
    where.mock_mode = DEFAULT if place is None else ALLOWED


def repeat(world: World, place: Place) -> None:
    """Report the mocked location again. Raises HelperFailure."""
    try:
        for provider in _pretended(world):
            world.whereabouts.pretend(provider, *place)
    except MockRefused as refused:
        message = f"Android refuses a test provider: {refused}"
        raise HelperFailure(Code.FAILED, message) from refused


def _pretended(world: World) -> list[str]:
    """The mocked providers. Apps can use the fused provider since API 31."""
    return [each for each in PROVIDERS if each != "fused" or world.android.location_test_providers]


def _keep_telling(helper: "Helper", place: Place) -> None:
    """Repeat the location regularly, so apps that request it later get a recent one."""

    def again() -> None:
        # If Android now refuses it, for example because the app op was revoked, repeating ends.
        with suppress(HelperFailure):
            repeat(helper.world, place)
            _keep_telling(helper, place)

    helper.repeating = helper.world.timers.after(AGAIN_MS, again)
