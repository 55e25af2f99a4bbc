"""Exports recorded calls as JSON lines, or as a test that repeats them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..screen.text import cut, tidy
from ..tools.recording import ReplayMode
from ..tools.tool import APP_PREFIX, Toolset
from .entry import AuditEntry
from .log import CUT_MARK
from .masking import MASK

_DEVICES = ("device", "phone_device")
_FOR_MODELS, _PHONE, _TAP = "phone_", "phone", "phone_tap"
_TARGETS = ("at", "to", "into", "within", "of")
"""The parameters of tools for models that take a ref."""
_NO_WORDS: Mapping[str, str] = {}
_REF = re.compile(r"[a-z][1-9]\d{0,2}")
_WHY = {
    "failed": "it failed",
    "denied": "it was denied",
    "unknown": "whether it happened is unknown",
    "running": "it had not ended",
}
_LINE = 90
_INDENT = " " * 8

_HEAD = '''"""{count} calls on {phone}, recorded from {first} to {last} UTC, made again.

Run it with pytest where Handheld is installed. The virtual phone begins as its scene says: add a
marker such as @pytest.mark.scene("office") where the recorded phone began otherwise.
"""

from handheld.replay import Replay


def test_recorded_calls(virtual_phone):
    with Replay(virtual_phone.address) as phone:
'''


def jsonl(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Each call as a line, without the line end."""
    for entry in entries:
        yield json.dumps(entry.as_json(), ensure_ascii=False)


def pytest_script(entries: Sequence[AuditEntry], catalog: Sequence[Toolset]) -> str:
    """Return a test that repeats one phone's calls, in order, on a virtual phone. A call that
    cannot be repeated becomes a comment with the reason. `catalog` has the tools that a replay can
    call."""
    modes = {tool.name: tool.replay for toolset in catalog for tool in toolset.tools}
    phone = next((entry.phone for entry in entries if entry.phone), "")
    lines: list[str] = []
    steps = 0
    for entry in entries:
        why = _hindrance(entry, phone, modes)
        who = f"{_when(entry)[11:]} {_comment(entry.client or entry.transport)}"
        if why:
            lines.append(f"# {who}: {_comment(entry.tool)} is not repeated: {why}")
            continue
        steps += 1
        lines += [
            f"# {who}: {_comment(' '.join(entry.result[:1]))}",
            *_step(entry, modes[entry.tool]),
        ]
    if not steps:
        lines.append("raise AssertionError('None of the recorded calls can be repeated.')")
    head = _HEAD.format(
        count=len(entries),
        phone=_comment(phone or "no phone").replace('"', "'").replace("\\", "/"),
        first=_when(entries[0]) if entries else "-",
        last=_when(entries[-1]) if entries else "-",
    )
    return head + "".join(f"{_INDENT}{line}\n" for line in lines)


def _hindrance(entry: AuditEntry, phone: str, modes: Mapping[str, ReplayMode]) -> str:
    """Why a call cannot be repeated; "" when it can."""
    if entry.phone and entry.phone != phone:
        return f"it ran on another phone, {_comment(entry.phone)}."
    if entry.state != "done":
        details = _comment(" ".join((*entry.result, entry.note)))
        return f"{_WHY[entry.state]}. {details}".rstrip()
    if entry.tool.startswith(APP_PREFIX):
        return "it calls a tool of an app, which a virtual phone may not have."
    if entry.tool not in modes:
        return "the main surface has no such tool."
    if modes[entry.tool] is ReplayMode.NEEDS_WEB or entry.arguments.get("action") == "download":
        return "it reads from the web."
    if hidden := [name for name, value in entry.arguments.items() if _is_hidden(value)]:
        return f"these arguments were not kept: {_comment(', '.join(hidden))}."
    if lost := [id for id in _ids(entry) if not _is_known(entry, id)]:
        return f"the meaning of {_comment(', '.join(lost))} is unknown."
    return ""


def _step(entry: AuditEntry, mode: ReplayMode) -> list[str]:
    lines: list[str] = []
    named: dict[str, str] = {}
    if entry.tool.startswith(_FOR_MODELS):
        return [f"phone.call({entry.tool!r}, {_located(entry)!r})"]
    for number, id in enumerate(_ids(entry)):
        named[id] = "element" if not number else f"element_{number + 1}"
        details = ", ".join(
            f"{name}={value!r}" for name, value in sorted(entry.elements[id].items())
        )
        lines.append(f"{named[id]} = phone.element({details})")
    arguments: list[str] = []
    for name, value in entry.arguments.items():
        if name == "element_id" and value in named:
            arguments.append(f"{name!r}: {named[value]}")
        elif name == "ids" and isinstance(value, list):
            arguments.append(f"{name!r}: [{', '.join(named[id] for id in _ids(entry))}]")
        elif name not in _DEVICES:
            arguments.append(f"{name!r}: {value!r}")
    given = f"{{{', '.join(arguments)}}}" if arguments else ""
    if mode is ReplayMode.UNTIL_FOUND and _found(entry):
        return [*lines, f"phone.find({given})"]
    return [*lines, f"phone.call({', '.join(filter(None, (repr(entry.tool), given)))})"]


def _found(entry: AuditEntry) -> bool:
    """Whether the recorded search found something."""
    try:
        return bool(json.loads(entry.result[0])["elements"])
    except (ValueError, LookupError, TypeError):
        return False


def _located(entry: AuditEntry) -> dict[str, Any]:
    """The arguments, with words in place of refs, which mean nothing in another session."""
    arguments: dict[str, Any] = {}
    for name, value in entry.arguments.items():
        if name == _PHONE:
            continue
        words = entry.elements.get(str(value), _NO_WORDS) if name in _TARGETS else _NO_WORDS
        arguments[name] = words.get("words", value)
        if "within" in words and name != "within":
            arguments["within"] = words["within"]
    return arguments


def _is_known(entry: AuditEntry, id: str) -> bool:
    words = entry.elements.get(id, {})
    if not entry.tool.startswith(_FOR_MODELS):
        return bool(words)
    # Only a tap accepts words of the row.
    return "words" in words and ("within" not in words or entry.tool == _TAP)


def _ids(entry: AuditEntry) -> list[str]:
    arguments = entry.arguments
    if entry.tool.startswith(_FOR_MODELS):
        values = [arguments.get(name) for name in _TARGETS]
        return [
            value
            for value in values
            if isinstance(value, str) and (value in entry.elements or _REF.fullmatch(value.strip()))
        ]
    value, several = arguments.get("element_id"), arguments.get("ids")
    ids: list[Any] = [value, *(several if isinstance(several, list) else ())]
    return [id for id in ids if isinstance(id, str)]


def _is_hidden(value: Any) -> bool:
    return isinstance(value, str) and (value == MASK or value.endswith(CUT_MARK))


def _comment(text: str) -> str:
    """The text in one line."""
    return cut(tidy(text), _LINE)


def _when(entry: AuditEntry) -> str:
    return datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
