"""Messages over MCP: what is sent, what is refused, and what is said of it."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from handheld.driver.by_shell.unsupported import Unsupported
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from handheld.phone.personal.sms import Sms
from handheld.phone.personal.sms_rules import SentParts, SmsRules
from handheld_virtual.apps.messages.conversation import Conversation
from handheld_virtual.sms.message import Box, Outcome

from .conftest import Bench

TO = "+33785880347"
BOTH = "14 (SIM slot 0, Orange F, vodafone UK), 17 (SIM slot 1, Yettel HU, EE | Yettel HU)"

needs_messages = pytest.mark.needs(Unsupported.MESSAGES)


def rule(bench: Bench, rules: SmsRules, sent: SentParts | None = None) -> None:
    bench.phone.sms = Sms(bench.phone.driver, bench.phone.clock, rules, sent)


async def send(bench: Bench, text: str = "Hello world", to: str = TO, sub: int = 14) -> str:
    call = bench.call("send_sms", to_phone_number=to, sms_text=text, subscription_id=sub)
    return await bench.passing(call)


async def refused(bench: Bench, **arguments: object) -> ToolError:
    arguments = {"to_phone_number": TO, "sms_text": "Hello", "subscription_id": 14, **arguments}
    return await bench.passing(bench.failure("send_sms", **arguments))


def sent(bench: Bench) -> list[tuple[str, str, int]]:
    messages = bench.world.telephony.messages
    return [(one.address, one.body, one.sub) for one in messages if one.box is Box.SENT]


@needs_messages
async def test_active_subscriptions_are_returned_as_json(bench: Bench) -> None:
    assert await bench.call("get_sms_subscriptions") == (
        '{"count":2,"subscriptions":[{"subscription_id":14,"sim_slot_index":0,"carrier_name":'
        '"vodafone UK","display_name":"Orange F"},{"subscription_id":17,"sim_slot_index":1,'
        '"carrier_name":"EE | Yettel HU","display_name":"Yettel HU"}]}'
    )
    bench.world.telephony.sims.clear()
    assert await bench.call("get_sms_subscriptions") == '{"count":0,"subscriptions":[]}'


@needs_messages
async def test_a_message_is_sent_and_the_messages_app_shows_it(bench: Bench) -> None:
    assert await send(bench) == f"SMS sent to {TO}"
    assert sent(bench) == [(TO, "Hello world", 14)]
    bench.world.start("com.android.messaging", Conversation.name, {"address": TO})
    texts = [row[2] for row in await bench.rows()]
    assert "Hello world" in texts
    assert any("Orange F" in text for text in texts)


@needs_messages
async def test_sent_is_reported_only_after_every_part_was_confirmed(bench: Bench) -> None:
    arguments = {"to_phone_number": TO, "sms_text": "ő" * 160, "subscription_id": "17"}
    call = bench.beside(bench.call("send_sms", **arguments))
    await bench.until(lambda: bool(bench.world.telephony.messages) and bench.clock.sleepers > 0)
    for _ in range(2):
        await bench.clock.advance(300)
        bench.world.settle()
        assert not call.done()
    assert await bench.passing(call_of(call)) == f"SMS sent to {TO}"
    assert sent(bench) == [(TO, "ő" * 160, 17)]


async def call_of(task: "asyncio.Task[str]") -> str:
    return await task


@needs_messages
async def test_with_one_active_subscription_no_id_is_needed(bench: Bench) -> None:
    bench.world.telephony.set_active(14, False)
    call = bench.call("send_sms", to_phone_number=TO, sms_text="Hi", subscription_id=None)
    assert await bench.passing(call) == f"SMS sent to {TO}"
    assert sent(bench) == [(TO, "Hi", 17)]


@needs_messages
async def test_with_one_allowed_subscription_no_id_is_needed(bench: Bench) -> None:
    rule(bench, SmsRules(frozenset({17, 99})))
    call = bench.call("send_sms", to_phone_number=TO, sms_text="Hi")
    assert await bench.passing(call) == f"SMS sent to {TO}"
    assert sent(bench) == [(TO, "Hi", 17)]


@pytest.mark.parametrize(
    ("number", "reply"),
    [
        ("", "Parameter 'to_phone_number' must not be empty: give a number such as +36201234567."),
        ("36201234567", "Parameter 'to_phone_number' must start with a plus sign and the country"
         " code, such as +36201234567. Got: '36201234567'"),
        (36201234567, "Parameter 'to_phone_number' must start with a plus sign and the country"
         " code, such as +36201234567. Got: '36201234567'"),
        ("0036201234567", "Parameter 'to_phone_number' must start with a plus sign and the country"
         " code, instead of 00. Got: '0036201234567'"),
        ("+", "Parameter 'to_phone_number' has no digits after the plus sign; write it such as"
         " +36201234567. Got: '+'"),
        ("+36 20 123", "Parameter 'to_phone_number' must have only digits after the plus"
         " sign: leave out spaces, hyphens, brackets and letters, such as +36201234567."
         " Got: '+36 20 123'"),
        ("+٣٦٢٠١٢٣٤٥٦٧", "Parameter 'to_phone_number' must have only digits after the plus"
         " sign: leave out spaces, hyphens, brackets and letters, such as +36201234567."
         " Got: '+٣٦٢٠١٢٣٤٥٦٧'"),
        ("+0620123456", "Parameter 'to_phone_number' must have a country code after the plus sign,"
         " which never starts with 0, such as +36201234567. Got: '+0620123456'"),
        ("+1234567890123456", "Parameter 'to_phone_number' has 16 digits, and no number has more"
         " than 15. Got: '+1234567890123456'"),
        ("+36123", "Parameter 'to_phone_number' has 5 digits, which is too short with a country"
         " code. Got: '+36123'"),
    ],
)  # fmt: skip
async def test_what_is_no_number_is_refused(bench: Bench, number: object, reply: str) -> None:
    failure = await refused(bench, to_phone_number=number)
    assert (type(failure), failure.message) == (InvalidParams, reply)
    assert bench.world.telephony.messages == []


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("", "Parameter 'sms_text' must not be empty."),
        ("a" * 161, "Parameter 'sms_text' must have at most 160 characters, got: 161. Shorten it,"
         " or send several messages."),
        ("👋" * 81, "Parameter 'sms_text' must have at most 160 characters, got: 162. Shorten it,"
         " or send several messages."),
    ],
)  # fmt: skip
async def test_a_text_has_1_to_160_characters(bench: Bench, text: str, reply: str) -> None:
    failure = await refused(bench, sms_text=text)
    assert (type(failure), failure.message) == (InvalidParams, reply)
    assert bench.world.telephony.messages == []


@needs_messages
@pytest.mark.parametrize("text", ["x", "€" * 160, "👋" * 80], ids=["one", "signs", "pairs"])
async def test_the_shortest_and_the_longest_texts_are_sent(bench: Bench, text: str) -> None:
    assert await send(bench, text) == f"SMS sent to {TO}"
    assert sent(bench) == [(TO, text, 14)]


def take_sims(bench: Bench) -> None:
    bench.world.telephony.sims.clear()


def turn_off(bench: Bench) -> None:
    bench.world.telephony.set_active(14, False)


def nothing(bench: Bench) -> None:
    pass


@pytest.mark.parametrize(
    ("prepare", "rules", "sub", "kind", "reply"),
    [
        pytest.param(nothing, SmsRules(), None, InvalidParams,
         "Parameter 'subscription_id' is required, because sending is allowed on more than one"
         f" active subscription: {BOTH}. Nothing was sent.",
         marks=needs_messages),
        pytest.param(nothing, SmsRules(), 3, InvalidParams,
         f"The phone knows no subscription with the id 3. Active: {BOTH}. Nothing was sent.",
         marks=needs_messages),
        pytest.param(turn_off, SmsRules(), 14, InvalidParams,
         "The subscription 14 is not active: its SIM card is turned off, or not in the phone."
         f" Active: 17{BOTH.partition(', 17')[2]}. Nothing was sent.",
         marks=needs_messages),
        pytest.param(nothing, SmsRules(frozenset({17})), 14, PermissionDenied,
         "Sending by subscription 14 (SIM slot 0, Orange F, vodafone UK) is not allowed by the"
         " setting sms.subscriptions. Allowed: 17 (SIM slot 1, Yettel HU, EE | Yettel HU)."
         " Nothing was sent.",
         marks=needs_messages),
        pytest.param(nothing, SmsRules(frozenset({3, 2})), None, PermissionDenied,
         "Sending is not allowed on any active subscription: the setting sms.subscriptions"
         f" names 2, 3. Active: {BOTH}. Nothing was sent.",
         marks=needs_messages),
        pytest.param(take_sims, SmsRules(), 14, ActionFailed,
         "The phone has no active SIM card: put one in, or turn it on in the phone's settings."
         " Nothing was sent.",
         marks=needs_messages),
        (nothing, SmsRules(block=("+337*",), allow=("+33*",)), 14, PermissionDenied,
         f"Messages to {TO} are not allowed by the setting sms.block. Nothing was sent."),
        (nothing, SmsRules(allow=("+3620*", "+44*")), 14, PermissionDenied,
         f"Messages to {TO} are not allowed by the setting sms.allow. Nothing was sent."),
    ],
)  # fmt: skip
async def test_a_refused_message_is_reported_with_the_reason(
    bench: Bench,
    prepare: Callable[[Bench], None],
    rules: SmsRules,
    sub: int | None,
    kind: type[ToolError],
    reply: str,
) -> None:
    prepare(bench)
    rule(bench, rules)
    failure = await refused(bench, subscription_id=sub)
    assert (type(failure), failure.message) == (kind, reply)
    assert bench.world.telephony.messages == []


@needs_messages
async def test_a_card_turned_off_since_it_was_listed_sends_nothing(bench: Bench) -> None:
    await bench.call("get_sms_subscriptions")
    turn_off(bench)
    for _ in range(2):
        failure = await refused(bench, subscription_id=14)
        assert (type(failure), failure.message) == (
            InvalidParams,
            "The subscription 14 is not active: its SIM card is turned off, or not in the phone."
            f" Active: 17{BOTH.partition(', 17')[2]}. Nothing was sent.",
        )
    assert bench.world.telephony.messages == []


@needs_messages
async def test_a_number_is_let_through_by_its_pattern(bench: Bench) -> None:
    rule(bench, SmsRules(allow=("+3378588034?",), block=("+3378588034",)))
    assert await send(bench) == f"SMS sent to {TO}"


@needs_messages
@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.OK])
async def test_every_refusal_of_the_phone_has_its_sentence(bench: Bench, outcome: Outcome) -> None:
    reasons = {
        1: "the phone gives no further reason. The network may not accept the number, the credit"
        " may be used up, or the phone does not let adb send messages",
        2: "the phone's radio is off, although airplane mode is not on. Turn the SIM card on in the"
        " phone's settings, or restart the phone",
        3: "the phone could not create a message from this number and text",
        4: "the SIM card has no service. Wait until it has a network, or use another subscription",
        5: "after many messages the phone asked for permission on its screen, and did not get it."
        " Wait a minute",
        6: "the SIM card sends only to its fixed dialling numbers (FDN)",
        7: "the phone's owner does not allow messages to this short code",
        8: "the phone never allows messages to this short code",
    }
    bench.world.telephony.fail("*", outcome)
    failure = await refused(bench)
    reply = f"The SMS to {TO} was not sent: {reasons[outcome]}. Nothing was sent."
    assert (type(failure), failure.message) == (ActionFailed, reply)
    assert sent(bench) == []


@needs_messages
async def test_airplane_mode_of_the_settings_app_is_reported(bench: Bench) -> None:
    bench.world.launch("com.android.settings")
    for words in ("Network & internet", "Airplane mode"):
        nodes = [node for window in bench.world.automation.read_windows() for node in window.nodes]
        bounds = next(node.bounds for node in nodes if node.text == words)
        await bench.call("tap", x=bounds.left + 1, y=bounds.top + 1)
    assert (await refused(bench)).message == (
        f"The SMS to {TO} was not sent: airplane mode is on. Turn it off and try again. Nothing was"
        " sent."
    )


@needs_messages
@pytest.mark.parametrize(
    ("outcome", "setting", "reason"),
    [
        (Outcome.NO_SERVICE, "1", "airplane mode is on. Turn it off and try again"),
        (Outcome.RADIO_OFF, "?", "the phone's radio is off. Check whether airplane mode is on"),
        (Outcome.NO_SERVICE, "?", "the SIM card has no service. Wait until it has a network, or use"
         " another subscription"),
    ],
)  # fmt: skip
async def test_airplane_mode_is_mentioned_only_if_the_phone_reports_it(
    bench: Bench, outcome: Outcome, setting: str, reason: str
) -> None:
    bench.world.telephony.fail("*", outcome)
    call = bench.beside(refused(bench))
    await bench.until(lambda: bool(bench.world.telephony.messages))
    bench.world.preferences.put("global", "airplane_mode_on", setting)
    failure = await call
    assert failure.message == f"The SMS to {TO} was not sent: {reason}. Nothing was sent."


@needs_messages
async def test_a_partly_sent_message_names_the_sent_parts(bench: Bench) -> None:
    bench.world.telephony.fail("*", Outcome.GENERIC_FAILURE, part=2)
    failure = await refused(bench, sms_text="ő" * 100)
    assert failure.message == (
        f"The SMS to {TO} was sent in part: 1 of its 2 parts went out, and part 2 did not: the"
        " phone gives no further reason. The network may not accept the number, the credit may be "
        "used"
        " up, or the phone does not let adb send messages. Sending it again repeats those that"
        " did."
    )


@needs_messages
async def test_ten_parts_a_minute_are_sent_over_all_connections(bench: Bench) -> None:
    counted = SentParts()
    rule(bench, SmsRules(), counted)
    for _ in range(4):
        assert await send(bench, "ő" * 100) == f"SMS sent to {TO}"
    rule(bench, SmsRules(), counted)
    await send(bench)
    failure = await refused(bench, sms_text="ő" * 100)
    passed = bench.clock.now() / 1000
    assert (type(failure), failure.message) == (
        PermissionDenied,
        "The limit of 10 parts a minute (the setting sms.parts_per_minute, counted over all"
        f" callers) is reached. This message is possible in {60 - int(passed)} s. Nothing was"
        " sent.",
    )
    await send(bench)  # a shorter one is not too much
    await bench.clock.advance(60_000)
    await send(bench, "ő" * 100)
    assert len(sent(bench)) == 7


@needs_messages
@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.GENERIC_FAILURE])
async def test_parts_beyond_those_expected_count_too(bench: Bench, outcome: Outcome) -> None:
    rule(bench, SmsRules(parts_per_minute=3))
    bench.world.telephony.fail("*", outcome, times=1)
    call = bench.items if outcome is Outcome.OK else bench.failure
    # Two parts, if flags were parted.
    await bench.passing(
        call("send_sms", to_phone_number=TO, sms_text="🇭🇺" * 33, subscription_id=14)
    )
    assert "The limit of 3 parts a minute" in (await refused(bench)).message


@needs_messages
async def test_a_text_of_more_parts_than_a_minute_has_is_never_sent(bench: Bench) -> None:
    rule(bench, SmsRules(parts_per_minute=1))
    failure = await refused(bench, sms_text="ő" * 71)
    assert failure.message == (
        "This text takes 2 parts, and the setting sms.parts_per_minute allows 1 a minute. Shorten"
        " it. Nothing was sent."
    )


@needs_messages
async def test_a_dry_run_checks_all_and_sends_nothing(bench: Bench) -> None:
    rule(bench, SmsRules(dry_run=True, parts_per_minute=2))
    for _ in range(3):
        assert await send(bench, "ő" * 71) == (
            f"Dry run: nothing was sent. An SMS to {TO} would have been sent by subscription 14"
            " (SIM slot 0, Orange F, vodafone UK), in about 2 parts. The setting sms.dry_run is on."
        )
    assert "is required" in (await refused(bench, subscription_id=None)).message
    assert bench.world.telephony.messages == []


@needs_messages
async def test_a_lost_phone_may_have_sent_it(bench: Bench) -> None:
    call = bench.beside(
        bench.failure("send_sms", to_phone_number=TO, sms_text="Hi", subscription_id=14)
    )
    await bench.until(lambda: bool(bench.world.telephony.messages))
    bench.device.kill("handheld")
    failure = await call
    assert type(failure) is ActionFailed
    assert failure.message.endswith(
        "The message may have been sent. Check the phone's messages before sending it again."
    )
    assert len(bench.world.telephony.messages) == 1


@needs_messages
async def test_a_silent_phone_may_have_sent_the_message(bench: Bench) -> None:
    for _ in range(30):
        bench.world.telephony.send(TO, "x", 14, package="com.android.shell")
    call = bench.beside(
        bench.failure("send_sms", to_phone_number=TO, sms_text="One more", subscription_id=14)
    )
    await bench.until(lambda: bool(dialog(bench)))
    for _ in range(5):
        await bench.call("get_sms_subscriptions")  # else the phone takes us for gone
        assert not call.done()
        await bench.clock.advance(10_000)
    failure = await call
    assert (type(failure), failure.message) == (
        ActionFailed,
        "The phone did not report within 50 s whether the message was sent. The message may have "
        "been sent. Check the phone's messages before sending it again.",
    )


@pytest.mark.by_helper("nothing that could be cancelled is begun: see test_without_helper")
async def test_a_cancelled_call_reports_that_it_may_have_been_sent(bench: Bench) -> None:
    client = {"name": "leaver", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    session = (await bench.http.post("/mcp", json=greeting)).headers["mcp-session-id"]
    arguments = {"to_phone_number": TO, "sms_text": "Hi", "subscription_id": 14}
    params = {"name": "android_send_sms", "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {"mcp-session-id": session}
    calling = asyncio.create_task(bench.http.post("/mcp", json=call, headers=headers))
    await bench.until(lambda: bool(bench.world.telephony.messages))
    stop = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    await bench.http.post("/mcp", json=stop, headers=headers)
    assert (await calling).json()["error"] == {
        "code": -32800,
        "message": "The client cancelled this request. The message may have been sent. Check the "
        "phone's messages before sending it again.",
    }


@needs_messages
async def test_the_owner_is_asked_and_others_can_touch_the_screen_meanwhile(bench: Bench) -> None:
    rule(bench, SmsRules(parts_per_minute=30))
    for _ in range(30):
        bench.world.telephony.send(TO, "x", 14, package="com.android.shell")
    call = bench.beside(
        bench.call("send_sms", to_phone_number=TO, sms_text="One more", subscription_id=14)
    )
    await bench.until(lambda: bool(dialog(bench)))
    await bench.call("click_element", element_id=await bench.id_of("Allow"))
    assert await bench.passing(call_of(call)) == f"SMS sent to {TO}"


def dialog(bench: Bench) -> list[str]:
    nodes = [node for window in bench.world.automation.read_windows() for node in window.nodes]
    return [node.text for node in nodes if node.text == "Allow"]


@needs_messages
async def test_a_fault_of_ours_leaves_it_open_whether_it_was_sent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def breaks(subscription: int, to: str, text: str) -> int:
        raise KeyError(to, text)

    monkeypatch.setattr(bench.phone.driver, "send_sms", breaks)
    failure = await refused(bench, sms_text="my secret")
    assert failure.message == (
        "Internal error in android_send_sms; details are in Handheld's log. It may or may not have"
        " happened."
    )
    assert "KeyError while an SMS was being sent" in caplog.text
    assert "my secret" not in caplog.text
    assert TO not in caplog.text


@needs_messages
async def test_numbers_and_texts_are_masked_in_the_log(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = ["my secret", TO, TO[1:], "+44"]
    with caplog.at_level(logging.DEBUG):
        await send(bench, "my secret")
        bench.world.telephony.fail("*", Outcome.NO_SERVICE)
        await refused(bench, sms_text="my secret")
        await refused(bench, sms_text="my secret", to_phone_number="+44 my secret")
        await refused(bench, sms_text="my secret" * 20)
    reply = [record.getMessage() for record in caplog.records if "SMS" in record.getMessage()]
    assert reply == ["SMS to +33…47 by 14: sent in 1 part.", "SMS to +33…47 by 14: result 4."]
    assert [secret for secret in secrets if secret in caplog.text] == []
