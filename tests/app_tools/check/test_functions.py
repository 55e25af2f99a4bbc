"""App functions: what is in an APK, and how they answer on a phone."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app_formats.apk.writer import Node, manifest, small_apk
from handheld.app_formats.app_functions import AppFunctions
from handheld.app_formats.app_functions.declaring import INT, STRING
from handheld.app_tools.check.declared import check_file
from handheld.app_tools.check.function_files import read_function_ids
from handheld_virtual.packages.app import App
from handheld_virtual.packages.service import FunctionService, Service
from tools.main.function_apps import PACKAGE, install

from .test_on_phone import Setup, but_ok, open_setup

ACTION = "android.app.appfunctions.AppFunctionService"
PERMISSION = "android.permission.BIND_APP_FUNCTION_SERVICE"
V2 = "android.app.appfunctions.v2"
XML = b"""<?xml version="1.0" encoding="utf-8"?>
<appfunctions>
  <appfunction><id>org.example.Tea#brew</id><parameters><id>unused</id></parameters></appfunction>
  <appfunction><id>org.example.Tea#drink</id></appfunction>
</appfunctions>
"""


@pytest.fixture
async def setup() -> AsyncIterator[Setup]:
    async with open_setup(36) as setup:
        yield setup


def lines_of(
    tmp_path: Path, properties: Mapping[str, str], files: Mapping[str, bytes], **more: Any
) -> Sequence[tuple[str, str]]:
    """What the check says of an APK, but for what is well."""
    attributes = {
        "android:name": ".Functions",
        "android:exported": True,
        "android:permission": PERMISSION,
        **{f"android:{key}": value for key, value in more.items()},
    }
    children = [
        Node("intent-filter", {}, (Node("action", {"android:name": ACTION}),)),
        *(
            Node("property", {"android:name": name, "android:value": value})
            for name, value in properties.items()
        ),
    ]
    root = manifest("org.example.tea", Node("service", attributes, children))
    file = tmp_path / "tea.apk"
    file.write_bytes(small_apk(root, more=files))
    found = list(check_file(file))
    assert [one.sentence for one in found if one.subject == "package"]
    return [(one.subject, one.sentence) for one in found if one.verdict.value != "ok"]


def test_an_apk_with_its_file_passes(tmp_path: Path) -> None:
    assert lines_of(tmp_path, {V2: "tea.xml"}, {"assets/tea.xml": XML}) == []


def test_a_file_that_was_not_packed_is_reported(tmp_path: Path) -> None:
    assert lines_of(tmp_path, {V2: "tea.xml"}, {}) == [
        (
            "assets/tea.xml",
            f"It is not in the APK, though {V2} names it: Android finds no functions.",
        )
    ]


def test_an_empty_or_broken_file_is_reported(tmp_path: Path) -> None:
    empty = lines_of(tmp_path, {V2: "a.xml"}, {"assets/a.xml": b"<appfunctions/>"})
    assert empty == [("assets/a.xml", "No function is in it.")]
    [broken] = lines_of(tmp_path, {V2: "a.xml"}, {"assets/a.xml": b"<appfunctions>"})
    assert broken[1].startswith("It cannot be read: it is not XML: ")
    entities = b'<!DOCTYPE a [<!ENTITY b "c">]><appfunctions/>'
    [refused] = lines_of(tmp_path, {V2: "a.xml"}, {"assets/a.xml": entities})
    assert refused[1] == "It cannot be read: it has a document type, which is not allowed."


def test_a_missing_property_and_the_older_one_are_reported(tmp_path: Path) -> None:
    [missing] = lines_of(tmp_path, {}, {})
    assert missing[1].startswith(f"It has no property {V2}")
    old = {"android.app.appfunctions": "a.xml"}
    [older] = lines_of(tmp_path, old, {"assets/a.xml": XML})
    assert "which tells agents no parameters" in older[1]


def test_a_service_that_anybody_could_bind_is_reported(tmp_path: Path) -> None:
    [wrong] = lines_of(tmp_path, {V2: "a.xml"}, {"assets/a.xml": XML}, permission="x.Y")
    assert wrong[1].startswith(f"It does not demand {PERMISSION}")
    [shut] = lines_of(tmp_path, {V2: "a.xml"}, {"assets/a.xml": XML}, exported=False)
    assert shut[1] == "It is not exported, so nobody can call it."


def test_ids_are_those_of_functions() -> None:
    assert read_function_ids(XML) == ["org.example.Tea#brew", "org.example.Tea#drink"]


@given(st.binary() | st.text().map(str.encode))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        read_function_ids(data)


async def test_functions_that_cannot_be_offered_are_problems(setup: Setup) -> None:
    install(setup.device.world)
    lines = await setup.check(PACKAGE)
    problems = {subject for verdict, subject, _ in lines if verdict == "problem"}
    assert problems == {"old", "raw", "handle", "shown"}
    assert ("warning", "hidden", "It is switched off, so nobody can call it.") in lines
    assert (
        "warning",
        "calls",
        "Not called, since it has effects: keep, titles, fail.",
    ) in lines


async def test_functions_that_take_anything_are_found(setup: Setup) -> None:
    class Careless(AppFunctions):
        def execute(self, id: str, given: Any) -> Any:
            from handheld.app_formats.app_functions import Document, FunctionFailed

            if id.endswith("#crash"):
                raise FunctionFailed("NullPointerException")
            return Document()

    class Functions(FunctionService):
        name = ".F"

        def offer(self) -> AppFunctions:
            functions = Careless("a.B")
            for name in ("take", "crash"):
                functions.function(name, "", {"count": INT, "title": STRING})(lambda _: None)
            return functions

    class Own(App):
        package, label = "org.example.careless", "Careless"
        services: ClassVar[tuple[type[Service], ...]] = (Functions,)

    install(setup.device.world, Own)
    lines = but_ok(await setup.check("org.example.careless"))
    said = {subject: (verdict, sentence) for verdict, subject, sentence in lines}
    assert said["take, missing 'count'"] == ("problem", "It answered success.")
    assert said["take, mistyped"] == ("problem", "It answered success.")
    assert said["crash, mistyped"] == (
        "warning",
        "It failed where it should refuse: NullPointerException",
    )
    assert said["take"] == ("warning", "Its description is empty.")


async def test_a_phone_that_cannot_list_functions_says_so(setup: Setup) -> None:
    install(setup.device.world)
    setup.device.world.app_functions.generation = "A"
    lines = await setup.check(PACKAGE)
    assert lines[-1] == (
        "warning",
        "app functions",
        "This phone's Android cannot list app functions over adb.",
    )
