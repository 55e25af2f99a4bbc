"""An agent goes on although the person has stopped it, or keeps the phone from the person, or for
ever."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import pytest

from attacks.conftest import AGENT
from handheld.access.approval import ApprovalGate
from handheld.access.stop_switch import StopSwitch
from handheld.access.takeover import ALL, LOOK_SECONDS, TakenOver, Takeover
from handheld.adb.link import Link
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.calls.sms import sms_surface
from handheld.driver.fallback import FallbackDriver
from handheld.driver.hardware import Hardware
from handheld.errors import ActionFailed, InvalidParams, TimedOut, ToolError
from handheld.helper.client import HelperClient
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import EXAMPLE, StorageFile
from handheld.phone.leases.leases import PATIENCE, Leases
from handheld.phone.leases.turns import Turns
from handheld.phone.phone import Phone
from handheld.settings.rules import Rules
from handheld.tools.duration import asked_seconds
from handheld.tools.main import CATALOG
from handheld.tools.main.params import WaitTimeout
from handheld.tools.recording import Secret
from handheld.tools.steps import StepsFile
from handheld.tools.tool import Item, Toolset
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock as PhoneTime
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.field import Field
from harness.manual_clock import ManualClock
from harness.one_phone import OnePhone
from harness.phones import reached
from harness.polling import HANG
from phone.web import answer, open_web

ATTACK = "going on after the person has stopped it"

Result = TypeVar("Result")
PERSON = Caller("console", "You", person=True)
TEXT = "x" * 40
HELD = "The owner of the phone has taken it over."
HELPER_STREAM = "shell*CLASSPATH*"


class Writing(Activity):
    name = ".Writing"

    def content(self) -> View:
        return Column(Field(id="page", width=MATCH))


class WritingApp(App):
    package, label = "org.example.writing", "Writing"
    main = ".Writing"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Writing": Writing}


class StoppablePhone:
    """A phone, an agent and a person. Neither the phone's time nor the server's passes by
    itself."""

    def __init__(self, device: VirtualPhone, phone: Phone, clock: ManualClock, kept: Path) -> None:
        self.device = device
        self.world = device.world
        self.phone = phone
        self.clock = clock
        self.leases = Leases(clock)
        self.gate = ApprovalGate(Rules(ask=("close_app", "press_recents")), clock=clock)
        self.kept = StepsFile(kept, clock)
        self.hold(Takeover())

    def hold(self, takeover: Takeover) -> None:
        self.takeover = takeover
        options = SurfaceOptions(
            gate=self.gate,
            takeover=self.takeover,
            clock=self.clock,
            kept=self.kept,
            leases=self.leases,
        )
        phones = OnePhone(self.phone)
        self.main = LocalSurface(CATALOG, phones, options)
        self.agent = make_agent_surface(phones, options)

    def share(self, folder: Path) -> None:
        """Who is held back is kept in a folder, which other processes have, too."""
        self.hold(Takeover(folder, self.clock))

    async def call(self, name: str, caller: Caller = AGENT, **arguments: Any) -> Sequence[Item]:
        if name.startswith(("phone_", "my_")):
            return await self.agent.call(name, arguments, caller)
        return await self.main.call(f"android_{name}", arguments, caller)

    def beside(self, call: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(call)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def passing(self, call: Coroutine[Any, Any, Result]) -> Result:
        """While the phone's time passes, as far as something waits for it."""
        task = self.beside(call)
        await self.until(task.done, passing=True)
        return task.result()

    async def until(self, happened: Callable[[], bool], *, passing: bool = False) -> None:
        time = self.device.clock
        assert isinstance(time, PhoneTime)
        async with asyncio.timeout(HANG):
            while not happened():
                due = time.due
                if passing and due is not None and due - time.now() <= 12_000:
                    await time.advance(due - time.now())
                await asyncio.sleep(0)

    async def open_page(self) -> str:
        """Open an app with a field; return the field's id."""
        self.world.install(WritingApp)
        self.world.show("org.example.writing")
        [item] = await self.passing(self.call("find_elements", by="resource_id", value="page"))
        [found] = json.loads(str(item))["elements"]
        return found["id"]

    @property
    def page(self) -> str:
        window = next(each for each in self.world.windows() if each.package == WritingApp.package)
        [field] = [view for view in window.root.walk() if isinstance(view, Field)]
        return field.text or ""

    async def begin_typing(self, caller: Caller = AGENT) -> "asyncio.Task[Sequence[Item]]":
        """Typing that is under way."""
        field = await self.open_page()
        typing = self.beside(
            self.call("type_append_text", caller, element_id=field, text=TEXT, typing_speed=1000)
        )
        await self.until(lambda: len(self.page) >= 3, passing=True)
        return typing

    @property
    def streams(self) -> list[Any]:
        """Those that are open on the phone."""
        return list(self.device.adbd.streams())

    @property
    def fingers(self) -> list[int]:
        """Those that are on the screen."""
        return sorted(self.world.injection.down)

    async def stop_pressing_without_answer(self) -> "asyncio.Task[Sequence[Item]]":
        """It is stopped, its fingers are lifted, and the helper does not answer."""
        pressing = await self.begin_pressing()
        self.device.faults.stall(HELPER_STREAM)
        self.takeover.take([ALL])
        await self.clock.advance(0.5)
        await self.until(lambda: not self.fingers)
        return pressing

    async def begin_pressing(self) -> "asyncio.Task[Sequence[Item]]":
        """A finger that goes about on the screen for a minute."""
        path = [{"x": 300 + at % 2 * 200, "y": 900, "time": at * 20_000} for at in range(4)]
        pressing = self.beside(self.call("custom_gesture", paths=[path]))
        await self.until(lambda: bool(self.fingers), passing=True)
        return pressing


@pytest.fixture
def driver_by() -> str:
    return "helper"


@pytest.fixture
async def stage(driver_by: str, tmp_path: Path) -> AsyncGenerator[StoppablePhone]:
    clock = ManualClock()

    def make(link: Link) -> Phone:
        return Phone("virtual", FallbackDriver(HelperClient(link)), clock=clock)

    async with reached(VirtualPhone(clock=PhoneTime()), driver_by, make=make, clock=clock) as used:
        stage = StoppablePhone(used.device, used.phone, clock, tmp_path / "steps.json")
        yield stage
        await stage.leases.aclose()


async def failure(call: "asyncio.Task[Any]", kind: type[ToolError] = TakenOver) -> str:
    with pytest.raises(kind) as raised:
        async with asyncio.timeout(HANG):
            await call
    return raised.value.message


both = pytest.mark.parametrize("driver_by", ["helper", "shell"])


# A person stops agents.


@both
async def test_typing_ends_at_once_and_its_reply_says_how_far_it_came(
    stage: StoppablePhone,
) -> None:
    typing = await stage.begin_typing()
    stage.takeover.take(["virtual"])
    reply = await failure(typing)
    typed = len(stage.page)
    assert 3 <= typed < 40
    assert f"{HELD} android_type_append_text was stopped." in reply
    assert f" {typed} of 40 characters had been typed. Agents are held back" in reply
    time = stage.device.clock
    assert isinstance(time, PhoneTime)
    await time.advance(100_000)
    assert len(stage.page) == typed
    assert stage.clock.now() == 0


@both
async def test_fingers_are_lifted(stage: StoppablePhone) -> None:
    pressing = await stage.begin_pressing()
    stage.takeover.take([ALL])
    reply = await failure(pressing)
    assert "was stopped. The touch was broken off, and the fingers were lifted." in reply
    assert stage.fingers == []
    assert stage.clock.now() == 0


async def test_fingers_are_lifted_and_the_call_is_answered_while_the_helper_does_not_answer(
    stage: StoppablePhone,
) -> None:
    pressing = await stage.stop_pressing_without_answer()
    assert not pressing.done()
    await stage.clock.advance(0.5)
    reply = await failure(pressing)
    assert "was stopped. It had begun, and may or may not have happened." in reply


async def test_a_call_that_is_answered_keeps_its_turn_until_it_has_ended_on_the_phone(
    stage: StoppablePhone,
) -> None:
    pressing = await stage.stop_pressing_without_answer()
    await stage.clock.advance(0.5)
    await failure(pressing)
    home = stage.beside(stage.call("press_home", PERSON))
    await stage.clock.until(lambda: 30 in stage.clock.waits)  # for its turn
    await stage.clock.advance(0.9)
    assert not home.done()
    stage.device.faults.unstall()
    await stage.passing(asyncio.wait_for(home, HANG))


async def test_nobody_gets_a_phone_on_which_an_answered_call_has_not_ended(
    stage: StoppablePhone,
) -> None:
    pressing = await stage.stop_pressing_without_answer()
    await stage.clock.advance(0.5)
    await failure(pressing)
    taking = stage.beside(stage.leases.take("other", "another's", "virtual", {"virtual"}, 60))
    await stage.clock.until_waits(PATIENCE)  # for the calls of others
    await stage.clock.advance(0.9)
    assert not taking.done()
    stage.device.faults.unstall()
    assert (await asyncio.wait_for(taking, HANG)).held


async def test_calls_that_wait_and_new_ones_are_refused_and_do_nothing(
    stage: StoppablePhone,
) -> None:
    typing = await stage.begin_typing()
    waiting = [stage.beside(stage.call("press_home")) for _ in range(3)]
    await stage.clock.until(lambda: stage.clock.waits.count(30) == 3)
    stage.takeover.take(["virtual"])
    await failure(typing)
    for call in waiting:
        assert "android_press_home was stopped. Nothing was done." in await failure(call)
    assert HELD in await failure(stage.beside(stage.call("press_home")))
    assert not [event for event in stage.world.events if event.kind == "button"]
    assert stage.world.is_in_front(WritingApp.package)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_screen_state", {}),
        ("get_clipboard", {}),
        ("list_storage_locations", {}),
        ("wait_for_idle", {"timeout": 1000}),
        ("send_sms", {"to_phone_number": "+36201234567", "sms_text": "Hi"}),
        ("close_app", {"package_id": "com.android.settings"}),
        ("phone_look", {}),
        ("phone_tap", {"at": "Settings"}),
        ("phone_read", {"what": "apps"}),
        ("phone_read", {"what": "saved"}),
        ("phone_do", {"steps": [{"tool": "press", "key": "home"}]}),
        ("phone_do", {"run": "go_home"}),
        ("my_go_home", {}),
    ],
)
async def test_every_tool_is_held_back(
    stage: StoppablePhone, tool: str, arguments: dict[str, Any]
) -> None:
    steps = [{"tool": "press", "key": "home"}]
    await stage.passing(stage.call("phone_do", steps=steps, save_as="go_home"))
    listed = await stage.agent.tools()
    stage.takeover.take([ALL])
    reply = await failure(stage.beside(stage.call(tool, **arguments)))
    assert f"{HELD} Nothing was done. Agents are held back." in reply
    assert await stage.agent.tools() == listed
    assert await stage.main.tools()
    stage.takeover.resume([ALL])
    await stage.passing(stage.call("phone_look"))


class Phones(OnePhone):
    async def settle(self) -> None: ...

    def connected(self) -> list[Any]:
        return []


async def test_the_sms_surface_is_held_back(stage: StoppablePhone) -> None:
    phones: Any = Phones(stage.phone)
    surface = sms_surface(phones, SurfaceOptions(takeover=stage.takeover))
    await surface.call("get_sms_subscriptions", {}, AGENT)
    stage.takeover.take(["virtual"])
    with pytest.raises(TakenOver):
        await surface.call("get_sms_subscriptions", {}, AGENT)


async def test_steps_end_where_the_person_takes_over(stage: StoppablePhone) -> None:
    stage.gate.consoles = 1
    steps = [{"tool": "press", "key": key} for key in ("home", "recents", "back")]
    doing = stage.beside(stage.call("phone_do", steps=steps))
    await stage.until(lambda: bool(stage.gate.pending()), passing=True)
    stage.takeover.take([ALL])
    reply = await failure(doing)
    assert reply.startswith("1 of 3 done: ")
    assert f'Step 2, press "recents": {HELD} phone_press was stopped. Nothing was done.' in reply
    assert "Step 3 was not tried." in reply


async def test_a_question_that_waits_is_refused(stage: StoppablePhone) -> None:
    stage.gate.consoles = 1
    with stage.gate.subscribe() as changes:
        asking = stage.beside(stage.call("close_app", package_id="com.android.settings"))
        assert (await anext(changes)).state == "asked"
        stage.takeover.take([ALL])
        assert "android_close_app was stopped. Nothing was done." in await failure(asking)
        assert (await anext(changes)).state == "denied"
    assert stage.gate.pending() == []


async def test_the_persons_own_calls_are_not_held_back(stage: StoppablePhone) -> None:
    await stage.open_page()
    stage.takeover.take([ALL])
    await stage.passing(stage.call("press_home", PERSON))
    assert not stage.world.is_in_front(WritingApp.package)


async def test_agents_go_on_once_the_person_lets_go(stage: StoppablePhone) -> None:
    stage.takeover.take(["virtual", "desk"])
    stage.takeover.resume(["other"])
    await failure(stage.beside(stage.call("get_screen_state")))
    stage.takeover.resume(["desk"])
    await stage.passing(stage.call("get_screen_state"))


async def test_a_phone_is_held_by_its_hardware_however_it_is_connected(
    stage: StoppablePhone,
) -> None:
    stage.phone.identity.hardware = Hardware("R58M123ABC", "boot")
    stage.takeover.take(["usb-serial", "R58M123ABC"])
    await failure(stage.beside(stage.call("get_screen_state")))
    stage.phone.identity.hardware = Hardware("another", "boot")
    await stage.passing(stage.call("get_screen_state"))


def test_it_holds_for_other_processes_and_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "held"
    first, second = Takeover(folder), Takeover(folder)
    assert second.names == frozenset()
    first.take(["desk"])
    first.take([ALL])
    assert second.names == Takeover(folder).names == {"desk", ALL}
    assert folder.stat().st_mode & 0o777 == 0o700
    second.resume(["desk"])
    assert first.names == {ALL}
    first.resume([ALL])
    assert second.names == frozenset()


def test_a_file_that_cannot_be_read_holds_every_phone(tmp_path: Path) -> None:
    folder = tmp_path / "held"
    Takeover(folder).take(["desk"])
    [file] = folder.iterdir()
    for text in ("", "{}", '{"phones": 1}', "[]"):
        file.write_text(text, encoding="utf-8")
        assert Takeover(folder).names == {ALL}


# The disk is full.


class Unwritable:
    """The folder of a takeover, in which nothing can be written until `mend`: a file is in its
    place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_text("", encoding="utf-8")

    def mend(self) -> None:
        self.path.unlink()


async def test_agents_are_stopped_although_it_cannot_be_written(
    stage: StoppablePhone, tmp_path: Path
) -> None:
    folder = Unwritable(tmp_path / "held")
    stage.share(folder.path)
    typing = await stage.begin_typing()
    switch = StopSwitch(stage.takeover, cast(Any, Phones(stage.phone)))
    said = await switch.stop()
    assert "Agents are held back on every phone." in said
    assert f"{folder.path} cannot be written: File exists." in said
    assert "only until it ends" in said
    assert HELD in await failure(typing)
    assert HELD in await failure(stage.beside(stage.call("get_screen_state")))
    folder.mend()
    assert stage.takeover.names == {ALL}
    assert Takeover(folder.path).names == frozenset()
    assert "cannot be written" not in await switch.stop()
    assert Takeover(folder.path).names == {ALL}
    await switch.resume()
    await stage.passing(stage.call("get_screen_state"))


async def test_agents_go_on_after_a_stop_that_could_not_be_written(
    stage: StoppablePhone, tmp_path: Path
) -> None:
    stage.share(Unwritable(tmp_path / "held").path)
    stage.takeover.take(["virtual"])
    await failure(stage.beside(stage.call("get_screen_state")))
    stage.takeover.resume(["virtual"])
    await stage.passing(stage.call("get_screen_state"))


def test_agents_are_still_held_back_if_that_cannot_be_removed(tmp_path: Path) -> None:
    takeover = Takeover(tmp_path / "held")
    takeover.take(["desk"])
    [file] = (tmp_path / "held").iterdir()
    file.unlink()
    file.mkdir()  # which cannot be removed as a file
    with pytest.raises(ActionFailed, match="Agents are still held back"):
        takeover.resume([ALL])
    assert takeover.names == {ALL}


# Another process is told, and this one is not.


@pytest.mark.parametrize("names", [["virtual"], [ALL]])
async def test_a_running_call_is_stopped_by_what_another_process_has_kept(
    stage: StoppablePhone, tmp_path: Path, names: list[str]
) -> None:
    folder = tmp_path / "held"
    stage.share(folder)
    typing = await stage.begin_typing()
    await stage.clock.advance(LOOK_SECONDS)
    assert not typing.done()
    Takeover(folder).take(["another phone"])
    await stage.clock.advance(LOOK_SECONDS)
    assert not typing.done()
    Takeover(folder).take(names)
    await stage.clock.advance(LOOK_SECONDS)
    assert f"{HELD} android_type_append_text was stopped." in await failure(typing)
    # Where nothing runs, nothing looks.
    await stage.clock.advance(LOOK_SECONDS)
    assert LOOK_SECONDS not in stage.clock.waits


async def test_a_running_call_on_the_same_phone_by_another_address_is_stopped(
    stage: StoppablePhone, tmp_path: Path
) -> None:
    folder = tmp_path / "held"
    stage.share(folder)
    typing = await stage.begin_typing()
    assert stage.phone.identity.hardware is None
    hardware = await stage.phone.driver.hardware()
    assert hardware is not None
    Takeover(folder).take(["usb-serial", hardware.serial])
    await stage.clock.advance(LOOK_SECONDS)
    assert f"{HELD} android_type_append_text was stopped." in await failure(typing)


# A person acts while an agent does.


@both
async def test_press_home_of_the_person_does_not_wait_for_an_agents_typing(
    stage: StoppablePhone,
) -> None:
    typing = await stage.begin_typing()
    behind = stage.beside(stage.call("get_screen_state"))
    home = stage.beside(stage.call("press_home", PERSON))
    await stage.clock.until_waits(0.5)
    await stage.clock.advance(0.5)
    reply = await failure(typing, ActionFailed)
    assert "was stopped, because the owner of the phone used the phone." in reply
    assert f" {len(stage.page)} of 40 characters had been typed. Read the screen" in reply
    await stage.passing(asyncio.wait_for(home, HANG))
    assert not stage.world.is_in_front(WritingApp.package)
    await stage.passing(asyncio.wait_for(behind, HANG))
    assert stage.clock.now() == 0.5


@pytest.mark.parametrize("tool", ["download_from_url", "phone_file"])
async def test_a_person_does_not_wait_for_a_download_that_is_written_to_the_phone(
    stage: StoppablePhone, tmp_path: Path, tool: str
) -> None:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(EXAMPLE, allow_write=True)
    rules = DownloadRules(1, allow_http=True, allow_private_addresses=True)
    stage.phone.files = Files(stage.phone.driver, stage.clock, storage, ["virtual"], rules)
    await stage.passing(stage.call("press_home"))
    stage.device.faults.stall("sync:*")
    async with open_web() as web:
        web.pages["/a"] = answer(b"x" * 1000)
        given: dict[str, Any] = {"url": f"http://127.0.0.1:{web.port}/a"}
        if tool == "phone_file":
            given |= {"action": "download", "path": f"{EXAMPLE}/a"}
        else:
            given |= {"location_id": EXAMPLE, "path": "a"}
        loading = stage.beside(stage.call(tool, **given))
        await stage.until(lambda: any(each.service == "sync:" for each in stage.streams))
        home = stage.beside(stage.call("press_home", PERSON))
        await stage.clock.until_waits(0.5)
        await stage.clock.advance(0.5)
        reply = await failure(loading, ActionFailed)
        assert "was stopped, because the owner of the phone used the phone." in reply
        await stage.passing(asyncio.wait_for(home, HANG))


class Order:
    """Who had the turn, in order."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.turns = Turns(30, self.clock)
        self.had: list[str] = []

    async def act(self, name: str, *, person: bool = False, stop: Any = None) -> None:
        async with self.turns.take(name, person=person, give_way=stop):
            self.had.append(name)
            await self.clock.sleep(1)


async def test_a_person_is_before_all_agents_that_wait() -> None:
    order = Order()
    calls = [asyncio.create_task(order.act(name)) for name in ("first", "second", "third")]
    await asyncio.sleep(0)
    calls.append(asyncio.create_task(order.act("person", person=True)))
    for _ in calls:
        await order.clock.advance(1)
    await asyncio.gather(*calls)
    assert order.had == ["first", "person", "second", "third"]


async def test_an_action_that_ends_soon_is_not_stopped_for_a_person() -> None:
    order, stopped = Order(), list[str]()
    agent = order.act("agent", stop=lambda: stopped.append("agent"))
    calls = [asyncio.create_task(agent)]
    await asyncio.sleep(0)
    await order.clock.advance(0.6)
    calls.append(asyncio.create_task(order.act("person", person=True)))
    calls.append(asyncio.create_task(order.act("another", person=True)))
    await asyncio.sleep(0)
    await order.clock.advance(3)
    await asyncio.gather(*calls)
    assert stopped == []
    assert order.had == ["agent", "person", "another"]


async def test_a_turn_that_is_given_to_a_call_that_is_cancelled_goes_to_the_next() -> None:
    order = Order()
    async with order.turns.take("first"):
        calls = [asyncio.create_task(order.act(name)) for name in ("second", "third")]
        await asyncio.sleep(0)
    calls[0].cancel()
    await order.clock.until_waits(1)
    await order.clock.advance(1)
    await asyncio.gather(*calls, return_exceptions=True)
    assert order.had == ["third"]


# A call does not last for ever.


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ({}, 0),
        ({"text": "x" * 100, "typing_speed": 70, "typing_speed_variance": 15}, 8.5),
        ({"new_text": "😀" * 50, "typing_speed": 10, "typing_speed_variance": 99}, 2),
        ({"timeout": 30_000}, 30),
        ({"seconds": None, "ms": 300}, 0.3),
        ({"paths": [[(1, 2, 0), (1, 2, 60_000)], [(3, 4, 5)]]}, 60),
        ({"text": "x" * 720, "typing_speed": 5000, "typing_speed_variance": 0}, 3600),
    ],
)
def test_what_arguments_ask_for(values: dict[str, Any], seconds: float) -> None:
    assert asked_seconds(values) == pytest.approx(seconds)


async def test_a_call_that_asks_for_more_than_an_hour_is_refused_at_once(
    stage: StoppablePhone,
) -> None:
    field = await stage.open_page()
    asking = stage.call("type_append_text", element_id=field, text="x" * 721, typing_speed=5000)
    reply = await failure(stage.beside(asking), InvalidParams)
    assert "This asks for 60 minutes" in reply or "This asks for 61 minutes" in reply
    assert "Nothing was done." in reply
    assert stage.page == ""


waits = Toolset("waits")


@waits.tool(title="Hang", secret_reply=Secret.NO)
async def hang(phone: Phone, timeout: WaitTimeout) -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return ""


async def test_a_call_ends_ten_minutes_after_what_its_arguments_ask_for(
    stage: StoppablePhone,
) -> None:
    surface = LocalSurface((waits,), OnePhone(stage.phone), SurfaceOptions(clock=stage.clock))
    hanging = stage.beside(surface.call("android_hang", {"timeout": 30_000}, AGENT))
    await stage.clock.until_waits(630)
    await stage.clock.advance(629)
    assert not hanging.done()
    await stage.clock.advance(1)
    reply = await failure(hanging, TimedOut)
    assert "android_hang was stopped after 630 s" in reply
    assert "It had begun, and may or may not have happened." in reply
    await stage.passing(stage.call("press_home", PERSON))
