"""The app in front, for rules that turn on it."""

import asyncio
from typing import Annotated

import pytest

from handheld.access.approval import ApprovalGate
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.errors import ActionFailed, PermissionDenied
from handheld.phone.phone import Phone
from handheld.screen.model import Screen, Window
from handheld.settings.rules import Rules
from handheld.tools.parameter import Param
from handheld.tools.recording import Secret
from handheld.tools.tool import Toolset
from harness.one_phone import UnusedPhone
from harness.polling import HANG
from phone.world import World

AGENT = Caller("http")
Word = Annotated[str, Param("A word", secret=Secret.NO)]


class Front(World):
    """Apps come to the front one after the other, a read each; the last stays."""

    def __init__(self) -> None:
        super().__init__()
        self.apps: list[str | None] = []
        self.beside: str | None = None
        """In the other half of a split screen, or under a dialog."""
        self.beside_type = "APPLICATION"
        self.read = asyncio.Event()

    async def read_screen(self) -> Screen:
        screen = await super().read_screen()
        self.read.set()
        app = self.apps.pop(0) if len(self.apps) > 1 else self.apps[0]
        if app is None:
            raise ActionFailed("The screen cannot be read.")
        screen.foreground = (app, f"{app}.Main") if app else None
        screen.windows[0].package = app or "com.example"
        if self.beside:
            screen.windows.append(Window(2, self.beside_type, self.beside, "", 1, False))
        return screen


class Scene:
    def __init__(self, *rules: str) -> None:
        self.front = Front()
        phones = UnusedPhone()
        self.phone = phones.phone = Phone("serial", self.front)
        self.done: list[str] = []
        tools = Toolset("sample")

        async def say(phone: Phone, word: Word = "") -> str:
            """Says it."""
            self.done.append(word)
            return word

        async def look(phone: Phone) -> str:
            """Reads the screen."""
            snapshot = await phone.elements.read()
            return str(snapshot.screen.windows[0].package)

        tools.tool(title="Say", secret_reply=Secret.NO)(say)
        tools.tool(title="Look", read_only=True, secret_reply=Secret.NO)(look)
        gate = ApprovalGate(Rules(deny=rules))
        self.surface = LocalSurface((tools,), phones, SurfaceOptions(gate=gate))

    async def say(self) -> str:
        return await self.call("say", word="hi")

    async def call(self, tool: str, **arguments: str) -> str:
        [item] = await self.surface.call(f"android_{tool}", arguments, AGENT)
        assert isinstance(item, str)
        return item


async def test_the_screen_is_not_read_if_no_rule_depends_on_the_app() -> None:
    scene = Scene("tap+app:com.bank", "token:x")
    assert (await scene.say(), scene.front.reads) == ("hi", 0)


async def test_a_call_runs_where_another_app_is_in_front() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes"]
    assert (await scene.say(), scene.done) == ("hi", ["hi"])


@pytest.mark.parametrize("app", ["com.bank", None])
async def test_a_call_is_denied_where_the_app_is_in_front_or_may_be(app: str | None) -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = [app]
    with pytest.raises(PermissionDenied):
        await scene.say()
    assert scene.done == []


async def test_where_nothing_was_brought_to_the_front_the_focused_window_counts() -> None:
    scene = Scene("app:com.example")
    scene.front.apps = [""]
    with pytest.raises(PermissionDenied, match=r"the rule 'app:com\.example' denies it"):
        await scene.say()


async def test_a_call_that_waits_for_its_turn_is_judged_by_what_it_finds_then() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes"]
    async with scene.phone.acting("another call"), asyncio.timeout(HANG):
        saying = asyncio.create_task(scene.say())
        await scene.front.read.wait()
        scene.front.apps = ["com.bank"]
    with pytest.raises(PermissionDenied):
        await saying
    assert scene.done == []


async def test_a_change_to_another_app_that_is_allowed_does_not_matter() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes", "com.clock"]
    assert (await scene.say(), scene.done) == ("hi", ["hi"])


async def test_a_front_that_never_rests_ends_in_a_failure_and_nothing_done() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = [f"com.x{number}" for number in range(50)]
    with pytest.raises(ActionFailed, match="Nothing was done"):
        await scene.say()
    assert (scene.done, scene.front.reads) == ([], 6)


@pytest.mark.parametrize("tool", ["say", "look"])
async def test_an_app_that_is_seen_beside_or_behind_another_counts_too(tool: str) -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes"]
    await scene.call(tool)
    scene.front.beside = "com.bank"
    with pytest.raises(PermissionDenied, match=r"the rule 'app:com\.bank' denies it"):
        await scene.call(tool)


async def test_a_bar_or_a_keyboard_is_no_app_that_is_seen() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes"]
    scene.front.beside = "com.bank"
    scene.front.beside_type = "INPUT_METHOD"
    assert await scene.say() == "hi"


async def test_a_forbidden_app_that_appears_during_a_read_is_not_returned() -> None:
    # What was read counts, not what was there before and is there again after.
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes", "com.bank", "com.notes"]
    with pytest.raises(PermissionDenied):
        await scene.call("look")


async def test_an_allowed_app_that_appears_during_a_read_may_be_read() -> None:
    scene = Scene("app:com.bank")
    scene.front.apps = ["com.notes", "com.clock", "com.notes"]
    assert await scene.call("look") == "com.clock"
