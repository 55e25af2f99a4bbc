"""Chooses the phone of a test: a new virtual one, or a connected one that this process keeps."""

import fcntl
import hashlib
import re
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import pytest

from ..errors import ToolError
from ..library.handle import restore_settings, trace_calls
from ..library.phone import Phone
from .markers import read_levels
from .options import chosen_phones

if TYPE_CHECKING:
    from handheld_virtual import PhoneThread

    from .traced_test import TracedTest

_LEVEL = re.compile(r"\bAPI (\d+)")


@contextmanager
def use_virtual(virtual: "PhoneThread", traced: "TracedTest") -> Generator[Phone]:
    phone = Phone.on(virtual, trace=traced.trace)
    traced.phone = phone
    try:
        yield phone
    finally:
        phone.close()


@contextmanager
def take_phone(config: pytest.Config, paths: pytest.TempPathFactory) -> Generator[Phone]:
    """Open a phone of `--phone` that no other worker of this run has. The system releases the lock
    when its worker ends, however that happens."""
    names = chosen_phones(config)
    # Workers of pytest-xdist have their own folders inside the run's folder.
    base = paths.getbasetemp()
    folder = base.parent if hasattr(config, "workerinput") else base
    for name in names:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        with (folder / f"phone-{digest}.lock").open("wb") as file:
            if _lock(file):
                with Phone(name) as phone:
                    yield phone
                return
    raise pytest.UsageError(f"Other workers use all of the phones: {', '.join(names)}.")


@contextmanager
def use_connected(request: pytest.FixtureRequest, traced: "TracedTest") -> Generator[Phone]:
    """The phone of `--phone`, on its home screen. Skips tests written for another phone."""
    if request.node.get_closest_marker("scene") is not None:
        pytest.skip("Its scene exists on virtual phones only.")
    if "virtual_phone" in request.fixturenames:
        pytest.skip("It uses virtual_phone, which --phone does not replace.")
    phone: Phone = request.getfixturevalue("connected_phone")
    marker = request.node.get_closest_marker("api")
    if marker is not None and not (levels := read_levels(marker)).fits(level := _level(phone)):
        pytest.skip(f"It is for API level {levels}, but this phone has {level}.")
    phone.press("home")
    trace_calls(phone, traced.trace)
    traced.phone = phone
    try:
        yield phone
    finally:
        trace_calls(phone, None)
        try:
            restore_settings(phone)
        except ToolError as problem:
            # The next test may fail because of this test's changes.
            warnings.warn(
                f"The phone's settings were not restored: {problem.message}", stacklevel=1
            )


def _lock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _level(phone: Phone) -> int:
    told = _LEVEL.search(phone.read("device"))
    if told is None:
        pytest.skip("The phone does not report its API level.")
    return int(told[1])
