"""adbd's features by their protocol names."""

from ..system.android import Android

_ADDED = {
    "shell_v2": None,
    "cmd": None,
    "abb": Android.adb_abb,
    "abb_exec": Android.adb_sync_v2,
    "stat_v2": None,
    "fixed_push_mkdir": None,
    "ls_v2": Android.adb_sync_v2,
    "fixed_push_symlink_timestamp": Android.adb_sync_v2,
    "sendrecv_v2": Android.adb_sync_v2,
    "track_app": Android.adb_track_app,
    "delayed_ack": Android.adb_delayed_ack,
}
"""The features with the changes that added them; None means every release. Compression and dry runs
are not supported."""


def features(android: Android) -> tuple[str, ...]:
    return tuple(name for name, change in _ADDED.items() if change is None or android.has(change))
