"""What each tool says when it cannot do what it was asked: one line, and what to do next."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from handheld.errors import PermissionDenied, TimedOut, ToolError
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.tools.agent.elements.targets import WAY_OUT
from handheld_virtual.packages.app import Activity
from handheld_virtual.views.layout import Column, Frame
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.field import Field
from testbed import installed_testbed, show_scene
from testbed.screens import ChangingText

from .conftest import AgentBench
from .pages import show as show_page


class Form(Activity):
    name = ".Form"

    def content(self) -> View:
        self.pressed: list[str] = []
        self.next = Button("Next", lambda: self.pressed.append("Next"), id="next", enabled=False)
        return Column(
            Field(hint="Email", id="email", width=MATCH),
            Field(hint="Amount", id="amount", width=MATCH, accept=str.isdigit),
            Field("", hint="Code", id="code", width=MATCH, most=3),
            self.next,
            Text("Just words", id="words"),
            padding=24,
            gap=16,
            width=MATCH,
        )


class Covered(Activity):
    """A button that lies under another one."""

    name = ".Covered"

    def content(self) -> View:
        self.pressed: list[str] = []
        return Frame(
            Button("Pay", lambda: self.pressed.append("Pay"), id="pay", width=MATCH, height=200),
            Button("Chat", lambda: self.pressed.append("Chat"), id="chat", width=MATCH, height=400),
            width=MATCH,
            height=MATCH,
        )


def show(bench: AgentBench, kind: type[Activity]) -> Activity:
    app = installed_testbed(bench.world)
    activity = kind(app, {})
    bench.world.tasks.close(app)
    bench.world.open(activity)
    return activity


Case = Callable[[AgentBench], Awaitable[tuple[ToolError, str]]]


async def gone(bench: AgentBench) -> tuple[ToolError, str]:
    show_scene(bench.world, "changing_text")
    ref = await bench.ref("More")
    await bench.call("press", key="home")
    return await bench.failure("tap", at=ref), f'{ref} "More" is gone. Call phone_look.'


async def replaced(bench: AgentBench) -> tuple[ToolError, str]:
    """By an equal button beside other words, which is not taken for it."""
    column = Column(Text("Bill of May"), Button("Pay"))
    show_page(bench, lambda: column)
    ref = await bench.ref("Pay")
    column.replace(Text("Bill of June"), Button("Pay"))
    failed = await bench.failure("tap", at=ref)
    now = await bench.ref("Pay")
    assert now != ref
    return failed, f'{ref} "Pay" has changed: nothing was done. Nearest: {now} "Pay".'


async def changed(bench: AgentBench) -> tuple[ToolError, str]:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    ref = await bench.ref("More")
    scene.button.text = "Cancel"
    failed = await bench.failure("tap", at=ref)
    return failed, f'{ref} was "More" and is now "Cancel": nothing was done.'


async def never(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.look()
    return (
        await bench.failure("tap", at="k77"),
        "k77 was never shown on this phone: call phone_look.",
    )


async def disabled(bench: AgentBench) -> tuple[ToolError, str]:
    show(bench, Form)
    ref = await bench.ref("Next")
    email = await bench.ref("Email")
    failed = await bench.failure("tap", at=ref)
    return failed, (
        f'{ref} "Next" is disabled: something on this screen is missing, perhaps {email} field'
        ' "Email" empty.'
    )


async def behind(bench: AgentBench) -> tuple[ToolError, str]:
    show_scene(bench.world, "mixed")
    ref = await bench.ref("Button")
    await bench.call("tap", at="Ask")
    failed = await bench.failure("tap", at=ref)
    return failed, (
        f'{ref} "Button" is behind dialog dev.handheld.testbed "Really?": answer that first.'
    )


async def unfocused(bench: AgentBench) -> tuple[ToolError, str]:
    show(bench, Form)
    email, amount, code = [await bench.ref(name) for name in ("Email", "Amount", "Code")]
    failed = await bench.failure("type", text="ada")
    return failed, (
        f'No field has the focus. Say into: {email} field "Email" empty, {amount} field "Amount"'
        f' empty, {code} field "Code" empty.'
    )


async def no_field(bench: AgentBench) -> tuple[ToolError, str]:
    show(bench, Form)
    await bench.look()
    failed = await bench.failure("type", text="ada", into="Just words")
    return failed, '"Just words" is not a field.'


async def altered(bench: AgentBench) -> tuple[ToolError, str]:
    show(bench, Form)
    await bench.look()
    failed = await bench.failure("type", text="12a", into="Amount")
    return failed, 'Typed "12a", the field holds "12": it takes digits only.'


async def shortened(bench: AgentBench) -> tuple[ToolError, str]:
    show(bench, Form)
    await bench.look()
    failed = await bench.failure("type", text="12345", into="Code")
    return failed, 'Typed "12345", the field holds "123": it takes 3 characters.'


async def silent_ref(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.call("open", what="Crash test")
    ref = await bench.ref("Log an error")
    await bench.call("tap", at="Hang")
    failed = await bench.failure("tap", at=ref)
    return failed, (
        f"{ref} is not seen: dev.handheld.crashtest has not answered for 2 s (not responding)."
        f" To go on: {WAY_OUT}."
    )


async def locked(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.look()
    bench.world.locked = True
    failed = await bench.failure("open", what="Clock")
    assert failed.details == ()
    return failed, "The phone is locked: a person has to unlock it. Nothing was done."


async def silent(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.call("open", what="Crash test")
    await bench.call("tap", at="Hang")
    failed = await bench.failure("tap", at="Crash")
    return failed, (
        'No "Crash" is visible. dev.handheld.crashtest has not answered for 2 s (not responding).'
        f" To go on: {WAY_OUT}."
    )


async def refused(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.look()
    bench.device.faults.refuse_input()
    failed = await bench.failure("tap", at="540,900")
    assert isinstance(failed, PermissionDenied)
    return failed, (
        "The phone does not let adb touch the screen: turn on any further setting for security or "
        "permissions in its developer options, and restart it. Nothing was done."
    )


async def broken(bench: AgentBench) -> tuple[ToolError, str]:
    show_scene(bench.world, "changing_text", every="100")
    await bench.look()
    call = bench.beside(bench.failure("tap", at="540,2000"))
    await bench.until(lambda: any(event.kind == "touch" for event in bench.world.events))
    bench.device.faults.kill_helper()
    return await call, (
        "The helper on the phone ended (exit code 137). It may or may not have happened: call"
        " phone_look before repeating."
    )


async def late(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("wait", text="Never", seconds=2)
    assert isinstance(failed, TimedOut)
    return failed, "Not yet after 2 s. Call phone_wait again to go on waiting."


async def outside(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("tap", at="5000,10")
    return failed, "Coordinates are outside the screen, which is 1080 x 2400 pixels."


async def unknown_folder(bench: AgentBench) -> tuple[ToolError, str]:
    storage, rules = StorageFile(Path("/nowhere/storage.toml")), DownloadRules(1)
    bench.phone.files = Files(bench.phone.driver, bench.phone.clock, storage, ["virtual"], rules)
    failed = await bench.failure("file", action="write", path="Nowhere/a.txt", text="a")
    return failed, (
        "Storage location 'Nowhere' not found. phone_read files has the ids; the phone's owner adds"
        " one with `handheld storage add`."
    )


async def two_sims(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("message", to="+36301112233", text="Hello")
    assert failed.message.endswith("Nothing was sent.")
    failed.message = failed.message.partition(",")[0]
    return failed, "Parameter 'sim' is required"


async def no_number(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("message", to="", text="Hello")
    failed.message = failed.message.partition(":")[0]
    return failed, "Parameter 'to' must not be empty"


async def misspelt_app(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("open", what="Calculater")
    return failed, (
        'No app is called "Calculater". Nearest: "Calculator" (com.android.calculator2).'
    )


async def unknown_app(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("open", what="Spreadsheets")
    return (
        failed,
        'No app is called "Spreadsheets". phone_read apps lists those that are installed.',
    )


async def log_of_words(bench: AgentBench) -> tuple[ToolError, str]:
    failed = await bench.failure("read", what="logs", of="crash")
    return failed, (
        'No app with the package "crash" is installed. phone_read apps has the packages.'
    )


async def alike_in_pages(bench: AgentBench) -> tuple[ToolError, str]:
    await bench.call("open", what="Gallery")
    rows = (await bench.call("tap", at="Morning")).split("\n")
    pages = next(row.split(" ")[1].rstrip(",:") for row in rows if row.startswith("pages "))
    failed = await bench.failure("tap", at="Morning")
    return failed, (
        f'2 match "Morning": "Morning" in "Navigate up", "Morning" in {pages}. Say which ref, or'
        " add within."
    )


CASES: list[Case] = [
    gone,
    replaced,
    changed,
    never,
    disabled,
    behind,
    unfocused,
    no_field,
    altered,
    shortened,
    locked,
    silent,
    silent_ref,
    refused,
    broken,
    late,
    outside,
    unknown_folder,
    two_sims,
    no_number,
    misspelt_app,
    unknown_app,
    log_of_words,
    alike_in_pages,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_a_failure_is_one_line_that_says_what_to_do(bench: AgentBench, case: Case) -> None:
    failed, expected = await case(bench)
    assert failed.message == expected
    assert "\n" not in failed.message
    assert "node_" not in failed.message
    assert "get_screen_state" not in failed.message


async def test_words_of_the_screen_stay_as_they_are_in_a_message(bench: AgentBench) -> None:
    words = "press_home after get_screen_state"
    failed = await bench.failure("tap", at=words)
    assert failed.message.startswith(f'No "{words}" is visible.')
