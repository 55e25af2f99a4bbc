"""Messages: the list of conversations, and the notifications of received messages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from handheld.app_formats.apk.manifest import Filter

from ...packages.app import Activity, App
from ...packages.chooser import SHARED
from ...sms.message import Box, Message, Thread, plain_address
from ...system.notifications import Notification
from ...views.drawing import theme
from ...views.layout import Column, Frame, Row
from ...views.view import MATCH, View
from ...views.widgets.basic import Button, Text
from ...views.widgets.parts import Avatar, Empty, List, Toolbar
from ..contacts.people import contact_name
from .conversation import Conversation, NewConversation, clock, moment

if TYPE_CHECKING:
    from ...world import World

NOTIFY = "android.permission.POST_NOTIFICATIONS"


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
            avatar(contact_name(self.world, thread.address)),
            Column(
                Text(
                    contact_name(self.world, thread.address),
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
            SHARED,
        ),
    }
    icon, color = "message", (26, 115, 232)

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self._told: dict[str, Notification] = {}
        """The newest notification for each number."""
        for permission in self.permissions:
            world.permissions.grant(self.package, permission)
        world.telephony.watch(self._changed)
        world.telephony.watch_received(self._received)

    def seen(self, address: str) -> None:
        """Mark a conversation as read when it is shown."""
        self.world.telephony.mark_read(address)
        self._told.pop(plain_address(address), None)
        title = contact_name(self.world, address)
        for note in list(self.world.notifications.posted):
            # Including notifications that a scene posted.
            if (note.package, note.title) == (self.package, title):
                self.world.notifications.remove(note)

    def show(self, address: str) -> None:
        """Bring a conversation to the front; reuse the activity if it already shows the
        conversation."""
        self.world.bring(self.package)
        front = self.world.front
        if isinstance(front, Conversation | NewConversation):
            if isinstance(front, Conversation) and front.shows(address):
                self.seen(address)
                return
            front.finish()
        self.world.open(Conversation(self, {"address": address}))

    def _changed(self, message: Message) -> None:
        front = self.world.tasks.front
        if isinstance(front, ConversationList | Conversation | NewConversation):
            front.refresh()

    def _received(self, message: Message) -> None:
        if self.world.apps.get(self.package) is not self:
            return  # the app was removed or replaced
        front, key = self.world.tasks.front, plain_address(message.address)
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
                self.package,
                contact_name(self.world, message.address),
                message.body,
                lambda: self.show(message.address),
            )

    @property
    def _may_notify(self) -> bool:
        return not self.world.android.notification_permission or self.world.permissions.granted(
            self.package, NOTIFY
        )


def avatar(address: str) -> View:
    letter = next((sign for sign in address if sign.isalpha()), "")
    return Avatar("" if letter else "person", letter=letter.upper(), id="conversation_icon")


def when(world: "World", date: int) -> str:
    """Format a message's date for a list: the time for today, otherwise the day."""
    then, now = moment(world, date), world.wall.now()
    if then.date() == now.date():
        return clock(then)
    return f"{then:%b} {then.day}" if then.year == now.year else f"{then:%b} {then.day}, {then:%Y}"
