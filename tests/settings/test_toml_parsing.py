"""TOML that people wrote, and that Python's own parser takes too long for or fails at."""

import pytest

from handheld.settings.toml_parsing import MOST_PARTS, parse_toml


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x." * MOST_PARTS + "x = 1", "a key has more than 50 parts"),
        ("[" + "'x y' . " * MOST_PARTS + "x]", "a key has more than 50 parts"),
        ("x = {" + "x." * MOST_PARTS + "x = 1}", "a key has more than 50 parts"),
        ("x = " + "[" * 5000, "its values are nested too deeply"),
        ("x = " + "9" * 5000, "digits"),
        ("x = ", "Invalid value"),
    ],
)
def test_every_fault_is_a_value_error(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "x." * (MOST_PARTS - 1) + "x = 1",
        f"x = '{'a.' * 200}'",
        f"x = [{'1.5, ' * 200}]",
        f"x = '''\nChapter 1 {'.' * 200} 7\n'''",
    ],
)
def test_many_dots_are_no_long_key(text: str) -> None:
    assert "x" in parse_toml(text)
