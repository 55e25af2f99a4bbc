"""Whether a reply is of the printed form, whatever its values are."""

import json
import re
from typing import Any, cast

Path = tuple[str | int, ...]

_ELIDED = "..."


def misfit(actual: Any, printed: Any, at: str = "reply") -> str:
    """Where the two are not of one form; "" when they are.

    Objects have the same keys, those inside a text in the same order. Each item of a list is of the
    form of one that is printed. A text that holds JSON holds it in that form, and compact. What is
    printed as null may be anything plain.
    """
    if isinstance(printed, dict):
        return _object_misfit(actual, cast("dict[str, Any]", printed), at)
    if isinstance(printed, list):
        return _list_misfit(actual, cast("list[Any]", printed), at)
    if printed is None:
        return f"{at} is {actual!r}" if isinstance(actual, dict | list) else ""
    if type(actual) is not type(printed):
        return f"{at} is {actual!r}, printed is {printed!r}"
    if isinstance(printed, str):
        inner = held_json(printed)
        if inner is not None:
            held = held_json(actual)
            if held is None or actual != compact(held):
                return f"{at} is no compact JSON: {actual!r}"
            return misfit(held, inner, f"{at}>")
    return ""


def _object_misfit(actual: Any, printed: dict[str, Any], at: str) -> str:
    if not isinstance(actual, dict):
        return f"{at} is {actual!r}"
    fields = cast("dict[str, Any]", actual)
    # The keys around a reply are in whatever order the MCP library writes them.
    order = list if ">" in at else sorted
    if order(fields) != order(printed):
        return f"{at} has {list(fields)}, printed are {list(printed)}"
    return next(
        filter(None, (misfit(fields[key], printed[key], f"{at}.{key}") for key in fields)), ""
    )


def _list_misfit(actual: Any, printed: list[Any], at: str) -> str:
    if not isinstance(actual, list):
        return f"{at} is {actual!r}"
    items = cast("list[Any]", actual)
    if printed and not items:
        return f"{at} is empty"
    for number, item in enumerate(items):
        misfits = [misfit(item, one, f"{at}[{number}]") for one in printed]
        if misfits and all(misfits):
            return misfits[0]
    return ""


def held_json(text: str) -> Any:
    """The object or array that a text is; None for any other text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_at(value: Any, path: Path) -> Any:
    """What is at the end of a path, into JSON that a text holds as well."""
    for step in path:
        if isinstance(value, str):
            value = held_json(value)
        value = value[step]
    return value


def is_printed(actual: Any, printed: Any) -> bool:
    """Equal; a printed text that ends in an ellipsis is known up to it."""
    if isinstance(printed, str) and _ELIDED in printed:
        return isinstance(actual, str) and actual.startswith(printed.partition(_ELIDED)[0])
    return actual == printed


def is_instance(text: str, sentence: str) -> bool:
    """Whether a text is what the document prints with `<names>` and single capitals in it."""
    parts = re.split(r"<\w+>|\b[NM]\b", sentence)
    return re.fullmatch(".*?".join(map(re.escape, parts)), text, re.DOTALL) is not None
