"""Patterns that other tools use to search the dumps of Android's services."""

import re

# As in appium-adb, adbutils, uiautomator2 and AndroidViewClient.
FOCUS = r"mCurrentFocus=Window\{.*\s+(?P<package>[^\s]+)/(?P<activity>[^\s]+)\}"
FOCUSED_APP = r"(?m)^\s*mFocusedApp.+Record\{.*\s([^\s/}]+)/([^\s/},]+)\}?(?:\s[^\s/}]+)*\}+$"
OLD_RESUMED = r"mResumedActivity: ActivityRecord\{.*?\s+([^\s]+)/([^\s]+)\s.*?\}"
NEW_RESUMED = r"topResumedActivity=ActivityRecord\{\w+ u0 ([^\s/]+)/([^\s}]+)}? t\d+\}"
RESUMED = r"(?m)^  ResumedActivity: ActivityRecord\{\w+ u0 ([^\s/]+)/([^\s}]+)}? t\d+\}$"
TOP = r"ACTIVITY ([^\s]+)/([^/\s]+) \w+ pid=(\d+)"
WINDOWS = r"(?m)^  Window #(\d+) Window\{[0-9a-f]+ u0 ([^}]+)\}:$"
SIZES = r"init=(\d+)x(\d+) (\d+)dpi .*?cur=(\d+)x(\d+) app=(\d+)x(\d+) rng="
IME_TARGET = r"imeInputTarget in display# 0 Window\{[0-9a-f]+ u0 ([^/\s]+)/([^}\s]+)\}"
SHOWN = r"mInputShown=(\w+)"

PACKAGE = {
    "package": r"^  Package \[[\w.]+\] \([0-9a-f]+\):$",
    "version": r"^    versionCode=\d+ minSdk=\d+ targetSdk=\d+$",
    "name": r"^    versionName=\S+$",
    "code": r"^    codePath=/\S+$",
    "updated": r"^    lastUpdateTime=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$",
    "flags": r"^    flags=\[ [A-Z_ ]+ \]$",
    "user": r"^    User 0: ceDataInode=\d+ .*installed=true .*stopped=\w+ .*enabled=\d",
    "entry": r"^        [0-9a-f]+ [\w.]+/[\w.]+ filter [0-9a-f]+( permission \S+)?$",
    "action": r'^          Action: "[\w.]+"$',
}


def find(pattern: str, text: str) -> tuple[str, ...]:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return found.groups()


def window_fields(text: str) -> set[str]:
    """The names in the dump of the settings app's window."""
    start = text.index(" u0 com.android.settings/com.android.settings.Settings}:")
    block = text[start:].partition("\n  Window #")[0].partition("\n\n")[0]
    return set(re.findall(r"(?m)(?:^ {4}| )(m[A-Z]\w+)=", block))
