"""Extracts the examples from the documents."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..place import folder

_SECTION = re.compile(r"^### `(\w+)`\n", re.MULTILINE)
_BLOCK = re.compile(
    r"^\*\*(?P<label>[^*\n]+)\*\*(?P<note>[^\n]*)\n```(?:json|bash)\n(?P<body>.*?)\n```",
    re.MULTILINE | re.DOTALL,
)
_OUTPUT = re.compile(r'^\*\*Output\*\*: (?P<line>`".*)$', re.MULTILINE)
_CURL = re.compile(
    r"curl -X POST https?://localhost:8080(?P<path>/\S+) \\\n(?P<headers>.*)  -d '(?P<body>.*)'",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Example:
    """A request in a document, and what its section documents about replies."""

    key: str
    """The tool, and the number of the example in its section: `android_tap 1`."""
    tool: str
    body: str
    curl: bool
    """Documented as a command, which includes path and headers."""
    replies: tuple[dict[str, Any], ...]
    """Complete replies, in order."""
    outputs: tuple[Any, ...]
    """JSON documented as the text of a reply."""
    texts: tuple[str, ...]
    """Sentences documented as the text of a reply, with <names> in them."""

    @property
    def request(self) -> dict[str, Any]:
        return json.loads(self.body)


def find_document(number: str) -> Path:
    """Raises FileNotFoundError: a run without documents must not pass."""
    place = folder() / "spec"
    document = next(place.glob(f"{number}_*.txt"), None)
    if document is None:
        raise FileNotFoundError(f"There is no document {number} in {place}.")
    return document


def examples(document: Path) -> list[Example]:
    """Return every request of every tool's section."""
    parts = _SECTION.split(document.read_text(encoding="utf-8"))[1:]
    found: list[Example] = []
    for tool, section in zip(parts[::2], parts[1::2], strict=True):
        found += _section_examples(tool, section)
    return found


def count_requests(document: Path) -> int:
    """Count the tool calls in the document, in any layout, except the one that only shows the
    general form."""
    text = document.read_text(encoding="utf-8")
    return text.count('"method": "tools/call"') - text.count('"name": "<tool_name>"')


def _section_examples(tool: str, section: str) -> list[Example]:
    requests: list[tuple[str, bool]] = []
    replies: list[dict[str, Any]] = []
    outputs: list[Any] = []
    for block in _BLOCK.finditer(section):
        label, body = block["label"], block["body"]
        if curl := _CURL.search(body):
            assert curl["path"] == "/mcp"
            requests.append((curl["body"], True))
        elif "Request" in label:
            requests.append((body, False))
        elif "Response" in label:
            replies.append(json.loads(body))
        elif label == "Output":
            outputs.append(json.loads(body))
    texts = tuple(
        part.replace("\\n", "\n")
        for line in _OUTPUT.findall(section)
        for part in re.findall(r'`"(.*?)"`', line)
    )
    return [
        Example(f"{tool} {number}", tool, body, curl, tuple(replies), tuple(outputs), texts)
        for number, (body, curl) in enumerate(requests, 1)
    ]
