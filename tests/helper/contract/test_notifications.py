"""The commands `notifications` and `notification`."""

import json
from typing import Any

import pytest

from handheld.helper.protocol import Then
from handheld_virtual.packages.blocked_starts import beginning_of
from handheld_virtual.packages.posted import key_of, time_of
from handheld_virtual.packages.profiles import Profile
from handheld_virtual.system.android import Android
from handheld_virtual.system.notifications import Notification, NotificationAction
from harness.starting_apps import CALCULATOR

from .conftest import Stage
from .host import Answer, Host

NOTES = "dev.handheld.notes"
NOW = {"after": None, "within_ms": 0}
WEEK_MS = 7 * 24 * 60 * 60 * 1000


class Pressed(list[str]):
    """The texts that buttons were pressed with."""

    def action(self, title: str, **options: Any) -> NotificationAction:
        return NotificationAction(title, self.append, **options)


def listed(answer: Answer) -> list[dict[str, Any]]:
    assert answer.reply.keys() == {"seq", "now", "listener", "starts", "user"}
    return json.loads(answer.data)["notifications"]


async def titles(host: Host) -> list[str | None]:
    return [each["title"] for each in listed(await host.do("notifications", NOW))]


def act_with(stage: Stage, posted: Notification, do: str, **other: Any) -> dict[str, Any]:
    expect = {
        "package": posted.package,
        "posted": time_of(stage.world, posted),
        "title": posted.title or None,
        "text": posted.text or None,
        "ongoing": posted.ongoing,
    }
    key = key_of(stage.world, posted)
    arguments = {"key": key, "expect": expect, "do": do, "action": None, "text": None}
    return {**arguments, "for_ms": None, **other}


async def done(host: Host, arguments: dict[str, Any], **options: Any) -> Answer:
    return await host.do("notification", arguments, act=True, **options)


def done_on_phone(stage: Stage) -> list[tuple[object, ...]]:
    return [event.details for event in stage.world.events if event.kind == "notification"]


# notifications


async def test_notifications_are_listed_newest_first_with_all_they_say(
    stage: Stage, host: Host
) -> None:
    pressed = Pressed()
    world = stage.world
    world.notify(CALCULATOR, "Sum", "12", ongoing=True, stays=True)
    await host.advance(10_000)
    new = world.notify(
        NOTES,
        "Ada",
        "Two lines\nof text",
        big_text="All of it",
        sub_text="ada@example.com",
        tag="thread 1",
        group="mail",
        category="email",
        actions=(pressed.action("Answer", takes_text=True), pressed.action("Archive")),
    )
    answer = await host.do("notifications", NOW)
    assert answer.reply["now"] == time_of(world, new)
    first, second = listed(answer)
    uid = world.running.uid(world.apps[NOTES])
    assert first == {
        "key": f"0|{NOTES}|{new.id}|thread 1|{uid}",
        "package": NOTES,
        "label": "Notes",
        "posted": time_of(world, new),
        "title": "Ada",
        "text": "Two lines\nof text",
        "big_text": "All of it",
        "sub_text": "ada@example.com",
        "ongoing": False,
        "clearable": True,
        "category": "email",
        "group": f"0|{NOTES}|g:mail",
        "actions": [["Answer", True, False], ["Archive", False, False]],
        "problem": None,
    }
    assert (second["title"], second["ongoing"], second["clearable"]) == ("Sum", True, False)
    assert (second["big_text"], second["category"], second["group"]) == (None, None, None)
    assert second["posted"] == first["posted"] - 10_000


async def test_one_that_cannot_be_read_is_listed_with_the_reason(stage: Stage, host: Host) -> None:
    stage.world.notify(NOTES, "", "", problem="java.lang.NullPointerException: " + "x" * 1000)
    stage.world.notify(NOTES, "Ada", "")
    ada, odd = sorted(
        listed(await host.do("notifications", NOW)), key=lambda each: str(each["problem"] or "")
    )
    assert (ada["title"], ada["problem"]) == ("Ada", None)
    assert (odd["title"], odd["package"], len(odd["problem"])) == (None, NOTES, 200)
    assert odd["problem"].startswith("java.lang.NullPointerException: x")


async def test_those_of_other_users_are_not_listed(stage: Stage, host: Host) -> None:
    for user in (0, 10, -1):
        stage.world.notify(NOTES, f"user {user}", "", user=user)
    assert sorted(map(str, await titles(host))) == ["user -1", "user 0"]


async def test_those_of_a_profile_are_listed(stage: Stage, host: Host) -> None:
    stage.world.profiles[10] = Profile(10, "work")
    for user in (0, 10, 11):
        stage.world.notify(NOTES, f"user {user}", "", user=user)
    answer = await host.do("notifications", NOW)
    assert answer.reply["user"] == 0
    assert sorted(each["key"].partition("|")[0] for each in listed(answer)) == ["0", "10"]


async def test_words_are_cut_and_lines_joined(stage: Stage, host: Host) -> None:
    """As behaviour 107 states."""
    actions = tuple(NotificationAction("b" * 201) for _ in range(21))
    stage.world.notify(NOTES, "t" * 999 + "😀", "x" * 5001, lines=("one", "two"), actions=actions)
    [told] = listed(await host.do("notifications", NOW))
    assert (told["title"], len(told["text"]), told["big_text"]) == ("t" * 999, 5000, "one\ntwo")
    assert told["actions"] == [["b" * 200, False, False]] * 20


async def test_notifications_answers_as_soon_as_one_is_posted_or_removed(
    stage: Stage, host: Host
) -> None:
    seq = (await host.do("notifications", NOW)).reply["seq"]
    call = await host.call("notifications", {"after": seq, "within_ms": 3000})
    await host.advance(1000)
    assert call not in host.answers
    posted = stage.world.notify(NOTES, "Ada", "")
    answer = await host.answer(call)
    assert [each["title"] for each in listed(answer)] == ["Ada"]
    assert answer.reply["seq"] > seq
    call = await host.call("notifications", {"after": answer.reply["seq"], "within_ms": 3000})
    await host.settle()
    stage.world.notifications.remove(posted)
    assert listed(await host.answer(call)) == []


async def test_notifications_answers_when_its_time_is_over(stage: Stage, host: Host) -> None:
    seq = (await host.do("notifications", NOW)).reply["seq"]
    call = await host.call("notifications", {"after": seq, "within_ms": 1000})
    await host.advance(999)
    assert call not in host.answers
    await host.advance(1)
    assert (await host.answer(call)).reply["seq"] == seq


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"after": -1, "within_ms": 0},
        {"after": True, "within_ms": 0},
        {"after": None, "within_ms": None},
        {"after": None, "within_ms": 0, "package": "x"},
    ],
)
async def test_other_arguments_of_notifications_are_refused(
    host: Host, arguments: dict[str, Any]
) -> None:
    assert (await host.do("notifications", arguments)).failure == ("bad_call", "no")


# notification


async def test_an_opened_notification_brings_its_app_and_goes(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(CALCULATOR, "Sum", "12")
    stage.world.panel.open("notifications")
    assert (await done(host, act_with(stage, posted, "open"))).reply == {"front": CALCULATOR}
    assert stage.world.notifications.posted == []
    assert stage.world.panel.window is None
    assert done_on_phone(stage) == [(CALCULATOR, "open")]


async def test_opening_one_does_not_count_as_dismissing_it(stage: Stage, host: Host) -> None:
    """As behaviour 131 states."""
    deleted: list[str] = []
    for title in ("opened", "dismissed"):
        posted = stage.world.notify(
            CALCULATOR, title, "12", on_delete=lambda title=title: deleted.append(title)
        )
        await done(host, act_with(stage, posted, "open" if title == "opened" else "dismiss"))
    assert stage.world.notifications.posted == []
    assert deleted == ["dismissed"]


def blocked_starts(stage: Stage) -> list[str]:
    return [
        entry.message
        for entry in stage.world.logs.read(["system"])
        if entry.message.startswith(beginning_of(stage.world.api))
    ]


async def test_one_that_android_does_not_open_stays_and_that_is_told(
    stage: Stage, host: Host
) -> None:
    """As behaviour 131 states."""
    stage.world.background_starts_refused = True
    actions = (NotificationAction("Map", lambda _: stage.world.bring(CALCULATOR), opens=True),)
    posted = stage.world.notify(CALCULATOR, "Sum", "12", actions=actions)
    for do, action in (("open", None), ("press", {"index": 0, "title": "Map"})):
        call = await host.call("notification", act_with(stage, posted, do, action=action), act=True)
        for _ in range(45):
            await host.advance(50)
        answer = await host.answer(call)
        assert answer.failure == ("blocked", "maybe")
        assert answer.value["message"].endswith("The notification is still there.")
    assert stage.world.notifications.posted == [posted]
    told = blocked_starts(stage)
    assert [f"callingPackage: {CALCULATOR}; " in line for line in told] == [True, True]


@pytest.mark.parametrize("api", [28, 29, 32, 33, 36])
async def test_nothing_is_sent_where_android_would_drop_it(
    stage: Stage, host: Host, api: int
) -> None:
    """From 29 to 32 a sender has nothing to lend, and what may be sent once would be used up."""
    stage.world.android = Android(api)
    lets = api not in (29, 32)
    answer = await host.do("notifications", NOW)
    assert answer.reply["starts"] is lets
    pressed = Pressed()
    actions = (pressed.action("Map", opens=True), pressed.action("Mute"))
    posted = stage.world.notify(CALCULATOR, "Sum", "12", actions=actions)
    answer = await done(host, act_with(stage, posted, "open"))
    if lets:
        assert answer.reply == {"front": CALCULATOR}
        return
    assert answer.failure == ("blocked", "no")
    action = {"index": 0, "title": "Map"}
    answer = await done(host, act_with(stage, posted, "press", action=action))
    assert answer.failure == ("blocked", "no")
    await done(host, act_with(stage, posted, "press", action={"index": 1, "title": "Mute"}))
    assert pressed == [""]
    assert stage.world.notifications.posted == [posted]
    assert blocked_starts(stage) == []


async def test_one_that_stays_is_there_after_it_was_opened(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(CALCULATOR, "Sum", "12", stays=True)
    await done(host, act_with(stage, posted, "open"))
    assert stage.world.notifications.posted == [posted]


async def test_what_is_in_front_is_told_though_it_is_another_app(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Sum", "12", lambda: stage.world.bring(CALCULATOR))
    call = await host.call("notification", act_with(stage, posted, "open"), act=True)
    for _ in range(45):
        await host.advance(50)
    assert (await host.answer(call)).reply == {"front": CALCULATOR}


async def test_a_dark_phone_is_woken_to_open_one(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    stage.world.locked = False
    posted = stage.world.notify(CALCULATOR, "Sum", "12")
    answer = await done(host, act_with(stage, posted, "open"), wake=True)
    assert answer.reply == {"front": CALCULATOR, "woken": True}


async def test_the_screen_after_opening_one_is_read_in_the_same_call(
    stage: Stage, host: Host
) -> None:
    posted = stage.world.notify(CALCULATOR, "Sum", "12")
    call = await host.call(
        "notification",
        act_with(stage, posted, "open"),
        act=True,
        then=Then(500, 250, 3000),
        budget_ms=20_000,
    )
    await host.advance(1000)
    then = (await host.answer(call)).reply["then"]
    assert then["changed"]
    assert then["screen"]["foreground"]["package"] == CALCULATOR


async def test_nothing_is_opened_behind_the_lock_screen(stage: Stage, host: Host) -> None:
    """As behaviour 108 states."""
    pressed = Pressed()
    actions = (
        pressed.action("Map", opens=True),
        pressed.action("Pay", guarded=True),
        pressed.action("Mute"),
    )
    posted = stage.world.notify(CALCULATOR, "Sum", "12", actions=actions)
    stage.world.locked = True
    refused = await done(host, act_with(stage, posted, "open"))
    assert refused.failure == ("locked", "no")
    for index, title in enumerate(("Map", "Pay")):
        action = {"index": index, "title": title}
        answer = await done(host, act_with(stage, posted, "press", action=action))
        assert answer.failure == ("locked", "no")
    assert pressed == []
    await done(host, act_with(stage, posted, "press", action={"index": 2, "title": "Mute"}))
    assert pressed == [""]


async def test_one_without_a_content_intent_cannot_be_opened(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(CALCULATOR, "Sum", "12", opens=False)
    answer = await done(host, act_with(stage, posted, "open"))
    assert answer.failure == ("not_actionable", "no")


async def test_a_dismissed_notification_is_gone(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "")
    other = stage.world.notify(NOTES, "Bob", "")
    answer = await done(host, act_with(stage, posted, "dismiss"))
    assert answer.reply == {"front": None}
    assert stage.world.notifications.posted == [other]


async def test_an_ongoing_notification_is_not_dismissed(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Music", "Song", ongoing=True)
    answer = await done(host, act_with(stage, posted, "dismiss"))
    assert answer.failure == ("ongoing", "no")
    assert stage.world.notifications.posted == [posted]


async def test_one_that_android_keeps_is_not_said_to_be_gone(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "Sent", clings=True)
    call = await host.call("notification", act_with(stage, posted, "dismiss"), act=True)
    for _ in range(41):
        await host.advance(50)
    answer = await host.answer(call)
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == "Android kept the notification."


async def test_a_snoozed_notification_comes_back(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "Hello")
    answer = await done(host, act_with(stage, posted, "snooze", for_ms=10_000))
    assert answer.reply == {"front": None}
    assert await titles(host) == []
    await host.advance(10_000)
    assert await titles(host) == ["Ada"]


async def test_the_summary_of_a_group_takes_its_group_along(stage: Stage, host: Host) -> None:
    for title in ("Ada", "Bob"):
        stage.world.notify(NOTES, title, "", group="mail")
    stage.world.notify(NOTES, "Other", "")
    summary = stage.world.notify(NOTES, "2 messages", "x", group="mail", summary=True)
    await done(host, act_with(stage, summary, "snooze", for_ms=WEEK_MS))
    assert await titles(host) == ["Other"]


async def test_an_action_is_pressed_and_a_reply_sent(stage: Stage, host: Host) -> None:
    pressed = Pressed()
    actions = (
        pressed.action("Archive"),
        pressed.action("Answer", takes_text=True),
        pressed.action("Translate", takes_text=True),
    )
    posted = stage.world.notify(NOTES, "Ada", "Hello", actions=actions)
    for do, index, title, text in (
        ("press", 0, "Archive", None),
        ("reply", 2, "Translate", "Grüße 😀"),
    ):
        action = {"index": index, "title": title}
        arguments = act_with(stage, posted, do, action=action, text=text)
        assert (await done(host, arguments)).reply == {"front": None}
    await done(host, act_with(stage, posted, "reply", text="x" * 10_000))
    assert pressed == ["", "Grüße 😀", "x" * 10_000]
    assert [details[1] for details in done_on_phone(stage)] == ["Archive", "Translate", "Answer"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"index": 0, "title": "Answer"}, "changed"),
        ({"index": 2, "title": "Archive"}, "changed"),
        ({"index": 0, "title": "Archive"}, "not_editable"),
        (None, "not_editable"),
    ],
)
async def test_a_reply_goes_to_the_action_that_was_seen_and_takes_text(
    stage: Stage, host: Host, action: dict[str, Any] | None, code: str
) -> None:
    pressed = Pressed()
    actions = (pressed.action("Archive"), pressed.action("Mute"))
    posted = stage.world.notify(NOTES, "Ada", "Hello", actions=actions)
    arguments = act_with(stage, posted, "reply", action=action, text="Hi")
    assert (await done(host, arguments)).failure == (code, "no")
    assert pressed == []


async def test_an_action_without_an_intent_does_nothing(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "", actions=(NotificationAction("Mute"),))
    arguments = act_with(stage, posted, "press", action={"index": 0, "title": "Mute"})
    assert (await done(host, arguments)).failure == ("not_actionable", "no")


async def test_one_that_is_gone_or_replaced_is_not_acted_on(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "Hello", id=7)
    seen = act_with(stage, posted, "dismiss")
    await host.advance(1000)
    stage.world.notify(NOTES, "Ada", "Another text", id=7)
    assert (await done(host, seen)).failure == ("gone", "no")
    stage.world.notifications.clear()
    assert (await done(host, seen)).failure == ("gone", "no")


async def test_one_that_was_posted_again_with_the_same_words_is_the_same(
    stage: Stage, host: Host
) -> None:
    seen = act_with(stage, stage.world.notify(NOTES, "Ada", "Hello", id=7), "dismiss")
    await host.advance(1000)
    stage.world.notify(NOTES, "Ada", "Hello", id=7)
    await done(host, seen)
    assert stage.world.notifications.posted == []


async def test_the_text_of_an_ongoing_one_may_change(stage: Stage, host: Host) -> None:
    """As behaviour 106 states."""
    pressed = Pressed()
    actions = (pressed.action("Cancel"),)
    posted = stage.world.notify(NOTES, "Download", "10 %", id=7, ongoing=True, actions=actions)
    seen = act_with(stage, posted, "press", action={"index": 0, "title": "Cancel"})
    await host.advance(1000)
    stage.world.notify(NOTES, "Download", "20 %", id=7, ongoing=True, actions=actions)
    await done(host, seen)
    assert pressed == [""]
    stage.world.notify(NOTES, "Upload", "20 %", id=7, ongoing=True, actions=actions)
    await host.advance(1000)
    assert (await done(host, seen)).failure == ("gone", "no")


async def test_those_of_other_users_cannot_be_acted_on(stage: Stage, host: Host) -> None:
    posted = stage.world.notify(NOTES, "Ada", "Hello", user=10)
    assert (await done(host, act_with(stage, posted, "dismiss"))).failure == ("gone", "no")


def changed(**other: Any) -> Any:
    expect = {"package": NOTES, "posted": 1, "title": "Ada", "text": None, "ongoing": False}
    usual = {"key": "k", "expect": expect, "do": "open", "action": None, "text": None}
    return {**usual, "for_ms": None, **other}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        changed(key=""),
        changed(key=7),
        changed(expect=None),
        changed(expect={"package": NOTES}),
        changed(expect={**changed()["expect"], "package": ""}),
        changed(expect={**changed()["expect"], "posted": -1}),
        changed(expect={**changed()["expect"], "title": 7}),
        changed(expect={**changed()["expect"], "ongoing": None}),
        changed(do="delete"),
        changed(do="press"),
        changed(action={"index": 0, "title": "x"}),
        changed(do="press", action=0),
        changed(do="press", action={"index": 0}),
        changed(do="press", action={"index": 21, "title": "x"}),
        changed(do="press", action={"index": 0, "title": None}),
        changed(do="press", action={"index": 0, "title": "x"}, text="Hi"),
        changed(do="reply"),
        changed(do="reply", text=""),
        changed(do="reply", text="x" * 10_001),
        changed(do="reply", text="x" * 9_999 + "😀"),
        changed(do="snooze"),
        changed(do="snooze", for_ms=0),
        changed(do="snooze", for_ms=WEEK_MS + 1),
        changed(do="dismiss", for_ms=1),
    ],
)
async def test_other_arguments_of_notification_are_refused(
    host: Host, arguments: dict[str, Any]
) -> None:
    assert (await done(host, arguments)).failure == ("bad_call", "no")


# Where the shell may not listen


@pytest.fixture
def deaf(stage: Stage) -> Stage:
    stage.world.listener_refused = True
    return stage


async def test_without_a_listener_nothing_is_listed(deaf: Stage, host: Host) -> None:
    deaf.world.notify(NOTES, "Ada", "Hello")
    answer = await host.do("notifications", NOW)
    assert (listed(answer), answer.reply["listener"]) == ([], False)


async def test_without_a_listener_new_ones_come_in_events(deaf: Stage, host: Host) -> None:
    seq = (await host.do("notifications", NOW)).reply["seq"]
    call = await host.call("notifications", {"after": seq, "within_ms": 3000})
    await host.settle()
    deaf.world.notify(NOTES, "Ada", "Hello", id=7)
    answer = await host.answer(call)
    assert answer.reply["seq"] == seq + 1
    deaf.world.notify(NOTES, "Ada", "Hello again", id=7)
    assert (await host.do("notifications", NOW)).reply["seq"] == seq + 1


async def test_without_a_listener_those_since_can_be_acted_on(deaf: Stage, host: Host) -> None:
    pressed = Pressed()
    early = deaf.world.notify(NOTES, "Early", "x")
    await host.do("notifications", NOW)
    actions = (pressed.action("Answer", takes_text=True),)
    posted = deaf.world.notify(CALCULATOR, "Ada", "Hello", actions=actions)
    assert (await done(host, act_with(deaf, early, "open"))).failure == ("unseen", "no")
    await done(host, act_with(deaf, posted, "reply", text="Hi"))
    assert pressed == ["Hi"]
    assert (await done(host, act_with(deaf, posted, "open"))).reply == {"front": CALCULATOR}
    assert deaf.world.notifications.posted == [posted, early]
    for do, for_ms in (("dismiss", None), ("snooze", 1000)):
        answer = await done(host, act_with(deaf, posted, do, for_ms=for_ms))
        assert answer.failure == ("unsupported", "no")


async def test_without_a_listener_another_program_may_hold_the_events(
    deaf: Stage, host: Host
) -> None:
    posted = deaf.world.notify(NOTES, "Ada", "Hello")
    deaf.world.automation.take("uiautomator")
    assert listed(await host.do("notifications", NOW)) == []
    waiting = {"after": 0, "within_ms": 10}
    assert (await host.do("notifications", waiting)).failure == ("automation_held", "no")
    answer = await done(host, act_with(deaf, posted, "open"))
    assert answer.failure == ("automation_held", "no")
