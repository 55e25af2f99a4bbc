"""The system clock for tests in which no timeout may occur."""

from collections.abc import Callable
from typing import Any

from handheld.clock import SystemClock, Timeout, Timer

PATIENCE = 20


class PatientClock(SystemClock):
    """Timeouts are many times as long as requested: a busy machine must not look like a phone that
    does not answer."""

    def timeout(self, seconds: float | None) -> Timeout:
        return super().timeout(None if seconds is None else PATIENCE * seconds)

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        return super().call_later(PATIENCE * seconds, callback, *arguments)
