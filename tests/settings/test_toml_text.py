"""Changing single values in a TOML text while the rest is preserved."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.settings.toml_text import Changed, change, written

TEXT = """\
# The phone in the kitchen.
port = 8090     # as the router knows it
"host" = '127.0.0.1'

# Whom it may write to.
[sms]
allow = [
  "+3620*",
  "+3630*",
]
dry_run = false # for now

[phones."R58M"] # Anna's
slug = "anna"
"""


@pytest.mark.parametrize(
    ("path", "value", "before", "after"),
    [
        (("port",), 1, "port = 8090     #", "port = 1  #"),
        (("host",), "::1", "\"host\" = '127.0.0.1'", '"host" = "::1"'),
        (("sms", "dry_run"), True, "dry_run = false #", "dry_run = true  #"),
        (
            ("sms", "allow"),
            ["+36*"],
            'allow = [\n  "+3620*",\n  "+3630*",\n]',
            'allow = ["+36*"]',
        ),
        (("phones", "R58M", "slug"), "ann", '"anna"', '"ann"'),
        (("port",), None, "port = 8090     #", "#"),
        (("sms", "dry_run"), None, "dry_run = false #", "#"),
        (("wake",), False, "'127.0.0.1'\n", "'127.0.0.1'\nwake = false\n"),
        (("sms", "port"), 7, "# for now\n", "# for now\nport = 7\n"),
        (("tls", "key"), "/k", 'slug = "anna"\n', 'slug = "anna"\n\n[tls]\nkey = "/k"\n'),
    ],
)
def test_only_the_changed_value_differs(
    path: tuple[str, ...], value: Any, before: str, after: str
) -> None:
    assert change(TEXT, path, value) == Changed(TEXT.replace(before, after, 1), True)


def test_a_table_is_removed_with_its_blank_line_and_lost_comments_are_reported() -> None:
    rest = TEXT.partition("\n[phones")[0]
    assert change(TEXT, ("phones", "R58M"), None) == Changed(rest, False)
    bare = TEXT.replace(" # Anna's", "")
    assert change(bare, ("phones", "R58M"), None) == Changed(rest, True)


def test_lost_comments_inside_a_value_are_reported() -> None:
    text = 'allow = [\n  "+3620*", # Anna\n]\n'
    assert change(text, ("allow",), []) == Changed("allow = []\n", False)


@pytest.mark.parametrize("text", ["sms = {port = 1} # a\n", "sms.port = 1 # a\n[adb]\n"])
def test_an_unsupported_layout_is_rewritten(text: str) -> None:
    changed = change(text, ("sms", "dry_run"), True)
    assert tomllib.loads(changed.text)["sms"] == {"port": 1, "dry_run": True}
    assert not changed.keeps


def test_an_unchanged_value_leaves_the_text_as_it_is() -> None:
    assert change(TEXT, ("port",), 8090) == Changed(TEXT, True)
    assert change(TEXT, ("audit", "off"), None) == Changed(TEXT, True)
    assert change("", ("port",), 1) == Changed("port = 1\n", True)
    assert change("", ("sms", "port"), 1) == Changed("[sms]\nport = 1\n", True)


def test_a_value_is_not_replaced_by_a_table() -> None:
    with pytest.raises(ValueError, match="sms is not a table"):
        change("sms = 1\n", ("sms", "port"), 1)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.booleans() | st.integers(-(2**40), 2**40) | words | st.lists(words, max_size=3)
names = st.sampled_from(["port", "a-b", "x y", "ü", "", "sms", "tls", "#", '"'])


@given(values)
def test_every_value_survives_a_round_trip(value: Any) -> None:
    assert tomllib.loads(f"a = {written(value)}") == {"a": value}


@given(
    st.dictionaries(names, values, max_size=4),
    st.dictionaries(names, st.dictionaries(names, values, max_size=3), max_size=3),
    st.lists(names, min_size=1, max_size=2),
    st.none() | values,
)
def test_any_change_of_any_text_parses_to_the_wanted_values(
    top: dict[str, Any], tables: dict[str, dict[str, Any]], path: list[str], value: Any
) -> None:
    tree: dict[str, Any] = {**top, **tables}
    lines = [
        f"{written(key)} = {written(one)} # {key!r}"
        for key, one in top.items()
        if key not in tables
    ]
    for name, table in tables.items():
        lines += [f"# on {name!r}", f"[{written(name)}]"]
        lines += [f"{written(key)} = {written(one)}" for key, one in table.items()]
    wanted: dict[str, Any] = {
        name: dict(one) if name in tables else one for name, one in tree.items()
    }
    inner: Any = wanted
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    if not isinstance(inner, dict):
        return
    if value is None:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = value
    text = "\n".join(lines)
    changed = change(text, tuple(path), value)
    read = tomllib.loads(changed.text)
    if value is None and not inner and len(path) > 1:
        read.setdefault(path[0], {})  # a table that is now empty may be removed
    assert read == wanted
    if changed.keeps:
        for line in lines:
            if line.startswith("#"):
                assert line in changed.text
