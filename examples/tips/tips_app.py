"""The app under test: it divides a bill. For virtual phones, as docs/virtual-apps.md describes."""

from functools import partial

from handheld_virtual.toolkit import (
    MATCH,
    Activity,
    App,
    Button,
    Column,
    Field,
    Row,
    Text,
    Toolbar,
    View,
)

RATES = (0, 10, 20)
SOON_MS = 1500


class Bill(Activity):
    def content(self) -> View:
        self.amount = Field(hint="Amount", id="amount", width=MATCH)
        self.result = Text("Enter an amount.", size=20, id="result")
        rates = [Button(f"{rate} %", partial(self.split, rate)) for rate in RATES]
        return Column(
            Toolbar("Tips"),
            Column(self.amount, Row(*rates, gap=8), self.result, gap=16, padding=16),
        )

    def split(self, rate: int) -> None:
        try:
            amount = float(self.amount.content)
        except ValueError:
            self.result.text = f"{self.amount.content or 'Nothing'} is no amount."
            return
        # As an app that asks a server: the result comes later.
        self.result.text = "One moment …"
        self.world.timers.after(SOON_MS, partial(self.show, amount * (1 + rate / 100)))

    def show(self, total: float) -> None:
        self.result.text = f"Total {total:.2f}"


class Tips(App):
    package, label, color = "org.example.tips", "Tips", (40, 120, 90)
    screens = (Bill,)
