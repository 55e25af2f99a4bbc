"""Command lines for Android's own app-function command and for the virtual phone's, with what the
app answers. Documents are `{"type": …, "properties": {NAME: {"kind": …, "values": […]}}}`."""

import json
from typing import Any

CALL = ["execute-app-function", "--package", "a.b", "--function", "a.B#f", "--parameters"]
RETURNED = "androidAppfunctionsReturnValue"

SENT: list[dict[str, Any]] = [
    {},
    {"a": 5.0, "b": 5, "c": 1.5, "d": True, "e": "x", "f": None},
    {"a": -0.0, "b": 1e22, "c": 1e-7, "d": 123456789.125},
    {"a": 2**31, "b": 2**53 + 1, "c": -(2**63), "d": 2**63},
    {"a": [5.0, 1.5], "b": [5, 6], "c": ["x", "y"], "d": [True, False], "e": []},
    {"a": [1.5, 5.0], "b": [5, 1.5], "c": [None], "d": [[1]]},
    {"a": {"b": 5.0, "c": [5.0, 1.5], "d": [1.5, 5.0], "e": 1e18, "f": 1e300, "g": -0.0}},
    {"a": {"b": {"c": 5.0, "d": "x/y \u2028 \"'\\"}}, "e": [{"f": 2.0}, {"f": 2.5}]},
    {"a": {"schemaType": "a.T", "id": "i", "namespace": "n", "b": 1}},
    {"id": "i", "schemaType": 5},
    {"a": {"b": []}, "c": {}},
]


def _document(type: str = "", /, **properties: tuple[str, list[Any]]) -> dict[str, Any]:
    held = {name: {"kind": kind, "values": one} for name, (kind, one) in properties.items()}
    return {"type": type, "properties": held}


def _returned(kind: str, *values: Any) -> dict[str, Any]:
    return _document("", **{RETURNED: (kind, list(values))})


RESULTS = [
    _document(),
    _returned("string"),
    _returned("string", "x/y \u2028 \"'\\ \t\n\x01 ü"),
    _returned("string", "a", "b"),
    _returned("long", 5),
    _returned("double", 5.0, 1.5, 1e300, 1e-7, 123456789.125, 1e18, -0.0),
    _returned("boolean", True, False),
    _returned("document", _document("a.T", name=("string", ["x"]))),
    _returned(
        "document",
        _document("a.T", name=("string", ["x"]), tags=("string", ["a", "b"])),
        _document("a.T", inner=("document", [_document("a.U", count=("long", [5]))])),
    ),
]
STATIC = _document(
    "AppFunctionStaticMetadata-a.b",
    functionId=("string", ["a.B#f"]),
    packageName=("string", ["a.b"]),
    enabledByDefault=("boolean", [True]),
)
RUNTIME = _document("AppFunctionRuntimeMetadata-a.b", enabled=("long", [0]))

CASES: list[dict[str, Any]] = [
    {"words": []},
    {"words": ["help"]},
    {"words": ["no-such-command"]},
    {"words": ["list-app-functions"]},
    {"words": ["list-app-functions", "--all"]},
    {
        "words": ["list-app-functions"],
        "listed": {"a.b": [{"document": STATIC, "joined": {"document": RUNTIME}}]},
    },
    {"words": CALL[:1]},
    {"words": CALL[:3]},
    {"words": CALL[:5]},
    {"words": CALL},
    {"words": [*CALL, "{}", "--wrong"]},
    {"words": [*CALL, "{"]},
    {"words": [*CALL, "{}", "--timeout-duration", "0"]},
    {"words": [*CALL, "{}", "--timeout-duration", "soon", "swallowed"], "result": RESULTS[0]},
    {"words": [*CALL, "{}", "--user", "0"], "result": RESULTS[0]},
    {"words": [*CALL, "{}", "--user", "me", "swallowed"], "result": RESULTS[0]},
    {"words": ["set-enabled", "--package", "a.b", "--function", "a.B#f", "--state", "off"]},
    *({"words": [*CALL, json.dumps(sent)], "result": RESULTS[0]} for sent in SENT),
    *({"words": [*CALL, "{}"], "result": result} for result in RESULTS),
    *(
        {"words": [*CALL, "{}"], "error": [code, message]}
        for code, message in [(1001, "Wrong."), (1002, "off"), (3000, "two\nlines (code 5)")]
    ),
]
