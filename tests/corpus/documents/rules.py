"""What a document prints as an example and a phone cannot have just so.

Every substitution goes by one of these rules; it is made in the request before it is sent, and in
the printed reply before the two are compared.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

RULES = {
    "element": "An id that is printed is the one of the element that the scene has for it.",
    "url": "The address that is printed is one of a web server that the test runs.",
    "window": "The number of a window is what the phone has given it.",
    "app name": "The printed app is found by `calc`, which its printed name does not have in it.",
    "path": "A path is the one that read_file takes: it does not begin with the location.",
}


class Substitution(NamedTuple):
    rule: str
    printed: str
    actual: str


def substitute(text: str, substitutions: Sequence[Substitution]) -> str:
    for rule, printed, actual in substitutions:
        assert rule in RULES
        text = text.replace(printed, actual)
    return text


def substitute_in(value: Any, substitutions: Sequence[Substitution]) -> Any:
    """In every text of a JSON value."""
    return json.loads(substitute(json.dumps(value, ensure_ascii=False), substitutions))


Rewrite = Callable[[dict[str, Any]], dict[str, Any]]
"""Makes of a printed reply what a rule says that it must be."""


def as_printed(reply: dict[str, Any]) -> dict[str, Any]:
    return reply


def with_every_key(reply: dict[str, Any]) -> dict[str, Any]:
    """The printed tree leaves out keys of the inner node; every node has all of them. An inner
    node may as well be one that says nothing, as the outer one is."""
    [item] = reply["result"]["content"]
    tree = json.loads(item["text"])
    [root] = tree["nodes"]
    inner = [{**root, **child} for child in root["children"]]
    root["children"] = [*inner, {**root, "children": []}]
    text = json.dumps(tree, separators=(",", ":"))
    return {**reply, "result": {"content": [{**item, "text": text}]}}
