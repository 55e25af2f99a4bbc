"""`handheld steps`."""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from ...settings import Settings
from ...settings.editing import find_editor
from ...settings.programs import find_program
from ...tools.steps import SavedSteps, StepsError, StepsFile
from ...tools.steps.model import describe_parameter, describe_step
from ...tools.steps.sharing import (
    read_edited,
    read_shared,
    write_edited,
    write_script,
    write_shared,
)
from ...tools.steps.steps_file import FILE_LIMIT
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_NAMED = ("show", "edit", "accept", "remove", "export")


def add_steps_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("list", "show", "edit", "accept", "remove", "export", "import"),
        help="what to do; accept takes what an agent proposed, and lets every client use the steps",
    )
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="the steps; with import: the file to import"
    )
    command.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="with edit: the new steps as JSON, instead of an editor; with export: the file to"
        " write (- is stdin or stdout)",
    )
    command.add_argument(
        "--for", dest="only", metavar="PHONE", help="those of this phone, by slug or serial"
    )
    command.add_argument(
        "--as",
        dest="form",
        choices=("json", "pytest"),
        help="with export: json to share the steps (default), or a pytest script that does them on"
        " a virtual phone",
    )
    command.add_argument(
        "--shown",
        metavar="DIGEST",
        help="with accept: what show printed last, so only those steps are accepted",
    )


async def steps(given: argparse.Namespace, settings: Settings) -> int:
    """Running servers notice changes by themselves."""
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    file = StepsFile(settings.folders.steps)
    try:
        return _run(given, file)
    except StepsError as problem:
        print_error(_plain(str(problem)))
        return 1
    except OSError as problem:
        print_error(f"{problem.filename}: {problem.strerror}.")
        return 1


def _usage_error(given: argparse.Namespace) -> str:
    if given.action in _NAMED and not given.name:
        return f"Name the steps: handheld steps {given.action} NAME"
    if given.action == "import" and not given.name:
        return "Name the file: handheld steps import FILE"
    if given.action == "list" and given.name:
        return "handheld steps list takes no NAME."
    if given.file and given.action not in ("edit", "export"):
        return f"handheld steps {given.action} takes no FILE."
    if given.form and given.action != "export":
        return "--as is only for handheld steps export."
    if given.shown and given.action != "accept":
        return "--shown is only for handheld steps accept."
    return ""


def _run(given: argparse.Namespace, file: StepsFile) -> int:
    if given.action == "list":
        _list(file)
        return 0
    if given.action == "import":
        return _import(given, file)
    kept = file.get(given.name, given.only)
    match given.action:
        case "show":
            _show(kept)
        case "edit":
            new = read_edited(_edited(kept, given.file), kept)
            file.put(new, kept)
            print_line(f"Changed: {_line(new)}")
        case "accept":
            if not given.shown:
                _show(kept)
                return 1
            print_line(f"Accepted: {_line(file.accept(kept, given.shown))}")
        case "remove":
            file.remove(kept)
            print_line(f"Removed: {_line(kept)}")
        case _:
            text = write_script(kept) if given.form == "pytest" else write_shared(kept)
            _write(given.file or "-", text)
    return 0


def _list(file: StepsFile) -> None:
    every = file.all()
    for kept in every:
        print_line(_line(kept))
    if not every:
        print_note("No steps are kept. An agent keeps them with phone_do and save_as.")


def _show(kept: SavedSteps) -> None:
    print_line(_line(kept))
    for parameter in kept.sequence.parameters:
        print_line(_plain(f"  {{{parameter.name}}} {describe_parameter(parameter)}"))
    for number, step in enumerate(kept.sequence.steps, 1):
        print_line(_plain(f"  {number}. {describe_step(step)}"))
    if kept.proposal is not None:
        print_line(
            _plain(f"Proposed by {kept.proposed_by or 'a client'}, not used until accepted:")
        )
        for number, step in enumerate(kept.proposal.steps, 1):
            print_line(_plain(f"  {number}. {describe_step(step)}"))
    if kept.proposal is not None or not kept.owned:
        where = f" --for {shlex.quote(kept.phone)}" if kept.phone else ""
        print_line(
            f"To let every client run exactly these steps: handheld steps accept {kept.name}{where}"
            f" --shown {kept.digest}"
        )


def _line(kept: SavedSteps) -> str:
    made = datetime.fromtimestamp(kept.made, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    where = f"on {kept.phone}" if kept.phone else "on every phone"
    users = "for every client" if kept.owned or not kept.by else f"for the token {kept.by}"
    proposed = "  (another way is proposed)" if kept.proposal else ""
    count = f"{len(kept.sequence.steps)} steps"
    return _plain(f"my_{kept.usage}  {count}  {where}  {users}  {kept.origin}  {made}{proposed}")


def _edited(kept: SavedSteps, file: str | None) -> str:
    """The text from a file, from stdin, or from the owner's editor."""
    if file == "-":
        return sys.stdin.read(FILE_LIMIT + 1)
    if file is not None:
        return _read(file).decode("utf-8", "replace")
    editor = shlex.split(find_editor())
    if not editor:
        raise StepsError(
            f"Set EDITOR, or edit a file: handheld steps export {kept.name} FILE, then"
            f" handheld steps edit {kept.name} FILE."
        )
    program = find_program(editor[0])
    if not program:
        raise StepsError(f"The editor {editor[0]} is not in PATH. Set EDITOR to its full path.")
    with tempfile.TemporaryDirectory(prefix="handheld-") as folder:
        draft = Path(folder) / f"{kept.name}.json"
        draft.write_text(write_edited(kept), "utf-8")
        if subprocess.run([program, *editor[1:], str(draft)], check=False).returncode:
            raise StepsError("The editor failed: nothing was changed.")
        return draft.read_text("utf-8")


def _import(given: argparse.Namespace, file: StepsFile) -> int:
    name = Path(given.name).name
    new = read_shared(_read(given.name), name, given.only or "")
    if any(each.name == new.name and each.phone == new.phone for each in file.all()):
        raise StepsError(f"There are steps called {new.name} already: remove them first.")
    file.put(new)
    print_line("Imported:")
    _show(file.get(new.name, new.phone))
    return 0


def _read(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read(FILE_LIMIT + 1)


def _write(file: str, text: str) -> None:
    if file == "-":
        print_line(text.removesuffix("\n"))
        return
    with open(file, "w", encoding="utf-8", opener=_open_private) as stream:
        stream.write(text)
    print_note(f"Wrote {file}.")


def _open_private(file: str, flags: int) -> int:
    """A new file is readable by this user only: it holds words of screens."""
    return os.open(file, flags, 0o600)


def _plain(text: str) -> str:
    """Without terminal control characters, and marks that reverse the direction of text."""
    return "".join(each if each.isprintable() else " " for each in text)
