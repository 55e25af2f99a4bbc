"""Intents by helper and by shell: what Android prints, what it is told, and at most once."""

import contextlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.adb.link import ByteStream, LinkLost
from handheld.driver.by_adb.denial import Denial, read_denial
from handheld.driver.by_shell.driver import ShellDriver
from handheld.driver.by_shell.intents import (
    NotByShell,
    intent_words,
    read_closed,
    read_handlers,
    read_resolved,
)
from handheld.driver.fallback import FallbackDriver
from handheld.driver.intents import Extra, Handler, Intent, NotDelivered, Undelivered
from handheld.driver.reading.package_lists import BadList
from handheld.errors import ActionFailed
from handheld.helper.client import HelperClient
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.phones import WatchedLink, link_to
from tools.main.link_apps import Hiking, Maps

MAPS, VIEW = Maps.package, "android.intent.action.VIEW"
GEO = Intent(action=VIEW, data="geo:1,2")
NOTE = Intent("broadcast", "org.example.NOTE", package=MAPS)


# What Android prints


def test_activities_that_take_an_intent_are_read() -> None:
    assert read_handlers(fixtures.text("intents/query-activities-brief.txt")) == [
        Handler("org.example.maps", "org.example.maps.Place"),
        Handler("org.example.hiking", "org.trails.Walk$Entry"),
        Handler("com.android.fallback", "com.android.fallback.Fallback"),
    ]
    for nothing in ("No activities found\n", "No services found\r\n", "No receivers found"):
        assert read_handlers(nothing) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 activities found:\n  Activity #0:\n    a.b/.C\n",
        "1 activities found:\n  Activity #0:\n    a.b/.C\n    c.d/.E\n",
        "Error: Can't find service: package\n",
        "    a.b/.C\n",
        "Exception occurred while executing 'query-activities':\n",
    ],
)
def test_another_output_is_no_list(text: str) -> None:
    with pytest.raises(BadList):
        read_handlers(text)


def test_classes_have_names_in_any_writing() -> None:
    printed = "1 activities found:\n  Activity #0:\n    priority=0\n    a.b/.Größe\n"
    assert read_handlers(printed) == [Handler("a.b", "a.b.Größe")]


def test_the_activity_that_android_picks_is_read() -> None:
    one = read_resolved(fixtures.text("intents/resolve-activity-brief.txt"))
    assert one == Handler("org.example.maps", "org.example.maps.Place")
    asks = read_resolved(fixtures.text("intents/resolve-activity-several.txt"))
    assert asks == Handler("android", "com.android.internal.app.ResolverActivity")
    assert read_resolved("No activity found\n") is None
    with pytest.raises(BadList):
        read_resolved("cmd: Failure calling service package: Broken pipe\n")


def test_receivers_that_are_closed_are_told_from_open_ones() -> None:
    handlers = read_handlers(fixtures.text("intents/query-receivers-brief.txt"))
    printed = fixtures.text("intents/query-receivers-api34.txt")
    guard = "org.example.permission.GUARD"
    assert read_closed(printed, handlers) == [None, Denial(), Denial(guard)]
    with pytest.raises(BadList):
        read_closed(printed, handlers[:2])


@pytest.mark.parametrize(
    "forged",
    [
        "x\n  Receiver #7:\n      name=com.bank.Hidden\n      packageName=com.bank",
        "x exported=false",
        "x\n      exported=false",
        "x packageName=com.bank",
    ],
)
def test_a_label_that_looks_like_a_receiver_forges_none(forged: str) -> None:
    handlers = read_handlers(fixtures.text("intents/query-receivers-brief.txt"))
    printed = fixtures.text("intents/query-receivers-api34.txt")
    with pytest.raises(BadList):
        read_closed(
            printed.replace("nonLocalizedLabel=null", f"nonLocalizedLabel={forged}"), handlers
        )


@pytest.mark.parametrize(
    ("text", "denial"),
    [
        (fixtures.text("intents/am-start-denied-api26.txt"), Denial()),
        (
            fixtures.text("intents/am-start-denied-api34.txt"),
            Denial("org.example.permission.GUARD"),
        ),
        (
            fixtures.text("intents/am-start-revoked-api34.txt"),
            Denial("android.permission.CAMERA", True),
        ),
        ("Error: Requires permission a.b.C\n", Denial("a.b.C")),
        ("Error: Requires permission not exported from uid 10123\n", Denial()),
        ("Starting: Intent { dat=x requires a.b }\n", None),
        ("", None),
    ],
)
def test_why_the_shell_may_not_is_read(text: str, denial: Denial | None) -> None:
    assert read_denial(text) == denial


@given(st.text())
def test_whatever_is_printed_is_read_or_refused(text: str) -> None:
    for read in (read_handlers, read_resolved, lambda text: read_closed(text, [])):
        with contextlib.suppress(BadList):
            read(text)
    read_denial(text)


# What Android is told


def test_an_intent_is_said_as_am_takes_it() -> None:
    intent = Intent(
        "activity",
        VIEW,
        "geo:1,2",
        "a/b",
        "a.b",
        "a.b.C",
        ("c.D",),
        0x10000000,
        (
            Extra("s", "string", ""),
            Extra("i", "int", -1),
            Extra("l", "long", 1 << 40),
            Extra("f", "float", 1.5),
            Extra("d", "double", 0.1),
            Extra("b", "boolean", False),
            Extra("t", "strings", ("x", "y z")),
        ),
    )
    assert intent_words(intent, 33) == [
        *("-a", VIEW, "-d", "geo:1,2", "-t", "a/b", "-p", "a.b", "-c", "c.D", "-n", "a.b/a.b.C"),
        *("-f", "0x10000000", "--es", "s", "", "--ei", "i", "-1", "--el", "l", str(1 << 40)),
        *("--ef", "f", "1.5", "--ed", "d", "0.1", "--ez", "b", "false", "--esal", "t", "x,y z"),
    ]
    with pytest.raises(NotByShell, match=r"extras\.d: a number with a fraction needs Android 13"):
        intent_words(intent, 32)


# With a phone


@pytest.fixture(params=["helper", "shell"])
async def driver(
    request: pytest.FixtureRequest, phone: VirtualPhone, link: WatchedLink
) -> AsyncIterator[FallbackDriver]:
    if request.param == "shell":
        phone.faults.refuse_helper()
    phone.world.install(Maps)
    driver = FallbackDriver(HelperClient(link))
    yield driver
    await driver.aclose()


async def test_an_intent_is_sent_to_whoever_takes_it(
    phone: VirtualPhone, driver: FallbackDriver
) -> None:
    sent = await driver.send_intent(GEO)
    assert [(each.package, each.class_name) for each in sent.handlers] == [(MAPS, f"{MAPS}.Place")]
    assert sent.front == MAPS
    assert phone.world.front.app.package == MAPS


async def test_of_several_none_is_started(phone: VirtualPhone, driver: FallbackDriver) -> None:
    phone.world.install(Hiking)
    with pytest.raises(NotDelivered) as caught:
        await driver.send_intent(GEO)
    assert caught.value.problem is Undelivered.SEVERAL
    assert [each.package for each in caught.value.handlers] == [MAPS, Hiking.package]
    assert not any(event.kind == "launch" for event in phone.world.events)


async def test_a_component_that_is_gone_when_it_is_started_is_reported(
    phone: VirtualPhone, link: WatchedLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the question and the start: the shell asks first, then starts."""
    phone.world.install(Maps)

    async def opened(service: str) -> ByteStream:
        if "am start " in service:
            phone.world.uninstall(MAPS)
        return await opening(service)

    opening = link.open
    monkeypatch.setattr(link, "open", opened)
    with pytest.raises(NotDelivered) as caught:
        await ShellDriver(link).send_intent(GEO)
    assert caught.value.problem is Undelivered.NO_COMPONENT


async def test_another_app_that_would_take_it_by_now_does_not_get_it(
    phone: VirtualPhone, link: WatchedLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behaviour 111 states."""
    phone.world.install(Maps)

    async def opened(service: str) -> ByteStream:
        if "am start " in service:
            phone.world.install(Hiking)
            phone.world.preferred_activities.add((Hiking.package, f"{Hiking.package}.Walk"))
        return await opening(service)

    opening = link.open
    monkeypatch.setattr(link, "open", opened)
    assert (await ShellDriver(link).send_intent(GEO)).front == MAPS


async def test_an_intent_whose_start_cannot_be_followed_was_sent(
    phone: VirtualPhone, link: WatchedLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone.world.install(Maps)

    async def open_once(service: str) -> ByteStream:
        if any("am start " in opened for opened in link.services):
            raise LinkLost("The phone went away.")
        return await opening(service)

    opening = link.open
    monkeypatch.setattr(link, "open", open_once)
    with pytest.raises(ActionFailed) as caught:
        await ShellDriver(link).send_intent(GEO)
    assert phone.world.front.app.package == MAPS
    assert caught.value.message.startswith("The phone went away. The action was begun")


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        (
            "Starting: Intent { x }\nError: Activity not started, unknown error code -96\n",
            0,
            "Android said: Error: Activity not started, unknown error code -96. Nothing was done.",
        ),
        (
            "Exception occurred while executing 'start':\njava.lang.NullPointerException: x\n",
            255,
            "Android said: java.lang.NullPointerException: x. The action may or may not have"
            " happened; look at the screen before going on.",
        ),
        (
            "",
            0,
            "Android did not confirm the start; it printed: nothing. The action may or may not have"
            " happened; look at the screen before going on.",
        ),
    ],
)
async def test_what_am_says_counts_and_not_its_exit_code(
    phone: VirtualPhone, link: WatchedLink, said: str, code: int, message: str
) -> None:
    phone.world.install(Maps)
    android = phone.programs["am"]

    async def am(process: Process) -> int:
        if process.arguments[1] != "start":
            return await android(process)
        await process.stderr.write(said.encode())
        return code

    phone.programs["am"] = am
    with pytest.raises(ActionFailed) as caught:
        await ShellDriver(link).send_intent(GEO)
    assert caught.value.message == message


async def test_an_exit_code_of_success_or_failure_makes_no_difference(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    """As behaviour 111 states."""
    phone.world.install(Maps)
    android = phone.programs["am"]

    async def am(process: Process) -> int:
        return max(1, await android(process))

    phone.programs["am"] = am
    assert (await ShellDriver(link).send_intent(GEO)).front == MAPS
    assert (await ShellDriver(link).send_intent(NOTE)).handlers[0].package == MAPS


@pytest.mark.slow
@pytest.mark.parametrize("api", [26, 28, 29, 30, 33, 34, 36])
async def test_every_release_answers_the_shell(api: int) -> None:
    async with VirtualPhone(api=api) as phone:
        phone.world.install(Maps)
        async with link_to(phone) as link:
            driver = ShellDriver(link)
            assert (await driver.send_intent(GEO)).front == MAPS
            assert (await driver.send_intent(NOTE)).handlers == (
                Handler(MAPS, f"{MAPS}.Noted", "", True),
            )
            for intent, problem in (
                (Intent(action=VIEW, data="foo:x"), Undelivered.NO_HANDLER),
                (Intent(package=MAPS, class_name=f"{MAPS}.Inside"), Undelivered.NOT_EXPORTED),
                (Intent(package=MAPS, class_name=f"{MAPS}.Guarded"), Undelivered.PERMISSION),
                (Intent(package=MAPS, class_name=f"{MAPS}.None"), Undelivered.NO_COMPONENT),
                (Intent(action=VIEW, package="a.b"), Undelivered.NOT_INSTALLED),
            ):
                with pytest.raises(NotDelivered) as caught:
                    await driver.send_intent(intent)
                assert caught.value.problem is problem
