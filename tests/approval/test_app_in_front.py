"""The app in front, for rules that turn on it."""

import asyncio
from typing import Annotated

import pytest

from handheld.approval import Gate
from handheld.errors import ActionFailed, PermissionDenied
from handheld.parameter import Param
from handheld.phone import Phone
from handheld.rules import Rules
from handheld.surface import Caller, LocalSurface
from handheld.tool import Toolset
from handheld.ui.model import Screen
from phone.world import World
from tools.test_surface import OnePhone

AGENT = Caller("http")
Word = Annotated[str, Param("A word")]


class Front(World):
    """Apps come to the front one after the other, a read each; the last stays."""

    def __init__(self) -> None:
        super().__init__()
        self.apps: list[str | None] = []
        self.read = asyncio.Event()

    async def read_screen(self) -> Screen:
        screen = await super().read_screen()
        self.read.set()
        app = self.apps.pop(0) if len(self.apps) > 1 else self.apps[0]
        if app is None:
            raise ActionFailed("The screen cannot be read.")
        screen.foreground = (app, f"{app}.Main") if app else None
        return screen


class Scene:
    def __init__(self, *rules: str) -> None:
        self.front = Front()
        phones = OnePhone()
        self.phone = phones.phone = Phone("serial", self.front)
        self.done: list[str] = []
        tools = Toolset("sample")

        async def say(phone: Phone, word: Word = "") -> str:
            """Says it."""
            self.done.append(word)
            return word

        tools.tool(title="Say")(say)
        gate = Gate(Rules(deny=rules))
        self.surface = LocalSurface((tools,), phones, gate=gate)

    async def say(self) -> str:
        [item] = await self.surface.call("android_say", {"word": "hi"}, AGENT)
        assert isinstance(item, str)
        return item


async def test_nobody_looks_where_no_rule_turns_on_the_app() -> None:
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
    async with scene.phone.acting("another call"), asyncio.timeout(60):
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
