import re

from hypothesis import given
from hypothesis import strategies as st

from handheld.app_tools.naming import Key, ToolNames
from handheld.calls.tool_list import fit_name


def test_a_tool_is_named_after_its_id() -> None:
    names = ToolNames({})
    assert names.assign(("com.example.a", "service", "clock in/today")) == "app_clock_in_today"
    assert names.assign(("com.example.a", "service", "clock-out.now")) == "app_clock-out_now"


def test_a_name_that_is_too_long_with_a_slug_is_cut_and_ends_in_eight_hex_digits() -> None:
    bare = ToolNames({}).assign(("com.example.a", "service", "x" * 80))
    name = fit_name("android_kitchen-table-phone_", bare)
    assert len(name) == 64
    assert re.fullmatch(r"android_kitchen-table-phone_app_x+_[0-9a-f]{8}", name)
    assert fit_name("android_kitchen_", "app_clock-in") == "android_kitchen_app_clock-in"


def test_a_second_app_with_the_same_id_gets_the_last_part_of_its_package() -> None:
    names = ToolNames({})
    assert names.assign(("com.example.a", "service", "send")) == "app_send"
    assert names.assign(("org.other.mailer", "provider", "send")) == "app_send_mailer"
    assert names.assign(("net.third.mailer", "service", "send")).startswith("app_send_")
    assert len(names.owners) == 3


def test_a_tool_name_is_stable_when_another_app_is_installed() -> None:
    names = ToolNames({})
    late = ("org.late", "service", "send")
    early = ("com.early", "service", "send")
    first = names.assign(early)
    names.assign(late)
    assert names.assign(early) == first
    assert ToolNames(dict(reversed(list(names.owners.items())))).assign(early) == first


def test_a_long_id_is_cut_and_ends_in_four_hex_digits() -> None:
    names = ToolNames({})
    name = names.assign(("com.example.a", "service", "x" * 80))
    assert len("android_" + name) == 51
    assert re.fullmatch(r"app_x+_[0-9a-f]{4}", name)
    other = names.assign(("com.example.a", "service", "x" * 81))
    assert other != name


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a.b", "c.b", "d.e"]),
            st.sampled_from(["service", "provider"]),
            st.text(min_size=1, max_size=60),
        ),
        max_size=30,
    )
)
def test_every_tool_has_a_possible_name_of_its_own(keys: list[Key]) -> None:
    names = ToolNames({})
    given = {key: names.assign(key) for key in keys}
    assert len(set(given.values())) == len(given)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,43}", name) for name in given.values())
    assert {key: names.assign(key) for key in keys} == given
