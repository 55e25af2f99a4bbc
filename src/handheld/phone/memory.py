"""Data about a phone that outlives a connection."""

from dataclasses import dataclass, field

from .apps.crash_ids import CrashIds
from .notifications.issued_notifications import IssuedNotifications
from .screen.issued_refs import IssuedRefs
from .screen.screen_log import ScreenLog
from .video.recorder import VideoRecorder
from .web.issued_pages import IssuedPages


@dataclass
class PhoneMemory:
    """After a reconnect, an earlier id must not be considered unissued, or be issued again."""

    issued_refs: IssuedRefs = field(default_factory=IssuedRefs)
    screens: ScreenLog = field(default_factory=ScreenLog)
    crash_ids: CrashIds = field(default_factory=CrashIds)
    notifications: IssuedNotifications = field(default_factory=IssuedNotifications)
    web_pages: IssuedPages = field(default_factory=IssuedPages)
    recorder: VideoRecorder = field(default_factory=VideoRecorder)
    boot: str | None = None
    """The boot id of the last connection; None before the first."""
