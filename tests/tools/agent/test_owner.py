"""What the owner decided holds on the phone itself: no reply shows what a rule hides, and the
record keeps no secret."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.audit import AuditEntry, AuditLog, Masks, Recorder
from handheld.audit.export import pytest_script
from handheld.audit.masking import MASK
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.errors import InvalidParams, PermissionDenied
from handheld.settings.rules import Rules
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld.tools.call import Caller
from testbed import show_scene

from .conftest import AgentBench

HIDDEN = "the owner of the phone does not allow what is on the screen now to be read."


def rule(bench: AgentBench, *deny: str, **options: Any) -> None:
    gate = ApprovalGate(Rules(deny=deny))
    bench.counter.surface = make_agent_surface(  # type: ignore[assignment]
        bench, SurfaceOptions(gate=gate, **options)
    )


@pytest.fixture
def log(bench: AgentBench, tmp_path: Path) -> Iterator[AuditLog]:
    log = AuditLog(tmp_path / "audit.db", masks=Masks(screens=("com.android.settings",)))
    rule(bench, recorder=Recorder(log))
    yield log
    log.close()


@pytest.mark.parametrize("denied", ["app:com.android.settings", "get_screen_state+app:*settings"])
@pytest.mark.parametrize(
    ("tool", "arguments"), [("open", {"what": "Settings"}), ("tap", {"at": "Settings"})]
)
async def test_an_action_that_leads_into_a_denied_app_does_not_show_it(
    bench: AgentBench, denied: str, tool: str, arguments: dict[str, Any]
) -> None:
    rule(bench, denied)
    done, hidden = (await bench.call(tool, **arguments)).split("\n")
    assert '"Settings"' in done
    assert hidden == f"The screen after it is not shown: {HIDDEN}"
    assert bench.world.foreground is not None
    assert bench.world.foreground[0] == "com.android.settings"
    assert isinstance(await bench.failure("look"), PermissionDenied)


async def test_a_failure_in_a_denied_app_tells_nothing_of_its_screen(bench: AgentBench) -> None:
    rule(bench, "get_screen_state+app:com.android.settings")
    await bench.call("open", what="Settings")
    for tool, arguments in (
        ("tap", {"at": "Networ"}),
        ("wait", {"text": "Never", "seconds": 1}),
        ("type", {"text": "a"}),
    ):
        failed = await bench.failure(tool, **arguments)
        assert "Network" not in " ".join([failed.message, *failed.details]), tool


async def test_a_wait_that_ends_in_a_denied_app_tells_nothing_of_it(bench: AgentBench) -> None:
    rule(bench, "app:com.android.settings")
    bench.world.timers.after(500, lambda: bench.world.bring("com.android.settings"))
    failed = await bench.failure("wait", text="Network & internet", seconds=3)
    assert isinstance(failed, PermissionDenied)
    assert failed.details == ()


async def test_a_ref_of_a_denied_app_tells_nothing_of_its_element(bench: AgentBench) -> None:
    """Another caller, who may see that app, was shown it."""
    await bench.call("open", what="Settings")
    ref = await bench.ref("Network & internet")
    await bench.call("press", key="home")
    rule(bench, "app:com.android.settings")
    for tool, arguments in (
        ("tap", {"at": ref}),
        ("tap", {"at": f'{ref} "x"'}),
        ("tap", {"at": "Clock", "within": ref}),
        ("swipe", {"at": "1,2", "to": ref}),
        ("read", {"what": "text", "of": ref}),
    ):
        failed = await bench.failure(tool, **arguments)
        assert isinstance(failed, PermissionDenied), tool
        assert "Network" not in failed.message


async def test_steps_stop_at_one_that_is_denied_and_say_what_was_done(bench: AgentBench) -> None:
    rule(bench, "press_back")
    failed = await bench.failure(
        "do",
        steps=[
            {"tool": "open", "what": "Calculator"},
            {"tap": "7"},
            {"press": {"button": " KEYCODE_BACK "}},
            {"tap": "8"},
        ],
    )
    assert isinstance(failed, PermissionDenied)
    assert failed.message.startswith('2 of 4 done: Opened "Calculator"; Tapped ')
    assert "the rule 'press_back' denies it" in failed.message
    assert failed.message.endswith("Step 4 was not tried.")
    assert '"8"' not in (await bench.call("look")).splitlines()[1]


async def test_steps_into_a_denied_app_are_done_and_not_shown(bench: AgentBench) -> None:
    rule(bench, "app:com.android.settings")
    reply = await bench.call("do", steps=[{"tool": "open", "what": "Settings"}])
    assert reply.startswith("1 of 1 done.\nThe screen is not shown: Not done: phone_look, because")
    assert "Network" not in reply


@pytest.mark.parametrize("allow", [True, False])
async def test_a_person_is_asked_about_each_step_once(bench: AgentBench, allow: bool) -> None:
    gate = ApprovalGate(Rules(ask=["press_home", "open_app"]))
    gate.consoles = 1
    bench.counter.surface = make_agent_surface(bench, SurfaceOptions(gate=gate))  # type: ignore[assignment]
    asked: list[str] = []

    async def answer() -> None:
        async for change in questions:
            if change.state == "asked":
                asked.append(change.pending.call.tool)
                gate.answer(change.pending.id, allow or len(asked) == 1, "owner")

    steps = [{"tool": "open", "what": "Clock"}, {"tap": "Timer"}, {"press": "home"}, {"tap": "x"}]
    with gate.subscribe() as questions:
        answering = asyncio.create_task(answer())
        failed = await bench.failure("do", steps=steps)
    await answering
    assert asked == ["phone_open", "phone_press"]
    done = "3 of 4 done: " if allow else "2 of 4 done: "
    assert failed.message.startswith(done)
    assert ("said no" in failed.message) == (not allow)


async def test_steps_that_are_cancelled_end_with_the_one_that_ran(
    bench: AgentBench, log: AuditLog
) -> None:
    steps = [{"tool": "open", "what": "Clock"}, {"tool": "wait", "text": "Never"}, {"tap": "x"}]
    surface, entries = bench.counter.surface, log.subscribe()
    running = asyncio.create_task(surface.call("phone_do", {"steps": steps}, Caller("http")))

    async def until_it_waits() -> None:
        async for entry in entries:
            if entry.tool == "phone_wait":
                return

    await bench.passing(until_it_waits())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [(entry.tool, entry.state) for entry in log.entries()] == [
        ("phone_look", "done"),
        ("phone_open", "done"),
        ("phone_wait", "failed"),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [{"tap": "7", "press": "back"}],
        [{"tool": "read", "what": "clipboard"}],
        [{"tool": "phone_message", "to": "1", "text": "a"}],
        [{"tool": "do", "steps": []}],
        [{"tap": "7", "phone": "a"}, {"tap": "8", "phone": "b"}],
    ],
)
async def test_steps_that_are_no_steps_or_mean_two_phones_do_nothing(
    bench: AgentBench, steps: list[dict[str, Any]]
) -> None:
    bench.events()
    assert isinstance(await bench.failure("do", steps=steps), InvalidParams)
    assert bench.events() == []


async def test_the_only_phone_is_not_used_for_another_that_is_named(bench: AgentBench) -> None:
    bench.events()
    for arguments in ({"phone": "tablet"}, {"device": "tablet"}):
        failed = await bench.failure("tap", at="Settings", **arguments)
        assert failed.message == "There is one phone here: leave phone out. Nothing was done."
        assert isinstance(
            await bench.failure("do", steps=[{"tap": "Settings", **arguments}]), InvalidParams
        )
    assert bench.events() == []
    assert "Opened" in await bench.call("open", what="Clock", phone=None, device="")


async def test_each_step_is_recorded_as_a_call_of_its_own(bench: AgentBench, log: AuditLog) -> None:
    await bench.call("do", steps=[{"tool": "open", "what": "Calculator"}, {"tap": "7"}])
    made = [(entry.tool, dict(entry.arguments)) for entry in log.entries()]
    assert [each for each in made if each[0] != "phone_look"] == [
        ("phone_open", {"what": "Calculator"}),
        ("phone_tap", {"at": "7"}),
    ]


async def test_the_screen_of_an_app_that_is_not_recorded_is_in_no_reply_of_the_record(
    bench: AgentBench, log: AuditLog
) -> None:
    await bench.call("open", what="Settings")
    await bench.call("look")
    await bench.failure("tap", at="Networ")
    assert [entry.result for entry in log.entries()] == [(MASK,), (MASK,), (MASK,)]


async def type_recorded(bench: AgentBench, log: AuditLog, **arguments: Any) -> AuditEntry:
    """The record of something that is typed into the login form."""
    await bench.call("type", **arguments)
    return log.entries()[-1]


@pytest.mark.parametrize("named", ["ref", "words", "focus"])
async def test_a_typed_password_is_in_no_part_of_the_record(
    bench: AgentBench, log: AuditLog, named: str
) -> None:
    await bench.call("open", what="Login")
    ref = await bench.ref("Password")
    if named == "focus":
        await bench.call("tap", at=ref)
    into = {"ref": {"into": ref}, "words": {"into": "Password"}, "focus": {}}[named]
    entry = await type_recorded(bench, log, value="q7x", **into)
    assert entry.arguments["text"] == MASK
    assert all("q7x" not in str(each) for each in log.entries())


async def test_what_is_typed_into_a_field_known_by_its_ref_is_recorded(
    bench: AgentBench, log: AuditLog
) -> None:
    await bench.call("open", what="Login")
    ref = await bench.ref("User name")
    entry = await type_recorded(bench, log, text="ada", into=ref)
    assert entry.arguments["text"] == "ada"
    assert entry.elements[ref] == {"words": "User name", "kind": "field"}


async def test_a_copied_secret_is_masked_where_it_is_shown_later(
    bench: AgentBench, log: AuditLog
) -> None:
    bench.world.clipboard.copy('one"time 4711')
    assert "4711" in await bench.call("read", what="clipboard")
    await bench.call("open", what="Contact form")
    await bench.call("type", into="Name", text='one"time 4711')
    assert all("4711" not in str(each) for each in log.entries())


async def test_an_exported_call_has_the_words_and_the_row_of_its_target(
    bench: AgentBench, log: AuditLog
) -> None:
    show_scene(bench.world, "equal_rows", names="Ann,Cy,Cy")
    rows = [row for row in await bench.look() if row.endswith('"Delete"')]
    refs = [row.split(" ")[-2] for row in rows]
    await bench.call("tap", at=f'{refs[0]} "Delete"')
    await bench.call("tap", at=refs[1])
    script = pytest_script(log.entries(), AGENT_CATALOG)
    assert "phone.call('phone_tap', {'at': 'Delete', 'within': 'Ann'})" in script
    assert f"phone_tap is not repeated: the meaning of {refs[1]} is unknown." in script
