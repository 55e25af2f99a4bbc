"""Why an app's process ended, as lines of real logs tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.hands.endings import read_ending

APP = "org.example.coffee"


def line(words: str, tag: str = "ActivityManager", at: int = 100) -> str:
    return f"         {at}.650  1205  1290 I {tag}: {words}\n"


CRASH = line("FATAL EXCEPTION: main", "AndroidRuntime") + line(
    f"Process: {APP}, PID: 2012", "AndroidRuntime"
)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("", ""),
        ("--------- beginning of crash\n" + CRASH, "crashed"),
        (CRASH + line(f"Process {APP} (pid 2012) has died: fg  SVC"), "crashed"),
        (line(f"Process: {APP}:remote, PID: 2012", "AndroidRuntime"), "crashed"),
        (line(f"Force stopping {APP} appid=10116 user=0: from pid 400"), "was stopped"),
        (line(f"Killing 2013:{APP}/u0a116 (adj 900): stop {APP}"), "was stopped"),
        (
            line(f"Killing 2013:{APP}/u0a116 (adj -800): stop {APP} due to from pid 4"),
            "was stopped",
        ),
        (
            line(f"Killing 2013:{APP}:work/u0a116 (adj 0): stop {APP} due to deletePackageX"),
            "was removed from the phone",
        ),
        (line(f"Force stopping {APP} appid=10116 user=-1: installPackageLI"), "was updated"),
        (line(f"Killing 2013:{APP}/u0a116 (adj 0): bg anr"), "hung, and Android ended it"),
        (line(f"Killing 2013:{APP}/u0a116 (adj 906): empty #17"), "was ended by Android"),
        (CRASH + line(f"Force stopping {APP} appid=1 user=0: from pid 4"), "was stopped"),
        (CRASH.replace("100.", "89."), ""),
        (CRASH.replace("100.", "9" * 5000 + "."), ""),
        (CRASH.replace(APP, f"{APP}.pro"), ""),
        (line(f"Process: {APP}, PID: 2012", "Chromium"), ""),
    ],
)
def test_the_last_line_about_it_tells(log: str, said: str) -> None:
    assert read_ending(log, APP, 90) == said


@given(st.text())
def test_no_log_is_a_fault(log: str) -> None:
    assert read_ending(log, APP, 90) == ""
