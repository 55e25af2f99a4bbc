"""What is remembered of a phone from one connection to the next."""

from dataclasses import dataclass, field

from .apps.crash_ids import CrashIds
from .notifications.issued_notifications import IssuedNotifications
from .screen.issued_refs import IssuedRefs
from .screen.screen_log import ScreenLog
from .video.recorder import Recorder
from .web.issued_pages import IssuedPages


@dataclass
class PhoneMemory:
    """An id from before a disconnect must not be taken for one that was never issued, or be issued
    again.
    """

    issued_refs: IssuedRefs = field(default_factory=IssuedRefs)
    screens: ScreenLog = field(default_factory=ScreenLog)
    crash_ids: CrashIds = field(default_factory=CrashIds)
    notifications: IssuedNotifications = field(default_factory=IssuedNotifications)
    web_pages: IssuedPages = field(default_factory=IssuedPages)
    recorder: Recorder = field(default_factory=Recorder)
    boot: str | None = None
    """The boot id of the last connection; None before the first."""
