"""Conversations, existing and new."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, cast

from ...packages.app import Activity, App
from ...packages.chooser import TEXT
from ...sms.message import Box, Message, Sim, plain_address
from ...views.drawing import theme
from ...views.layout import Column, Row
from ...views.view import MATCH, View
from ...views.widgets.basic import IconButton, Text
from ...views.widgets.field import Field
from ...views.widgets.parts import Toolbar
from ..contacts.people import contact_name
from .views import Bubble, Composer, ConversationScroll

if TYPE_CHECKING:
    from ...world import World
    from .app import Messages

MOST_SHOWN = 200
"""The limit of messages shown; older ones are not shown."""


class Conversation(Activity):
    """The conversation with the number in the extra `address`; `sms_body` is the field's initial
    text."""

    name = ".ui.conversation.ConversationActivity"

    def __init__(self, app: App, extras: Mapping[str, str] | None = None) -> None:
        super().__init__(app, extras)
        self.address = self.extras.get("address", "")

    @property
    def title(self) -> str:
        return contact_name(self.world, self.address) or super().title

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
                contact_name(self.world, self.address) or "Unknown sender",
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
        self._seen()
        self.refresh()

    def _seen(self) -> None:
        cast("Messages", self.app).seen(self.address)

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
        time = clock(moment(self.world, message.date))
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
    """The target of `sms:` and `smsto:`. If the extra `address` is a number, it opens that
    conversation instead."""

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
        body = self.extras.get("sms_body") or self.extras.get(TEXT, "")
        self.composer = Composer(self, self._send, body)
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
            self.composer.field.set_text(text)
            return
        self.world.telephony.send(address, text, sim.id, package=self.app.package)
        self.open(Conversation(self.app, {"address": address}))
        self.finish()

    def refresh(self) -> None:
        self.composer.refresh()


def moment(world: "World", date: int) -> datetime:
    return datetime.fromtimestamp(date / 1000, world.wall.zone)


def clock(then: datetime) -> str:
    return f"{then.hour}:{then.minute:02d}"


def _day(world: "World", then: datetime) -> str:
    days = (world.wall.now().date() - then.date()).days
    if days in (0, 1):
        return "Today" if days == 0 else "Yesterday"
    return f"{then:%A}, {then:%B} {then.day}, {then:%Y}"
