"""open_uri and find_handlers."""

import json
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import RequestScope
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied
from handheld.settings.rules import Rules
from handheld.tools.main import EVERY_TOOLSET

from .conftest import Bench
from .link_apps import CAPTURE, Atlas, Hiking, Maps

BROWSER, NEWS = "com.android.browser", "https://news.example/bridge"
MAPS, HIKING = Maps.package, Hiking.package
LEVELS = [
    pytest.param(level, marks=[] if level in (26, 34) else [pytest.mark.matrix])
    for level in (26, 28, 29, 30, 33, 34, 36)
]
EVERY_LEVEL = pytest.mark.parametrize("api", LEVELS, indirect=True)


def switch_on(bench: Bench, *toolsets: str, rules: Rules | None = None) -> None:
    """Serve the same phone with these toolsets, and with these rules."""
    options = SurfaceOptions(
        policy=RequestScope(on=frozenset(toolsets)),
        gate=None if rules is None else ApprovalGate(rules),
    )
    bench.surface = bench.counter.surface = LocalSurface(EVERY_TOOLSET, bench, options)


@pytest.fixture
def links(bench: Bench) -> Bench:
    switch_on(bench, "links")
    return bench


def name(bench: Bench, app: type[Maps] | type[Hiking]) -> str:
    """adb's shell does not know what apps are called."""
    return app.package if bench.by == "shell" else f"{app.label} ({app.package})"


def started(bench: Bench) -> list[tuple[object, ...]]:
    return [each for each in bench.events() if each[0] in ("launch", "service", "broadcast")]


@EVERY_LEVEL
async def test_a_link_is_opened_and_its_app_named(links: Bench) -> None:
    """As behaviour 111 states."""
    browser = BROWSER if links.by == "shell" else f"Browser ({BROWSER})"
    assert await links.items("open_uri", uri=NEWS) == [
        f"URI opened successfully: {NEWS}",
        f"Opened by {browser}.",
    ]
    assert links.world.front.app.package == BROWSER
    assert links.world.front.extras["data"] == NEWS
    assert started(links) == [("launch", BROWSER, ".BrowserActivity")]


@EVERY_LEVEL
async def test_a_link_of_another_scheme_is_opened_by_its_app(links: Bench) -> None:
    links.world.install(Maps)
    items = await links.items("open_uri", uri="geo:47.5,19?q=a b'c")
    assert items[1] == f"Opened by {name(links, Maps)}."
    assert links.world.front.extras == {"data": "geo:47.5,19?q=a b'c"}


@EVERY_LEVEL
async def test_a_link_that_nobody_opens_is_an_error(links: Bench) -> None:
    failure = await links.failure("open_uri", uri="foo://x")
    assert type(failure) is ActionFailed
    assert failure.message == (
        "No app on this phone opens 'foo://x'. list_apps shows what is installed."
    )
    assert started(links) == []


@pytest.mark.slow
@EVERY_LEVEL
async def test_where_several_open_it_nothing_is_opened_and_they_are_named(links: Bench) -> None:
    """As behaviour 111 states."""
    links.world.install(Maps)
    links.world.install(Hiking)
    failure = await links.failure("open_uri", uri="geo:1,2")
    assert failure.message == (
        f"2 apps can open this and none is the default: {name(links, Maps)}, {name(links, Hiking)}."
        " Say which with package_name."
    )
    assert started(links) == []
    items = await links.items("open_uri", uri="geo:1,2", package_name=HIKING)
    assert items[1] == f"Opened by {name(links, Hiking)}."
    assert links.world.front.app.package == HIKING


async def test_where_several_parts_of_an_app_open_it_they_are_named(links: Bench) -> None:
    links.world.install(Atlas)
    for arguments in ({}, {"package_name": Atlas.package}):
        failure = await links.failure("open_uri", uri="atlas:1", **arguments)
        assert failure.message == (
            "2 parts of org.example.atlas take this: org.example.atlas/.Place,"
            " org.example.atlas/.Inside. Say which with component, which send_intent takes."
        )
    assert started(links) == []


@EVERY_LEVEL
async def test_the_owners_choice_of_several_opens_it(links: Bench) -> None:
    links.world.install(Maps)
    links.world.install(Hiking)
    links.world.preferred_activities.add((MAPS, f"{MAPS}.Place"))
    items = await links.items("open_uri", uri="geo:1,2")
    assert items[1] == f"Opened by {name(links, Maps)}."


@EVERY_LEVEL
async def test_a_web_link_goes_to_an_app_that_is_approved_for_its_host(links: Bench) -> None:
    links.world.install(Maps)
    if links.world.android.links_need_approval:
        items = await links.items("open_uri", uri="https://maps.example/x")
        assert str(items[1]).startswith("Opened by ")
        assert links.world.front.app.package == BROWSER
    links.world.approved_links[MAPS] = {"maps.example"}
    await links.items("open_uri", uri="https://maps.example/x")
    assert links.world.front.app.package == MAPS
    await links.items("open_uri", uri=NEWS, package_name=BROWSER)
    assert links.world.front.app.package == BROWSER


@EVERY_LEVEL
async def test_a_page_of_the_settings_is_opened_by_its_name(links: Bench) -> None:
    await links.items("open_uri", uri="settings:wifi")
    assert links.world.front.class_name == "com.android.settings.Settings$WifiSettingsActivity"
    await links.items("open_uri", uri="settings:app/com.android.calculator2")
    assert links.world.front.title == "App info"
    failure = await links.failure("open_uri", uri="settings:teleport")
    assert failure.message == (
        "This phone has no page for android.settings.TELEPORT_SETTINGS. Pages that most have: wifi,"
        " bluetooth, display, sound, apps, app/PACKAGE, location, about."
    )


async def test_an_app_that_does_not_take_it_is_named(links: Bench) -> None:
    links.world.install(Maps)
    failure = await links.failure("open_uri", uri="foo://x", package_name=MAPS)
    assert failure.message == (
        f"{MAPS} has nothing that opens 'foo://x'. find_handlers shows which apps do."
    )
    failure = await links.failure("open_uri", uri="foo://x", package_name="com.nothing")
    assert failure.message == "com.nothing is not installed. list_apps names those that are."


async def test_nothing_is_opened_behind_the_lock_screen(links: Bench) -> None:
    links.world.keyguard.lock()
    failure = await links.failure("open_uri", uri=NEWS)
    assert type(failure) is PermissionDenied
    assert failure.message == "The phone is locked: unlock it and try again. Nothing was done."
    assert started(links) == []


async def test_a_dark_screen_is_switched_on(links: Bench) -> None:
    links.world.awake = False
    items = await links.items("open_uri", uri=NEWS)
    assert items[2:] == ["The screen was off and was switched on first."]
    assert links.world.front.app.package == BROWSER


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"uri": ""}, "Parameter 'uri' must not be empty"),
        (
            {"uri": "example.com"},
            "Parameter 'uri' must begin with a scheme, as https://example.com does, got:"
            " 'example.com'",
        ),
        ({"uri": "https://a\nb"}, "Parameter 'uri' must not contain control characters"),
        (
            {"uri": NEWS, "package_name": "a b"},
            "Parameter 'package_name' must be a package such as com.example.app, got: 'a b'",
        ),
        (
            {"uri": NEWS, "mime_type": "png"},
            "Parameter 'mime_type' must be a type such as image/png, got: 'png'",
        ),
        (
            {"uri": "settings:a;b"},
            "'settings:a;b' is not a page of the settings. Some: wifi, bluetooth, display, sound,"
            " apps, app/PACKAGE, location, about.",
        ),
        (
            {"uri": f"intent:1#Intent;scheme=geo;package={MAPS};end", "package_name": HIKING},
            f"The URI names the app {MAPS}, not {HIKING}.",
        ),
        (
            {"uri": "intent:android-app://a.b#Intent;end"},
            "Parameter 'uri' is not a supported intent: URI: it contains another one.",
        ),
        (
            {"uri": f"intent:{'x' * 10_001}"},
            "Parameter 'uri' must have at most 10000 characters, got: 10008",
        ),
    ],
)
async def test_what_is_no_link_is_refused(
    links: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await links.failure("open_uri", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert started(links) == []


# intent: URIs


async def test_an_intent_uri_that_says_what_a_link_says_is_a_link(links: Bench) -> None:
    links.world.install(Maps)
    uri = f"intent:47,19#Intent;scheme=geo;package={MAPS};end"
    items = await links.items("open_uri", uri=uri)
    assert items[1] == f"Opened by {name(links, Maps)}."
    assert links.world.front.extras == {"data": "geo:47,19"}


@pytest.mark.parametrize(
    "uri",
    [
        f"intent:#Intent;component={MAPS}/.Place;end",
        f"intent:47,19#Intent;scheme=geo;package={MAPS};S.q=x;end",
        "intent:#Intent;action=com.shop.PAY;end",
        "intent:file:///sdcard/x.apk#Intent;end",
        "tel:*%2306%23",
    ],
)
async def test_a_link_that_says_more_needs_the_toolset_of_intents(links: Bench, uri: str) -> None:
    links.world.install(Maps)
    failure = await links.failure("open_uri", uri=uri)
    assert type(failure) is PermissionDenied
    assert failure.message == (
        "android_open_uri may not do this here. Switched off: send_intent. Nothing was done."
    )
    assert started(links) == []


@pytest.mark.parametrize(
    ("uri", "kind", "message"),
    [
        (
            "intent:#Intent;action=android.intent.action.CALL;scheme=tel;end",
            PermissionDenied,
            "android.intent.action.CALL is never sent: it would call immediately."
            " android.intent.action.DIAL shows the number, and a person can call it. Nothing was "
            "done.",
        ),
        (
            "intent://a/b#Intent;scheme=content;launchFlags=0x1;end",
            PermissionDenied,
            "FLAG_GRANT_READ_URI_PERMISSION is never set: it would let an app read or change "
            "another app's data. Nothing was done.",
        ),
        (
            "intent:#Intent;action=x.Y;SEL;action=z;end",
            InvalidParams,
            "Parameter 'uri' is not a supported intent: URI: it has a selector (SEL), which would"
            " choose another app.",
        ),
        (
            "javascript:alert(1)",
            PermissionDenied,
            "javascript: is not opened: it is a program, not a link. Nothing was done.",
        ),
    ],
)
async def test_what_is_never_sent_is_not_sent_from_a_link(
    bench: Bench, uri: str, kind: type, message: str
) -> None:
    switch_on(bench, "links", "intents")
    failure = await bench.failure("open_uri", uri=uri)
    assert (type(failure), failure.message) == (kind, message)
    assert started(bench) == []


# Rules


@pytest.mark.parametrize("uri", ["geo:1,2", f"intent:1,2#Intent;scheme=geo;package={MAPS};end"])
async def test_a_rule_on_the_app_that_would_open_it_holds(bench: Bench, uri: str) -> None:
    bench.world.install(Maps)
    switch_on(bench, "links", rules=Rules(deny=[f"app:{MAPS}"]))
    failure = await bench.failure("open_uri", uri=uri)
    assert type(failure) is PermissionDenied
    assert f"the rule 'app:{MAPS}' denies it" in failure.message
    assert started(bench) == []
    await bench.items("open_uri", uri=NEWS)
    assert bench.world.front.app.package == BROWSER


async def test_an_app_that_takes_over_after_the_judgement_does_not_get_it(bench: Bench) -> None:
    """Who takes it is asked when the call is judged, and again when it is made."""
    bench.world.install(Hiking)
    switch_on(bench, "links", rules=Rules(deny=[f"app:{MAPS}"]))
    driver = bench.phone.driver
    asked = 0

    async def judged_and_replaced(intent: Any) -> Any:
        nonlocal asked
        asked += 1
        found = await type(driver).handlers(driver, intent)
        if asked == 1:
            bench.world.install(Maps)
            bench.world.preferred_activities.add((MAPS, f"{MAPS}.Place"))
        return found

    bench.phone.driver.handlers = judged_and_replaced  # type: ignore[method-assign]
    failure = await bench.failure("open_uri", uri="geo:1,2")
    assert failure.message == (
        f"The owner of the phone does not allow this with {MAPS}, which would handle it now. "
        "Nothing"
        " was done. Do not look for a way around it; tell the user."
    )
    assert started(bench) == []


async def test_apps_that_may_not_be_told_of_are_left_out(bench: Bench) -> None:
    bench.world.install(Maps)
    bench.world.install(Hiking)
    switch_on(bench, "links", rules=Rules(deny=[f"app:{MAPS}"]))
    found = json.loads(await bench.call("find_handlers", data="geo:1,2"))
    assert [each["package_id"] for each in found["handlers"]] == [HIKING]
    failure = await bench.failure("open_uri", uri="geo:1,2")
    assert failure.message == (
        f"Several apps can open this and none is the default: {name(bench, Hiking)}. Say which with"
        " package_name."
    )


async def test_parts_of_an_app_that_may_not_be_told_of_are_not_named(bench: Bench) -> None:
    bench.world.install(Atlas)
    switch_on(bench, "links", rules=Rules(deny=[f"app:{Atlas.package}"]))
    failure = await bench.failure("open_uri", uri="atlas:1")
    assert failure.message == (
        "Several apps can open this and none is the default. Say which with package_name."
    )


# find_handlers


@EVERY_LEVEL
async def test_the_apps_that_take_an_intent_are_listed(links: Bench) -> None:
    links.world.install(Maps)
    links.world.install(Hiking)
    links.world.preferred_activities.add((HIKING, f"{HIKING}.Walk"))
    by_shell = links.by == "shell"
    assert json.loads(await links.call("find_handlers", data="geo:1,2")) == {
        "handlers": [
            {
                "package_id": MAPS,
                "class": f"{MAPS}.Place",
                "label": None if by_shell else "Maps",
                "default": False,
            },
            {
                "package_id": HIKING,
                "class": f"{HIKING}.Walk",
                "label": None if by_shell else "Hiking",
                "default": True,
            },
        ]
    }
    assert started(links) == []


@EVERY_LEVEL
async def test_services_and_receivers_are_listed_too(links: Bench) -> None:
    links.world.install(Maps)
    for kind, action, found in (
        ("service", "org.example.SYNC", ["Sync"]),
        ("broadcast", "org.example.NOTE", ["Noted"]),
        ("broadcast", "org.example.NOTHING", []),
        ("activity", CAPTURE, ["Place"]),
    ):
        listed = json.loads(await links.call("find_handlers", type=kind, action=action))
        assert [each["class"].rpartition(".")[2] for each in listed["handlers"]] == found


async def test_who_takes_everything_is_not_asked(links: Bench) -> None:
    failure = await links.failure("find_handlers")
    assert type(failure) is InvalidParams
    assert failure.message == (
        "Give action, data or mime_type: an empty intent matches too many apps."
    )
