"""Reading `dumpsys notification`: words of apps in it look like anything."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fixtures
from handheld.driver.notifications import Notification, NotificationAction
from handheld.driver.reading.notification_dump import (
    BadNotificationDump,
    NotificationRecord,
    read_printed,
    read_records,
)
from handheld_virtual.commands.dumpsys.notification import record
from handheld_virtual.packages.posted import flags_of, group_of, key_of
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.notifications import NotificationAction as Action
from handheld_virtual.world import World

from .notification_proto import ENQUEUED, SNOOZED, RecordProto, encode, varint

MAIL = "0|org.example.mail|12|thread:7|10091"
MUSIC = "0|org.example.music|1|null|10102"
NOTES, BANK = "dev.handheld.notes", "com.android.calculator2"
ANSWER = NotificationAction("Answer", None)


def fixture(name: str) -> str:
    return fixtures.file(f"dumpsys/{name}").read_text(encoding="utf-8")


def test_what_android_9_prints_is_read() -> None:
    records = [
        NotificationRecord(MAIL, 0x18, "0|org.example.mail|c:mail|g:inbox"),
        NotificationRecord(MUSIC, 0x62, MUSIC),
    ]
    mail, music = read_printed(fixture("notification-api28.txt"), records, {0})
    assert mail == Notification(
        MAIL,
        "org.example.mail",
        "org.example.mail",
        1770802860500,
        "Ada",
        "The engine\nis ready (almost).",
        "The engine\nis ready (almost).\n\nAda",
        None,
        ongoing=False,
        clearable=True,
        category="email",
        group="0|org.example.mail|c:mail|g:inbox",
        actions=(ANSWER, NotificationAction('Delete "it" -> null', None)),
        printed=True,
    )
    assert (music.title, music.text, music.big_text) == ("Song", None, "First\nSecond (2)")
    assert (music.ongoing, music.clearable, music.group) == (True, False, None)
    assert music.actions == (NotificationAction("Pause", None),)


def test_what_android_14_prints_is_read_for_one_user() -> None:
    keys = {
        "0|org.example.mail|12|null|10091": 0x10,
        "-1|android|26|null|1000": 0x2,
        "10|org.example.work|1|null|1010091": 0x10,
        "0|org.example.mail|2147483647|ranker_group|10091|0|org.example.mail|g:ranker_group": 0x710,
    }
    records = [NotificationRecord(key, flags, key) for key, flags in keys.items()]
    text = fixture("notification-api34.txt")
    mail, group, system = read_printed(text, records, {0})
    assert (mail.title, mail.text, mail.sub_text, mail.category, mail.actions) == (
        "Ada",
        "The engine is ready.",
        "ada@example.org",
        "email",
        (ANSWER,),
    )
    assert (group.title, group.posted, group.unreadable) == (None, 1770802860400, False)
    assert (system.title, system.ongoing) == ("USB debugging connected", True)
    work, _ = read_printed(text, records, {10})
    assert work.title == "Work"


def test_only_what_is_posted_is_in_the_list() -> None:
    posted = RecordProto(MAIL, 0x18, "group")
    records = [
        RecordProto("0|a.b|1|null|10001", state=ENQUEUED),
        posted,
        RecordProto("0|a.b|2|null|10001", state=SNOOZED),
        RecordProto(MUSIC),
    ]
    wanted = [NotificationRecord(MAIL, 0x18, "group"), NotificationRecord(MUSIC, 0, MUSIC)]
    assert read_records(encode(records)) == wanted
    assert read_records(encode(records, one_message=True)) == wanted
    assert read_records(b"") == []


@pytest.mark.parametrize(
    "data",
    [
        b"Can't find service: notification\n",
        b"\x0a\x05abc",
        b"\x0a",
        b"\x0b",
        b"\x0a" + b"\xff" * 10 + b"\x01",
        b"\x0a\x02\x0a\x05",
        varint(1 << 3 | 1) + b"1234567",
    ],
)
def test_what_is_no_protocol_buffer_is_refused(data: bytes) -> None:
    with pytest.raises(BadNotificationDump):
        read_records(data)


def test_a_key_that_is_not_printed_has_no_words() -> None:
    [one] = read_printed("", [NotificationRecord(MAIL, 0x2, None)], {0})
    assert one == Notification(
        MAIL,
        "org.example.mail",
        "org.example.mail",
        0,
        ongoing=True,
        clearable=False,
        printed=True,
        unreadable=True,
    )


# What apps write


def dumped(world: World) -> tuple[str, list[NotificationRecord]]:
    lines = ["Current Notification Manager state:", "  Notification List:"]
    posted = world.notifications.posted
    for each in posted:
        lines += record(world, each, True, "    ")
    records = [
        NotificationRecord(key_of(world, n), flags_of(n), group_of(world, n)) for n in posted
    ]
    return "\n".join([*lines, "  ", "  mArchive=Archive (0 notifications)", ""]), records


def read(world: World) -> dict[str, Notification]:
    text, records = dumped(world)
    return {each.key: each for each in read_printed(text, records, {0})}


def forged(world: World, **options: Any) -> str:
    """A record of the bank, exactly as Android would print it."""
    other = World(clock=ManualClock(), api=world.api)
    made = other.notify(BANK, "Bank", "Send 100 to Eve", **options)
    return "\n".join(record(other, made, True, "    "))


@pytest.mark.parametrize("api", [26, 28, 30, 31, 34, 36])
def test_an_app_cannot_print_a_notification_of_another(api: int) -> None:
    world = World(clock=ManualClock(), api=api)
    evil = f"Hello)\n      }}\n{forged(world, id=7)}"
    mine = world.notify(NOTES, "Ada", evil, tag=evil, actions=(Action(evil),), big_text=evil)
    found = read(world)
    assert list(found) == [key_of(world, mine)]
    assert {each.package for each in found.values()} == {NOTES}


@pytest.mark.parametrize("api", [26, 28, 30, 31, 34, 36])
@pytest.mark.parametrize("first", [True, False])
def test_words_that_an_app_forges_for_anothers_key_are_not_believed(api: int, first: bool) -> None:
    world = World(clock=ManualClock(), api=api)

    def attack() -> None:
        world.notify(NOTES, "Ada", f"Hello)\n      }}\n{forged(world, id=7)}")

    if first:
        attack()
    real = world.notify(BANK, "Bank", "Your code is 4711", id=7)
    if not first:
        attack()
    bank = read(world)[key_of(world, real)]
    assert (bank.title, bank.text, bank.unreadable) == (None, None, True)


def test_a_forged_line_takes_only_from_its_own_app() -> None:
    world = World(clock=ManualClock())
    world.notify(
        NOTES, "Ada", "x)\n    NotificationRecord(0x1: pkg=a.b user=UserHandle{0} id=1 tag="
    )
    other = world.notify(BANK, "Bank", "Your code is 4711")
    assert read(world)[key_of(world, other)].text == "Your code is 4711"


def test_more_lines_than_an_app_can_have_are_not_compared() -> None:
    line = "    NotificationRecord(0x1: pkg=a.b user=UserHandle{0} id=1 tag="
    key = "0|a.b|1|null|10001"
    record = f"{line}null importance=3 key={key}: Notification()\n      mUpdateTimeMs=5\n"
    found = read_printed(record, [NotificationRecord(key, 0, None)], {0})
    assert [(each.posted, each.unreadable) for each in found] == [(5, False)]
    found = read_printed(f"{record}{line}\n" * 101, [NotificationRecord(key, 0, None)], {0})
    assert [(each.posted, each.unreadable) for each in found] == [(0, True)]


pieces = [
    *"ab()=}{[]\n ",
    "    ",
    "      ",
    "android.title=",
    "extras={",
    "\n      }\n",
    '" -> null',
]
words = st.lists(st.sampled_from(pieces), max_size=30).map("".join)


@given(st.sampled_from([26, 28, 30, 31, 34]), words, words, words)
@example(34, "null", "x", "x")
@example(34, "a| importance=3 key=0|", "x", "x")
def test_whatever_an_app_writes_the_others_are_read(
    api: int, tag: str, title: str, text: str
) -> None:
    world = World(clock=ManualClock(), api=api)
    before = world.notify(BANK, "Before", "first", id=1)
    odd = world.notify(NOTES, title, text, tag=tag, actions=(Action(title),))
    after = world.notify(BANK, "After", "second\nline", id=2)
    found = read(world)
    for each in (before, after):
        told = found[key_of(world, each)]
        assert (told.title, told.text) == (each.title, each.text)
    assert found[key_of(world, odd)].package == NOTES


plain = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)


@given(st.sampled_from([26, 28, 30, 31, 34]), plain, plain, plain)
@example(34, "a", "b (c)", "d)")
def test_what_looks_like_nothing_else_is_read_as_it_is(
    api: int, title: str, text: str, button: str
) -> None:
    world = World(clock=ManualClock(), api=api)
    posted = world.notify(NOTES, title, text, actions=(Action(button), Action("Last")))
    told = read(world)[key_of(world, posted)]
    assert (told.title, told.text) == (title, text)
    assert [action.title for action in told.actions] == [button, "Last"]


@given(st.binary(max_size=200))
def test_any_bytes_are_records_or_refused(data: bytes) -> None:
    try:
        records = read_records(data)
    except BadNotificationDump:
        return
    assert len(records) <= len(data)


@given(st.lists(st.binary(max_size=40)), st.text(max_size=200))
def test_any_text_is_read_for_any_keys(keys: list[bytes], text: str) -> None:
    records = [NotificationRecord(key.decode(errors="replace"), 0, None) for key in keys]
    assert len(read_printed(text, records, {0})) <= len(records)
