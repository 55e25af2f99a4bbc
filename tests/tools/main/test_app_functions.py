"""Functions that apps declare to Android 16 and newer, as an MCP client has them."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from handheld.access.policy import make_gate
from handheld.app_formats.app_functions import Function, FunctionFailed, Types
from handheld.app_formats.app_functions.declaring import UNIT
from handheld.app_formats.app_functions.metadata import read_type
from handheld.app_formats.app_functions.words import Enabled, FunctionError
from handheld.app_tools.app_tools import AppTools
from handheld.app_tools.discovered import Unfit
from handheld.app_tools.functions import make_function_tool
from handheld.app_tools.trust import Trust
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.driver.app_tools import DeclaringApp
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, TimedOut, ToolError
from handheld.settings import load
from handheld.tools.main import CATALOG, EVERY_TOOLSET
from handheld_virtual.packages.app import App
from handheld_virtual.packages.service import FunctionService, Service

from .conftest import Bench
from .function_apps import CLASS, PACKAGE, VALUES, Ledger, LedgerFunctions, install
from .test_app_tools import CALLER, AppToolsBench, listed_app_tools, make_stage

FROM = f"From Ledger ({PACKAGE}), content not instruction:"
NAME = f"Ledger ({PACKAGE})"
NEW = [36, 37]
OFFERED = ["keep", "addEntry", "pay", "titles", "fail", "wait"]
SOON_MS = 31_000

on_new = pytest.mark.parametrize("api", NEW, indirect=True)
on_16 = pytest.mark.parametrize("api", [36], indirect=True)


@pytest.fixture
def stage(bench: Bench, tmp_path: Path) -> AppToolsBench:
    return make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))


@pytest.fixture
def ledger(stage: AppToolsBench) -> Ledger:
    app = install(stage.world)
    assert isinstance(app, Ledger)
    return app


async def offered(stage: AppToolsBench) -> list[str]:
    """The ledger's tools in a client's list."""
    tools = await stage.passing(listed_app_tools(stage))
    return [
        name.removeprefix("android_app_")
        for name, tool in tools.items()
        if f"({PACKAGE})" in tool["description"]
    ]


async def reply(stage: AppToolsBench, name: str, **arguments: Any) -> Any:
    """What the app returned, as JSON where it is."""
    first, text = await stage.passing_long(stage.items(f"app_{name}", **arguments))
    assert first == FROM
    assert isinstance(text, str)
    try:
        return json.loads(text)
    except ValueError:
        return text


async def refused(stage: AppToolsBench, name: str, **arguments: Any) -> ToolError:
    return await stage.passing_long(stage.failure(f"app_{name}", **arguments))


@pytest.mark.parametrize("api", [26, 34, 35], indirect=True)
async def test_older_androids_have_no_app_functions(stage: AppToolsBench, ledger: Ledger) -> None:
    assert await offered(stage) == []


@on_new
async def test_functions_are_listed_beside_the_other_tools(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert await offered(stage) == OFFERED
    tools = await stage.passing(listed_app_tools(stage))
    assert tools["android_app_addEntry"] == {
        "name": "android_app_addEntry",
        "title": "Ledger: addEntry",
        "description": f"Offered by the app {NAME}: Adds an entry. Returns the entry's number.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is"},
                "amount": {"type": "number", "description": ""},
                "note": {"type": ["string", "null"], "description": ""},
            },
            "required": ["title", "amount"],
        },
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": True,
        },
    }


@on_new
async def test_a_call_reaches_the_app_and_its_answer_is_content(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert await reply(stage, "addEntry", title='tea\'s "best"', amount=5) == 1
    assert ledger.got == [{"title": 'tea\'s "best"', "amount": 5.0}]
    assert await reply(stage, "titles") == ['tea\'s "best"']


@on_new
@pytest.mark.parametrize("name", VALUES)
async def test_every_type_of_value_arrives_and_comes_back(
    stage: AppToolsBench, ledger: Ledger, name: str
) -> None:
    value = VALUES[name][1]
    assert await reply(stage, "keep", **{name: value}) == {name: value}
    assert ledger.got == [{name: value}]
    assert type(ledger.got[0][name]) is type(value)


@on_16
async def test_one_of_several_types_is_named_by_its_type(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    card = f"{PACKAGE}.Card"
    await reply(stage, "pay", by={"schemaType": card, "number": "4"})
    assert ledger.got == [{"by": {"type": card, "number": "4"}}]
    failure = await refused(stage, "pay", by={"number": "4"})
    assert type(failure) is InvalidParams
    assert failure.message == "Parameter 'by' must name its type in 'schemaType'."


REFUSED = {
    "doubles": ([], "must not be an empty array: Android's command leaves it out, and the app"),
    "item": ({"name": "tea", "price": 3}, "must be an object whose 'price' must not be a whole"),
    "items": ([{"price": 1.5}], "must be an array, each item of which must have the key 'name'"),
    "whole": (1 << 31, "must be a whole number of 32 bits"),
    "choice": (3, "must be one of: 1, 2"),
    "word": ("green", "must be one of: red, blue"),
    "texts": (["a", None], "must be an array without null in it"),
    "both": ({"name": "tea", "size": 1, "color": 2}, "must not have the unknown key 'color'"),
    "truth": (5, "must be a boolean (true/false), got: '5'"),
    "uri": (5, "must be a text"),
}


@on_16
@pytest.mark.parametrize("name", REFUSED)
async def test_what_would_arrive_as_something_else_is_refused(
    stage: AppToolsBench, ledger: Ledger, name: str
) -> None:
    """As behaviour 123 states."""
    value, sentence = REFUSED[name]
    failure = await refused(stage, "keep", **{name: value})
    assert type(failure) is InvalidParams
    assert failure.message.startswith(f"Parameter '{name}' {sentence}")
    assert ledger.got == []


@on_16
async def test_too_many_bytes_for_a_command_line_are_refused(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    failure = await refused(stage, "addEntry", title="x" * 61_000, amount=1)
    assert type(failure) is InvalidParams
    assert failure.message.endswith("at most 60000 are possible. Nothing was done.")
    assert ledger.got == []


@on_16
async def test_optional_parameters_that_cannot_be_sent_are_left_out(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    """As behaviour 123 states."""
    tools = await stage.passing(listed_app_tools(stage))
    listed = tools["android_app_keep"]["inputSchema"]["properties"]
    assert list(listed) == list(VALUES)
    assert listed["choice"] == {"type": "integer", "enum": [1, 2], "description": ""}
    assert listed["doubles"] == {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 1,
        "description": "",
    }
    assert listed["book"]["properties"]["within"] == {"type": "object"}
    assert listed["uri"] == {"type": "string", "format": "uri", "description": ""}


@on_16
async def test_what_cannot_be_offered_is_named_among_the_problems(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    await offered(stage)
    record = stage.trust.record("virtual", PACKAGE)
    assert record is not None
    assert record.problems == tuple(
        f'{PACKAGE}: the function "{CLASS}#{name}" {why}.'
        for name, why in {
            "old": "is known only by its id: this Android, or the app, does not declare its"
            " parameters",
            "raw": "has a parameter 'data' that is of type bytes, which cannot be sent over adb",
            "handle": "has a parameter 'of' that is of type parcelable, which cannot be sent over"
            " adb",
            "shown": "belongs to an activity, so only apps can call it",
        }.items()
    )


# Failures


@on_new
async def test_arguments_that_the_app_refuses_did_nothing(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    """As behaviour 125 states."""
    failure = await refused(stage, "addEntry", title="tea", amount=-1)
    assert type(failure) is InvalidParams
    assert failure.message == f"{NAME} refused the arguments. Nothing was done. {FROM}"
    assert failure.details == ("amount is negative",)


@on_new
async def test_an_app_that_fails_may_have_done_it(stage: AppToolsBench, ledger: Ledger) -> None:
    """As behaviour 125 states."""
    failure = await refused(stage, "fail")
    assert type(failure) is ActionFailed
    assert failure.message == (
        f"{NAME} failed. It may or may not have done what it was asked. {FROM}"
    )
    # A code in the app's own words is not taken for Android's.
    assert failure.details == ("RuntimeError: The ledger is\nfull. (code 1002)",)


@on_16
@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            FunctionError.NOT_FOUND,
            f"{NAME} is no longer on the phone, or no longer offers this. Nothing was done. List"
            " the tools again.",
        ),
        (
            FunctionError.SYSTEM,
            f"Android failed while it called {NAME}: no. It may or may not have done what it was"
            " asked.",
        ),
        (
            FunctionError.CANCELLED,
            f"{NAME} failed. It may or may not have done what it was asked. {FROM}",
        ),
    ],
)
async def test_each_failure_says_what_may_have_been_done(
    stage: AppToolsBench, ledger: Ledger, code: FunctionError, sentence: str
) -> None:
    ledger.failure = FunctionFailed("no", code)
    failure = await refused(stage, "fail")
    assert (type(failure), failure.message) == (ActionFailed, sentence)


def test_a_function_for_its_own_app_is_not_offered() -> None:
    app = DeclaringApp(PACKAGE, "Ledger", 1, "")
    own = Function(f"{CLASS}#own", PACKAGE, returns=read_type(UNIT), access="self")
    with pytest.raises(Unfit, match="may be called only by its own app"):
        make_function_tool(app, own, Types({}))


@on_new
async def test_an_app_that_does_not_answer_in_time_may_have_done_it(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    failure = await refused(stage, "wait", ms=600_000)
    assert type(failure) is TimedOut
    # Android waits for whole seconds.
    assert failure.message == (
        f"{NAME} did not answer within 3 s. It may or may not have done what it was asked."
    )
    assert ledger.got == [{"ms": 600_000}]


@on_new
async def test_an_answer_in_time_is_waited_for(stage: AppToolsBench, ledger: Ledger) -> None:
    said = await reply(stage, "wait", ms=2000)
    assert said == "(The app reported success and returned nothing.)"


@on_16
async def test_a_frozen_app_does_not_answer(stage: AppToolsBench, ledger: Ledger) -> None:
    await offered(stage)
    stage.world.frozen_packages.add(PACKAGE)
    failure = await refused(stage, "titles")
    assert type(failure) is TimedOut


@on_16
async def test_what_the_shell_may_not_do_is_said(stage: AppToolsBench, ledger: Ledger) -> None:
    stage.world.app_functions.denied = True
    failure = await refused(stage, "titles")
    assert type(failure) is PermissionDenied
    assert failure.message == (
        f"{NAME} does not let adb call it: Caller does not have permission to execute the"
        " appfunction. Nothing was done."
    )


@on_16
async def test_what_the_administrator_forbids_is_said(stage: AppToolsBench, ledger: Ledger) -> None:
    stage.world.app_functions.policy = "Cannot run here"
    failure = await refused(stage, "titles")
    assert type(failure) is PermissionDenied
    assert failure.message == (
        f"The phone's administrator does not allow {NAME} to be called: Cannot run here. Nothing"
        " was done."
    )


# Switched on and off


@pytest.mark.slow
@on_new
async def test_a_function_that_is_switched_off_leaves_the_list_and_says_why(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert "titles" in await offered(stage)
    stage.world.app_functions.set_enabled(PACKAGE, f"{CLASS}#titles", Enabled.OFF)
    # It is still known as it was; Android refuses.
    failure = await refused(stage, "titles")
    assert type(failure) is ActionFailed
    assert failure.message == f"{NAME} has switched this function off. Nothing was done."
    await stage.clock.advance(SOON_MS)
    assert "titles" not in await offered(stage)
    failure = await refused(stage, "titles")
    assert failure.message == f"{NAME} has switched this function off. Nothing was done."
    stage.world.app_functions.set_enabled(PACKAGE, f"{CLASS}#titles", Enabled.DEFAULT)
    await stage.clock.advance(SOON_MS)
    assert await reply(stage, "titles") == []


@pytest.mark.slow
@on_new
async def test_a_function_that_is_switched_on_appears_without_a_new_approval(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    """As behaviour 125 states."""
    assert "hidden" not in await offered(stage)
    stage.world.app_functions.set_enabled(PACKAGE, f"{CLASS}#hidden", Enabled.ON)
    await stage.clock.advance(SOON_MS)
    assert "hidden" in await offered(stage)
    await reply(stage, "hidden")
    assert ledger.got == [{}]


# Trust, as for the other tools


class OtherFunctions(LedgerFunctions):
    def offer(self) -> Any:
        functions = super().offer()

        @functions.function("steal", "Is new.")
        def _(arguments: Any) -> None: ...

        return functions


class Update(Ledger):
    version_code = 2
    services: ClassVar[tuple[type[Service], ...]] = (OtherFunctions,)


@pytest.mark.slow
@on_new
async def test_an_app_that_declares_other_functions_needs_a_new_approval(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert await offered(stage) == OFFERED
    install(stage.world, Update)
    assert await offered(stage) == []
    failure = await refused(stage, "titles")
    assert type(failure) is PermissionDenied
    assert "has changed: it declares its tools differently" in failure.message
    stage.trust.approve(PACKAGE)
    assert await offered(stage) == [*OFFERED, "steal"]


@pytest.mark.slow
@on_new
async def test_nothing_is_offered_before_the_owner_approves(bench: Bench, tmp_path: Path) -> None:
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=False))
    install(stage.world)
    assert await offered(stage) == []
    failure = await refused(stage, "titles")
    assert "has not been approved yet" in failure.message
    stage.trust.approve(PACKAGE)
    assert await offered(stage) == OFFERED
    stage.trust.revoke(PACKAGE)
    assert await offered(stage) == []


@on_16
async def test_the_pin_names_the_signer_by_whichever_way_it_was_read(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    await offered(stage)
    record = stage.trust.record("virtual", PACKAGE)
    assert record is not None
    app = (await stage.phone.driver.declaring_apps([PACKAGE]))[PACKAGE]
    assert record.seen.signer == app.signer != ""
    assert list(record.seen.parts) == ["app functions"]
    assert (app.label, app.version_code) == ("Ledger", 1)


@on_16
async def test_an_app_that_is_removed_takes_its_functions_along(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert await offered(stage) == OFFERED
    stage.world.uninstall(PACKAGE)
    assert await offered(stage) == []
    failure = await refused(stage, "titles")
    assert "is not on this phone, or no longer offers anything" in failure.message


class Twin(App):
    package, label = "org.example.twin", "Twin"
    services: ClassVar[tuple[type[Service], ...]] = (LedgerFunctions,)


@pytest.mark.slow
@on_16
async def test_functions_of_one_name_are_told_apart_by_their_app(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    class TwinFunctions(FunctionService):
        name = ".Functions"

        def offer(self) -> Any:
            from handheld.app_formats.app_functions import AppFunctions

            functions = AppFunctions("org.example.twin.Functions")

            @functions.function("titles", "Lists other titles.")
            def _(arguments: Any) -> None: ...

            return functions

    class Own(Twin):
        services = (TwinFunctions,)

    await offered(stage)
    install(stage.world, Own)
    tools = await stage.passing(listed_app_tools(stage))
    assert {"android_app_titles", "android_app_titles_twin"} <= tools.keys()


# The forms of Android's command


@on_16
@pytest.mark.parametrize("generation", ["A", "B"])
async def test_an_android_that_lists_none_offers_none(
    stage: AppToolsBench, ledger: Ledger, generation: str
) -> None:
    stage.world.app_functions.generation = generation
    assert await offered(stage) == []


@on_16
@pytest.mark.parametrize("generation", ["C", "D", "E"])
async def test_each_form_of_the_command_that_lists_also_calls(
    stage: AppToolsBench, ledger: Ledger, generation: str
) -> None:
    """As behaviour 122 states."""
    stage.world.app_functions.generation = generation
    assert await offered(stage) == OFFERED
    item = {"name": "tea", "price": 2.5}
    assert await reply(stage, "keep", item=item) == {"item": item}
    failure = await refused(stage, "addEntry", title="tea", amount=-1)
    assert failure.details == ("amount is negative",)
    failure = await refused(stage, "fail")
    assert failure.details == ("RuntimeError: The ledger is\nfull. (code 1002)",)


@on_16
async def test_a_command_that_hides_what_was_returned_is_told_truthfully(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    """As behaviour 124 states."""
    stage.world.app_functions.generation = "C"
    await offered(stage)
    said = await reply(stage, "addEntry", title="tea", amount=1)
    assert said == (
        "(The app reported success. Its result is unknown: the Android of this phone reports only"
        f" objects that {PACKAGE} returns.)"
    )
    assert len(ledger.got) == 1


@on_16
async def test_a_function_without_a_result_is_done_although_that_command_times_out(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    """As behaviour 124 states."""
    stage.world.app_functions.generation = "C"
    await offered(stage)
    said = await reply(stage, "wait", ms=1000)
    assert said == "(The app reported success and returned nothing.)"


@on_16
async def test_an_early_command_waits_for_ten_seconds_whatever_was_asked(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    stage.world.app_functions.generation = "C"
    await offered(stage)
    failure = await refused(stage, "wait", ms=600_000)
    assert type(failure) is TimedOut
    assert failure.message == (
        f"{NAME} did not answer within 10 s. It may or may not have done what it was asked."
    )


@on_16
async def test_a_list_that_cannot_be_had_leaves_the_tools_that_were_known(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    assert await offered(stage) == OFFERED
    await stage.clock.advance(SOON_MS)
    stage.world.app_functions.generation = "B"
    assert await offered(stage) == OFFERED


# Rules, and models


def judged(bench: Bench, tmp_path: Path, **flags: Any) -> AppToolsBench:
    """A stage whose calls are judged by these rules."""
    gate = make_gate(load(flags, {"HANDHELD_HOME": str(tmp_path)}), EVERY_TOOLSET)
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))
    source = AppTools(stage.trust, timeout_ms=2500, reply_limit=100_000)
    stage.surface = stage.counter.surface = LocalSurface(
        CATALOG, stage, SurfaceOptions(source=source, gate=gate)
    )
    return stage


@on_16
@pytest.mark.parametrize("denied", [PACKAGE, "org.example.other"])
async def test_a_rule_on_the_app_holds_for_its_functions(
    bench: Bench, tmp_path: Path, denied: str
) -> None:
    stage = judged(bench, tmp_path, policy_deny=f"app:{denied}", policy_ask="send_sms")
    app = install(stage.world)
    assert isinstance(app, Ledger)
    if denied != PACKAGE:
        assert await reply(stage, "addEntry", title="tea", amount=1) == 1
        return
    failure = await refused(stage, "addEntry", title="tea", amount=1)
    assert type(failure) is PermissionDenied
    assert app.got == []


@on_16
async def test_functions_are_asked_about_like_the_other_tools_of_apps(
    bench: Bench, tmp_path: Path
) -> None:
    stage = judged(bench, tmp_path, policy_require_console=True)
    app = install(stage.world)
    failure = await refused(stage, "addEntry", title="tea", amount=1)
    assert type(failure) is PermissionDenied
    assert isinstance(app, Ledger)
    assert app.got == []


@on_16
async def test_models_have_functions_with_schemas_that_every_client_takes(
    stage: AppToolsBench, ledger: Ledger
) -> None:
    source = AppTools(stage.trust, timeout_ms=2500, reply_limit=100_000)
    surface = make_agent_surface(stage, SurfaceOptions(source=source))
    listed = {one.name: one for one in await stage.passing(surface.tools())}
    keep = listed["app_keep"].input_schema["properties"]
    assert keep["book"]["properties"]["within"]["type"] == "string"  # JSON text
    assert listed["app_addEntry"].input_schema["properties"]["note"] == {"type": "string"}
    book = {"title": "a", "within": '{"title": "b"}'}
    sent = {"book": book, "item": '{"name": "tea"}', "whole": "5", "double": "2"}
    await stage.passing_long(surface.call("app_keep", sent, CALLER))
    assert ledger.got == [
        {
            "whole": 5,
            "double": 2.0,
            "item": {"name": "tea"},
            "book": {"title": "a", "within": {"title": "b"}},
        }
    ]
