"""Apps and the phone's log: the protocols and their values."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Profile(NamedTuple):
    user: int
    """Android's number."""
    kind: str
    """`work`, `clone`, `secure folder`, or `profile` with its number where that is not known."""


class ProfileDriver(Protocol):
    async def profiles(self) -> list[Profile]:
        """Those of the current user. Before Android 12, which does not print whose they are, all
        if the first user is current, and none for another."""
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
    """Whether other apps have the same uid."""
    pids: frozenset[int]


class InFront(Exception):
    """The app is on the screen. Nothing was done."""


class AppDriver(Protocol):
    async def launch(self, package: str) -> str:
        """Open an app; return the package of the activity that is then in front. It is another
        app's where Android asks the owner something first, or where the app has forwarded the start
        within its task."""
        ...

    async def launch_in(self, profile: Profile, package: str) -> str:
        """`launch` for an app of a profile."""
        ...

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        """List installed apps: all, user or system; of the current user, or of a profile's."""
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
        """Delete all data of an app, as on its page in the settings; it is stopped by that."""
        ...


class LogDriver(Protocol):
    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        """Return logcat's output (threadtime with year, zone and uid): the entries that pass its
        filters, of the `last` entries or of all."""
        ...
