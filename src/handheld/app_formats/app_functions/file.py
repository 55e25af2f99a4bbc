"""The file in an APK from which Android indexes app functions, `assets/app_functions_v2.xml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from .declaring import UNIT, Declared
from .words import TypeKind

LONGEST = 4 * 1024 * 1024
DEEPEST = 64
MOST_FUNCTIONS = 200
_BOOLEANS = ("enabledByDefault", "isNullable", "isRequired")
_OWN_ID = "id"
"""Names in an AppSearch document that are not properties."""


@dataclass(frozen=True, slots=True)
class FiledFunction:
    id: str
    description: str
    parameters: Mapping[str, Declared]
    optional: tuple[str, ...]
    returns: Declared
    enabled: bool


def read_file(data: bytes) -> list[FiledFunction]:
    """Parse the file. Functions whose types are in other documents are left out. Raises
    ValueError."""
    if len(data) > LONGEST:
        raise ValueError(f"it is over {LONGEST} bytes")
    parser = XMLParser(target=_Builder())  # noqa: S314 (a document type ends it)
    try:
        parser.feed(data)
        root = parser.close()
    except ParseError as problem:
        raise ValueError(f"it is not XML: {problem}") from None
    found: dict[str, FiledFunction] = {}
    for element in root:
        if element.tag == "appfunction":
            function = _read(_document(element, DEEPEST))
            if function is not None:
                found.setdefault(function.id, function)
    if len(found) > MOST_FUNCTIONS:
        raise ValueError(f"it has over {MOST_FUNCTIONS} functions")
    return list(found.values())


class _Builder(TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError("it has a document type, which is not allowed")


def _document(element: Element, deepest: int) -> dict[str, list[Any]]:
    """Return the document in Android's form: every property is an array."""
    if deepest == 0:
        raise ValueError(f"its elements are over {DEEPEST} deep")
    held: dict[str, list[Any]] = {}
    for child in element:
        if child.tag != _OWN_ID:
            value = _document(child, deepest - 1) if len(child) else _leaf(child)
            held.setdefault(child.tag, []).append(value)
    return held


def _leaf(element: Element) -> Any:
    text = (element.text or "").strip()
    if element.tag in _BOOLEANS:
        return text == "true"
    return int(text) if element.tag == "type" else text


def _read(document: Mapping[str, Any]) -> FiledFunction | None:
    if "functionId" not in document:
        return None
    try:
        parameters = {
            one["name"][0]: {
                **_checked(one["dataTypeMetadata"][0]),
                **({"description": one["description"]} if "description" in one else {}),
            }
            for one in document.get("parameters", ())
        }
        optional = [
            one["name"][0] for one in document.get("parameters", ()) if one["isRequired"] != [True]
        ]
        response = document.get("response")
        returns = _checked(response[0]["valueType"][0]) if response else UNIT
    except _Elsewhere:
        return None
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ValueError(f"its {document['functionId'][0][:200]!r} is incomplete") from None
    return FiledFunction(
        document["functionId"][0],
        document.get("description", [""])[0],
        parameters,
        tuple(optional),
        returns,
        document.get("enabledByDefault", [True])[0],
    )


class _Elsewhere(Exception):
    """Only other documents describe this type."""


def _checked(type: Declared) -> Declared:
    """Raises _Elsewhere, and KeyError, TypeError or ValueError for an invalid type."""
    kind = TypeKind(type["type"][0])
    if kind in (TypeKind.REFERENCE, TypeKind.ALL_OF, TypeKind.ONE_OF):
        raise _Elsewhere
    checked = {"isNullable": [False], **type}
    if kind is TypeKind.ARRAY:
        checked["itemType"] = [_checked(type["itemType"][0])]
    if kind is TypeKind.OBJECT:
        checked.setdefault("objectQualifiedName", [""])
        checked["properties"] = [
            {
                **one,
                "dataTypeMetadata": [_checked(one["dataTypeMetadata"][0])],
                "name": [one["name"][0]],
            }
            for one in type.get("properties", ())
        ]
    return checked
