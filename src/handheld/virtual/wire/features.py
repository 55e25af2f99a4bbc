"""What adbd can do, by the names that it and its clients use for it."""

_SINCE = {
    "shell_v2": 24,
    "cmd": 24,
    "abb": 29,
    "abb_exec": 30,
    "stat_v2": 26,
    "fixed_push_mkdir": 26,
    "ls_v2": 30,
    "fixed_push_symlink_timestamp": 30,
    "sendrecv_v2": 30,
    "track_app": 31,
    "delayed_ack": 34,
}
"""Each with the API level whose adbd has it first. Compressors and dry runs are not offered."""


def features(api: int) -> tuple[str, ...]:
    """Of a phone with that API level."""
    return tuple(name for name, since in _SINCE.items() if since <= api)
