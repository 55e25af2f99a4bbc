"""send_intent."""

from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, UnknownTool
from handheld.settings import load
from handheld.settings.groups import PolicySettings
from handheld.settings.rules import Rules
from handheld.tools.main import EVERY_TOOLSET

from .conftest import Bench
from .link_apps import CAPTURE, GUARD, Hiking, Maps
from .test_links import EVERY_LEVEL, NEWS, name, started, switch_on

MAPS, NOTES = Maps.package, "dev.handheld.notes"
VIEW = "android.intent.action.VIEW"
PLACE = f"{MAPS}/.Place"


@pytest.fixture
def intents(bench: Bench) -> Bench:
    bench.world.install(Maps)
    switch_on(bench, "intents")
    return bench


def maps_of(bench: Bench) -> Maps:
    app = bench.world.apps[MAPS]
    assert isinstance(app, Maps)
    return app


@EVERY_LEVEL
async def test_an_activity_gets_the_intent(intents: Bench) -> None:
    items = await intents.items(
        "send_intent",
        type="activity",
        action=VIEW,
        data="geo:1,2",
        extras={"a": "x y", "n": 7, "big": 1 << 40, "on": True, "to": ["b", "c d"]},
        extras_types={"n": "long"},
        flags=["FLAG_ACTIVITY_CLEAR_TOP"],
    )
    assert items == [
        f"Intent sent successfully: type=activity, action={VIEW}",
        f"Opened by {name(intents, Maps)}.",
    ]
    assert intents.world.front.extras == {
        "data": "geo:1,2",
        "a": "x y",
        "n": "7",
        "big": str(1 << 40),
        "on": "true",
        "to": "b,c d",
    }


@EVERY_LEVEL
async def test_a_component_gets_the_intent(intents: Bench) -> None:
    items = await intents.items("send_intent", type="activity", component=PLACE)
    assert items == [
        "Intent sent successfully: type=activity, action=(none)",
        f"Opened by {name(intents, Maps)}.",
    ]
    assert intents.world.front.class_name == f"{MAPS}.Place"


@EVERY_LEVEL
async def test_a_service_is_started_while_its_app_runs(intents: Bench) -> None:
    sync: dict[str, Any] = {"type": "service", "action": "org.example.SYNC", "package_name": MAPS}
    failure = await intents.failure("send_intent", **sync)
    assert type(failure) is ActionFailed
    assert failure.message == (
        f"Android does not start the service {MAPS}/.Sync while its app is in the background. Open"
        f" {MAPS} first."
    )
    assert started(intents) == []
    intents.world.show(MAPS)
    items = await intents.items("send_intent", **sync, extras={"full": False})
    assert items == [
        "Intent sent successfully: type=service, action=org.example.SYNC",
        f"Started in {name(intents, Maps)}.",
    ]
    assert maps_of(intents).told == [("service", {"full": "false"})]


@EVERY_LEVEL
async def test_a_broadcast_reaches_the_app(intents: Bench) -> None:
    items = await intents.items(
        "send_intent",
        type="broadcast",
        action="org.example.NOTE",
        package_name=MAPS,
        extras={"text": "it's 'quoted' $(reboot); `x`\n\\"},
    )
    assert items == [
        "Intent sent successfully: type=broadcast, action=org.example.NOTE",
        f"Sent to {name(intents, Maps)}.",
    ]
    assert maps_of(intents).told == [
        ("org.example.NOTE", {"text": "it's 'quoted' $(reboot); `x`\n\\"})
    ]


@EVERY_LEVEL
async def test_a_broadcast_reaches_an_app_that_was_stopped(intents: Bench) -> None:
    """Android would pass it over, and say that the broadcast is completed. As behaviour 111
    states."""
    intents.world.stop(MAPS)
    note = {"type": "broadcast", "action": "org.example.NOTE", "package_name": MAPS}
    items = await intents.items("send_intent", **note)
    assert items[1] == f"Sent to {name(intents, Maps)}."
    assert maps_of(intents).told == [("org.example.NOTE", {})]


async def test_a_receiver_gets_what_needs_a_permission_of_the_shell(intents: Bench) -> None:
    dumped = {"type": "broadcast", "action": "org.example.DUMPED", "package_name": MAPS}
    items = await intents.items("send_intent", **dumped)
    assert items[1] == f"Sent to {name(intents, Maps)}."
    assert ("broadcast", "org.example.DUMPED", MAPS, f"{MAPS}.Dumped") in started(intents)


@EVERY_LEVEL
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"type": "activity", "action": "org.example.X"},
            "No app on this phone takes org.example.X. list_apps shows what is installed.",
        ),
        (
            {"type": "activity", "action": VIEW, "data": "foo:1", "package_name": MAPS},
            f"{MAPS} has nothing that takes {VIEW} with 'foo:1'. find_handlers shows which apps"
            " do.",
        ),
        (
            {"type": "activity", "component": "com.nothing/.A"},
            "com.nothing is not installed. list_apps names those that are.",
        ),
        (
            {"type": "activity", "component": f"{MAPS}/.A"},
            f"The activity {MAPS}/.A does not exist, or does not take such an intent.",
        ),
        (
            {"type": "activity", "component": f"{MAPS}/.Inside"},
            f"The activity {MAPS}/.Inside is not open to others (not exported).",
        ),
        (
            {"type": "activity", "component": f"{MAPS}/.Guarded"},
            f"The activity {MAPS}/.Guarded needs the permission {GUARD}, which adb's shell does not"
            " have.",
        ),
        (
            {"type": "activity", "action": CAPTURE},
            f"{CAPTURE} needs the permission android.permission.CAMERA, which was taken from adb's"
            " shell on this phone (revoked).",
        ),
        (
            {"type": "service", "component": f"{MAPS}/.Closed"},
            f"The service {MAPS}/.Closed is not open to others (not exported).",
        ),
        (
            {"type": "service", "action": "org.example.X", "package_name": MAPS},
            f"{MAPS} has nothing that takes org.example.X. find_handlers shows which apps do.",
        ),
        (
            {"type": "broadcast", "action": "org.example.X", "package_name": MAPS},
            f"{MAPS} has nothing that takes org.example.X. find_handlers shows which apps do.",
        ),
        (
            {"type": "broadcast", "action": "org.example.PRIVATE", "package_name": MAPS},
            f"The receiver {MAPS}/.Private is not open to others (not exported).",
        ),
        (
            {"type": "broadcast", "action": "org.example.STRICT", "package_name": MAPS},
            f"The receiver {MAPS}/.Strict needs the permission {GUARD}, which adb's shell does not"
            " have.",
        ),
    ],
)
async def test_an_intent_that_nobody_gets_is_reported_with_the_reason(
    intents: Bench, arguments: dict[str, Any], message: str
) -> None:
    """As behaviour 111 states."""
    intents.world.shell_revoked.add("android.permission.CAMERA")
    failure = await intents.failure("send_intent", **arguments)
    assert (type(failure), failure.message) == (ActionFailed, message)
    assert started(intents) == []


async def test_of_several_apps_none_gets_it(intents: Bench) -> None:
    intents.world.install(Hiking)
    failure = await intents.failure("send_intent", type="activity", action=VIEW, data="geo:1,2")
    assert "2 apps can open this and none is the default" in failure.message
    assert started(intents) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"type": "provider"},
            "type must be 'activity', 'broadcast', or 'service'. Got: 'provider'",
        ),
        (
            {"type": "activity"},
            "An intent needs an action, data, a component or a package_name.",
        ),
        (
            {"type": "activity", "component": "a.b"},
            "Invalid component format: 'a.b'. Expected 'package/class'",
        ),
        (
            {"type": "activity", "component": "a.b/"},
            "Invalid component format: 'a.b/'. Package and class must not be empty",
        ),
        (
            {"type": "activity", "component": "a.b/'.C"},
            "Invalid component format: 'a.b/'.C'. Expected 'package/class'",
        ),
        (
            {"type": "activity", "component": "a.b/.C", "package_name": "c.d"},
            "The component does not belong to c.d.",
        ),
        ({"type": "activity", "action": "a b"}, "Parameter 'action' must be a name, got: 'a b'"),
        (
            {"type": "activity", "action": VIEW, "data": "intent:#Intent;end"},
            "Parameter 'data' must be a URI with a scheme other than intent:, which open_uri "
            "opens. Got: 'intent:#Intent;end'",
        ),
        ({"type": "activity", "action": VIEW, "flags": ["FLAG_X"]}, "Unknown flag: 'FLAG_X'"),
        (
            {"type": "broadcast", "action": "a.B"},
            "A broadcast needs component or package_name: without one Android does not deliver it "
            "to apps.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": {}}},
            "extras.k: an object is not supported.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": [1]}},
            "extras.k: only lists of texts are supported.",
        ),
        (
            {
                "type": "activity",
                "action": VIEW,
                "extras": {"k": "x"},
                "extras_types": {"k": "int"},
            },
            "Failed to convert extra 'k': 'x' is no int",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": 5}, "extras_types": {"k": "uri"}},
            "Unsupported extras_types value: 'uri'. Supported: string, int, long, float, double,"
            " boolean",
        ),
        (
            {"type": "activity", "action": VIEW, "extras_types": {"k": "int"}},
            "extras_types names 'k', which is not in extras.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": 1 << 63}},
            "Failed to convert extra 'k': '9223372036854775808' is no long",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": "x" * 100_001}},
            "The extras have 100002 characters; at most 100000 fit.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {f"k{n}": n for n in range(101)}},
            "An intent has at most 100 extras, got: 101",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"k": ["a", "b\0"]}},
            "extras.k: a text must not contain U+0000 or half a character.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"": "x"}},
            "An extra has no name.",
        ),
        (
            {"type": "activity", "action": VIEW, "extras": {"a\nb": "x"}},
            "Parameter 'extras' must not contain control characters",
        ),
    ],
)
async def test_what_is_no_intent_is_refused(
    intents: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await intents.failure("send_intent", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert started(intents) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"type": "activity", "action": "android.intent.action.CALL", "data": "tel:112"},
        {"type": "broadcast", "action": "android.intent.action.REBOOT", "package_name": MAPS},
        {
            "type": "broadcast",
            "action": "android.intent.action.MASTER_CLEAR",
            "package_name": "android",
        },
        {
            "type": "activity",
            "action": "com.android.internal.intent.action.REQUEST_SHUTDOWN",
            "component": PLACE,
        },
        {
            "type": "activity",
            "component": PLACE,
            "flags": ["FLAG_GRANT_WRITE_URI_PERMISSION", "FLAG_ACTIVITY_NEW_TASK"],
        },
    ],
)
async def test_what_calls_erases_or_grants_is_never_sent(
    intents: Bench, arguments: dict[str, Any]
) -> None:
    failure = await intents.failure("send_intent", **arguments)
    assert type(failure) is PermissionDenied
    assert " is never se" in failure.message
    assert started(intents) == []


async def test_only_the_system_sends_some_broadcasts(intents: Bench) -> None:
    action = "android.intent.action.BOOT_COMPLETED"
    failure = await intents.failure(
        "send_intent", type="broadcast", action=action, component=f"{MAPS}/.Noted"
    )
    assert failure.message == f"Only the system may send {action}. Nothing was done."
    assert started(intents) == []


@EVERY_LEVEL
async def test_a_number_with_a_fraction_needs_android_13_or_the_helper(intents: Bench) -> None:
    call: dict[str, Any] = {
        "type": "broadcast",
        "component": f"{MAPS}/.Noted",
        "extras": {"price": 1.5},
    }
    if intents.by == "shell" and not intents.world.android.intent_doubles:
        failure = await intents.failure("send_intent", **call)
        assert failure.message.startswith(
            "extras.price: a number with a fraction needs Android 13 or the helper. Nothing was"
        )
        call["extras_types"] = {"price": "float"}
    await intents.items("send_intent", **call)
    assert maps_of(intents).told == [("", {"price": "1.5"})]


@pytest.mark.parametrize("texts", [[], ["a,b"], ["a", ""], ["a\\", "b"]])
async def test_a_list_that_the_shell_cannot_say_needs_the_helper(
    intents: Bench, texts: list[str]
) -> None:
    call: dict[str, Any] = {
        "type": "broadcast",
        "component": f"{MAPS}/.Noted",
        "extras": {"to": texts},
    }
    if intents.by == "helper":
        await intents.items("send_intent", **call)
        assert maps_of(intents).told == [("", {"to": ",".join(texts)})]
        return
    failure = await intents.failure("send_intent", **call)
    assert failure.message.startswith("extras.to: a list needs the helper if it is empty")
    assert started(intents) == []


# Rules


def make_own_gate(policy: PolicySettings) -> ApprovalGate:
    """With the rules of the settings, as `make_gate` makes it."""
    return ApprovalGate(
        Rules(ask=policy.own_ask, deny=policy.deny, allow=policy.allow, default=policy.default_ask)
    )


def gated(bench: Bench, folder: Path, **policy: str) -> ApprovalGate:
    """Serve the phone with the rules of these settings."""
    gate = make_own_gate(load(policy, {"HANDHELD_HOME": str(folder)}).policy)
    options = SurfaceOptions(policy=RequestScope(on=frozenset({"intents", "links"})), gate=gate)
    bench.surface = bench.counter.surface = LocalSurface(EVERY_TOOLSET, bench, options)
    return gate


PLAIN: list[dict[str, Any]] = [
    {"type": "activity", "action": VIEW, "data": NEWS},
    {"type": " Activity", "action": "android.settings.WIFI_SETTINGS"},
    {"type": "activity", "action": VIEW, "data": "geo:1,2", "package_name": MAPS},
]
ASKED: list[dict[str, Any]] = [
    {"type": "activity", "component": PLACE},
    {"type": "activity", "action": VIEW, "data": NEWS, "component": "com.android.browser/.B"},
    {"type": "activity", "action": "org.example.PAY"},
    {"type": "service", "action": "org.example.SYNC", "package_name": MAPS},
    {"type": "broadcast", "action": "org.example.NOTE", "package_name": MAPS},
    {"type": "BROADCAST", "action": VIEW, "data": NEWS, "package_name": MAPS},
]


@pytest.mark.parametrize("arguments", PLAIN)
async def test_the_default_rules_do_not_ask_about_plain_activities(
    intents: Bench, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    gated(intents, tmp_path)
    await intents.items("send_intent", **arguments)
    assert len(started(intents)) == 1


@pytest.mark.parametrize("arguments", ASKED)
async def test_the_default_rules_ask_about_everything_else(
    intents: Bench, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    gated(intents, tmp_path)
    failure = await intents.failure("send_intent", **arguments)
    assert type(failure) is PermissionDenied
    assert "send_intent needs the owner" in failure.message
    assert started(intents) == []


@pytest.mark.parametrize("arguments", [PLAIN[0], ASKED[0]])
@pytest.mark.parametrize("rules", ["policy_ask", "policy_deny"])
async def test_rules_that_the_owner_wrote_hold_for_every_intent(
    intents: Bench, tmp_path: Path, rules: str, arguments: dict[str, Any]
) -> None:
    gated(intents, tmp_path, **{"policy_ask": "send_sms", rules: "send_intent"})
    failure = await intents.failure("send_intent", **arguments)
    assert type(failure) is PermissionDenied
    assert started(intents) == []


@pytest.mark.parametrize("uri", [f"intent:#Intent;component={PLACE};end", "tel:%2A%2306%23"])
async def test_a_link_that_says_more_is_asked_about_as_an_intent(
    intents: Bench, tmp_path: Path, uri: str
) -> None:
    gated(intents, tmp_path)
    failure = await intents.failure("open_uri", uri=uri)
    assert "open_uri needs the owner" in failure.message
    assert started(intents) == []
    await intents.items("open_uri", uri=NEWS)


async def test_a_yes_for_an_app_holds_for_that_app(intents: Bench, tmp_path: Path) -> None:
    """The app that takes it is another than the one on the screen."""
    gate = gated(intents, tmp_path, policy_ask=f"app:{MAPS}")
    gate.consoles = 1
    call = intents.beside(
        intents.items("send_intent", type="activity", action=VIEW, data="geo:1,2")
    )
    await intents.until(lambda: bool(gate.pending()) or call.done())
    [asked] = gate.pending()
    assert MAPS in asked.call.apps
    gate.answer(asked.id, True, "You")
    await call
    assert intents.world.front.app.package == MAPS


async def test_without_the_toolset_there_is_no_such_tool(bench: Bench) -> None:
    surface = LocalSurface(EVERY_TOOLSET, bench, SurfaceOptions())
    with pytest.raises(UnknownTool):
        await surface.call("android_send_intent", {"type": "activity"}, Caller("test"), EVERYTHING)
    # A client may switch on links for itself, and never intents.
    listed = await surface.tools(RequestScope(on=frozenset({"links"})))
    names = {each.name for each in listed}
    assert {"android_open_uri", "android_find_handlers"} <= names
    assert "android_send_intent" not in names
