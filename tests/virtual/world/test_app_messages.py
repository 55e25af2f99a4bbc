"""The messages app: received messages, sent messages, and their outcomes."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.apps.messages.app import ConversationList
from handheld_virtual.apps.messages.conversation import Conversation, NewConversation
from handheld_virtual.sms.message import Box, Outcome
from handheld_virtual.sms.sending import DELIVERY_MS, SEND_MS
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

from .finger import Finger

APP = "com.android.messaging"


async def pass_time(world: World, clock: ManualClock, ms: float) -> None:
    await clock.advance(ms)
    world.settle()


def test_empty_message_list_shows_a_placeholder(world: World, finger: Finger):
    world.launch(APP)
    assert "Once you start a new conversation, you’ll see it listed here" in finger.texts()


def test_an_incoming_message_is_a_notification_that_opens_its_thread(world: World, finger: Finger):
    world.telephony.receive("+36205550100", "Hello")
    world.telephony.receive("+36 20 555 0100", "Hello again")
    assert [(n.title, n.text) for n in world.notifications.posted] == [
        ("+36 20 555 0100", "Hello again")
    ]
    world.press("notifications")
    finger.tap("Hello again")
    assert isinstance(world.front, Conversation)
    assert [t for t in finger.texts() if t.startswith("Hello")] == ["Hello", "Hello again"]
    assert (world.telephony.unread, world.notifications.posted) == (0, [])


def test_the_list_counts_what_is_unread_and_shows_the_newest_first(world: World, finger: Finger):
    world.telephony.store("+15550100", "Old", date=1_760_000_000_000)
    world.launch(APP)
    world.telephony.receive("Bank", "Your balance\nis 3")
    assert finger.text("conversation_snippet") == "Your balance is 3"
    assert finger.text("conversation_unread_count") == "1"
    texts = finger.texts()
    assert texts.index("Bank") < texts.index("+15550100")
    assert "Oct 9, 2025" in texts


async def test_message_is_sent_through_the_chosen_sim(
    world: World, finger: Finger, clock: ManualClock
):
    world.launch(APP)
    finger.tap("start_new_conversation_button", "recipient_text_view")
    world.type_text("+36701112222")
    finger.tap("compose_message_text")
    world.type_text("Hello 👋")
    finger.tap("self_send_icon")
    finger.tap("Yettel HU • EE | Yettel HU\n+36201234567")
    finger.tap("send_message_button")
    assert finger.text("message_status") == "Sending…"
    await pass_time(world, clock, SEND_MS)
    assert finger.text("message_status") == "9:41 • Yettel HU"
    await pass_time(world, clock, DELIVERY_MS)
    assert finger.text("message_status") == "Delivered • 9:41 • Yettel HU"
    (message,) = world.telephony.messages
    assert (message.address, message.body, message.sub, message.box, message.creator) == (
        *("+36701112222", "Hello 👋", 17, Box.SENT),
        APP,
    )
    assert finger.text("self_send_icon") == "Yettel HU"
    world.press("back")
    assert isinstance(world.front, ConversationList)
    assert finger.text("conversation_snippet") == "You: Hello 👋"


async def test_failed_message_is_marked_and_a_tap_resends_it(
    world: World, finger: Finger, clock: ManualClock
):
    world.telephony.fail("+1555*", Outcome.NO_SERVICE, times=1)
    world.start(APP, Conversation.name, {"address": "+15550100", "sms_body": "Hi"})
    finger.tap("send_message_button")
    await pass_time(world, clock, SEND_MS)
    assert finger.text("message_status") == "Not sent. Touch to try again."
    finger.tap("message_text")
    await pass_time(world, clock, SEND_MS)
    assert [m.box for m in world.telephony.messages] == [Box.SENT]
    assert finger.text("message_status") == "9:41 • Orange F"


def test_message_in_the_open_conversation_is_read_immediately(world: World, finger: Finger):
    world.start(APP, Conversation.name, {"address": "+15550100"})
    world.telephony.receive("+1 555 0100", "Here")
    assert finger.text("message_text") == "Here"
    assert (world.telephony.unread, world.notifications.posted) == (0, [])
    world.telephony.receive("Bank", "There")
    assert (world.telephony.unread, len(world.notifications.posted)) == (1, 1)


def test_message_stays_unread_while_the_screen_is_off(world: World, finger: Finger):
    world.start(APP, Conversation.name, {"address": "+15550100"})
    world.key(223)
    world.telephony.receive("+15550100", "Here")
    assert (world.telephony.unread, len(world.notifications.posted)) == (1, 1)
    world.key(224)
    world.press("notifications")
    finger.tap("Here")
    assert finger.text("message_text") == "Here"
    assert (world.telephony.unread, world.notifications.posted) == (0, [])


def test_without_the_permission_no_notification_is_posted(world: World):
    world.permissions.revoke(APP, "android.permission.POST_NOTIFICATIONS")
    world.telephony.receive("+15550100", "Hello")
    assert (world.telephony.unread, world.notifications.posted) == (1, [])


def test_a_number_from_outside_opens_its_conversation_with_the_text_written(
    world: World, finger: Finger
):
    world.start(APP, NewConversation.name, {"address": "+15550100", "sms_body": "On my way"})
    assert finger.text("conversation_title") == "+15550100"
    assert finger.text("compose_message_text") == "On my way"
    world.press("back")
    assert not isinstance(world.front, NewConversation)


def test_a_recipient_without_digits_is_refused_and_the_text_stays(world: World, finger: Finger):
    world.launch(APP)
    finger.tap("start_new_conversation_button", "recipient_text_view")
    world.type_text("nobody")
    finger.tap("compose_message_text")
    world.type_text("Hello")
    finger.tap("send_message_button")
    assert finger.text("recipient_error") == "Enter a phone number"
    assert finger.text("compose_message_text") == "Hello"
    assert world.telephony.messages == []


def test_with_one_sim_there_is_no_choice_and_without_one_no_sending(world: World, finger: Finger):
    world.telephony.set_active(17, False)
    world.start(APP, Conversation.name, {"address": "+15550100", "sms_body": "Hi"})
    with pytest.raises(AssertionError, match="self_send_icon"):
        finger.find("self_send_icon")
    world.telephony.set_active(14, False)
    world.start(APP, Conversation.name, {"address": "+15550100"})
    assert finger.text("compose_message_text") == "No SIM card"


def test_a_long_text_is_counted_in_messages(world: World, finger: Finger):
    world.start(APP, Conversation.name, {"address": "+15550100", "sms_body": "a" * 155})
    assert finger.text("char_counter") == "5"
    finger.tap("compose_message_text")
    world.type_text("ő")
    assert finger.text("char_counter") == "45 / 3"


def test_a_conversation_is_deleted_after_a_question(world: World, finger: Finger):
    world.telephony.receive("+15550100", "Hello")
    world.launch(APP)
    finger.tap("Hello", "action_delete", "Cancel")
    assert len(world.telephony.threads) == 1
    finger.tap("action_delete", "Delete")
    assert world.telephony.threads == []
    assert isinstance(world.front, ConversationList)


def test_newest_message_is_visible_above_the_keyboard(world: World, finger: Finger):
    for number in range(40):
        world.telephony.store("+15550100", f"Message {number}")
    world.start(APP, Conversation.name, {"address": "+15550100"})
    assert seen(finger)[-1] == "Message 39"
    assert "Message 0" not in seen(finger)
    finger.tap("compose_message_text")
    assert seen(finger)[-1] == "Message 39"
    finger.drag(300, 600, 1100)
    assert "Message 39" not in seen(finger)


def seen(finger: Finger) -> list[str]:
    """The messages on the screen, from the top."""
    shown = [n for n in finger.nodes() if (n.resource_id or "").endswith("/message_text")]
    return [node.text or "" for node in shown if node.flags & Flag.VISIBLE]
