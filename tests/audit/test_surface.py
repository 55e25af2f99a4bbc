"""Calls on a phone, as the record has them afterwards."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from handheld.access.request_scope import RequestScope
from handheld.audit import AuditEntry, AuditLog, Recorder
from handheld.audit.masking import MASK
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.devices import Devices
from handheld.devices.opening import open_devices
from handheld.driver import Screenshot
from handheld.errors import (
    ActionFailed,
    InvalidParams,
    PermissionDenied,
    ToolError,
    UnknownPhone,
    UnknownTool,
)
from handheld.settings import Settings
from handheld.settings.folders import Folders
from handheld.tools.call import ToolCall
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Item
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.notifications import NotificationAction
from handheld_virtual.system.personal import Contact
from harness.manual_clock import MORNING, ManualClock
from harness.one_phone import ALL_ON
from harness.patient_clock import PatientClock
from harness.polling import until
from harness.web_apps import SHOP, ShopApp

CALLER = Caller("http", "an agent", "owner")


class RecordedPhone:
    """A virtual phone behind a surface that records; itself the gate, which lets everything by."""

    def __init__(
        self, virtual: VirtualPhone, devices: Devices, log: AuditLog, clock: ManualClock
    ) -> None:
        self.devices = devices
        self.world = virtual.world
        self.serial = virtual.address
        self.log = log
        self.clock = clock
        self.pictures = False
        self.wants = False
        self.asked: list[tuple[ToolCall, list[AuditEntry]]] = []
        self.answer: Callable[[], Any] = lambda: None
        self.surface: LocalSurface

    def wants_app(self, call: ToolCall) -> bool:
        return self.wants

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> None:
        return None

    def asks_person(self, call: ToolCall) -> bool:
        return False

    async def ask(self, call: ToolCall) -> None:
        self.asked.append((call, self.log.entries()))
        answer = self.answer()
        if answer is not None:
            await answer

    async def call(self, name: str, **arguments: Any) -> list[Item]:
        return list(await self.surface.call(f"android_{name}", arguments, CALLER))

    async def id_of(self, resource: str) -> str:
        found = await self.call("find_elements", by="resource_id", value=f":id/{resource}")
        elements = json.loads(str(found[0]))["elements"]
        return next(one["id"] for one in elements if one["editable"])

    @property
    def last(self) -> AuditEntry:
        return self.log.entries()[-1]

    async def rest(self) -> None:
        """Let what the last action has set in motion come to rest, so that it is looked at."""
        await self.clock.until_waits(0.25)
        await self.clock.advance(0.25)

    def touches(self) -> int:
        return sum(event.kind == "touch" for event in self.world.events)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncGenerator[RecordedPhone]:
    async with VirtualPhone.from_scene("default") as virtual:
        folders = Folders(tmp_path, tmp_path / "state")
        settings = Settings(phone=(virtual.address,), folders=folders)
        devices = await open_devices(settings, lambda _: None, clock=PatientClock())
        clock = ManualClock()
        log = AuditLog(folders.audit, clock=clock)
        stage = RecordedPhone(virtual, devices, log, clock)
        recorder = Recorder(log, pictures=lambda: stage.pictures, clock=clock)
        stage.surface = LocalSurface(
            (*CATALOG, *EXTRA),
            devices,
            SurfaceOptions(recorder=recorder, gate=stage, policy=ALL_ON),
        )
        try:
            yield stage
        finally:
            await recorder.aclose()
            await devices.aclose()


async def test_an_action_is_recorded_with_who_where_and_what(stage: RecordedPhone) -> None:
    stage.answer = lambda: stage.clock.advance(2)
    await stage.call("tap", x=540, y=1200)
    assert stage.last == AuditEntry(
        id=1,
        at=MORNING,
        phone=stage.serial,
        transport="http",
        client="an agent",
        token="owner",
        person=False,
        tool="tap",
        arguments={"x": 540, "y": 1200},
        state="done",
        result=("Tap executed at (540, 1200)",),
        milliseconds=2000.0,
    )


async def test_a_picture_is_recorded_by_its_size(stage: RecordedPhone) -> None:
    await stage.call("get_screen_state", include_screenshot=True)
    text, image = stage.last.result
    assert text.startswith("note:") or "node_" in text
    assert image == "(image 315x700)"


async def test_a_call_that_cannot_be_made_is_recorded_as_failed(stage: RecordedPhone) -> None:
    with pytest.raises(InvalidParams):
        await stage.call("tap", x="left", y=1)
    assert (stage.last.tool, stage.last.state) == ("tap", "failed")
    assert stage.last.result == ("Parameter 'x' must be a number, got string: 'left'",)


async def test_a_tool_that_there_is_not_is_recorded_without_its_arguments(
    stage: RecordedPhone,
) -> None:
    with pytest.raises(UnknownTool):
        await stage.call("sned_sms", text="secret words")
    entry = stage.last
    assert (entry.state, entry.arguments) == ("failed", {"text": MASK})
    assert entry.result == ("Unknown tool: android_sned_sms",)


async def test_a_call_for_a_phone_that_the_caller_may_not_use_is_recorded(
    stage: RecordedPhone,
) -> None:
    mine = RequestScope("theirs", phones=frozenset({"mine"}))
    with pytest.raises(UnknownPhone):
        await stage.surface.call("android_tap", {"x": 1, "y": 2}, CALLER, mine)
    entry = stage.last
    assert (entry.tool, entry.phone, entry.state) == ("android_tap", "theirs", "failed")
    assert entry.arguments == {"x": MASK, "y": MASK}
    assert entry.result == ("This token may not use a phone called 'theirs'. It may use: mine.",)


async def test_the_gate_is_asked_about_a_call_on_record_that_has_not_run(
    stage: RecordedPhone,
) -> None:
    async def deny() -> None:
        assert stage.touches() == 0
        raise PermissionDenied("Nobody answered.")

    stage.answer = deny
    with pytest.raises(PermissionDenied, match="Nobody answered"):
        await stage.call("tap", x=540, y=1200)
    [(call, entries)] = stage.asked
    assert (call.id, call.tool, call.phone, call.apps) == (1, "tap", stage.serial, ())
    assert [entry.state for entry in entries] == ["running"]
    assert (stage.last.state, stage.last.result) == ("denied", ("Nobody answered.",))
    assert stage.touches() == 0


async def test_the_approver_gets_the_app_in_front_if_it_needs_it(stage: RecordedPhone) -> None:
    stage.wants = True
    await stage.call("open_app", package_id="com.android.settings")
    await stage.call("press_home")
    assert stage.asked[1][0].apps == ("com.android.settings",)


async def test_what_is_not_allowed_is_not_asked_about_when_it_is_wrong(
    stage: RecordedPhone,
) -> None:
    with pytest.raises(InvalidParams):
        await stage.call("tap")
    assert stage.asked == []


async def test_a_call_that_is_stopped_while_it_runs_may_have_happened(stage: RecordedPhone) -> None:
    name = await open_form(stage)
    task = asyncio.create_task(
        stage.call("type_append_text", element_id=name, text="x" * 500, typing_speed=500)
    )
    await until(lambda: any(event.kind == "type" for event in stage.world.events) or running(stage))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stage.last.state == "unknown"
    assert stage.last.note == "It was stopped while it ran, and may or may not have happened."


def running(stage: RecordedPhone) -> bool:
    return bool(stage.log.entries(state="running"))


async def test_a_call_that_is_stopped_before_it_runs_did_not_happen(stage: RecordedPhone) -> None:
    stage.answer = asyncio.Event().wait
    task = asyncio.create_task(stage.call("tap", x=1, y=500))
    await until(lambda: bool(stage.asked))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stage.last.state == "failed"
    assert stage.last.note == "It was stopped before anything was done."


async def test_a_typed_password_is_masked_and_a_plain_text_is_kept(stage: RecordedPhone) -> None:
    await open_form(stage)
    plain, secret = await stage.id_of("name"), await stage.id_of("password")
    await stage.call("type_append_text", element_id=plain, text="Ada", typing_speed=10)
    assert stage.last.arguments["text"] == "Ada"
    assert stage.last.result[0].endswith("Field content: Ada")
    await stage.call("type_append_text", element_id=secret, text="hunter2", typing_speed=10)
    assert stage.last.arguments == {"element_id": secret, "text": MASK, "typing_speed": 10}
    assert stage.last.elements[secret]["resource_id"].endswith("password")
    with pytest.raises(ToolError):
        await stage.call("type_append_text", element_id="node_123456_w1", text="hunter2")
    assert stage.last.arguments == {"element_id": "node_123456_w1", "text": MASK}


async def test_what_a_field_held_is_not_kept_where_it_may_be_a_secret(stage: RecordedPhone) -> None:
    await open_form(stage)
    plain = await stage.id_of("name")
    await stage.call("type_append_text", element_id=plain, text="Ada", typing_speed=10)
    await stage.call("type_append_text", element_id=plain, text=" L", typing_speed=10)
    assert "text" not in stage.last.elements[plain]


async def test_messages_on_the_screen_are_never_recorded(stage: RecordedPhone) -> None:
    stage.pictures = True
    stage.world.telephony.receive("+36201234567", "the code is 482913")
    stage.world.launch("com.android.messaging")
    [screen] = await stage.call("get_screen_state")
    assert "482913" in str(screen)
    assert stage.last.result == (MASK,)
    [found] = await stage.call("find_elements", by="text", value="code is")
    assert stage.last.result == (MASK,)
    row = json.loads(str(found))["elements"][0]["id"]
    await stage.call("wait_for_element", by="text", value="code is", timeout=5000)
    assert stage.last.result == (MASK,)
    await stage.call("get_element_details", ids=[row])
    assert stage.last.result == (MASK,)
    assert stage.last.elements[row].keys() <= {"resource_id", "class_name"}
    await stage.call("tap", x=540, y=400)
    field = await stage.id_of("compose_message_text")
    await stage.call("type_append_text", element_id=field, text="thank you", typing_speed=10)
    assert (stage.last.arguments["text"], stage.last.result[0][-8:]) == (MASK, MASK)
    assert b"482913" not in (everything := read_all(stage))
    assert b"thank you" not in everything
    assert b"36201234567" not in everything


async def test_words_of_notifications_are_replied_and_not_recorded(stage: RecordedPhone) -> None:
    pressed: list[str] = []
    stage.world.notifications.clear()
    stage.world.notify(
        "com.android.messaging",
        "Bank",
        "the code is 482913",
        actions=(NotificationAction("Answer", pressed.append, True),),
    )
    [listed] = await stage.call("notification_list")
    assert "the code is 482913" in str(listed)
    assert stage.last.result == (MASK,)
    action = json.loads(str(listed))["notifications"][0]["actions"][0]["action_id"]
    [waited] = await stage.call("wait_for_notification", timeout=1000, text="code")
    assert "482913" in str(waited)
    assert stage.last.result == (MASK,)
    await stage.call("notification_reply", action_id=action, text="thanks a lot")
    assert pressed == ["thanks a lot"]
    assert stage.last.arguments == {"action_id": action, "text": MASK}
    assert stage.last.result == ("Reply sent",)
    everything = read_all(stage)
    assert b"482913" not in everything
    assert b"thanks a lot" not in everything
    # What is in every list is not taken for a secret.
    await stage.call("list_apps", name_query="Messages")
    assert "com.android.messaging" in stage.last.result[0]


async def test_personal_data_is_replied_and_not_recorded(stage: RecordedPhone) -> None:
    stage.world.personal.contacts.append(Contact("Zwetelina", "+36201234567", "Mobile", ""))
    stage.world.telephony.store("+36201234567", "the code is 482913")
    [found] = await stage.call("find_contacts", query="Zwetelina")
    assert "+36201234567" in str(found)
    assert stage.last.arguments == {"query": MASK}
    assert stage.last.result == (MASK,)
    [listed] = await stage.call("list_messages", **{"with": "+36201234567"})
    assert "482913" in str(listed)
    assert stage.last.arguments == {"with": MASK}
    everything = read_all(stage)
    for secret in (b"Zwetelina", b"36201234567", b"482913"):
        assert secret not in everything


async def test_a_script_runs_and_is_not_recorded(stage: RecordedPhone) -> None:
    """A password that a script fills in is in its text."""
    stage.world.install(ShopApp)
    stage.world.launch(SHOP)
    [listed] = await stage.call("list_web_pages")
    id = json.loads(str(listed))["pages"][0]["page_id"]
    script = "document.querySelector('#name').value = 'Hunter22'"
    [ran] = await stage.call("run_web_script", page_id=id, script=script)
    assert json.loads(str(ran))["value"] == '"Hunter22"'
    assert stage.last.arguments == {"page_id": id, "script": MASK}
    assert stage.last.result == (MASK,)
    with pytest.raises(ActionFailed, match="The script threw:") as thrown:
        await stage.call("run_web_script", page_id=id, script="Hunter22.length")
    assert "Hunter22 is not defined" in thrown.value.details[0]
    assert stage.last.result == ("The script threw:", MASK)
    assert b"Hunter22" not in read_all(stage)
    # Words that are in many replies are not taken for a secret.
    with pytest.raises(ActionFailed):
        await stage.call("run_web_script", page_id=id, script="example")
    await stage.call("list_apps", name_query="Shop")
    assert SHOP in stage.last.result[0]


async def test_a_message_among_the_notifications_is_not_kept(stage: RecordedPhone) -> None:
    stage.world.telephony.receive("+36201234567", "the code is 482913")
    await stage.call("open_notifications")
    [screen] = await stage.call("get_screen_state")
    assert "482913" in str(screen)
    assert stage.last.result == (MASK,)
    await stage.call("press_home")
    await stage.call("get_screen_state")
    assert stage.last.result != (MASK,)


async def test_no_picture_is_kept_while_messages_are_shown(
    stage: RecordedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.pictures = True
    looks = await count_looks(stage, monkeypatch)
    await stage.call("open_app", package_id="com.android.messaging")
    opened = stage.last.id
    await stage.rest()
    await until(lambda: len(looks) > 0)
    assert stage.log.pictures(opened) == (None, None)
    await stage.call("press_home")
    left = stage.last.id
    await stage.rest()
    await until(lambda: stage.log.pictures(left)[1] is not None)
    assert stage.log.pictures(left)[0] is None


async def test_no_picture_is_kept_of_messages_that_have_just_been_left(
    stage: RecordedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.pictures = True
    looks = await count_looks(stage, monkeypatch)
    driver = (await stage.devices.pick(None)).driver
    capture = driver.capture

    async def capture_and_leave(*how: Any) -> Screenshot:
        picture = await capture(*how)
        stage.world.press("home")
        return picture

    monkeypatch.setattr(driver, "capture", capture_and_leave)
    await stage.call("open_app", package_id="com.android.messaging")
    await stage.rest()
    await until(lambda: len(looks) > 0)
    assert stage.log.pictures(stage.last.id) == (None, None)


async def test_where_it_cannot_be_recorded_nothing_is_done(stage: RecordedPhone) -> None:
    stage.log.close()
    with pytest.raises(ToolError, match=r"A call that cannot be recorded does not run: nothing"):
        await stage.call("tap", x=540, y=1200)
    assert stage.touches() == 0


async def test_where_the_record_is_not_required_calls_go_on_with_a_warning(
    stage: RecordedPhone, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(stage.log, required=False)
    stage.surface = LocalSurface(CATALOG, stage.devices, SurfaceOptions(recorder=recorder))
    stage.log.close()
    with caplog.at_level(logging.WARNING):
        await stage.call("tap", x=540, y=1200)
    assert stage.touches() > 0
    assert "tap is not recorded." in caplog.text


async def test_actions_leave_a_picture_of_before_and_after(stage: RecordedPhone) -> None:
    stage.pictures = True
    await stage.call("press_home")
    first = stage.last.id
    assert stage.log.pictures(first) == (None, None)  # the reply has not waited for it
    await stage.rest()
    await until(lambda: stage.log.pictures(first)[1] is not None)
    await stage.call("open_app", package_id="com.android.settings")
    second = stage.last.id
    assert stage.log.pictures(second)[0] == stage.log.pictures(first)[1]
    await stage.rest()
    await until(lambda: stage.log.pictures(second)[1] is not None)
    before, after = stage.log.pictures(second)
    assert before != after
    assert after is not None
    assert after.startswith(b"\xff\xd8")
    assert len(after) < 20_000
    await stage.call("get_screen_state")
    assert stage.log.pictures(stage.last.id) == (None, None)


async def test_an_action_that_fails_leaves_a_picture_too(stage: RecordedPhone) -> None:
    stage.pictures = True
    with pytest.raises(ToolError):
        await stage.call("click_element", element_id="node_123456_w1")
    await stage.rest()
    await until(lambda: stage.log.pictures(1)[1] is not None)


async def test_a_newer_action_drops_the_picture_of_the_last(stage: RecordedPhone) -> None:
    stage.pictures = True
    await stage.call("press_home")
    assert is_watched()
    stage.pictures = False
    await stage.call("press_home")
    assert not is_watched()
    stage.pictures = True
    await stage.call("press_home")
    await stage.rest()
    await until(lambda: stage.log.pictures(3)[1] is not None)
    assert stage.log.pictures(1) == (None, None)
    assert stage.log.pictures(2) == (None, None)


async def test_typing_a_password_leaves_no_picture(stage: RecordedPhone) -> None:
    stage.pictures = True
    await open_form(stage)
    secret = await stage.id_of("password")
    await stage.call("type_append_text", element_id=secret, text="hunter2", typing_speed=10)
    assert not is_watched()
    assert stage.log.pictures(stage.last.id) == (None, None)


async def open_form(stage: RecordedPhone) -> str:
    """The id of its field for a name."""
    stage.world.launch("dev.handheld.form")
    return await stage.id_of("name")


async def count_looks(stage: RecordedPhone, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each time that the screen has been looked at and is waited for to change."""
    driver = (await stage.devices.pick(None)).driver
    changed, looks = driver.changed, list[int]()

    async def count(seq: int, within_ms: int) -> int:
        if within_ms:
            looks.append(seq)
        return await changed(seq, within_ms)

    monkeypatch.setattr(driver, "changed", count)
    return looks


def is_watched() -> bool:
    """Whether a picture of the screen may still come."""
    running = asyncio.all_tasks()
    return any("Pictures._watch" in repr(task) and not task.cancelling() for task in running)


def read_all(stage: RecordedPhone) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(stage.log.file.parent.iterdir()))
