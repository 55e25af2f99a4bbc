"""JavaScript in the pages of virtual web views, without an engine. A few expressions are recognized
by their form, and the script that reads a page by its arguments. All others are undefined names."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from ..views.view import HTML_ID, View
from ..views.widgets.basic import Button, CheckBox, Text
from ..views.widgets.field import Field
from ..views.widgets.web import Heading, Items, Link, Paragraph, WebView

_READING = "(function (selector, most) {"
_READ_WITH = re.compile(r"(null|\".*\"), (\d+)\)", re.DOTALL)
_QUOTED = r"""(?:'(.*{0})'|"(.*{0})")"""
_QUERY = re.compile(rf"document\.querySelector\({_QUOTED.format('?')}\)\.(.*)", re.DOTALL)
_ASSIGNED = re.compile(rf"value = {_QUOTED.format('')}", re.DOTALL)
_THROWN = re.compile(rf"throw new Error\({_QUOTED.format('')}\)", re.DOTALL)
_SUM = re.compile(r"(\d{1,9}) \+ (\d{1,9})")
_SELECTOR = re.compile(r"#[\w-]+|[a-z][a-z0-9]*")
_TAGS: dict[str, type[View]] = {
    "a": Link,
    "button": Button,
    "h1": Heading,
    "input": Field,
    "p": Paragraph,
    "ul": Items,
}


class Terminated(Exception):
    """The script would not end by itself."""


class _Threw(Exception):
    """The script threw an error. The message is JavaScript's."""


async def evaluate(view: WebView, expression: str) -> dict[str, Any]:
    """Return the result of Runtime.evaluate, by value. Raises Terminated."""
    expression = expression.strip().removesuffix(";")
    if expression == "while (true) {}":
        raise Terminated
    if expression == "new Promise(() => {})":
        await asyncio.Event().wait()
    try:
        return {"result": _value(_evaluate(view, expression))}
    except _Threw as problem:
        words = f"{problem}\n    at <anonymous>:1:1"
        thrown = {"type": "object", "subtype": "error", "description": words}
        return {
            "result": thrown,
            "exceptionDetails": {"exceptionId": 1, "text": "Uncaught", "exception": thrown},
        }


class _Undefined:
    pass


def _either(found: re.Match[str]) -> str:
    """The text between either kind of quotes."""
    return found[1] if found[2] is None else found[2]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case _Undefined():
            return {"type": "undefined"}
        case bool():
            return {"type": "boolean", "value": value}
        case int() | float():
            return {"type": "number", "value": value, "description": str(value)}
        case str():
            return {"type": "string", "value": value}
        case None:
            return {"type": "object", "subtype": "null", "value": None}
        case _:
            return {"type": "object", "value": value}


def _evaluate(view: WebView, expression: str) -> Any:
    known: dict[str, Callable[[], Any]] = {
        "document.title": lambda: view.page.title,
        "location.href": lambda: view.url,
        "document.body.innerText": lambda: _text(view.body),
        "undefined": _Undefined,
    }
    if expression in known:
        return known[expression]()
    given = expression.rpartition("})(")[2]
    if expression.startswith(_READING) and (found := _READ_WITH.fullmatch(given)):
        return json.dumps(_read(view, json.loads(found[1]), int(found[2])))
    if found := _SUM.fullmatch(expression):
        return int(found[1]) + int(found[2])
    if found := _THROWN.fullmatch(expression):
        raise _Threw(f"Error: {_either(found)}")
    if found := _QUERY.fullmatch(expression):
        return _query(view, _either(found), found[3])
    try:
        return json.loads(expression)
    except ValueError:
        name = re.split(r"\W", expression, maxsplit=1)[0]
        raise _Threw(f"ReferenceError: {name} is not defined") from None


def _read(view: WebView, selector: str | None, most: int) -> dict[str, Any]:
    found: dict[str, Any] = {"url": view.url, "title": view.page.title, "parts": []}
    try:
        roots = [view.body] if selector is None else _select(view, selector)
    except _Threw as problem:
        return found | {"problem": str(problem).partition(": ")[2]}
    length = 0
    for root in roots:
        if length > most:
            break
        text = _text(root)[: most + 1 - length]
        found["parts"].append(text)
        length += len(text) + 1
    return found | {"matches": len(roots), "frames": 0}


def _select(view: WebView, selector: str) -> list[View]:
    if not _SELECTOR.fullmatch(selector):
        raise _Threw(f"SyntaxError: '{selector}' is not a valid selector.")
    if selector.startswith("#"):
        return [each for each in view.elements() if each.id == HTML_ID + selector[1:]]
    kind = _TAGS.get(selector)
    return [] if kind is None else [each for each in view.elements() if isinstance(each, kind)]


def _query(view: WebView, selector: str, rest: str) -> Any:
    found = _select(view, selector)
    if not found:
        name = re.split(r"\W", rest, maxsplit=1)[0]
        raise _Threw(f"TypeError: Cannot read properties of null (reading '{name}')")
    element = found[0]
    if rest == "click()":
        element.click()
        return _Undefined()
    if rest == "innerText":
        return _text(element)
    if isinstance(element, Field):
        if rest == "value":
            return element.content
        if assigned := _ASSIGNED.fullmatch(rest):
            element.content = _either(assigned)
            return element.content
    if isinstance(element, CheckBox) and rest == "checked":
        return element.checked
    return _Undefined()


def _text(root: View) -> str:
    """The displayed text of the whole page, including parts that are scrolled out of view."""
    lines = [
        each.text or ""
        for each in root.walk()
        if isinstance(each, Text) and not isinstance(each, Field) and each.shown and each.text
    ]
    return "\n".join(lines)
