"""The releases of Android that the phone can run. To add one, add a row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """One API level. Omitted values are those of the release before."""

    api: int
    version: str
    """`ro.build.version.release`."""
    security_patch: str
    last_key: str | None = None
    """The key with the highest code, without `KEYCODE_`."""
    oldest_target: int | None = None
    """The lowest `targetSdkVersion` that can be installed."""


RELEASES = (
    Release(26, "8.0.0", "2019-08-05", last_key="SYSTEM_NAVIGATION_RIGHT", oldest_target=0),
    Release(27, "8.1.0", "2019-08-05"),
    Release(28, "9", "2019-08-05", last_key="REFRESH"),
    Release(29, "10", "2019-08-05", last_key="PROFILE_SWITCH"),
    Release(30, "11", "2021-09-05"),
    Release(31, "12", "2021-09-05"),
    Release(32, "12", "2021-09-05"),
    Release(33, "13", "2021-09-05", last_key="DEMO_APP_4"),
    Release(34, "14", "2024-06-05", last_key="MACRO_4", oldest_target=23),
    Release(35, "15", "2024-06-05", last_key="SCREENSHOT", oldest_target=24),
    Release(36, "16", "2024-06-05"),
    Release(37, "17", "2024-06-05"),
)
"""All releases, the oldest first."""
OLDEST_API, NEWEST_API = RELEASES[0].api, RELEASES[-1].api
DEFAULT_API = 34
"""The default API level of a phone."""
