"""An app whose layout a test can change: the order of its parts, the language of a label, a dialog
that comes up in between."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handheld.access.phone_filter import PhonePool
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.tools.call import Caller
from handheld.tools.steps import StepsFile
from handheld_virtual.packages.app import Activity
from handheld_virtual.views.layout import Column, Row, Scroll
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, CheckBox, RadioButton, Switch, Text
from handheld_virtual.views.widgets.field import Field
from harness.phones import PhoneClock
from testbed import installed_testbed

from .conftest import AgentBench


class Shop(Activity):
    """`did` lists what a person would notice, in order."""

    items: Sequence[str] = ("Milk", "Bread")
    turned_round = False
    words: Mapping[str, str] = {}
    """Labels in another language."""
    boxes: Sequence[str] = ()
    """Buttons that are check boxes."""
    asks_to_pay = False
    """A dialog comes up after the next thing that is done."""

    def content(self) -> View:
        self.did: list[str] = []
        self.new = Field(hint=self.say("New item"), id="new", width=0, weight=1)
        self.new.on_enter = lambda: self.do(f"entered {self.new.content}")
        self.pin = Field(hint=self.say("PIN"), id="code", password=True, width=0, weight=1)
        self.amount = Field(hint=self.say("Amount"), id="amount", width=0, weight=1)
        self.wifi = Switch(on_change=lambda on: self.do(f"wifi {'on' if on else 'off'}"))
        parts: list[View] = [
            self.row(self.new, self.button("Add", lambda: self.do(f"added {self.new.content}"))),
            *(self.item(each) for each in self.items),
            self.row(Text(self.say("Only on Wi-Fi"), width=0, weight=1), self.wifi),
            self.row(self.pin, self.button("Unlock", lambda: self.do(f"pin {self.pin.content}"))),
            self.row(
                self.amount, self.button("Set", lambda: self.do(f"amount {self.amount.content}"))
            ),
            self.row(*(self.size(each) for each in ("Small", "Large"))),
            self.row(
                self.button("Send list", self.ask_to_send),
                self.button("Pay", lambda: self.do("paid")),
            ),
        ]
        if self.turned_round:
            parts.reverse()
        return Scroll(Column(*parts, gap=4, padding=(16, 16), width=MATCH), width=MATCH)

    def say(self, label: str) -> str:
        return self.words.get(label, label)

    def row(self, *views: View) -> View:
        return Row(*(reversed(views) if self.turned_round else views), width=MATCH, height=56)

    def button(self, label: str, action: Any) -> View:
        if label in self.boxes:
            return CheckBox(self.say(label), on_click=action)
        return Button(self.say(label), action)

    def size(self, label: str) -> View:
        return RadioButton(self.say(label), on_click=lambda: self.do(f"size {label}"))

    def item(self, name: str) -> View:
        name = self.say(name)
        return self.row(
            Text(
                name,
                width=0,
                weight=1,
                on_click=lambda: self.ask_text(
                    self.say("Rename"), lambda text: self.do(f"renamed {name} {text}"), hint="Name"
                ),
                on_long_click=lambda: self.do(f"starred {name}"),
            ),
            self.button("Delete", lambda: self.ask_to_delete(name)),
        )

    def ask_to_delete(self, name: str) -> None:
        self.ask(
            f"{self.say('Delete')} {name}?",
            "It cannot be undone.",
            cancel=lambda: None,
            **{self.say("Delete"): lambda: self.do(f"deleted {name}")},
        )
        self.interrupt()

    def ask_to_send(self) -> None:
        self.ask(self.say("Send it?"), "To Anna.", cancel=lambda: None, ok=lambda: self.do("sent"))
        self.interrupt()

    def do(self, what: str) -> None:
        self.did.append(what)
        self.interrupt()

    def interrupt(self) -> None:
        if self.asks_to_pay:
            self.asks_to_pay = False
            paid = {
                "ok": lambda: self.did.append("paid"),
                "Delete": lambda: self.did.append("paid"),
            }
            self.ask("Pay 50 €?", "To Mallory.", cancel=lambda: None, **paid)


def open_shop(bench: AgentBench, **options: Any) -> Shop:
    """Open it anew, with this layout."""
    world = bench.world
    world.settle()
    app = installed_testbed(world)
    shop = Shop(app)
    for name, value in options.items():
        setattr(shop, name, value)
    world.tasks.close(app)
    world.open(shop)
    world.settle()
    return shop


class KeptBench:
    """The tools for models on one phone, with steps that are kept."""

    def __init__(
        self, bench: AgentBench, folder: Path, pool: PhonePool | None = None, **options: Any
    ) -> None:
        self.bench = bench
        self.file = StepsFile(folder / "state" / "steps.json")
        given = SurfaceOptions(clock=PhoneClock(bench.device), kept=self.file, **options)
        self.surface = make_agent_surface(pool or bench, given)
        bench.counter.surface = self.surface  # type: ignore[assignment]

    async def do(self, *steps: Any, **arguments: Any) -> str:
        """The whole reply."""
        given = {"steps": list(steps), **arguments} if steps else arguments
        return await self.call("phone_do", given)

    async def call(self, name: str, arguments: Mapping[str, Any], token: str = "") -> str:
        items = await self.bench.passing(
            self.surface.call(name, arguments, Caller("http", "Tester", token))  # type: ignore[arg-type]
        )
        return "\n".join(str(item) for item in items)
