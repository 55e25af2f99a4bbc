"""Every fixture is in the table that says what of Android prints it, and nothing else is."""

import re

import fixtures


def test_the_table_names_every_fixture() -> None:
    rows = re.findall(r"(?m)^\| `([\w/.-]+)` \|", fixtures.text("README.md"))
    assert sorted(rows) == sorted(fixtures.names("*/*.txt") + fixtures.names("*/*.xml"))
