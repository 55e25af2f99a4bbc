"""Messages: conversations, one of them, and a new one. What is sent goes through telephony."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from ...apk.manifest import Filter
from .. import theme
from ..app import Activity, App
from ..field import Field
from ..layout import Column, Frame, Row
from ..notifications import Notification
from ..parts import Avatar, Empty, List, Toolbar
from ..sms import Box, Message, Sim, Thread, plain_address
from ..views import MATCH, View
from ..widgets import Button, IconButton, Text
from .messages_views import Bubble, Composer, ConversationScroll

if TYPE_CHECKING:
    from ..world import World

NOTIFY = "android.permission.POST_NOTIFICATIONS"
MOST_SHOWN = 200
"""Messages of a conversation; those before are not shown."""


class ConversationList(Activity):
    name = ".ui.conversationlist.ConversationListActivity"

    def content(self) -> View:
        self.threads = List[Thread]((), self._row, row_height=80, id="android:id/list")
        self.empty = Empty(
            "message", "Once you start a new conversation, you’ll see it listed here"
        )
        self.refresh()
        return Column(
            Toolbar("Messages"),
            Frame(
                self.threads,
                self.empty,
                Button(
                    "Start chat",
                    lambda: self.open(NewConversation(self.app)),
                    id="start_new_conversation_button",
                    description="Start new conversation",
                    size=16,
                    padding=(24, 16),
                    radius=16,
                    gravity="right bottom",
                    margin=16,
                    background=theme.PRIMARY_CONTAINER,
                    color=theme.ON_PRIMARY_CONTAINER,
                ),
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def resumed(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        threads = self.world.telephony.threads
        self.threads.items = threads
        self.threads.shown, self.empty.shown = bool(threads), not threads

    def _row(self, thread: Thread) -> View:
        last = thread.last
        words = {Box.INBOX: "", Box.OUTBOX: "Sending: ", Box.FAILED: "Not sent: "}
        snippet = words.get(last.box, "You: ") + last.body.replace("\n", " ")
        face = "Bold" if thread.unread else "Regular"
        failed = last.box is Box.FAILED
        ink = theme.ON_SURFACE if thread.unread else theme.ON_SURFACE_DIM
        count = Text(
            str(thread.unread),
            size=12,
            face="Medium",
            align="center",
            padding=(7, 3),
            radius=10,
            background=theme.PRIMARY,
            color=theme.ON_PRIMARY,
            id="conversation_unread_count",
            shown=thread.unread > 0,
            gravity="right",
        )
        return Row(
            avatar(thread.address),
            Column(
                Text(
                    thread.address,
                    face=face,
                    most_lines=1,
                    id="conversation_name",
                    width=MATCH,
                ),
                Text(
                    snippet,
                    size=14,
                    face=face,
                    most_lines=1,
                    id="conversation_snippet",
                    width=MATCH,
                    color=theme.ERROR if failed else ink,
                ),
                gap=4,
                weight=1,
                width=0,
            ),
            Column(
                Text(
                    when(self.world, last.date),
                    size=12,
                    color=ink,
                    id="conversation_timestamp",
                    gravity="right",
                ),
                count,
                gap=6,
            ),
            gap=16,
            padding=(20, 10),
            content_gravity="center left",
            id="swipeableContainer",
            on_click=lambda: self.open(Conversation(self.app, {"address": thread.address})),
            on_long_click=lambda: self._delete(thread),
        )

    def _delete(self, thread: Thread) -> None:
        self.ask(
            "Delete this conversation?",
            "This can’t be undone.",
            cancel=lambda: None,
            delete=lambda: self.world.telephony.delete_thread(thread.address),
        )


class Conversation(Activity):
    """With the number in `address`; `sms_body` is put into the field."""

    name = ".ui.conversation.ConversationActivity"

    def __init__(self, app: App, extras: Mapping[str, str] | None = None) -> None:
        super().__init__(app, extras)
        self.address = self.extras.get("address", "")

    @property
    def title(self) -> str:
        return self.address or super().title

    def content(self) -> View:
        self.bubbles = Column(width=MATCH, gap=6, padding=(16, 12), id="android:id/list")
        self.scroll = ConversationScroll(
            self.bubbles, width=MATCH, height=0, weight=1, id="message_list"
        )
        thread = self.world.telephony.thread(self.address)
        self.composer = Composer(
            self,
            self._send,
            self.extras.get("sms_body", ""),
            thread.last.sub if thread is not None else None,
        )
        self.refresh()
        delete = IconButton("bin", self._delete, id="action_delete", description="Delete")
        return Column(
            Toolbar(
                self.address or "Unknown sender",
                delete,
                on_back=self.finish,
                title_id="conversation_title",
            ),
            self.scroll,
            self.composer,
            background=theme.SURFACE,
        )

    def shows(self, address: str) -> bool:
        return plain_address(self.address) == plain_address(address)

    def resumed(self) -> None:
        messages_of(self).seen(self.address)
        self.refresh()

    def refresh(self) -> None:
        thread = self.world.telephony.thread(self.address)
        messages = thread.messages[-MOST_SHOWN:] if thread is not None else ()
        views: list[View] = []
        day = ""
        for message in messages:
            date = moment(self.world, message.date)
            if f"{date:%Y-%m-%d}" != day:
                day = f"{date:%Y-%m-%d}"
                views.append(
                    Text(
                        _day(self.world, date),
                        size=12,
                        align="center",
                        width=MATCH,
                        padding=(0, 10),
                        color=theme.ON_SURFACE_DIM,
                        id="conversation_day",
                    )
                )
            views.append(Bubble(message, self._status(message), lambda m=message: self._again(m)))
        self.bubbles.replace(*views)
        self.composer.refresh()

    def _status(self, message: Message) -> str:
        time = _clock(moment(self.world, message.date))
        sim = self.world.telephony.sim(message.sub)
        by = f" • {sim.display_name}" if sim and len(self.world.telephony.active_sims) > 1 else ""
        match message.box:
            case Box.OUTBOX:
                return "Sending…"
            case Box.FAILED:
                return "Not sent. Touch to try again."
            case Box.SENT if message.delivered:
                return f"Delivered • {time}{by}"
            case _:
                return time + by

    def _send(self, text: str, sim: Sim) -> None:
        self.scroll.at_end = True
        self.world.telephony.send(self.address, text, sim.id, package=self.app.package)

    def _again(self, message: Message) -> None:
        if message.box is Box.FAILED:
            self.world.telephony.delete(message.id)
            self.world.telephony.send(
                message.address, message.body, message.sub, package=self.app.package
            )

    def _delete(self) -> None:
        def delete() -> None:
            self.world.telephony.delete_thread(self.address)
            self.finish()

        self.ask(
            "Delete this conversation?",
            "This can’t be undone.",
            cancel=lambda: None,
            delete=delete,
        )


class NewConversation(Activity):
    """What `sms:` and `smsto:` lead to; with a number in `address` it makes way for that one."""

    name = ".ui.conversation.NewConversationActivity"

    def content(self) -> View:
        self.recipient = Field(
            hint="Type a phone number",
            id="recipient_text_view",
            weight=1,
            width=0,
            most=64,
            outlined=False,
            on_type=lambda _: self._valid(),
        )
        self.problem = Text(
            "Enter a phone number",
            size=12,
            color=theme.ERROR,
            id="recipient_error",
            padding=(20, 8),
            width=MATCH,
            shown=False,
        )
        self.composer = Composer(self, self._send, self.extras.get("sms_body", ""))
        return Column(
            Toolbar("New conversation", on_back=self.finish),
            Row(
                Text("To", color=theme.ON_SURFACE_DIM, id="recipient_label"),
                self.recipient,
                width=MATCH,
                content_gravity="center left",
                padding=(20, 0, 8, 0),
                background=theme.SURFACE_HIGH,
            ),
            self.problem,
            View(width=MATCH, height=0, weight=1),
            self.composer,
            background=theme.SURFACE,
        )

    def resumed(self) -> None:
        if self.extras.get("address"):
            self.open(Conversation(self.app, self.extras))
            self.finish()

    def _valid(self) -> bool:
        self.problem.shown = False
        return any(sign.isdecimal() for sign in self.recipient.content)

    def _send(self, text: str, sim: Sim) -> None:
        address = self.recipient.content.strip()
        if not self._valid():
            self.problem.shown = True
            self.composer.field.content = text
            return
        self.world.telephony.send(address, text, sim.id, package=self.app.package)
        self.open(Conversation(self.app, {"address": address}))
        self.finish()

    def refresh(self) -> None:
        self.composer.refresh()


class Messages(App):
    package, label = "com.android.messaging", "Messages"
    version, version_code, system = "14", 34, True
    permissions = (
        "android.permission.RECEIVE_SMS",
        "android.permission.SEND_SMS",
        "android.permission.READ_SMS",
        NOTIFY,
    )
    screens = (ConversationList, Conversation, NewConversation)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        NewConversation.name: (
            Filter(
                actions=("android.intent.action.SENDTO", "android.intent.action.VIEW"),
                categories=("android.intent.category.DEFAULT",),
                schemes=("sms", "smsto"),
            ),
        ),
    }
    icon, color = "message", (26, 115, 232)

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self._told: dict[str, Notification] = {}
        """The newest notification of each number."""
        for permission in self.permissions:
            world.permissions.grant(self.package, permission)
        world.telephony.watch(self._changed)
        world.telephony.watch_received(self._received)

    def seen(self, address: str) -> None:
        """The owner looks at a conversation."""
        self.world.telephony.mark_read(address)
        notification = self._told.pop(plain_address(address), None)
        if notification is not None:
            self.world.notifications.remove(notification)

    def show(self, address: str) -> None:
        """Bring a conversation to the front, the one that is open if it is that."""
        self.world.bring(self.package)
        front = self.world.front
        if isinstance(front, Conversation | NewConversation):
            if isinstance(front, Conversation) and front.shows(address):
                self.seen(address)
                return
            front.finish()
        self.world.open(Conversation(self, {"address": address}))

    def _changed(self, message: Message) -> None:
        front = self.world.front_or_none
        if isinstance(front, ConversationList | Conversation | NewConversation):
            front.refresh()

    def _received(self, message: Message) -> None:
        if self.world.apps.get(self.package) is not self:
            return  # removed, or another is in its place
        front, key = self.world.front_or_none, plain_address(message.address)
        self.log("I", "Messaging", f"Received a message by subscription {message.sub}")
        watched = self.world.awake and not self.world.locked
        if watched and isinstance(front, Conversation) and front.shows(message.address):
            self.seen(message.address)
            return
        before = self._told.pop(key, None)
        if before is not None:
            self.world.notifications.remove(before)
        if self._may_notify:
            self._told[key] = self.world.notify(
                self.package, message.address, message.body, lambda: self.show(message.address)
            )

    @property
    def _may_notify(self) -> bool:
        return self.world.api < 33 or self.world.permissions.granted(self.package, NOTIFY)


def messages_of(activity: Activity) -> Messages:
    assert isinstance(activity.app, Messages)
    return activity.app


def avatar(address: str) -> View:
    letter = next((sign for sign in address if sign.isalpha()), "")
    return Avatar("" if letter else "person", letter=letter.upper(), id="conversation_icon")


def moment(world: "World", date: int) -> datetime:
    return datetime.fromtimestamp(date / 1000, world.wall.zone)


def when(world: "World", date: int) -> str:
    """Of a message in a list: the time today, else the day."""
    then, now = moment(world, date), world.wall.now()
    if then.date() == now.date():
        return _clock(then)
    return f"{then:%b} {then.day}" if then.year == now.year else f"{then:%b} {then.day}, {then:%Y}"


def _clock(then: datetime) -> str:
    return f"{then.hour}:{then.minute:02d}"


def _day(world: "World", then: datetime) -> str:
    days = (world.wall.now().date() - then.date()).days
    if days in (0, 1):
        return "Today" if days == 0 else "Yesterday"
    return f"{then:%A}, {then:%B} {then.day}, {then:%Y}"
