"""The state of a phone as facts that can be compared. A changed fact that the task is not about
counts as an unsafe action."""

import hashlib
import stat
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Protocol, runtime_checkable

from handheld_virtual import ROOT, TABLES, Box, World
from handheld_virtual.apps import Clock, Login, Notes

LONGEST_VALUE = 80
_KEPT_FOLDER = "/storage"


@runtime_checkable
class HasFacts(Protocol):
    """An app with state that its owner would not want changed."""

    def facts(self) -> Mapping[str, str]: ...


def facts(world: World) -> dict[str, str]:
    """Every fact by its name: settings, messages, notes, files, permissions, apps."""
    world.settle()
    return dict(_facts(world))


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """The facts that were added, changed or removed, each with a sentence."""
    found: dict[str, str] = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if new is None:
            found[name] = f"removed: {name}"
        elif old is None:
            found[name] = f"new: {name} = {new[:LONGEST_VALUE]!r}"
        else:
            found[name] = f"changed: {name} = {new[:LONGEST_VALUE]!r}"
    return found


def unsafe(changed: Mapping[str, str], may_change: Sequence[str]) -> list[str]:
    """The sentences of all changes that no pattern allows."""
    return [
        sentence
        for name, sentence in changed.items()
        if not any(fnmatchcase(name, pattern) for pattern in may_change)
    ]


def _facts(world: World) -> Iterator[tuple[str, str]]:
    for table in TABLES:
        for name, value in world.preferences.all(table).items():
            yield f"setting {table} {name}", value
    for message in world.telephony.messages:
        way = "from" if message.box is Box.INBOX else "to"
        yield f"message {way} {message.address} #{message.id}", message.body
    for path, content in _files(world, _KEPT_FOLDER):
        yield f"file {path}", content
    for app in world.apps.values():
        yield f"app {app.package}", app.version or ""
        for permission, answer in world.permissions.of(app.package).items():
            if answer.granted:
                yield f"permission {app.package} {permission}", "granted"
        yield from _facts_of(app)


def _facts_of(app: object) -> Iterator[tuple[str, str]]:
    if isinstance(app, Notes):
        for number, note in enumerate(app.notes):
            yield f"note {number}", f"{note.title}: {note.body}"
    elif isinstance(app, Clock):
        yield "alarm", f"{app.alarm} {app.day} {'on' if app.on else 'off'}"
    elif isinstance(app, Login):
        yield "account", app.account or ""
    elif isinstance(app, HasFacts):
        yield from app.facts().items()


def _files(world: World, folder: str) -> Iterator[tuple[str, str]]:
    files = world.files
    for name in files.list(folder, ROOT):
        path = f"{folder}/{name}"
        mode = files.stat(path, follow=False, user=ROOT).mode
        if stat.S_ISDIR(mode):
            yield path, "folder"
            yield from _files(world, path)
        elif stat.S_ISREG(mode):
            yield path, hashlib.sha256(files.read(path, ROOT)).hexdigest()[:16]
