"""Values in the documents' examples that a phone cannot reproduce.

Every substitution follows one of these rules; it is made in the request before it is sent, and in
the documented reply before the comparison.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

RULES = {
    "element": "A documented id stands for an element of the scene.",
    "url": "A documented URL stands for a web server of the test.",
    "window": "The number of a window is what the phone has given it.",
    "app name": "The app is found by `calc`, which its documented name does not contain.",
    "path": "A path is relative, as in read_file: it does not begin with the location.",
}


class Substitution(NamedTuple):
    rule: str
    documented: str
    actual: str


def substitute(text: str, substitutions: Sequence[Substitution]) -> str:
    for rule, documented, actual in substitutions:
        assert rule in RULES
        text = text.replace(documented, actual)
    return text


def substitute_in(value: Any, substitutions: Sequence[Substitution]) -> Any:
    """Substitute in every string of a JSON value."""
    return json.loads(substitute(json.dumps(value, ensure_ascii=False), substitutions))


Rewrite = Callable[[dict[str, Any]], dict[str, Any]]
"""Rewrites a documented reply according to a rule."""


def unchanged(reply: dict[str, Any]) -> dict[str, Any]:
    return reply


def with_further(text: str) -> Rewrite:
    """What a reply says beyond the documented one is a further item."""

    def rewrite(reply: dict[str, Any]) -> dict[str, Any]:
        content = [*reply["result"]["content"], {"type": "text", "text": text}]
        return {**reply, "result": {**reply["result"], "content": content}}

    return rewrite


def with_every_key(reply: dict[str, Any]) -> dict[str, Any]:
    """The documented tree omits keys of the inner node; real nodes have all keys. The inner node
    may also be without content, like the outer one."""
    [item] = reply["result"]["content"]
    tree = json.loads(item["text"])
    [root] = tree["nodes"]
    inner = [{**root, **child} for child in root["children"]]
    root["children"] = [*inner, {**root, "children": []}]
    text = json.dumps(tree, separators=(",", ":"))
    return {**reply, "result": {"content": [{**item, "text": text}]}}
