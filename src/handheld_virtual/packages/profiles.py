"""Other users whose apps the user in front sees beside their own: a work profile, clones of apps.

A profile has its own apps under the same packages, with their own processes and uids.
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
"""As Android prints them, in its order."""
TYPES: Mapping[str, str] = MappingProxyType(
    {
        "work": "android.os.usertype.profile.MANAGED",
        "clone": "android.os.usertype.profile.CLONE",
    }
)
"""Android's name of each kind, since Android 11."""
NAMES: Mapping[str, str] = MappingProxyType({"work": "Work profile", "clone": "Clone"})


@dataclass
class Profile:
    user: int
    kind: str
    """One of TYPES."""
    closed: bool = False
    """Whether debugging is forbidden in it: the shell may not access it."""
    apps: dict[str, App] = field(default_factory=dict[str, App])
    parent: int = 0
    """The user whose profile it is."""

    def flags(self, profiles: bool) -> int:
        """`profiles`: whether Android has a flag for each kind of profile."""
        flags = INITIALIZED | (MANAGED if self.kind == "work" else 0)
        return flags | (PROFILE if profiles else 0)

    def add(self, app: App) -> App:
        """Install the first user's app anew for this user."""
        made = type(app)(app.world)
        made.user = self.user
        self.apps[made.package] = made
        return made
