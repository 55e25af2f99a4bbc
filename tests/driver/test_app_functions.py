"""`cmd app_function` on a phone, with and without the helper, and what it prints."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.adb.shell import ShellResult
from handheld.app_formats.app_functions import read_functions
from handheld.app_formats.app_functions.words import RETURN_VALUE
from handheld.driver.app_tools import AppFailed, AppProblem, FunctionReply
from handheld.driver.by_adb.app_function_command import (
    AppFunctionCommand,
    Generation,
    read_generation,
    read_reply,
)
from handheld.driver.by_adb.commands import Commands
from handheld.helper.protocol import Happened
from handheld.helper.session import HelperLost
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.phones import WatchedLink
from harness.polling import until
from tools.main.function_apps import CLASS, PACKAGE, Ledger, install

FORMS = {
    "A": Generation.BARE,
    "B": Generation.CALLS,
    "C": Generation.LISTS,
    "D": Generation.TIMED,
    "E": Generation.ASKED,
}


def reply(name: str, code: int = 0) -> FunctionReply:
    printed = fixtures.text(f"app_functions/{name}.txt")
    return read_reply(ShellResult(printed.encode(), b"", code), 30_000)


def failure(printed: str, stderr: str = "") -> AppFailed:
    with pytest.raises(AppFailed) as caught:
        read_reply(ShellResult(printed.encode(), stderr.encode(), 0), 30_000)
    return caught.value


def test_results_of_either_form_are_read() -> None:
    assert reply("result-api36").document == {
        RETURN_VALUE: [{"title": ["Tea"], "tags": ["a/b", "c"]}]
    }
    assert reply("result-early-api36").document == {RETURN_VALUE: [{"title": ["Tea"]}]}
    assert reply("void-early-api36", 255) == FunctionReply({}, hidden=True)
    assert read_reply(ShellResult(b"{}\n", b"", 0), 1) == FunctionReply({})


@pytest.mark.parametrize(
    ("name", "problem", "message"),
    [
        ("failure-api36", AppProblem.FAILED, "The note is\nlocked."),
        ("failure-early-api36", AppProblem.SWITCHED_OFF, "The app function is disabled"),
    ],
)
def test_failures_of_either_form_are_read(name: str, problem: AppProblem, message: str) -> None:
    found = failure(fixtures.text(f"app_functions/{name}.txt"))
    assert (found.problem, found.message) == (problem, message)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (1000, AppProblem.REFUSED),
        (1001, AppProblem.MISUSED),
        (1002, AppProblem.SWITCHED_OFF),
        (1003, AppProblem.GONE),
        (1999, AppProblem.MISUSED),
        (2000, AppProblem.BROKEN),
        (2001, AppProblem.FAILED),
        (2002, AppProblem.FORBIDDEN),
        (3000, AppProblem.FAILED),
        (4711, AppProblem.FAILED),
    ],
)
def test_each_code_says_what_may_have_been_done(code: int, problem: AppProblem) -> None:
    said = "android.app.appfunctions.AppFunctionException: null"
    new = failure(
        f"Error executing app function: {said} (code {code}). See logcat for more details. \n"
    )
    old = failure(f"Error executing app function: {code} - {said}\n")
    assert (new.problem, new.message) == (old.problem, old.message) == (problem, "")


@pytest.mark.parametrize(
    ("printed", "stderr", "problem", "message"),
    [
        ("Timed out\n", "", AppProblem.SILENT, "Timed out"),
        ("", "", AppProblem.BROKEN, "Android said: nothing."),
        ("Unknown option: --x\n", "", AppProblem.BROKEN, "Android said: Unknown option: --x."),
        (
            "Failed to convert the function response to JSON.\n",
            "",
            AppProblem.BROKEN,
            "Failed to convert the function response to JSON.",
        ),
        (
            "",
            "cmd: Can't find service: app_function\n",
            AppProblem.BROKEN,
            "Android said: cmd: Can't find service: app_function.",
        ),
        ('{"a": [', "", AppProblem.BROKEN, "The printed result is cut off."),
    ],
)
def test_whatever_else_is_printed_is_no_success(
    printed: str, stderr: str, problem: AppProblem, message: str
) -> None:
    found = failure(printed, stderr)
    assert (found.problem, found.message) == (problem, message)


@given(st.binary() | st.text().map(str.encode))
def test_anything_printed_is_a_reply_or_a_failure(printed: bytes) -> None:
    with suppress(AppFailed):
        assert isinstance(read_reply(ShellResult(printed, b"", 0), 1).document, dict)


def test_the_form_is_told_by_the_help_alone() -> None:
    assert read_generation(fixtures.text("app_functions/help-api37.txt")) is Generation.ASKED
    assert read_generation("cmd: Can't find service: app_function\n") is Generation.MISSING
    assert read_generation("") is Generation.MISSING


@pytest.fixture
async def phone() -> AsyncIterator[VirtualPhone]:
    """Of Android 16, whose time stands still."""
    async with VirtualPhone(api=36, clock=ManualClock()) as phone:
        yield phone


@pytest.mark.parametrize("form", FORMS)
async def test_each_form_is_recognised_on_a_phone(
    phone: VirtualPhone, link: WatchedLink, form: str
) -> None:
    install(phone.world)
    phone.world.app_functions.generation = form
    command = AppFunctionCommand(Commands(link))
    listed = await command.list()
    assert command._generation is FORMS[form]
    assert listed.listable == (form >= "C")
    assert listed.service
    if listed.listable:
        assert len(read_functions(listed.printed)[PACKAGE].functions) == 11


async def test_an_android_that_lists_none_is_asked_once(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    phone.world.app_functions.generation = "B"
    command = AppFunctionCommand(Commands(link))
    assert not (await command.list()).listable
    link.services.clear()
    assert not (await command.list()).listable
    assert link.services == []


@pytest.mark.parametrize("form", ["A", "B"])
async def test_an_android_that_lists_none_calls_none(
    phone: VirtualPhone, link: WatchedLink, form: str
) -> None:
    """What a first command that calls prints is text, not what was returned."""
    app = install(phone.world)
    assert isinstance(app, Ledger)
    phone.world.app_functions.generation = form
    command = AppFunctionCommand(Commands(link))
    with pytest.raises(AppFailed, match="This phone's Android cannot call it over adb") as failed:
        await command.call(PACKAGE, f"{CLASS}#wait", '{"ms":1}', 30_000)
    assert failed.value.problem is AppProblem.UNREACHABLE
    assert app.got == []


async def test_the_first_list_takes_one_round_trip_like_each_after_it(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    install(phone.world)
    command = AppFunctionCommand(Commands(link))
    for _ in range(2):
        link.services.clear()
        await command.list()
        assert len(link.services) == 1


async def test_a_result_that_the_command_hides_is_not_waited_for(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    """No time passes on this phone, so that the command never times out."""
    app = install(phone.world)
    assert isinstance(app, Ledger)
    phone.world.app_functions.generation = "C"
    command = AppFunctionCommand(Commands(link))
    arguments = json.dumps({"title": "tea", "amount": 1.5})
    found = await command.call(PACKAGE, f"{CLASS}#addEntry", arguments, 30_000)
    assert found == FunctionReply({}, hidden=True)
    assert app.got == [{"title": "tea", "amount": 1.5}]


async def test_a_list_that_is_none_is_an_error(phone: VirtualPhone, link: WatchedLink) -> None:
    command = AppFunctionCommand(Commands(link))
    await command.list()
    phone.world.app_functions.generation = "B"
    with pytest.raises(Exception, match="did not list app functions: Unknown command"):
        await command.list()


async def test_a_call_takes_one_round_trip(phone: VirtualPhone, link: WatchedLink) -> None:
    install(phone.world)
    command = AppFunctionCommand(Commands(link))
    await command.list()
    link.services.clear()
    await command.call(PACKAGE, f"{CLASS}#titles", "{}", 30_000)
    assert len(link.services) == 1


async def test_a_call_whose_link_is_lost_may_have_been_done_and_is_not_repeated(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    app = install(phone.world)
    assert isinstance(app, Ledger)
    command = AppFunctionCommand(Commands(link))
    await command.list()
    call = asyncio.ensure_future(command.call(PACKAGE, f"{CLASS}#wait", '{"ms":600000}', 30_000))
    await until(lambda: bool(app.got))
    await link.aclose()
    with pytest.raises(HelperLost) as caught:
        await call
    assert caught.value.happened is Happened.MAYBE
    assert app.got == [{"ms": 600_000}]
