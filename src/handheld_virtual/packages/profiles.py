"""Profiles: other users whose apps the current user sees beside their own, such as a work profile
or cloned apps.

A profile has its own apps under the same packages, with separate processes and uids.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .app import App

MANAGED, PROFILE, INITIALIZED = 0x20, 0x1000, 0x10
"""Flags of UserInfo."""
OWNER = 0xC13
FLAG_NAMES: Mapping[str, int] = MappingProxyType(
    {
        "ADMIN": 0x2,
        "FULL": 0x400,
        "INITIALIZED": INITIALIZED,
        "MANAGED_PROFILE": MANAGED,
        "PRIMARY": 0x1,
        "PROFILE": PROFILE,
        "SYSTEM": 0x800,
    }
)
"""The flags' names and order as Android prints them."""
TYPES: Mapping[str, str] = MappingProxyType(
    {
        "work": "android.os.usertype.profile.MANAGED",
        "clone": "android.os.usertype.profile.CLONE",
    }
)
"""The name of each kind since Android 11."""
NAMES: Mapping[str, str] = MappingProxyType({"work": "Work profile", "clone": "Clone"})


@dataclass
class Profile:
    user: int
    kind: str
    """One of TYPES."""
    closed: bool = False
    """Whether debugging is forbidden in it, so the shell may not access it."""
    apps: dict[str, App] = field(default_factory=dict[str, App])
    parent: int = 0
    """The user whose profile it is."""

    def flags(self, profiles: bool) -> int:
        """The flags of UserInfo. `profiles`: whether Android has a flag for each kind of
        profile."""
        flags = INITIALIZED | (MANAGED if self.kind == "work" else 0)
        return flags | (PROFILE if profiles else 0)

    def add(self, app: App) -> App:
        """Install a new instance of an app of the first user."""
        made = type(app)(app.world)
        made.user = self.user
        self.apps[made.package] = made
        return made
