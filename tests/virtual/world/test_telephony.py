"""SIMs and messages: dividing texts, outcomes of sending, and the store."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld_virtual.sms.message import Box, Outcome
from handheld_virtual.sms.parts import GSM, GSM_EXTENDED, divide, weigh
from handheld_virtual.sms.sending import DELIVERY_MS, SEND_MS
from handheld_virtual.sms.telephony import MOST_MESSAGES
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.text.graphemes import units
from handheld_virtual.world import World

ME = "com.android.shell"


@pytest.mark.parametrize(
    ("text", "encoding", "sizes"),
    [
        ("", "gsm7", [0]),
        ("a" * 160, "gsm7", [160]),
        ("a" * 161, "gsm7", [153, 8]),
        ("€" * 80, "gsm7", [80]),
        ("a" * 152 + "€" * 8, "gsm7", [152, 8]),
        ("ő" * 70, "ucs2", [70]),
        ("ő" * 71, "ucs2", [67, 4]),
        ("ő" * 66 + "👋" * 3, "ucs2", [66, 3]),
        ("ő" * 60 + "👩‍👩‍👧‍👦" * 2, "ucs2", [60, 14]),
    ],
)
def test_a_text_is_divided_as_android_does(text: str, encoding: str, sizes: list[int]):
    parts = divide(text)
    assert (parts.encoding, [len(part) for part in parts.texts]) == (encoding, sizes)


@given(st.text(max_size=400))
def test_parts_hold_the_whole_text_and_no_part_is_too_large(text: str):
    parts = divide(text)
    assert "".join(parts.texts) == text
    plain = all(sign in GSM or sign in GSM_EXTENDED for sign in text)
    assert parts.encoding == ("gsm7" if plain else "ucs2")
    one, many = (160, 153) if plain else (70, 67)
    largest = max(weigh(part, parts.encoding) for part in parts.texts)
    assert largest <= (one if parts.count == 1 else many)
    if not plain:
        assert sum(map(units, parts.texts)) == units(text)


async def test_a_sent_message_is_in_the_outbox_then_sent_then_delivered(
    world: World, clock: ManualClock
):
    results: list[object] = []
    parts = world.telephony.send(
        "+36 20 555 0100",
        "a" * 200,
        17,
        package=ME,
        sent=lambda part, outcome: results.append((part, outcome)),
        delivered=results.append,
    )
    assert parts.count == 2
    (message,) = world.telephony.messages
    assert (message.box, message.sub, message.creator) == (Box.OUTBOX, 17, ME)
    assert message.date == 1770802860000
    await clock.advance(SEND_MS)
    world.settle()
    assert results == [(0, Outcome.OK)]
    assert world.telephony.messages[0].box is Box.OUTBOX
    await clock.advance(SEND_MS)
    world.settle()
    assert results == [(0, Outcome.OK), (1, Outcome.OK)]
    assert world.telephony.messages[0].box is Box.SENT
    await clock.advance(DELIVERY_MS)
    world.settle()
    assert results[2:] == [0, 1]
    assert world.telephony.messages[0].delivered


async def _outcomes(world: World, clock: ManualClock, address: str, sub: int = 14) -> list[Outcome]:
    results: list[Outcome] = []
    world.telephony.send(
        address, "Hello", sub, package=ME, sent=lambda part, outcome: results.append(outcome)
    )
    await clock.advance(SEND_MS)
    world.settle()
    return results


async def test_airplane_mode_fails_a_message_with_radio_off(world: World, clock: ManualClock):
    world.preferences.put("global", "airplane_mode_on", "1")
    assert await _outcomes(world, clock, "+15550100") == [Outcome.RADIO_OFF]
    (message,) = world.telephony.messages
    assert (message.box, message.outcome) == (Box.FAILED, Outcome.RADIO_OFF)


async def test_a_radio_switched_off_on_the_way_fails_what_is_not_answered(
    world: World, clock: ManualClock
):
    results: list[Outcome] = []
    world.telephony.send("+15550100", "Hello", 14, package=ME, sent=lambda _, o: results.append(o))
    world.switches.turn("airplane")
    await clock.advance(SEND_MS)
    world.settle()
    assert results == [Outcome.RADIO_OFF]


async def test_every_failure_has_its_own_outcome(world: World, clock: ManualClock):
    world.telephony.out_of_service.add(17)
    assert await _outcomes(world, clock, "+15550100", 17) == [Outcome.NO_SERVICE]
    assert await _outcomes(world, clock, "nobody", 14) == [Outcome.NULL_PDU]
    stored = len(world.telephony.messages)
    assert await _outcomes(world, clock, "+15550100", 9) == [Outcome.GENERIC_FAILURE]
    assert len(world.telephony.messages) == stored


async def test_a_scripted_failure_is_for_its_numbers_and_for_so_many_times(
    world: World, clock: ManualClock
):
    world.telephony.fail("+3670*", Outcome.GENERIC_FAILURE, times=1)
    assert await _outcomes(world, clock, "+36 20 123 4567") == [Outcome.OK]
    assert await _outcomes(world, clock, "+36 70 123 4567") == [Outcome.GENERIC_FAILURE]
    assert await _outcomes(world, clock, "+36 70 123 4567") == [Outcome.OK]


async def test_a_scripted_failure_may_begin_with_a_later_part(world: World, clock: ManualClock):
    world.telephony.fail("+3670*", Outcome.FDN_CHECK_FAILURE, part=2)
    assert await _outcomes(world, clock, "+36701234567") == [Outcome.OK]
    results: list[tuple[int, Outcome]] = []
    world.telephony.send(
        "+36701234567", "a" * 400, 14, package=ME, sent=lambda *part: results.append(part)
    )
    await clock.advance(SEND_MS * 3)
    world.settle()
    failed = Outcome.FDN_CHECK_FAILURE
    assert results == [(0, Outcome.OK), (1, failed), (2, failed)]
    assert (world.telephony.messages[-1].box, world.telephony.messages[-1].outcome) == (
        Box.FAILED,
        failed,
    )


async def test_messages_over_the_limit_need_the_owners_confirmation(
    world: World, clock: ManualClock
):
    for _ in range(30):
        assert await _outcomes(world, clock, "+15550100") == [Outcome.OK]
    world.telephony.send("+15550100", "One more", 14, package=ME)
    words = [node.text for node in _nodes(world)]
    assert "Allow" in words
    assert any(text and text.startswith("Shell is sending a large number") for text in words)
    results: list[Outcome] = []
    _press(world, "Deny")
    world.telephony.send("+15550100", "Again", 14, package=ME, sent=lambda _, o: results.append(o))
    _press(world, "Deny")
    world.settle()
    assert results == [Outcome.LIMIT_EXCEEDED]
    world.telephony.send("+15550100", "Again", 14, package=ME, sent=lambda _, o: results.append(o))
    _press(world, "Allow")
    await clock.advance(SEND_MS)
    world.settle()
    assert results == [Outcome.LIMIT_EXCEEDED, Outcome.OK]
    await clock.advance(60_000)
    assert await _outcomes(world, clock, "+15550100") == [Outcome.OK]


def _nodes(world: World):
    return [node for window in world.automation.read_windows() for node in window.nodes]


def _press(world: World, words: str) -> None:
    key = next(node.key for node in _nodes(world) if node.text == words)
    assert world.automation.perform(key, "click")


@pytest.mark.parametrize(("address", "text"), [("", "Hello"), ("+15550100", "")])
def test_message_without_a_number_or_a_text_is_rejected(world: World, address: str, text: str):
    with pytest.raises(ValueError, match=r"^Invalid "):
        world.telephony.send(address, text, 14, package=ME)
    assert world.telephony.messages == []


def test_one_number_is_one_thread_however_it_is_written(world: World):
    telephony = world.telephony
    telephony.receive("+36 20 555-0100", "One")
    telephony.receive("+36205550100", "Two", 17)
    telephony.receive("Bank", "Three")
    assert [(t.address, t.unread, [m.body for m in t.messages]) for t in telephony.threads] == [
        ("Bank", 1, ["Three"]),
        ("+36205550100", 2, ["One", "Two"]),
    ]
    telephony.mark_read("+36 (20) 555 0100")
    assert telephony.unread == 1
    assert telephony.delete_thread("bank")
    assert not telephony.delete_thread("bank")
    assert len(telephony.threads) == 1


def test_messages_are_in_the_order_of_their_dates(world: World):
    telephony = world.telephony
    telephony.store("+15550100", "Late", date=3)
    telephony.store("+15550100", "Early", date=1)
    telephony.store("Bank", "Between", date=2)
    assert [message.body for message in telephony.messages] == ["Early", "Between", "Late"]
    assert [thread.last.body for thread in telephony.threads] == ["Late", "Between"]


def test_message_in_airplane_mode_is_delivered_afterwards(world: World):
    world.switches.turn("airplane")
    assert world.telephony.receive("+15550100", "Hello") is None
    assert world.telephony.messages == []
    world.preferences.put("global", "airplane_mode_on", "0")
    assert [message.body for message in world.telephony.messages] == ["Hello"]


def test_message_without_service_is_delivered_afterwards(world: World):
    telephony = world.telephony
    telephony.out_of_service.update((14, 17))
    assert telephony.receive("+15550100", "One", 14) is None
    assert telephony.receive("+15550100", "Two", 17) is None
    telephony.restore_service(17)
    assert [message.body for message in telephony.messages] == ["Two"]


def test_a_sim_that_is_switched_off_is_not_active_and_a_single_one_is_the_default(world: World):
    telephony = world.telephony
    assert [(sim.id, sim.slot) for sim in telephony.active_sims] == [(14, 0), (17, 1)]
    assert telephony.default_sim is None
    telephony.set_active(14, False)
    assert [sim.id for sim in telephony.active_sims] == [17]
    assert telephony.default_sim == telephony.sim(17)
    with pytest.raises(KeyError):
        telephony.set_active(7, True)


def test_the_store_is_bounded_and_drops_the_oldest(world: World):
    for number in range(MOST_MESSAGES + 5):
        world.telephony.store("+15550100", str(number))
    assert len(world.telephony.messages) == MOST_MESSAGES
    assert world.telephony.messages[0].body == "5"
