"""What `pm list users` says of profiles, as phones print it."""

import pytest

from handheld.adb import shell
from handheld.driver.apps import Profile
from handheld.driver.by_adb.commands import Commands
from handheld.driver.by_adb.profiles import ProfileOwners, find_profiles, read_profiles
from handheld_virtual.packages.profiles import Profile as VirtualProfile
from handheld_virtual.phone import VirtualPhone
from harness.phones import link_to

OWNER = "Users:\n\tUserInfo{0:Alice: A:4c13} running\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("UserInfo{10:Work profile:1030} running", Profile(10, "work")),
        ("UserInfo{10:Work: profile:30}", Profile(10, "work")),
        ("UserInfo{999:XSpace:801010} running", Profile(999, "clone")),
        ("UserInfo{999:XSpace:800010} running", Profile(999, "clone")),
        ("UserInfo{999:MultiApp:4000030} running", Profile(999, "clone")),
        ("UserInfo{998:MultiApp:4001010}", Profile(998, "clone")),
        ("UserInfo{150:Secure Folder:10000030} running", Profile(150, "secure folder")),
        ("UserInfo{11:Private space:1010} running", Profile(11, "profile 11")),
    ],
)
def test_the_kind_of_a_profile_is_told_by_its_flags_and_number(
    line: str, expected: Profile
) -> None:
    assert read_profiles(f"{OWNER}\t{line}\n", 0) == [expected]


@pytest.mark.parametrize(
    "line", ["", "UserInfo{10:Bob:410}", "UserInfo{11:Guest:414} running", "UserInfo{x:y:30}", "?"]
)
def test_another_user_is_no_profile(line: str) -> None:
    assert read_profiles(f"{OWNER}\t{line}\n", 0) == []


def test_two_of_a_kind_are_told_apart() -> None:
    printed = f"{OWNER}\tUserInfo{{998:M:4001010}}\n\tUserInfo{{999:M:4001010}}\n"
    assert read_profiles(printed, 0) == [Profile(998, "clone 998"), Profile(999, "clone 999")]


def test_before_android_12_whose_profiles_they_are_is_known_for_the_first_user_only() -> None:
    assert read_profiles(f"{OWNER}\tUserInfo{{10:Work:1030}}\n", 11) == []


PARENTS = """\
Users:
\tUserInfo{0:Owner:4c13} running
\tUserInfo{10:Work: {a}, b:1030} running
\tUserInfo{11:Bob:412} running
\tUserInfo{12:Work:1030} running
4 users:

0: id=0, name=Owner, type=full.SYSTEM, flags=ADMIN|FULL|INITIALIZED|MAIN|PRIMARY|SYSTEM (running)
1: id=10, name=x, flags=FULL (parentId=11), type=profile.MANAGED, flags=INITIALIZED|PROFILE\
 (parentId=0) (running) (visible)
2: id=11, name=Bob (parentId=12), flags=FULL, flags=ADMIN|FULL|INITIALIZED (running) (current)
3: id=12, name=Work, flags=INITIALIZED|MANAGED_PROFILE|PROFILE (parentId=11) (running)
"""


@pytest.mark.parametrize(
    ("user", "expected"), [(0, [Profile(10, "work")]), (11, [Profile(12, "work")]), (12, [])]
)
def test_a_profile_is_that_of_its_parent(user: int, expected: list[Profile]) -> None:
    assert read_profiles(PARENTS, user) == expected


@pytest.mark.parametrize("api", [26, 30, 31, 33, 37])
async def test_of_the_profiles_on_the_phone_those_of_the_current_user_are_found(api: int) -> None:
    async with VirtualPhone(api=api) as phone:
        phone.add_profile(VirtualProfile(10, "work"))
        phone.add_profile(VirtualProfile(12, "work", parent=11))
        async with link_to(phone) as link:
            found = await find_profiles(Commands(link))
            listed = (await shell.run(link, ["cmd", "user", "list", "-v"])).stdout.decode()
    every = [Profile(10, "work 10"), Profile(12, "work 12")]
    assert found == (every if api < 31 else [Profile(10, "work")])
    lines = {
        26: ["\tUserInfo{10:Work profile:30} running"],
        30: ["1: id=10, name=Work profile, flags=INITIALIZED|MANAGED_PROFILE|PROFILE (running)"],
        31: [
            "1: id=10, name=Work profile, flags=INITIALIZED|MANAGED_PROFILE|PROFILE (parentId=0)"
            " (running)"
        ],
        33: [
            "1: id=10, name=Work profile, type=profile.MANAGED,"
            " flags=INITIALIZED|MANAGED_PROFILE|PROFILE (parentId=0) (running)"
        ],
        37: [
            "1: id=10, name=Work profile, type=profile.MANAGED,"
            " flags=INITIALIZED|MANAGED_PROFILE|PROFILE (parentId=0) (running) (visible)"
        ],
    }
    assert [line for line in listed.splitlines() if "10" in line] == lines[api]


async def test_who_a_user_is_is_asked_once() -> None:
    owners = ProfileOwners()
    async with VirtualPhone() as phone:
        phone.add_profile(VirtualProfile(10, "work"))
        async with link_to(phone) as link:
            commands = Commands(link)
            names = [await owners.name(commands, user) for user in (None, 10, 13)]
        assert names == ["", "work", "user 13"]
        # The link is closed: nothing is asked any more.
        assert [await owners.name(commands, user) for user in (None, 10, 13)] == names
