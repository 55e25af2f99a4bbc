"""Difficult screens of the testbed: restless, freezing, secure, with dialogs, split in two."""

from handheld_virtual.packages.app import Activity
from handheld_virtual.system_ui.split import Split
from handheld_virtual.views.drawing import theme
from handheld_virtual.views.layout import Column, Frame
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.field import Field


class Restless(Activity):
    """A screen that is never idle: a ball moves and a number counts every `every` ms, by default
    16."""

    name = ".Restless"

    def content(self) -> View:
        self.step = 0
        self.figure = Text("Frame 0", id="figure", size=24)
        self.ball = Frame(id="ball", width=48, height=48, background=theme.PRIMARY, radius=24)
        self._again()
        return Column(Text("Restless", id="title", size=24), self.figure, self.ball, padding=24)

    def _again(self) -> None:
        def move() -> None:
            # The animation stops when the user leaves the screen.
            if self.world.front is self:
                self.step += 1
                self.ball.margin = (self.step % 50 * 4.0, 0, 0, 0)
                self.figure.text = f"Frame {self.step}"
                self._again()

        self.world.timers.after(max(1.0, float(self.extras.get("every", "16"))), move)


class Freezing(Activity):
    """A screen where a tap freezes the whole app for `ms` milliseconds, by default 5000."""

    name = ".Freezing"

    def content(self) -> View:
        return Column(
            Text("Awake", id="state", size=24),
            Button("Freeze", self.freeze, id="freeze", width=MATCH),
            padding=24,
            gap=24,
        )

    def freeze(self) -> None:
        package, world = self.app.package, self.world
        world.frozen_packages.add(package)
        world.timers.after(
            float(self.extras.get("ms", "5000")), lambda: world.frozen_packages.discard(package)
        )


class Secure(Activity):
    """A secure screen, which is black in every screenshot."""

    name = ".Secure"
    secure = True

    def content(self) -> View:
        return Column(
            Text("Balance: 1,234.56", id="balance", size=24),
            Field(hint="PIN", id="pin", password=True, width=MATCH),
            padding=24,
            gap=24,
        )


class Dialogs(Activity):
    """A screen that asks a question when it opens, records each answer, and asks again until the
    answer is yes."""

    name = ".Dialogs"

    def content(self) -> View:
        self.answers: list[str] = []
        self.answered = Text("No answer yet", id="answered", size=24)
        self.world.timers.after(0, self._ask)
        return Column(self.answered, Button("Ask", self._ask, id="ask"), padding=24, gap=24)

    def _ask(self) -> None:
        def answer(word: str) -> None:
            self.answers.append(word)
            self.answered.text = f"Answered {', '.join(self.answers)}"
            if word == "no":
                self._ask()

        self.ask(
            "Allow Testbed to ask?",
            "It will ask again otherwise.",
            no=lambda: answer("no"),
            yes=lambda: answer("yes"),
        )


class SplitScreen(Activity):
    """The upper half of a split screen. The lower half is the app `beside`, by default the
    calculator."""

    name = ".SplitScreen"

    def content(self) -> View:
        self.taps = 0
        self.tapped = Text("Taps: 0", id="taps", size=24)
        self.world.timers.after(0, self._split)
        return Column(
            Text("Upper half", id="title", size=24),
            self.tapped,
            Button("Tap", self._tap, id="tap", width=MATCH),
            padding=24,
            gap=24,
        )

    def _tap(self) -> None:
        self.taps += 1
        self.tapped.text = f"Taps: {self.taps}"

    def _split(self) -> None:
        world = self.world
        if world.front is not self:
            return
        world.bring(self.extras.get("beside", "com.android.calculator2"))
        world.screen.split = Split(world, self, world.front)
        world.tasks.bring(self.app)


SCENES = (Restless, Freezing, Secure, Dialogs, SplitScreen)
