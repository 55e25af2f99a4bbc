"""The app tool commands: offers, packages_changed, provider_call, service_call."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from handheld.app_formats.apk.manifest import Filter
from handheld.app_formats.mobile_mcp import ACTION
from handheld.app_formats.tool_provider import ACTION as PROVIDER_ACTION
from handheld.app_formats.tool_provider import MIME_TYPE
from handheld.helper.protocol import WORK_LANE
from handheld_virtual.packages.app import App
from handheld_virtual.packages.provider import Bundle, Provider
from handheld_virtual.packages.service import Service, Start, ToolService
from handheld_virtual.reference_helper.commands.app_tools import signer_of
from testbed.cloud import AUTHORITY as CLOUD
from testbed.cloud import Cloud

from .conftest import Stage
from .host import Answer, Host

PACKAGE = "org.example.offering"
SERVICE = f"{PACKAGE}.Tools"
AUTHORITY = f"{PACKAGE}.provider"
DESCRIPTOR = (
    '<mobile-mcp-capabilities version="1.0"><capability id="a" description="Ä🙂" version="1">'
    '<input><param name="n" type="int" description="" required="true"/></input>'
    "</capability></mobile-mcp-capabilities>"
)
VIEW = "android.intent.action.VIEW"


class Tools(ToolService):
    """Handles a start according to the extra `do`."""

    name = ".Tools"
    tool_name = "Tools"
    tool_description = "For the suite"
    descriptor = DESCRIPTOR

    def start(self, start: Start) -> None:
        app, reply = self.app, start.callback
        assert isinstance(app, Offering)
        assert reply is not None
        app.starts.append(start)
        match start.extras.get("do"):
            case "echo":
                reply(start.extras)
            case "crash":
                raise RuntimeError("a view was null")
            case _:
                pass


class Answering(Provider):
    filters = (Filter((VIEW,), mime_types=(MIME_TYPE,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        app = self.world.apps[PACKAGE]
        assert isinstance(app, Offering)
        app.calls.append((method, argument, dict(extras)))
        if method == "crash":
            self.world.running.crash(app, RuntimeError("dead"))
        elif method == "throw":
            raise ValueError("java.lang.IllegalStateException: not today")
        elif method == "null":
            return None
        return app.answer or {"said": method}


class Offering(App):
    package, label = PACKAGE, "Offering ü"
    services: ClassVar[tuple[type[Service], ...]] = (Tools,)
    providers: ClassVar[Mapping[str, type[Provider]]] = {AUTHORITY: Answering}

    starts: list[Start]
    calls: list[tuple[str, str | None, dict[str, object]]]
    answer: Bundle | None

    def packages_changed(self) -> None:
        """Does nothing."""


@pytest.fixture
def app(stage: Stage) -> Offering:
    app = stage.world.install(Offering)
    assert isinstance(app, Offering)
    app.starts, app.calls, app.answer = [], [], None
    return app


def install(stage: Stage, **parts: Any) -> App:
    """Install another version of the app."""
    return stage.world.install(type("Other", (Offering,), parts))


def tools(**parts: Any) -> tuple[type[Service], ...]:
    return (type("OtherTools", (Tools,), parts),)


async def declared(host: Host, package: str = PACKAGE) -> tuple[list[Any], list[Any]]:
    """Return the reported services and providers of an app."""
    found = json.loads((await host.do("offers")).data)
    assert list(found) == ["services", "providers"]
    return tuple(  # pyright: ignore[reportReturnType]
        [item for item in found[kind] if item["package"] == package] for kind in found
    )


# offers


async def test_every_field_of_a_service_and_a_provider_is_reported(
    stage: Stage, host: Host, app: Offering
) -> None:
    common = {
        "package": PACKAGE,
        "label": "Offering ü",
        "version_code": app.version_code,
        "signer": signer_of(app),
        "exported": True,
        "permission": None,
    }
    parameter = {"name": "n", "type": "int", "description": "", "required": "true"}
    tree = [
        "mobile-mcp-capabilities",
        {"version": "1.0"},
        [
            [
                "capability",
                {"id": "a", "description": "Ä🙂", "version": "1"},
                [["input", {}, [["param", parameter, []]]]],
            ]
        ],
    ]
    assert await declared(host) == (
        [
            {
                **common,
                "class": SERVICE,
                "name": "Tools",
                "description": "For the suite",
                "descriptor": tree,
                "problem": "",
            }
        ],
        [{**common, "class": _class_of_provider(app), "authority": AUTHORITY}],
    )
    answer = await host.do("offers")
    assert answer.reply == {"sequence": stage.world.package_changes.sequence}


def _class_of_provider(app: App) -> str:
    (found,) = [item for item in app.manifest.components if AUTHORITY in item.authorities]
    return found.name


@pytest.mark.parametrize("filters", [(Filter((PROVIDER_ACTION,)),), (Filter((VIEW,)),), ()])
async def test_a_provider_is_found_by_its_type_or_by_its_action(
    stage: Stage, host: Host, app: Offering, filters: tuple[Filter, ...]
) -> None:
    provider = type("Other", (Answering,), {"filters": filters})
    install(stage, providers={AUTHORITY: provider})
    _, providers = await declared(host)
    found = bool(filters) and filters[0].actions == (PROVIDER_ACTION,)
    assert [item["authority"] for item in providers] == [AUTHORITY] * found


async def test_a_documents_provider_refuses_the_shell_user(stage: Stage, host: Host) -> None:
    stage.world.install(Cloud)
    answer = await call_provider(host, "android:createDocument", authority=CLOUD)
    assert answer.failure == ("app_refused", "no")


async def test_inaccessible_service_is_reported(stage: Stage, host: Host, app: Offering) -> None:
    install(stage, services=tools(exported=False, permission="org.example.MINE"))
    (service,), _ = await declared(host)
    assert (service["exported"], service["permission"]) == (False, "org.example.MINE")


async def test_services_without_tools_are_not_reported(
    stage: Stage, host: Host, app: Offering
) -> None:
    install(stage, services=tools(filters=(Filter((ACTION + "S",)),)), providers={})
    assert await declared(host) == ([], [])


async def test_disabled_app_declares_no_tools(stage: Stage, host: Host, app: Offering) -> None:
    stage.world.disabled_packages.add(PACKAGE)
    assert await declared(host) == ([], [])
    assert (await call_service(host)).failure == ("no_component", "no")
    assert (await call_provider(host)).failure == ("no_component", "no")


@pytest.mark.parametrize(
    ("descriptor", "problem"),
    [
        ("<a>" * 32 + "</a>" * 32, ""),
        ("<a>" * 33 + "</a>" * 33, "Its descriptor has elements more than 32 deep."),
        (f'<a b="{"x" * (256 * 1024 - 17)}"/>', ""),
        (f'<a b="{"x" * (256 * 1024 - 16)}"/>', "Its descriptor is over 262144 bytes."),
    ],
    ids=["32 deep", "33 deep", "256 KiB", "a byte more"],
)
async def test_a_descriptor_is_bounded(
    stage: Stage, host: Host, app: Offering, descriptor: str, problem: str
) -> None:
    install(stage, services=tools(descriptor=descriptor))
    (service,), _ = await declared(host)
    assert (service["problem"], service["descriptor"] is None) == (problem, bool(problem))


async def test_all_descriptors_together_are_bounded(stage: Stage, host: Host) -> None:
    large = tools(descriptor=f'<a b="{"x" * 250_000}"/>')
    for number in range(10):
        parts = {"package": f"{PACKAGE}{number}", "services": large, "providers": {}}
        stage.world.install(type("Other", (Offering,), parts))
    found = json.loads((await host.do("offers")).data)["services"]
    problems = [item["problem"] for item in found if item["package"].startswith(PACKAGE)]
    too_large = "The descriptors of all apps are too large together."
    assert problems == [""] * 8 + [too_large] * 2


async def test_labels_are_cut_after_1000_units(stage: Stage, host: Host, app: Offering) -> None:
    long = tools(tool_name="x" * 1001, tool_description="x" * 999 + "🙂")
    install(stage, label="🙂" * 501, services=long)
    (service,), (provider,) = await declared(host)
    assert service["label"] == provider["label"] == "🙂" * 500
    assert (service["name"], service["description"]) == ("x" * 1000, "x" * 999)


async def test_lone_surrogate_is_sent_as_a_replacement_character(
    stage: Stage, host: Host, app: Offering
) -> None:
    install(stage, label="a\ud83db")
    (service,), _ = await declared(host)
    assert service["label"] == "a�b"


async def test_at_most_ten_services_and_providers_of_an_app_are_reported(
    stage: Stage, host: Host, app: Offering
) -> None:
    many = tuple(item for n in range(12) for item in tools(name=f".Tools{n}"))
    install(stage, services=many, providers={f"{AUTHORITY}{n}": Answering for n in range(12)})
    services, providers = await declared(host)
    assert [item["class"] for item in services] == [f"{SERVICE}{n}" for n in range(10)]
    assert [item["authority"] for item in providers] == [f"{AUTHORITY}{n}" for n in range(10)]


# packages_changed


async def test_added_changed_and_removed_packages_are_each_reported_once(
    stage: Stage, host: Host
) -> None:
    before = (await host.do("offers")).reply["sequence"]
    same = await host.do("packages_changed", {"after": before})
    assert same.reply == {"sequence": before, "packages": []}
    stage.world.install(Offering)
    installed = await host.do("packages_changed", {"after": before})
    after = installed.reply["sequence"]
    assert (after > before, installed.reply["packages"]) == (True, [PACKAGE])
    stage.world.install(Offering)
    stage.world.uninstall(PACKAGE)
    removed = await host.do("packages_changed", {"after": after})
    assert removed.reply["packages"] == [PACKAGE]
    assert (await host.do("packages_changed", {"after": before})).reply == removed.reply


async def test_future_sequence_returns_unknown_changes(stage: Stage, host: Host) -> None:
    sequence = stage.world.package_changes.sequence
    answer = await host.do("packages_changed", {"after": sequence + 1})
    assert answer.reply == {"sequence": sequence, "packages": None}


# service_call


async def call_service(host: Host, do: str = "echo", **changes: Any) -> Answer:
    return await host.answer(await begin_service(host, do, **changes))


async def begin_service(
    host: Host, do: str = "echo", *, budget_ms: int = 5000, **changes: Any
) -> int:
    with_: dict[str, Any] = {"package": PACKAGE, "class": SERVICE, "id": "1", "extras": {"do": do}}
    return await host.call("service_call", {**with_, **changes}, budget_ms=budget_ms, act=True)


def response(id: str, key: str = "response") -> dict[str, str]:
    whole = {"mobile-mcp-response": {"response": {"id": id}}}
    return {key: json.dumps({"id": id} if key == "response" else whole)}


async def test_a_service_is_started_with_the_extras_and_its_reply_is_the_answer(
    stage: Stage, host: Host, app: Offering
) -> None:
    extras = {"do": "echo", "ä": "🙂\n", "": ""}
    answer = await call_service(host, extras=extras)
    assert answer.reply == {"dropped": 0}
    assert json.loads(answer.data) == {"extras": extras}
    assert [start.extras for start in app.starts] == [extras]


@pytest.mark.parametrize("key", ["response", "mobile-mcp-response"])
async def test_a_reply_to_another_request_is_dropped_counted_and_logged(
    stage: Stage, host: Host, app: Offering, key: str
) -> None:
    number = await begin_service(host, "wait", id="mine")
    await host.settle()
    reply = app.starts[0].callback
    assert reply is not None
    reply(response("theirs", key))
    reply(response("theirs", key))
    await host.settle()
    assert number not in host.answers
    reply(response("mine", key))
    answer = await host.answer(number)
    assert answer.reply == {"dropped": 2}
    assert json.loads(answer.data) == {"extras": response("mine", key)}
    reply(response("mine", key))
    await host.settle()
    assert drops(stage) == ["foreign", "foreign", "late"]


def drops(stage: Stage) -> list[str]:
    found = [entry.message for entry in stage.world.logs.read() if entry.tag == "Handheld"]
    return [line.split()[1] for line in found if "was dropped" in line]


@pytest.mark.parametrize("text", ["", "Done.", "[]", "7", '"x"', '{"id": ', "[" * 100_000])
async def test_unreadable_reply_is_returned_as_the_answer(
    host: Host, app: Offering, text: str
) -> None:
    extras = {"do": "echo", "mobile-mcp-response": text}
    answer = await call_service(host, extras=extras)
    assert json.loads(answer.data) == {"extras": extras}


async def test_reply_is_limited_to_one_mebibyte(stage: Stage, host: Host, app: Offering) -> None:
    number = await begin_service(host, "wait")
    await host.settle()
    reply = app.starts[0].callback
    assert reply is not None
    empty = len('{"a":""}')
    with pytest.raises(OverflowError):
        reply({"a": "x" * (1024 * 1024 - empty + 1)})
    largest = {"a": "x" * (1024 * 1024 - empty)}
    reply(largest)
    assert json.loads((await host.answer(number)).data) == {"extras": largest}


async def test_eight_services_run_concurrently_and_answer_in_any_order(
    host: Host, app: Offering
) -> None:
    numbers: list[int] = []
    for n in range(WORK_LANE):
        numbers.append(await begin_service(host, "wait", id=str(n)))
        await host.settle()
    waiting = await begin_service(host, "wait", id="last")
    await host.settle()
    assert len(app.starts) == WORK_LANE
    # Apps that do not answer block nothing else.
    assert (await host.do("offers")).reply == {"sequence": 1}
    assert host.order == [host.number]
    host.order.clear()
    for n in reversed(range(WORK_LANE)):
        reply = app.starts[n].callback
        assert reply is not None
        reply(response(str(n)))
        await host.settle()
    await host.answer(numbers[0])
    await host.settle()
    assert host.order == numbers[::-1]
    assert len(app.starts) == WORK_LANE + 1
    for n, number in enumerate(numbers):
        assert json.loads(host.answers[number].data) == {"extras": response(str(n))}
    await host.cancel(waiting)
    assert (await host.answer(waiting)).failure == ("cancelled", "maybe")


async def test_cancelled_service_call_ends_immediately_and_its_reply_is_late(
    stage: Stage, host: Host, app: Offering
) -> None:
    number = await begin_service(host, "wait")
    await host.settle()
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "maybe")
    reply = app.starts[0].callback
    assert reply is not None
    reply(response("1"))
    await host.settle()
    assert drops(stage) == ["late"]


async def test_silent_service_times_out_and_reports_dropped_replies(
    host: Host, app: Offering
) -> None:
    number = await begin_service(host, "wait", budget_ms=1000)
    await host.settle()
    reply = app.starts[0].callback
    assert reply is not None
    reply(response("theirs"))
    await host.advance(999)
    assert number not in host.answers
    await host.advance(1)
    answer = await host.answer(number)
    assert answer.failure == ("out_of_time", "maybe")
    assert answer.value["data"] == {"dropped": 1}


async def test_frozen_service_times_out(stage: Stage, host: Host, app: Offering) -> None:
    stage.world.frozen_packages.add(PACKAGE)
    number = await begin_service(host, budget_ms=1000)
    await host.advance(1000)
    answer = await host.answer(number)
    assert answer.failure == ("out_of_time", "maybe")
    assert (answer.value["data"], app.starts) == ({"dropped": 0}, [])


@pytest.mark.parametrize("comes_back", [False, True], ids=["gone", "another one runs"])
async def test_service_whose_process_exits_is_reported_as_died(
    stage: Stage, host: Host, app: Offering, comes_back: bool
) -> None:
    number = await begin_service(host, "wait")
    await host.settle()
    stage.world.running.kill(app, "low memory")
    if comes_back:
        stage.world.running.ensure(app, "again")
    await host.advance(200)
    assert (await host.answer(number)).failure == ("app_died", "maybe")


async def test_crashed_service_is_reported_as_died(host: Host, app: Offering) -> None:
    assert (await call_service(host, "crash")).failure == ("app_died", "maybe")


@pytest.mark.parametrize(
    ("changes", "installed"),
    [
        ({"package": "org.nobody"}, False),
        ({"class": f"{PACKAGE}.Nothing"}, True),
        ({"class": ".Tools"}, True),
    ],
)
async def test_unknown_service_is_no_component(
    host: Host, app: Offering, changes: dict[str, str], installed: bool
) -> None:
    answer = await call_service(host, **changes)
    assert answer.failure == ("no_component", "no")
    assert (answer.value["data"], app.starts) == ({"installed": installed}, [])


@pytest.mark.parametrize("closed", [{"exported": False}, {"permission": "org.example.MINE"}])
async def test_service_closed_to_the_shell_is_refused(
    stage: Stage, host: Host, app: Offering, closed: dict[str, Any]
) -> None:
    install(stage, services=tools(**closed))
    assert (await call_service(host)).failure == ("app_refused", "no")
    assert stage.world.running.pids(PACKAGE) == []


async def test_service_that_android_does_not_start_reports_the_reason(
    stage: Stage, host: Host, app: Offering
) -> None:
    stage.world.running.restricted.add(PACKAGE)
    answer = await call_service(host)
    assert answer.failure == ("app_not_started", "no")
    uid = stage.world.running.uid(app)
    assert (answer.value["message"], app.starts) == (f"app is in background uid {uid}.", [])


async def test_force_stopped_service_is_started(stage: Stage, host: Host, app: Offering) -> None:
    assert (await call_service(host)).reply == {"dropped": 0}
    await host.do("stop", {"package": PACKAGE}, act=True)
    assert (await call_service(host)).reply == {"dropped": 0}


# provider_call


async def call_provider(host: Host, method: str = "call", **changes: Any) -> Answer:
    return await host.answer(await begin_provider(host, method, **changes))


async def begin_provider(
    host: Host, method: str = "call", *, budget_ms: int = 5000, **changes: Any
) -> int:
    with_ = {"authority": AUTHORITY, "method": method, "arg": None, "extras": None, **changes}
    return await host.call("provider_call", with_, budget_ms=budget_ms, act=True)


EXTRAS: dict[str, Any] = {
    "text": "ä🙂",
    "yes": True,
    "int": 5,
    "long": -(1 << 63),
    "double": 0.5,
    "list": ["a", ""],
    "map": {"k": "v"},
    "none": {},
    "empty": [],
}


async def test_provider_accepts_and_returns_every_bundle_type(host: Host, app: Offering) -> None:
    app.answer = EXTRAS
    answer = await call_provider(host, "call", arg="ü", extras=EXTRAS)
    assert answer.reply == {"unreadable": []}
    assert json.loads(answer.data) == {"bundle": EXTRAS}
    assert app.calls == [("call", "ü", EXTRAS)]


async def test_provider_may_answer_null(host: Host, app: Offering) -> None:
    answer = await call_provider(host, "null")
    assert (answer.reply, json.loads(answer.data)) == ({"unreadable": []}, {"bundle": None})


async def test_unsupported_values_are_omitted_and_listed(host: Host, app: Offering) -> None:
    app.answer = {
        "window": object(),
        "a": "b",
        "nan": float("nan"),
        "bytes": b"",
        "null": None,
        "numbers": [1],
        "deep": {"a": {}},
    }
    answer = await call_provider(host)
    assert answer.reply == {"unreadable": ["bytes", "deep", "nan", "null", "numbers", "window"]}
    assert json.loads(answer.data) == {"bundle": {"a": "b"}}


async def test_provider_answer_is_limited_to_one_mebibyte(host: Host, app: Offering) -> None:
    room = 1024 * 1024 - len('{"bundle":{"a":""}}')
    app.answer = {"a": "x" * room}
    assert len((await call_provider(host)).data) == 1024 * 1024
    app.answer = {"a": "x" * (room + 1)}
    assert (await call_provider(host)).failure == ("app_threw", "maybe")


async def test_exception_of_a_provider_is_quoted(host: Host, app: Offering) -> None:
    answer = await call_provider(host, "throw")
    assert answer.failure == ("app_threw", "maybe")
    assert answer.value["message"] == "java.lang.IllegalStateException: not today"


async def test_crashed_provider_is_reported_as_died(host: Host, app: Offering) -> None:
    assert (await call_provider(host, "crash")).failure == ("app_died", "maybe")


async def test_frozen_provider_times_out_is_cancelled_or_dies(
    stage: Stage, host: Host, app: Offering
) -> None:
    stage.world.frozen_packages.add(PACKAGE)
    late = await begin_provider(host, budget_ms=1000)
    await host.advance(1000)
    assert (await host.answer(late)).failure == ("out_of_time", "maybe")
    left = await begin_provider(host)
    await host.settle()
    await host.cancel(left)
    assert (await host.answer(left)).failure == ("cancelled", "maybe")
    dead = await begin_provider(host)
    await host.settle()
    stage.world.running.kill(app, "low memory")
    await host.advance(200)
    assert (await host.answer(dead)).failure == ("app_died", "maybe")
    assert app.calls == []


async def test_unknown_provider_is_no_component(host: Host, app: Offering) -> None:
    answer = await call_provider(host, authority="org.nobody")
    assert answer.failure == ("no_component", "no")
    assert answer.value["data"] == {"installed": False}


@pytest.mark.parametrize("closed", [{"exported": False}, {"permission": "org.example.MINE"}])
async def test_provider_closed_to_the_shell_is_refused(
    stage: Stage, host: Host, app: Offering, closed: dict[str, Any]
) -> None:
    install(stage, providers={AUTHORITY: type("Closed", (Answering,), closed)})
    assert (await call_provider(host)).failure == ("app_refused", "no")
    assert stage.world.running.pids(PACKAGE) == []


# Arguments

LARGE = "x" * (512 * 1024)
CALL = {"package": PACKAGE, "class": SERVICE, "id": "1", "extras": {}}
ASK = {"authority": AUTHORITY, "method": "call", "arg": None, "extras": None}


def without(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("offers", {"more": 1}),
        ("packages_changed", {}),
        ("packages_changed", {"after": -1}),
        ("packages_changed", {"after": 1.5}),
        ("packages_changed", {"after": True}),
        ("packages_changed", {"after": "1"}),
        ("packages_changed", {"after": 1 << 32}),
        ("packages_changed", {"after": 0, "more": 1}),
        *(("service_call", without(CALL, name)) for name in CALL),
        *(("service_call", {**CALL, name: ""}) for name in ("package", "class", "id")),
        *(("service_call", {**CALL, name: 7}) for name in CALL),
        ("service_call", {**CALL, "more": 1}),
        ("service_call", {**CALL, "extras": None}),
        ("service_call", {**CALL, "extras": {"a": None}}),
        ("service_call", {**CALL, "extras": {"a": 1}}),
        ("service_call", {**CALL, "extras": {"a": LARGE}}),
        *(("provider_call", without(ASK, name)) for name in ASK),
        *(("provider_call", {**ASK, name: ""}) for name in ("authority", "method")),
        *(("provider_call", {**ASK, name: 7}) for name in ASK),
        ("provider_call", {**ASK, "more": 1}),
        ("provider_call", {**ASK, "extras": []}),
        ("provider_call", {**ASK, "extras": {"a": None}}),
        ("provider_call", {**ASK, "extras": {"a": [1]}}),
        ("provider_call", {**ASK, "extras": {"a": {"b": 1}}}),
        ("provider_call", {**ASK, "extras": {"a": {"b": {"c": "d"}}}}),
        ("provider_call", {**ASK, "extras": {"a": 1 << 63}}),
        ("provider_call", {**ASK, "extras": {"a": LARGE}}),
        ("provider_call", {**ASK, "arg": LARGE}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_malformed_arguments_are_a_bad_call(
    host: Host, app: Offering, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments)).failure == ("bad_call", "no")
    assert (app.starts, app.calls) == ([], [])


async def test_extras_are_limited_to_512_kib(host: Host, app: Offering) -> None:
    text = "x" * (512 * 1024 - len('{"do":"echo","a":""}'))
    answer = await call_service(host, extras={"do": "echo", "a": text})
    assert answer.reply == {"dropped": 0}
    text = "x" * (512 * 1024 - len('["",{"a":""}]'))
    assert (await call_provider(host, arg="", extras={"a": text})).reply == {"unreadable": []}
