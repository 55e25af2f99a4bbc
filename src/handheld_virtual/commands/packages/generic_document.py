"""Documents of AppSearch, as Android's commands parse and print them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from handheld.app_formats.app_functions import Document

_LONG = 1 << 63
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\t": "\\t",
    "\b": "\\b",
    "\n": "\\n",
    "\r": "\\r",
    "\f": "\\f",
}


def read_parameters(text: str) -> Document:
    """Parse the document in `--parameters`, whose JSON determines the types. Raises ValueError."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict):
        raise ValueError(f"Value {text[:80]} cannot be converted to JSONObject")
    return _document(cast("dict[str, Any]", value))


def _document(value: Mapping[str, Any]) -> Document:
    properties: dict[str, Sequence[Any]] = {}
    for name, one in value.items():
        if isinstance(one, list):
            items = cast("list[Any]", one)
            if held := _array(items):
                properties[name] = held
        elif one is not None:
            properties[name] = [_value(one)]
    type = value.get("schemaType", "")
    return Document(properties, type if isinstance(type, str) else json.dumps(type))


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        # Android converts the document to JSON and parses it once more.
        return _document(cast("dict[str, Any]", _reprinted(value)))
    if isinstance(value, int) and not isinstance(value, bool) and not -_LONG <= value < _LONG:
        return float(value)
    return value


def _array(items: list[Any]) -> list[Any]:
    """The values converted to the first one's type; [] if that has none."""
    if not items or items[0] is None or isinstance(items[0], list):
        return []
    first = _value(items[0])
    if isinstance(first, Document):
        return [_value(one) for one in items]
    if isinstance(first, str):
        return [one if isinstance(one, str) else json.dumps(one) for one in items]
    if isinstance(first, bool):
        return [bool(one) for one in items]
    return [type(first)(one) for one in items]


def _reprinted(value: Any) -> Any:
    """A JSON value after Android has written it, which makes whole doubles integers."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {name: _reprinted(one) for name, one in entries.items()}
    if isinstance(value, list):
        return [_reprinted(one) for one in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer() and abs(value) <= _LONG:
        return min(int(value), _LONG - 1)
    return value


def to_json(document: Document) -> dict[str, Any]:
    """The document as JSON, with an array for every property."""
    return {
        name: [to_json(one) if isinstance(one, Document) else one for one in values]
        for name, values in document.properties.items()
    }


def print_json(value: Any, indent: str = "") -> str:
    """Format JSON as `JSONObject.toString(2)` does."""
    inner = f"{indent}  "
    if isinstance(value, dict):
        entries = [
            f"{inner}{_quote(name)}: {print_json(one, inner)}"
            for name, one in cast("dict[str, Any]", value).items()
        ]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}" if entries else "{}"
    if isinstance(value, list):
        items = [f"{inner}{print_json(one, inner)}" for one in cast("list[Any]", value)]
        return "[\n" + ",\n".join(items) + f"\n{indent}]" if items else "[]"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value)


def _quote(text: str) -> str:
    return f'"{"".join(_ESCAPES.get(sign) or _plain(sign) for sign in text)}"'


def _plain(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if sign <= "\x1f" else sign


def _number(value: float) -> str:
    if value == 0 and str(value).startswith("-"):
        return "-0"
    if value.is_integer() and abs(value) <= _LONG:
        return str(min(int(value), _LONG - 1))
    return java_double(value)


def java_double(value: float) -> str:
    """Format a number as `Double.toString` does."""
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        size = abs(value)
        if value == 0 or 1e-3 <= size < 1e7:
            return text
        digits = f"{size:.17e}"
        for precision in range(17):
            shorter = f"{size:.{precision}e}"
            if float(shorter) == size:
                digits = shorter
                break
        mantissa, _, exponent = digits.partition("e")
        mantissa = f"-{mantissa}" if value < 0 else mantissa
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}"


def describe_document(document: Document, indent: str = "") -> str:
    """Format a document as `GenericDocument.toString` does, with this indent from the second line
    on."""
    inner, deep = f"{indent}  ", f"{indent}    "
    lines = [
        "{",
        f'{inner}namespace: "",',
        f'{inner}id: "",',
        f"{inner}score: 0,",
        f'{inner}schemaType: "{document.type}",',
        f"{inner}creationTimestampMillis: 0,",
        f"{inner}timeToLiveMillis: 0,",
        f"{inner}properties: {{",
    ]
    described = [
        f'{deep}"{name}": [{_describe(values, deep)}]'
        for name, values in sorted(document.properties.items())
    ]
    return "\n".join([*lines, ",\n".join(described), f"{inner}}}", f"{indent}}}"])


def _describe(values: Sequence[Any], indent: str) -> str:
    inner = f"{indent}  "
    if values and isinstance(values[0], Document):
        described = (f"\n{inner}{describe_document(one, inner)}" for one in values)
        return ",\n".join(described) + f"\n{indent}"
    return ", ".join(f'"{one}"' if isinstance(one, str) else _plain_value(one) for one in values)


def _plain_value(value: Any) -> str:
    return java_double(value) if isinstance(value, float) else json.dumps(value)
