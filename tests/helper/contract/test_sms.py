"""The commands `sims` and `sms`."""

from typing import Any

import pytest

from handheld_virtual.sms.message import Outcome

from .conftest import Stage
from .host import Answer, Host

TO = "+36301112233"
LONG = "ő" * 71
"""Two parts."""


def message(text: str = "Hello", **other: Any) -> dict[str, Any]:
    return {"subscription": 14, "to": TO, "text": text, **other}


async def send(host: Host, arguments: dict[str, Any]) -> Answer:
    """The network takes 300 ms for each part."""
    number = await host.call("sms", arguments, act=True)
    for _ in range(3):
        await host.settle()
        if number not in host.answers:
            await host.advance(300)
    return await host.answer(number)


def stored(stage: Stage) -> list[tuple[str, str, int, str]]:
    """Receiver, text, subscription and sender of all messages."""
    messages = stage.world.telephony.messages
    return [(item.address, item.body, item.sub, item.creator) for item in messages]


async def test_active_sims_are_listed_by_their_slots(stage: Stage, host: Host) -> None:
    telephony = stage.world.telephony
    telephony.sims.reverse()
    first = {"id": 14, "slot": 0, "display_name": "Orange F", "carrier_name": "vodafone UK"}
    second = {"id": 17, "slot": 1, "display_name": "Yettel HU", "carrier_name": "EE | Yettel HU"}
    assert (await host.do("sims")).reply == {"sims": [first, second]}
    telephony.set_active(14, False)
    assert (await host.do("sims")).reply == {"sims": [second]}
    telephony.sims.clear()
    assert (await host.do("sims")).reply == {"sims": []}


async def test_sms_is_answered_when_every_part_is_sent(stage: Stage, host: Host) -> None:
    number = await host.call("sms", message(LONG, subscription=17), act=True)
    await host.advance(300)
    await host.advance(299)
    assert number not in host.answers
    await host.advance(1)
    assert (await host.answer(number)).reply == {"parts": 2}
    assert stored(stage) == [(TO, LONG, 17, "com.android.shell")]


@pytest.mark.parametrize("outcome", [item for item in Outcome if item is not Outcome.OK])
async def test_refused_message_is_not_sent(stage: Stage, host: Host, outcome: Outcome) -> None:
    stage.world.telephony.fail("*", outcome)
    answer = await send(host, message(LONG))
    assert answer.failure == ("not_sent", "no")
    assert answer.value["data"] == {"sent": 0, "parts": 2, "part": 1, "result": int(outcome)}


async def test_refused_later_part_is_partly_sent(stage: Stage, host: Host) -> None:
    stage.world.telephony.fail("*", Outcome.GENERIC_FAILURE, part=2)
    answer = await send(host, message("ő" * 160))
    assert answer.failure == ("not_sent", "partly")
    assert answer.value["data"] == {"sent": 1, "parts": 3, "part": 2, "result": 1}


async def test_airplane_mode_and_no_network_are_results_of_the_radio(
    stage: Stage, host: Host
) -> None:
    stage.world.telephony.out_of_service.add(14)
    assert (await send(host, message())).value["data"]["result"] == 4
    stage.world.switches.turn("airplane")
    assert (await send(host, message())).value["data"]["result"] == 2


async def test_unknown_subscription_sends_nothing(stage: Stage, host: Host) -> None:
    assert (await send(host, message(subscription=1))).failure == ("no_subscription", "no")
    stage.world.telephony.set_active(14, False)
    assert (await send(host, message())).failure == ("no_subscription", "no")
    assert stored(stage) == []


async def test_messages_are_sent_one_at_a_time_in_order(stage: Stage, host: Host) -> None:
    numbers = [await host.call("sms", message(str(place)), act=True) for place in range(3)]
    await host.advance(0)
    assert [text for _, text, _, _ in stored(stage)] == ["0"]
    assert (await host.do("sims")).reply["sims"], "nobody waits for a message"
    for _ in numbers:
        await host.advance(300)
    assert [(await host.answer(number)).reply for number in numbers] == [{"parts": 1}] * 3
    assert [text for _, text, _, _ in stored(stage)] == ["0", "1", "2"]
    assert [number for number in host.order if number in numbers] == numbers


async def test_cancelled_message_may_be_sent_and_a_queued_one_is_not(
    stage: Stage, host: Host
) -> None:
    first = await host.call("sms", message(LONG), act=True)
    second = await host.call("sms", message("never"), act=True)
    await host.advance(300)
    await host.cancel(second)
    await host.cancel(first)
    answer = await host.answer(first)
    assert answer.failure == ("cancelled", "maybe")
    assert answer.value["data"] == {"sent": 1, "parts": 2}
    assert (await host.answer(second)).failure == ("cancelled", "no")
    await host.advance(1000)
    assert stored(stage) == [(TO, LONG, 14, "com.android.shell")]


async def test_message_that_needs_confirmation_waits_for_it(stage: Stage, host: Host) -> None:
    for _ in range(30):
        assert (await send(host, message())).reply == {"parts": 1}
    number = await host.call("sms", message("one more"), budget_ms=5000, act=True)
    await host.advance(4999)
    assert number not in host.answers
    await host.advance(1)
    assert (await host.answer(number)).failure == ("out_of_time", "maybe")
    assert "one more" not in [text for _, text, _, _ in stored(stage)]


@pytest.mark.parametrize(
    "arguments",
    [{}, message(to=7), message(to=""), message(to="1" * 65), message(""),
     {**message(), "text": None}, message("x" * 10_001), message(subscription="14"),
     message(subscription=-1), message(subscription=True), message(slot=0)],
)  # fmt: skip
async def test_other_arguments_are_refused(
    stage: Stage, host: Host, arguments: dict[str, Any]
) -> None:
    assert (await host.do("sms", arguments, act=True)).failure == ("bad_call", "no")
    assert (await host.do("sims", {"active": True})).failure == ("bad_call", "no")
    assert stored(stage) == []


async def test_sms_does_not_take_uiautomation(stage: Stage, host: Host) -> None:
    stage.world.automation.holder = "uiautomator2"
    assert (await host.do("sims")).reply["sims"]
    assert (await send(host, message())).reply == {"parts": 1}
