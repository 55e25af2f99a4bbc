"""`handheld storage`."""

import argparse

from ...phone.files.storage import EXAMPLE, Location, StorageError, StorageFile
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_CHANGES = ("name", "description", "allow_write", "allow_delete")


def add_storage_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("action", choices=("list", "add", "remove"), help="what to do")
    command.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help="the folder: com.android.externalstorage.documents/primary:FOLDER, with a card's UUID"
        " instead of primary for a card; add with an existing ID changes that folder",
    )
    command.add_argument(
        "--for", dest="only", metavar="SERIAL", help="only on this phone, by serial or slug"
    )
    command.add_argument("--name", help="what to call the folder; defaults to its own name")
    command.add_argument(
        "--description", help="what the folder holds, for the agent; up to 500 characters"
    )
    for right, purpose in (("write", "create and change files"), ("delete", "delete files")):
        command.add_argument(
            f"--allow-{right}",
            dest=f"allow_{right}",
            action=argparse.BooleanOptionalAction,
            help=f"let tools {purpose}; off by default",
        )


async def storage(given: argparse.Namespace, settings: Settings) -> int:
    """Running servers notice changes by themselves."""
    changes = {name: getattr(given, name) for name in _CHANGES if getattr(given, name) is not None}
    if error := _usage_error(given, changes):
        print_error(error)
        return USAGE_ERROR
    file = StorageFile(settings.folders.storage)
    phone = given.only or ""
    try:
        if given.action == "add":
            location, new = file.put(given.id, phone, **changes)
            print_line(f"{'Added' if new else 'Changed'}: {_line(location)}")
        elif given.action == "remove":
            print_line(f"Removed: {_line(file.remove(given.id, phone))}")
        else:
            _list(file.all() if given.only is None else file.of({phone}))
    except StorageError as problem:
        print_error(str(problem))
        return 1
    return 0


def _usage_error(given: argparse.Namespace, changes: dict[str, object]) -> str:
    if given.action == "list" and given.id:
        return "handheld storage list takes no ID."
    if given.action != "list" and not given.id:
        return f"Name the folder: handheld storage {given.action} {EXAMPLE}"
    if given.action != "add" and changes:
        return f"--{next(iter(changes)).replace('_', '-')} is only for handheld storage add."
    return ""


def _list(locations: list[Location] | tuple[Location, ...]) -> None:
    if not locations:
        print_note(f"No folder is listed yet. Add one: handheld storage add {EXAMPLE}")
    for location in locations:
        print_line(_line(location))


def _line(location: Location) -> str:
    rights = ["read"]
    rights += ["write"] if location.allow_write else []
    rights += ["delete"] if location.allow_delete else []
    where = f"on {location.phone}" if location.phone else "on every phone"
    description = f": {location.description}" if location.description else ""
    return f"{location.id}  {'+'.join(rights)}  {where}  {location.title}{description}"
