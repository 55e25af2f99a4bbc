"""The values in which a driver reports apps and their log lines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Installed:
    """An app on the phone."""

    package: str
    label: str
    version_name: str | None
    version_code: int
    system: bool


@dataclass(frozen=True, slots=True)
class AppProcesses:
    """Under which uid an app runs, and in which processes it does now."""

    uid: int
    shared: bool
    """Whether other apps run under the same uid."""
    pids: frozenset[int]


class InFront(Exception):
    """The app is on the screen. Nothing was done."""
