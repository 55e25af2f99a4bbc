"""The commands on intents: resolve, intent."""

from collections.abc import Mapping
from typing import Any

import pytest

from handheld.helper.protocol import Then
from tools.main.link_apps import CAPTURE, GUARD, Hiking, Maps

from .conftest import Stage
from .host import Host

MAPS, HIKING, NOTES = Maps.package, Hiking.package, "dev.handheld.notes"
VIEW = "android.intent.action.VIEW"
NOTHING: dict[str, Any] = {
    "action": None,
    "data": None,
    "mime": None,
    "package": None,
    "class": None,
    "categories": [],
}


def asked(kind: str = "activity", **fields: Any) -> dict[str, Any]:
    return {"type": kind, **NOTHING, **fields}


def sent(kind: str = "activity", **fields: Any) -> dict[str, Any]:
    return {"flags": 0, "extras": [], **asked(kind, **fields)}


def handler(package: str, name: str, label: str, default: bool = True) -> Mapping[str, Any]:
    return {"package": package, "class": name, "label": label, "default": default}


MAPS_PLACE = handler(MAPS, f"{MAPS}.Place", "Maps")
BOTH = [{**MAPS_PLACE, "default": False}, handler(HIKING, f"{HIKING}.Walk", "Hiking", False)]


@pytest.fixture
def maps(stage: Stage) -> Maps:
    app = stage.world.install(Maps)
    assert isinstance(app, Maps)
    return app


def events(stage: Stage, *kinds: str) -> list[tuple[object, ...]]:
    return [(each.kind, *each.details) for each in stage.world.events if each.kind in kinds]


# resolve


async def test_the_only_activity_that_takes_an_intent_is_the_default(
    maps: Maps, host: Host
) -> None:
    answer = await host.do("resolve", asked(action=VIEW, data="geo:47,19"))
    assert answer.reply == {"handlers": [MAPS_PLACE], "more": 0}


async def test_of_several_activities_none_is_the_default(
    stage: Stage, maps: Maps, host: Host
) -> None:
    stage.world.install(Hiking)
    answer = await host.do("resolve", asked(action=VIEW, data="geo:47,19"))
    assert answer.reply == {"handlers": BOTH, "more": 0}


async def test_the_activity_that_the_owner_chose_is_the_default(
    stage: Stage, maps: Maps, host: Host
) -> None:
    stage.world.install(Hiking)
    stage.world.preferred_activities.add((HIKING, f"{HIKING}.Walk"))
    answer = await host.do("resolve", asked(action=VIEW, data="geo:47,19"))
    assert answer.reply["handlers"] == [BOTH[0], {**BOTH[1], "default": True}]


async def test_a_package_limits_who_takes_it(stage: Stage, maps: Maps, host: Host) -> None:
    stage.world.install(Hiking)
    answer = await host.do("resolve", asked(action=VIEW, data="geo:47,19", package=MAPS))
    assert answer.reply["handlers"] == [MAPS_PLACE]


async def test_services_and_receivers_are_found(maps: Maps, host: Host) -> None:
    answer = await host.do("resolve", asked("service", action="org.example.SYNC"))
    assert answer.reply["handlers"] == [handler(MAPS, f"{MAPS}.Sync", "Maps")]
    answer = await host.do("resolve", asked("broadcast", action="org.example.NOTE"))
    assert answer.reply["handlers"] == [handler(MAPS, f"{MAPS}.Noted", "Maps")]


async def test_nobody_takes_an_unknown_action(host: Host) -> None:
    for kind in ("activity", "service", "broadcast"):
        answer = await host.do("resolve", asked(kind, action="org.example.NOTHING"))
        assert answer.reply == {"handlers": [], "more": 0}


# intent


async def test_an_activity_gets_the_intent_and_comes_to_the_front(
    stage: Stage, maps: Maps, host: Host
) -> None:
    extras = [["n", "int", 7], ["on", "boolean", True], ["to", "strings", ["a", "b"]]]
    answer = await host.do("intent", sent(action=VIEW, data="geo:47,19", extras=extras), act=True)
    assert answer.reply == {"handlers": [MAPS_PLACE], "code": 0, "front": MAPS}
    assert stage.world.front.class_name == f"{MAPS}.Place"
    assert stage.world.front.extras == {
        "data": "geo:47,19",
        "n": "7",
        "on": "true",
        "to": "a,b",
    }


async def test_an_activity_is_started_by_its_class(stage: Stage, maps: Maps, host: Host) -> None:
    fields = sent(package=NOTES, **{"class": f"{NOTES}.NoteList"})
    answer = await host.do("intent", fields, act=True)
    assert answer.reply["front"] == NOTES
    answer = await host.do("intent", fields, act=True)
    assert (answer.reply["code"], answer.reply["front"]) == (3, NOTES)
    stage.world.press("home")
    answer = await host.do("intent", fields, act=True)
    assert (answer.reply["code"], answer.reply["front"]) == (2, NOTES)


async def test_an_open_panel_is_closed(stage: Stage, maps: Maps, host: Host) -> None:
    stage.world.press("notifications")
    await host.do("intent", sent(action=VIEW, data="geo:47,19"), act=True)
    assert stage.world.focused_window is not None
    assert stage.world.focused_window.package == MAPS


async def test_of_several_none_is_started(stage: Stage, maps: Maps, host: Host) -> None:
    stage.world.install(Hiking)
    answer = await host.do("intent", sent(action=VIEW, data="geo:47,19"), act=True)
    assert answer.failure == ("several_handlers", "no")
    assert answer.value["data"] == {"handlers": BOTH, "more": 0}
    assert events(stage, "launch") == []


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        ({"action": VIEW, "data": "foo://x"}, "no_handler"),
        ({"action": VIEW, "data": "geo:1,2", "package": "com.nothing"}, "not_installed"),
        ({"action": VIEW, "data": "foo://x", "package": MAPS}, "no_handler"),
        ({"package": MAPS, "class": f"{MAPS}.Nothing"}, "no_component"),
        ({"package": MAPS, "class": f"{MAPS}.Inside"}, "app_refused"),
        ({"package": MAPS, "class": f"{MAPS}.Guarded"}, "app_refused"),
        ({"kind": "service", "action": "org.example.X", "package": MAPS}, "no_handler"),
        ({"kind": "service", "package": MAPS, "class": f"{MAPS}.Closed"}, "app_refused"),
        ({"kind": "service", "action": "org.example.SYNC", "package": MAPS}, "app_not_started"),
        ({"kind": "broadcast", "action": "org.example.X", "package": MAPS}, "no_handler"),
        ({"kind": "broadcast", "action": "org.example.PRIVATE", "package": MAPS}, "app_refused"),
    ],
)
async def test_an_intent_that_nobody_gets_is_refused(
    stage: Stage, maps: Maps, host: Host, fields: dict[str, Any], failure: str
) -> None:
    answer = await host.do("intent", sent(**fields), act=True)
    assert answer.failure == (failure, "no")
    assert events(stage, "launch", "service", "broadcast") == []


@pytest.mark.parametrize(
    ("name", "end"), [("Inside", "not exported from uid"), ("Guarded", f"requires {GUARD}")]
)
async def test_a_refusal_ends_as_androids_own(maps: Maps, host: Host, name: str, end: str) -> None:
    answer = await host.do("intent", sent(package=MAPS, **{"class": f"{MAPS}.{name}"}), act=True)
    assert end in answer.value["message"]
    assert answer.value["data"] == {"component": f"{MAPS}/.{name}"}


async def test_a_revoked_permission_is_named(stage: Stage, maps: Maps, host: Host) -> None:
    stage.world.shell_revoked.add("android.permission.CAMERA")
    answer = await host.do("intent", sent(action=CAPTURE), act=True)
    assert answer.failure == ("app_refused", "no")
    assert answer.value["message"].endswith("with revoked permission android.permission.CAMERA")


async def test_a_service_is_started_where_its_app_runs(
    stage: Stage, maps: Maps, host: Host
) -> None:
    stage.world.show(MAPS)
    fields = sent("service", action="org.example.SYNC", package=MAPS, extras=[["k", "long", 5]])
    answer = await host.do("intent", fields, act=True)
    assert answer.reply == {
        "handlers": [handler(MAPS, f"{MAPS}.Sync", "Maps")],
        "code": 0,
        "front": None,
    }
    assert maps.told == [("service", {"k": "5"})]


async def test_a_broadcast_reaches_the_receivers(stage: Stage, maps: Maps, host: Host) -> None:
    fields = sent(
        "broadcast", action="org.example.NOTE", package=MAPS, extras=[["x", "string", "y"]]
    )
    answer = await host.do("intent", fields, act=True)
    assert answer.reply["handlers"] == [handler(MAPS, f"{MAPS}.Noted", "Maps")]
    assert maps.told == [("org.example.NOTE", {"x": "y"})]


async def test_behind_a_lock_screen_no_activity_is_started(
    stage: Stage, maps: Maps, host: Host
) -> None:
    stage.world.keyguard.lock()
    answer = await host.do("intent", sent(action=VIEW, data="geo:1,2"), act=True)
    assert answer.failure == ("locked", "no")
    fields = sent("broadcast", action="org.example.NOTE", package=MAPS)
    assert (await host.do("intent", fields, act=True)).reply["code"] == 0


async def test_the_screen_after_an_activity_comes_with_the_reply(
    stage: Stage, maps: Maps, host: Host
) -> None:
    fields = sent(action=VIEW, data="geo:1,2")
    then = Then(500, 100, 1000)
    call = await host.call("intent", fields, act=True, then=then, budget_ms=30_000)
    await host.advance(2000)
    reply = (await host.answer(call)).reply
    assert reply["front"] == MAPS
    assert reply["then"]["screen"]["foreground"]["package"] == MAPS


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("resolve", {}),
        ("resolve", {**asked(), "flags": 0}),
        ("resolve", asked("provider")),
        ("resolve", asked(action="")),
        ("resolve", asked(action=7)),
        ("resolve", asked(**{"class": "a.b.C"})),
        ("resolve", asked(categories=None)),
        ("resolve", asked(categories=[""])),
        ("intent", asked()),
        ("intent", sent(flags=-1)),
        ("intent", sent(flags=1 << 31)),
        ("intent", sent(flags=None)),
        ("intent", sent(extras=None)),
        ("intent", sent(extras=[["a", "string"]])),
        ("intent", sent(extras=[["", "string", "x"]])),
        ("intent", sent(extras=[["a", "bundle", {}]])),
        ("intent", sent(extras=[["a", "string", 1]])),
        ("intent", sent(extras=[["a", "int", 1 << 31]])),
        ("intent", sent(extras=[["a", "int", 1.5]])),
        ("intent", sent(extras=[["a", "long", 1 << 63]])),
        ("intent", sent(extras=[["a", "float", 1e39]])),
        ("intent", sent(extras=[["a", "boolean", "true"]])),
        ("intent", sent(extras=[["a", "strings", ["x", 1]]])),
        ("intent", sent(extras=[["a", "string", "x" * 600_000]])),
    ],
)
async def test_malformed_intents_are_a_bad_call(
    host: Host, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments)).failure == ("bad_call", "no")
