"""What `pm list users` says of profiles, as phones print it."""

import pytest

from handheld.driver.profiles import Profile, read_profiles

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


def test_whose_profiles_they_are_is_known_for_the_first_user_only() -> None:
    assert read_profiles(f"{OWNER}\tUserInfo{{10:Work:1030}}\n", 11) == []
