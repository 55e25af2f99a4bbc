"""The examples of the documents, read out of the documents themselves."""

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
_SPOKEN = re.compile(r'^\*\*Output\*\*: (?P<said>`".*)$', re.MULTILINE)
_CURL = re.compile(
    r"curl -X POST https?://localhost:8080(?P<path>/\S+) \\\n(?P<headers>.*)  -d '(?P<body>.*)'",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Example:
    """A request as a document prints it, and what the section says of replies."""

    key: str
    """The tool, and which example of its section this is: `android_tap 1`."""
    tool: str
    body: str
    curl: bool
    """Printed as a command, which names path and headers itself."""
    replies: tuple[dict[str, Any], ...]
    """Whole replies that are printed, in their order."""
    outputs: tuple[Any, ...]
    """JSON that is printed as what the reply's text holds."""
    spoken: tuple[str, ...]
    """Sentences that are printed as what the reply's text is, with <names> in them."""

    @property
    def request(self) -> dict[str, Any]:
        return json.loads(self.body)


def find_document(number: str) -> Path:
    """Raises FileNotFoundError: a run that reads nothing must not look like one that holds."""
    place = folder() / "spec"
    document = next(place.glob(f"{number}_*.txt"), None)
    if document is None:
        raise FileNotFoundError(f"There is no document {number} in {place}.")
    return document


def examples(document: Path) -> list[Example]:
    """Every request of every tool's section."""
    parts = _SECTION.split(document.read_text(encoding="utf-8"))[1:]
    found: list[Example] = []
    for tool, section in zip(parts[::2], parts[1::2], strict=True):
        found += _section_examples(tool, section)
    return found


def count_requests(document: Path) -> int:
    """How often the document prints a call of a tool, however it is laid out. One of them shows
    the form of all and calls none."""
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
    spoken = tuple(
        part.replace("\\n", "\n")
        for said in _SPOKEN.findall(section)
        for part in re.findall(r'`"(.*?)"`', said)
    )
    return [
        Example(f"{tool} {number}", tool, body, curl, tuple(replies), tuple(outputs), spoken)
        for number, (body, curl) in enumerate(requests, 1)
    ]
