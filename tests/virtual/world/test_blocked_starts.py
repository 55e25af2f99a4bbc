"""Android's log line about a blocked start from the background, in each release."""

import pytest

from handheld_virtual.packages.posted import Sender, send_intent
from handheld_virtual.phone import VirtualPhone
from harness.starting_apps import CALCULATOR


@pytest.mark.parametrize(
    ("api", "level", "begins", "fields"),
    [
        (28, "", "", 0),
        (29, "W", "Background activity start [callingPackage: {app}; callingUid: ", 11),
        (30, "W", "Background activity start [callingPackage: {app}; callingUid: ", 15),
        (31, "W", "Background activity start [callingPackage: {app}; callingUid: ", 17),
        (33, "W", "Background activity start [callingPackage: {app}; callingUid: ", 17),
        (34, "W", "Background activity launch blocked [callingPackage: {app}; callingUid: ", 17),
        (35, "E", "Background activity launch blocked! [callingPackage: {app}; calling", 36),
        (36, "E", "Background activity launch blocked! goo.gle/android-bal [callingPack", 36),
        (37, "E", "Background activity launch blocked! goo.gle/android-bal [callingPack", 37),
    ],
)
def test_a_blocked_start_is_logged_as_each_release_does(
    api: int, level: str, begins: str, fields: int
) -> None:
    world = VirtualPhone(api=api).world
    posted = world.notify(CALCULATOR, "Sum", "12")
    send_intent(world, posted, Sender(2000, lends=False))
    assert world.is_in_front(CALCULATOR) is (not level)
    told = [
        entry for entry in world.logs.read(["system"]) if "Background activity" in entry.message
    ]
    assert [entry.level for entry in told] == ([level] if level else [])
    for entry in told:
        assert entry.tag == "ActivityTaskManager"
        assert entry.message.startswith(begins.format(app=CALCULATOR))
        assert len(entry.message.split("; ")) == fields
        assert ("allowBackgroundActivityStart: false" in entry.message) is (31 <= api <= 33)
