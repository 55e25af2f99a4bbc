"""The views of a conversation: bubbles, a list that stays at its end, and the compose field."""

from collections.abc import Callable
from typing import Unpack

from ...packages.app import Activity
from ...sms.message import Box, Message, Sim
from ...sms.parts import GSM_MANY, GSM_ONE, UCS2_MANY, UCS2_ONE, divide, weigh
from ...views.drawing import theme
from ...views.layout import Column, Row, Scroll
from ...views.options import Options
from ...views.view import MATCH, View
from ...views.widgets.basic import IconButton, Text
from ...views.widgets.field import Field

COUNTED_BELOW = 10
"""The counter appears below this number of remaining characters, as on Android."""


class ConversationScroll(Scroll):
    """A list that stays at its end until it is scrolled, even when the keyboard opens."""

    kind = "androidx.recyclerview.widget.RecyclerView"
    collection = True
    __slots__ = ("at_end",)

    def __init__(self, *children: View, **options: Unpack[Options]) -> None:
        self.at_end = True
        super().__init__(*children, **options)

    def arrange_children(self, dp: float) -> None:
        if self.at_end:
            self.offset = self.extent
        super().arrange_children(dp)
        left, top, _, bottom = self.inner(dp)
        if self.extent < bottom - top:
            for child in self.children:
                child.arrange(left, bottom - self.extent, dp)  # a short list is at the bottom

    def scroll_by(self, pixels: int) -> bool:
        moved = super().scroll_by(pixels)
        self.at_end = not self.can_scroll(True)
        return moved


class Bubble(Column):
    """A message, on the left if received, on the right if sent."""

    __slots__ = ()

    def __init__(self, message: Message, status: str, on_click: Callable[[], object]) -> None:
        received = message.box is Box.INBOX
        failed = message.box is Box.FAILED
        side = "left" if received else "right"
        ground = theme.SURFACE_HIGH if received else theme.PRIMARY
        ink = theme.ON_SURFACE if received else theme.ON_PRIMARY
        text = Text(
            message.body,
            id="message_text",
            color=ink,
            background=ground,
            radius=20,
            padding=(16, 10),
            gravity=side,
            on_click=on_click if failed else None,
        )
        below = Text(
            status,
            size=12,
            id="message_status",
            color=theme.ERROR if failed else theme.ON_SURFACE_DIM,
            gravity=side,
            padding=(4, 0),
        )
        super().__init__(
            text,
            below,
            gap=2,
            width=MATCH,
            padding=(0, 2, 56, 2) if received else (56, 2, 0, 2),
            id="conversation_message_view",
        )


class Composer(Column):
    """A compose field, a send button, and a choice of the SIM if there are two."""

    __slots__ = ("activity", "counter", "field", "on_send", "send_button", "sim", "sim_button")

    def __init__(
        self,
        activity: Activity,
        on_send: Callable[[str, Sim], object],
        text: str = "",
        sub: int | None = None,
    ) -> None:
        """`sub` is the preselected subscription."""
        self.activity, self.on_send = activity, on_send
        telephony = activity.world.telephony
        self.sim = telephony.default_sim if sub is None else telephony.sim(sub)
        self.sim_button = Text(
            "",
            size=12,
            face="Medium",
            align="center",
            color=theme.PRIMARY,
            padding=(10, 14),
            id="self_send_icon",
            on_click=self._choose_sim,
            class_name="android.widget.Button",
        )
        self.field = Field(
            text,
            hint="Text message",
            id="compose_message_text",
            single_line=False,
            most_lines=4,
            most=10_000,
            weight=1,
            width=0,
            padding=(4, 14),
            outlined=False,
            on_type=lambda _: self.refresh(),
        )
        self.counter = Text("", size=11, id="char_counter", color=theme.ON_SURFACE_DIM, padding=4)
        self.send_button = IconButton(
            "send",
            self._send,
            id="send_message_button",
            description="Send Message",
            color=theme.PRIMARY,
        )
        line = Row(
            self.sim_button,
            self.field,
            self.counter,
            self.send_button,
            width=MATCH,
            padding=(6, 0),
            content_gravity="center left",
            background=theme.SURFACE_HIGH,
            radius=26,
            id="message_compose_view",
        )
        super().__init__(line, width=MATCH, padding=(12, 8))
        self.refresh()

    def refresh(self) -> None:
        """Update the SIMs, and the counter of the text."""
        active = self.activity.world.telephony.active_sims
        if self.sim not in active:
            self.sim = active[0] if active else None
        self.sim_button.shown = len(active) > 1
        if self.sim is not None:
            self.sim_button.text = self.sim.display_name
            self.sim_button.description = f"{self.sim.display_name}, {self.sim.carrier}"
        text = self.field.content
        self.field.hint = "Text message" if self.sim is not None else "No SIM card"
        self.send_button.enabled = self.sim is not None and bool(text.strip())
        parts = divide(text)
        single, many = (GSM_ONE, GSM_MANY) if parts.encoding == "gsm7" else (UCS2_ONE, UCS2_MANY)
        left = (single if parts.count == 1 else many) - weigh(parts.texts[-1], parts.encoding)
        self.counter.text = f"{left} / {parts.count}" if parts.count > 1 else str(left)
        self.counter.shown = parts.count > 1 or left <= COUNTED_BELOW

    def _send(self) -> None:
        text = self.field.content.strip()
        if text and self.sim is not None:
            self.field.content = ""
            self.on_send(text, self.sim)

    def _choose_sim(self) -> None:
        active = self.activity.world.telephony.active_sims

        def take(number: int) -> None:
            self.sim = active[number]
            self.refresh()

        self.activity.choose(
            "Choose SIM",
            [f"{sim.display_name} • {sim.carrier}\n{sim.number}" for sim in active],
            take,
            active.index(self.sim) if self.sim in active else None,
        )
