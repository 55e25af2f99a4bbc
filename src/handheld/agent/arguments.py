"""Arguments as models really send them, turned into those that the tools declare."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "phone_tap": {"at": ("ref", "element", "target", "selector", "text", "element_id")},
    "phone_swipe": {"at": ("ref", "element", "target", "start"), "to": ("end",)},
    "phone_type": {
        "text": ("value", "content"),
        "into": ("at", "ref", "element", "target", "field"),
    },
    "phone_look": {"find": ("query", "text", "search")},
    "phone_open": {"what": ("package", "app", "url", "name", "package_id")},
    "phone_scroll": {"until": ("text", "find"), "within": ("at", "ref")},
    "phone_press": {"key": ("button", "name")},
    "phone_wait": {"text": ("find", "until", "for"), "seconds": ("timeout",)},
    "phone_read": {"of": ("path", "ref", "id", "package", "query", "find")},
    "phone_message": {"to": ("phone_number", "number", "recipient"), "text": ("message", "body")},
    "phone_file": {"content": ("text",)},
    "phone_do": {"steps": ("actions",)},
}
"""Names that models give to a parameter, by tool."""


def normalise(
    tool: str, properties: Mapping[str, Mapping[str, Any]], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments under the names that the tool has, and the names that it ignores."""
    values = {name: value for name, value in arguments.items() if value is not None}
    if "x" in values and "y" in values and "at" in properties and "at" not in values:
        values["at"] = f"{values.pop('x')},{values.pop('y')}"
    for name, others in ALIASES.get(tool, {}).items():
        for other in others:
            if name not in values and other in values and other not in properties:
                values[name] = values.pop(other)
    known: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in values.items():
        if name not in properties:
            ignored.append(name)
            continue
        value = _parsed(value, properties[name].get("type"))
        if value == "" and name != "text":
            continue  # models send "" for an optional parameter that they leave out
        known[name] = value
    return known, ignored


def _parsed(value: Any, wanted: Any) -> Any:
    """Read a structured value that was sent as a string, and a point sent as an array."""
    if wanted == "string" and isinstance(value, list):
        parts = cast("list[Any]", value)
        if parts and all(isinstance(part, int | float) for part in parts):
            return ",".join(f"{part:g}" for part in parts)
    if isinstance(value, str) and wanted in ("array", "object"):
        try:
            return json.loads(value)
        except ValueError:
            return cast("Any", value)
    return cast("Any", value)
