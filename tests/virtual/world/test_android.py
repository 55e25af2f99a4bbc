"""The table of Android's releases, which alone in the virtual phone compares API levels."""

import ast
import re
from collections.abc import Iterator

import pytest

from handheld_virtual.input.key_codes import CODES, last_code
from handheld_virtual.system.android import CHANGES, Android, Change, android
from handheld_virtual.system.properties import fixed_properties
from handheld_virtual.system.releases import DEFAULT_API, NEWEST_API, OLDEST_API, RELEASES, Release
from harness.packages import VIRTUAL
from harness.packages import sources as all_sources

TABLE = ("system/android.py", "system/releases.py")
LEVELS = {"api", "_api", "sdk", "min_sdk", "target_sdk", "android_version"}
MAY_COMPARE = {
    ("command_line.py", "options.api is not None"),
    ("command_line.py", "OLDEST_API <= options.api <= NEWEST_API"),
    ("packages/blocked_starts.py", "since <= api"),
    ("packages/delivery.py", "app.manifest.target_sdk >= 26"),
    ("packages/installing/install_checks.py", "manifest.min_sdk > android.api"),
    ("packages/installing/install_checks.py", "manifest.target_sdk < android.oldest_target"),
}
"""Exceptions: the range of an option, the requirements of a manifest, and a log line that differs
in almost every release."""


def sources() -> Iterator[tuple[str, str]]:
    for path, file in all_sources().items():
        name = path.removeprefix(f"{VIRTUAL}/")
        if name != path and name not in TABLE:
            yield name, file.read_text(encoding="utf-8")


def names(node: ast.AST) -> set[str]:
    found = ast.walk(node)
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in found
        if isinstance(each, ast.Name | ast.Attribute)
    }


@pytest.mark.slow
def test_only_the_table_compares_api_levels() -> None:
    compared = {
        (file, ast.unparse(node))
        for file, code in sources()
        if re.search(rf"\b({'|'.join(LEVELS)})\b", code)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Compare) and names(node) & LEVELS
    }
    assert compared == MAY_COMPARE


def test_every_change_is_used_and_says_what_changed() -> None:
    used = {name for _, code in sources() for name in re.findall(r"\.(\w+)", code)}
    assert set(CHANGES) - used == set()
    assert all(change.about.endswith(".") for change in CHANGES.values())
    assert len({change.about for change in CHANGES.values()}) == len(CHANGES)


def test_every_change_separates_two_releases() -> None:
    for name, change in CHANGES.items():
        states = {change.covers(release.api) for release in RELEASES}
        assert states == {True, False}, name


def test_releases_are_in_order_without_a_gap() -> None:
    assert [release.api for release in RELEASES] == list(range(OLDEST_API, NEWEST_API + 1))
    assert OLDEST_API <= DEFAULT_API <= NEWEST_API
    assert all(last_code(android(release.api)) for release in RELEASES)
    assert {release.last_key for release in RELEASES if release.last_key} <= set(CODES)


def test_a_release_has_what_is_in_force_at_its_level() -> None:
    old, new = android(30), android(31)
    assert (old.version, new.version) == ("11", "12")
    assert (old.root_tasks, new.root_tasks) == (False, True)
    assert (old.certificate_failure_repeated, new.certificate_failure_repeated) == (True, False)
    assert (old.has(Android.root_tasks), new.has(Android.root_tasks)) == (False, True)
    assert isinstance(Android.root_tasks, Change)


def test_a_change_for_a_target_holds_for_newer_apps_on_newer_phones() -> None:
    change = Android.exported_required
    assert android(31).binds(change, 31)
    assert not android(30).binds(change, 31)
    assert not android(31).binds(change, 30)


def test_one_row_adds_a_release() -> None:
    newest = Android(NEWEST_API)
    added = Android(NEWEST_API + 1, (*RELEASES, Release(NEWEST_API + 1, "99", "2030-01-05")))
    same = {name: getattr(newest, name) for name in CHANGES}
    assert {name: getattr(added, name) for name in CHANGES} == same
    assert (added.last_key, added.oldest_target) == (newest.last_key, newest.oldest_target)
    properties = fixed_properties(added, "serial", "device", "model", 420)
    assert properties["ro.build.version.release"] == "99"
    assert properties["ro.build.version.sdk"] == str(NEWEST_API + 1)


@pytest.mark.parametrize("api", [OLDEST_API - 1, NEWEST_API + 1])
def test_an_unknown_level_is_rejected(api: int) -> None:
    with pytest.raises(ValueError, match=f"API level {api} is not known"):
        android(api)


def test_a_release_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        android(34).api = 35
