"""Compares the form of a reply with the documented one, regardless of values."""

import json
import re
from typing import Any, cast

Path = tuple[str | int, ...]

_ELIDED = "..."


def misfit(actual: Any, documented: Any, at: str = "reply") -> str:
    """Return where the forms differ; "" if they do not.

    Objects have the same keys, those inside a text in the same order. Each item of a list is of the
    form of a documented one. JSON inside a string has that form too, and is compact. A documented
    null may be any scalar.
    """
    if isinstance(documented, dict):
        return _object_misfit(actual, cast("dict[str, Any]", documented), at)
    if isinstance(documented, list):
        return _list_misfit(actual, cast("list[Any]", documented), at)
    if documented is None:
        return f"{at} is {actual!r}" if isinstance(actual, dict | list) else ""
    if type(actual) is not type(documented):
        return f"{at} is {actual!r}, documented is {documented!r}"
    if isinstance(documented, str):
        inner = held_json(documented)
        if inner is not None:
            held = held_json(actual)
            if held is None or actual != compact(held):
                return f"{at} is no compact JSON: {actual!r}"
            return misfit(held, inner, f"{at}>")
    return ""


def _object_misfit(actual: Any, documented: dict[str, Any], at: str) -> str:
    if not isinstance(actual, dict):
        return f"{at} is {actual!r}"
    fields = cast("dict[str, Any]", actual)
    # The order of the keys around a reply is up to the MCP library.
    order = list if ">" in at else sorted
    if order(fields) != order(documented):
        return f"{at} has {list(fields)}, documented are {list(documented)}"
    return next(
        filter(None, (misfit(fields[key], documented[key], f"{at}.{key}") for key in fields)), ""
    )


def _list_misfit(actual: Any, documented: list[Any], at: str) -> str:
    if not isinstance(actual, list):
        return f"{at} is {actual!r}"
    items = cast("list[Any]", actual)
    if documented and not items:
        return f"{at} is empty"
    for number, item in enumerate(items):
        misfits = [misfit(item, expected, f"{at}[{number}]") for expected in documented]
        if misfits and all(misfits):
            return misfits[0]
    return ""


def held_json(text: str) -> Any:
    """Parse a text as JSON object or array; None for any other text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_at(value: Any, path: Path) -> Any:
    """Return the value at a path, also into JSON inside a string."""
    for step in path:
        if isinstance(value, str):
            value = held_json(value)
        value = value[step]
    return value


def matches(actual: Any, documented: Any) -> bool:
    """Whether it equals the documented value; a text is compared up to an ellipsis."""
    if isinstance(documented, str) and _ELIDED in documented:
        return isinstance(actual, str) and actual.startswith(documented.partition(_ELIDED)[0])
    return actual == documented


def is_instance(text: str, sentence: str) -> bool:
    """Whether a text matches a documented sentence with `<names>` and single capitals."""
    parts = re.split(r"<\w+>|\b[NM]\b", sentence)
    return re.fullmatch(".*?".join(map(re.escape, parts)), text, re.DOTALL) is not None
