"""The virtual phone's app-function command is that of Android 17, whose own class wrote the table.

`scripts/app_function_words.py` runs the same command lines on Android's class.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from handheld.adb.shell import ShellResult
from handheld.app_formats.app_functions import (
    AppFunctions,
    Document,
    FunctionError,
    FunctionFailed,
    Later,
)
from handheld.driver.app_tools import AppFailed
from handheld.driver.by_adb.app_function_command import Generation, read_generation, read_reply
from handheld_virtual.commands.packages.generic_document import describe_document, java_double
from handheld_virtual.packages.app import App
from handheld_virtual.packages.service import FunctionService, Service
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given

from .cases import CASES

TABLE = Path(__file__).parents[2] / "fixtures" / "android_words" / "app_function.json"
ROWS: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
KINDS = {str: "string", bool: "boolean", int: "long", float: "double", Document: "document"}
LATE = 1e12


class Answering(AppFunctions):
    """Answers as the case says, and keeps what it got."""

    case: Mapping[str, Any]
    got: Document | None = None

    def execute(self, id: str, given: Document) -> Document | Later:
        self.got = given
        if "error" in self.case:
            code, message = self.case["error"]
            raise FunctionFailed(message, FunctionError(code))
        return read(self.case["result"]) if "result" in self.case else Later(LATE)


def read(given: Mapping[str, Any]) -> Document:
    return Document(
        {
            name: [read(one) if isinstance(one, dict) else one for one in held["values"]]
            for name, held in given["properties"].items()
        },
        given["type"],
    )


def describe(document: Document) -> dict[str, Any]:
    properties = {
        name: {"kind": KINDS[values[0].__class__], "values": [text_of(one) for one in values]}
        for name, values in document.properties.items()
    }
    return {"type": document.type, "properties": properties}


def text_of(value: Any) -> Any:
    if isinstance(value, Document):
        return describe(value)
    if isinstance(value, bool):
        return str(value).lower()
    return java_double(value) if isinstance(value, float) else str(value)


async def run(case: Mapping[str, Any]) -> tuple[dict[str, Any], Document | None]:
    """What the virtual phone prints, and what the app got."""
    functions = Answering("a.B")
    functions.case = case
    functions.function("f", "", returns=None)(lambda arguments: None)

    class Functions(FunctionService):
        name = ".F"

        def offer(self) -> AppFunctions:
            return functions

    class Own(App):
        package, label = "a.b", "Own"
        services: ClassVar[tuple[type[Service], ...]] = (Functions,)

    device = VirtualPhone(api=37)
    if "listed" in case or case["words"][:1] == ["execute-app-function"]:
        device.world.install(Own)
    stdout, stderr = Collector(1 << 20), Collector(1 << 20)
    words = " ".join(f"'{word}'" if "'" not in word else quote(word) for word in case["words"])
    code = await Shell(device, Given(b""), stdout, stderr, {}).run(f"cmd app_function {words}")
    text = stdout.data.decode()
    if text.startswith("AppFunctionManagerService commands:"):
        text = "".join(f"{one}\n" for one in re.findall(r"(?m)^  (\S.*)$", text))
    return {"code": code, "out": text, "err": stderr.data.decode()}, functions.got


def quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


@pytest.mark.parametrize("number", range(len(CASES)))
async def test_the_virtual_phone_prints_what_android_prints(number: int) -> None:
    case, row = CASES[number], ROWS[number]
    assert row["words"] == case["words"], "other command lines than in the table"
    printed, got = await run(case)
    assert printed["code"] == row["code"]
    assert alike(printed["out"], "listed" in case) == alike(row["out"], "listed" in case)
    assert printed["err"] == row["err"]
    assert (None if got is None else describe(got)) == row["got"]


def alike(text: str, listed: bool) -> Any:
    """Properties in any order; Java's words on broken JSON, and what else is listed, left out."""
    if text.startswith("Exception: org.json.JSONException"):
        return "Exception: org.json.JSONException"
    if listed:
        [[result]] = json.loads(text).values()
        static = result["AppFunctionStaticMetadata-a.b"]
        return (sorted(result), sorted(static), list(result["AppFunctionRuntimeMetadata-a.b"]))
    return sorted(line.rstrip(",") for line in text.split("\n"))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_android_prints_is_read_as_what_happened(number: int) -> None:
    case, row = CASES[number], ROWS[number]
    printed = ShellResult(row["out"].encode(), row["err"].encode(), row["code"])
    if case["words"][:1] == ["help"]:
        assert read_generation(row["out"]) is Generation.ASKED
    elif "result" in case and row["out"].startswith("{"):
        found = read_reply(printed, 1000)
        assert set(found.document) == set(case["result"]["properties"])
        assert not found.hidden
    elif "error" in case:
        with pytest.raises(AppFailed) as caught:
            read_reply(printed, 1000)
        assert caught.value.message == case["error"][1]


def test_the_table_holds_the_point_that_doubles_lose_inside_objects() -> None:
    """What arguments are refused for is what Android does."""
    [row] = [one for one in ROWS if '"f": 1e+300' in str(one["words"][-1:])]
    inner = cast("dict[str, Any]", row["got"]["properties"]["a"]["values"][0])["properties"]
    kinds = {name: held["kind"] for name, held in inner.items()}
    assert kinds == {
        "b": "long",
        "c": "long",
        "d": "double",
        "e": "long",
        "f": "double",
        "g": "long",
    }


DESCRIBED = """\
{
  namespace: "",
  id: "",
  score: 0,
  schemaType: "",
  creationTimestampMillis: 0,
  timeToLiveMillis: 0,
  properties: {
    "b": [true, false],
    "ret": [
      {
        namespace: "",
        id: "",
        score: 0,
        schemaType: "a.T",
        creationTimestampMillis: 0,
        timeToLiveMillis: 0,
        properties: {
          "d": [5.0],
          "name": ["x", "y"]
        }
      },

      {
        namespace: "",
        id: "",
        score: 0,
        schemaType: "a.T",
        creationTimestampMillis: 0,
        timeToLiveMillis: 0,
        properties: {

        }
      }
    ]
  }
}"""


def test_the_first_command_that_calls_describes_documents_as_android_does() -> None:
    """The text is what `GenericDocument.toString` of Android 17 gave for these."""
    held = Document({"name": ["x", "y"], "d": [5.0]}, "a.T")
    whole = Document({"ret": [held, Document({}, "a.T")], "b": [True, False]})
    assert describe_document(whole) == DESCRIBED
