"""Apps and notifications of a work profile and of clones, with the helper and by adb alone."""

import pytest

from handheld_virtual.packages.profiles import Profile

from .conftest import AgentBench

CALCULATOR, NOTES = "com.android.calculator2", "dev.handheld.notes"
both_ways = pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True)


def add(bench: AgentBench, user: int, kind: str, *packages: str) -> Profile:
    profile = Profile(user, kind)
    for package in packages:
        profile.add(bench.world.apps[package])
    bench.device.add_profile(profile)
    return profile


@both_ways
async def test_an_app_of_a_profile_is_listed_and_opened(bench: AgentBench, agent_by: str) -> None:
    work = add(bench, 10, "work", CALCULATOR)
    name = "Calculator" if agent_by == "helper" else CALCULATOR
    listed = (await bench.call("read", what="apps", of="calc")).split("\n")
    assert listed == [f'"{name}" {CALCULATOR}', f'"{name} (work)" {CALCULATOR}']
    # The same app of the owner is in front: it is not taken for the other.
    bench.world.launch(CALCULATOR)
    opened = await bench.call("open", what="Calculator (work)")
    assert opened.startswith(
        'Opened "Calculator" (work).' if agent_by == "helper" else "Opened com"
    )
    assert bench.world.front.app is work.apps[CALCULATOR]
    await bench.call("open", what="Calculator")
    assert bench.world.front.app is bench.world.apps[CALCULATOR]


@both_ways
async def test_an_app_that_only_a_profile_has_is_named(bench: AgentBench) -> None:
    add(bench, 999, "clone", CALCULATOR)
    bench.world.uninstall(CALCULATOR)
    failure = await bench.failure("open", what="Calculator")
    assert failure.message.endswith("call it Calculator (clone).")
    await bench.call("open", what="Calculator (clone)")
    assert bench.world.front.app.user == 999


@both_ways
async def test_a_profile_that_adb_may_not_enter_is_said(bench: AgentBench) -> None:
    add(bench, 10, "work", CALCULATOR).closed = True
    listed = await bench.call("read", what="apps", of="calc")
    assert listed.endswith("\nApps that adb may not list: work.")
    failure = await bench.failure("open", what="Calculator (work)")
    assert "permission to access user 10" in failure.message


@both_ways
async def test_a_notification_of_a_profile_says_whose_it_is(
    bench: AgentBench, agent_by: str
) -> None:
    work = add(bench, 10, "work", CALCULATOR)
    for user in (0, 10, 11):
        bench.world.notify(CALCULATOR, f"user {user}", "12", user=user)
    rows = (await bench.call("read", what="notifications")).split("\n")
    name = "Calculator" if agent_by == "helper" else CALCULATOR
    told = {row.split(" now ")[0].partition(" ")[2] for row in rows}
    assert told == {f'"{name}"', f'"{name} (work)"'}
    if agent_by == "helper":
        [row] = [row for row in rows if "user 10" in row]
        await bench.call("notification", action="open", notification=row.split(" ")[0])
        assert bench.world.front.app is work.apps[CALCULATOR]


@both_ways
async def test_without_profiles_nothing_is_said_of_them(bench: AgentBench) -> None:
    assert "(" not in await bench.call("read", what="apps", of="calc")
    failure = await bench.failure("open", what="Nothing (work)")
    assert "profile" not in failure.message


@both_ways
async def test_the_header_says_whose_the_app_in_front_is(bench: AgentBench) -> None:
    work = add(bench, 10, "work", CALCULATOR)
    bench.world.launch(CALCULATOR)
    own = (await bench.call("look")).partition("\n")[0]
    assert "work" not in own
    await bench.call("open", what="Calculator (work)")
    assert bench.world.front.app is work.apps[CALCULATOR]
    assert (await bench.call("look")).partition("\n")[0].endswith(", work")
    bench.world.launch(CALCULATOR)
    assert "work" not in (await bench.call("look")).partition("\n")[0]
