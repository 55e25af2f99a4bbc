"""Apps and the phone's log: the protocols and their values."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Profile(NamedTuple):
    user: int
    """Android's number."""
    kind: str
    """`work`, `clone`, `secure folder`, or `profile` with its number if the kind is unknown."""


class ProfileDriver(Protocol):
    async def profiles(self) -> list[Profile]:
        """List the current user's profiles. Before Android 12 Android does not print their parents:
        then the first user gets all profiles, and any other user none."""
        ...


class Installed(NamedTuple):
    """An app on the phone."""

    package: str
    label: str
    version_name: str | None
    version_code: int
    system: bool


class AppProcesses(NamedTuple):
    """The uid and the running processes of an app."""

    uid: int
    shared: bool
    """Whether other apps share the uid."""
    pids: frozenset[int]


class InFront(Exception):
    """The app is on the screen. Nothing was done."""


class AppDriver(Protocol):
    async def launch(self, package: str) -> str:
        """Open an app; return the package of the activity that is then in front. That is another
        app if Android asks the owner something first, or if the app forwarded the start within
        its task."""
        ...

    async def launch_in(self, profile: Profile, package: str) -> str:
        """`launch` for an app of a profile."""
        ...

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        """List installed apps (all, user or system) of the current user, or of a profile."""
        ...

    async def processes(self, package: str) -> AppProcesses | None:
        """Return an app's processes; None when it is not installed."""
        ...

    async def stop(self, package: str) -> bool:
        """Stop an app in the background; return whether it was restarted immediately. Raises
        InFront."""
        ...


class AppDataDriver(Protocol):
    async def clear_data(self, package: str) -> None:
        """Delete all data of an app, as “Clear storage” in the settings does; this stops the
        app."""
        ...


class LogDriver(Protocol):
    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        """Return logcat's output (threadtime with year, zone and uid): the entries that pass its
        filters, of the `last` entries or of all."""
        ...
