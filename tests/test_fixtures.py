"""The table of fixtures lists exactly the existing ones."""

import re

import fixtures


def test_the_table_names_every_fixture() -> None:
    rows = re.findall(r"(?m)^\| `([\w/.-]+)` \|", fixtures.text("README.md"))
    assert sorted(rows) == sorted(fixtures.names("*/*.txt") + fixtures.names("*/*.xml"))
