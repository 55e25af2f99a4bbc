"""The status bar's signs: the number of apps with notifications."""

from ..model import Screen

_SYSTEM_UI = "com.android.systemui"
_AREAS = frozenset(
    {f"{_SYSTEM_UI}:id/notificationIcons", f"{_SYSTEM_UI}:id/notification_icon_area"}
)
MOST_ICONS = 4
"""The maximum of icons: Android shows a dot in place of more."""


def print_notifications(screen: Screen) -> str:
    """Return the line about notifications; "" if there are none, or if the phone shows no icons. An
    icon stands for all notifications of its app."""
    apps = 0
    for window in screen.windows:
        if window.package == _SYSTEM_UI:
            depth = None
            for node in window.nodes:
                if depth is not None and node.depth > depth:
                    apps += bool(node.description)
                elif depth is not None:
                    break
                elif node.resource_id in _AREAS:
                    depth = node.depth
    if not apps:
        return ""
    more = " or more" if apps >= MOST_ICONS else ""
    return f"notifications of {apps}{more} app{'s' * (apps > 1)}"
