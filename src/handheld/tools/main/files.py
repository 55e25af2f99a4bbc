"""Files in the storage locations that a person has added."""

from collections.abc import Mapping
from typing import Any

from ...errors import InvalidParams
from ...phone.files.storage import EXAMPLE
from ...phone.files.text_file import Page, TextFile
from ...phone.phone import Phone
from ..parameter import read_text
from ..recording import ReplayMode, Secret
from ..tool import Reply, Toolset, json_text
from .params import (
    AppendedText,
    DownloadUrl,
    EntryLimit,
    EntryOffset,
    FilePath,
    FolderPath,
    LineLimit,
    LineOffset,
    LocationId,
    NewString,
    OldString,
    ReplaceAll,
    TargetPath,
    WrittenText,
)

files = Toolset("files")


@files.tool(title="List storage locations", read_only=True, idempotent=True, secret_reply=Secret.NO)
async def list_storage_locations(phone: Phone) -> Reply:
    """Lists user-added storage locations with their metadata. Each location represents a directory
    the user granted access to via the app settings. Use the location ID from this list for all file
    operations."""
    found = [
        {
            "id": location.id,
            "name": location.title,
            "path": location.path,
            "description": location.description,
            "available_bytes": available,
            "allow_read": True,
            "allow_write": location.allow_write,
            "allow_delete": location.allow_delete,
        }
        for location, available in await phone.files.locations()
    ]
    if found:
        return json_text(found)
    return json_text(found), (
        "The phone's owner has not offered any folder yet. The command for it, on the computer"
        f" that runs Handheld: handheld storage add {EXAMPLE} (with --allow-write and"
        " --allow-delete where files may be changed and deleted)."
    )


@files.tool(
    title="List files", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.NO
)
async def list_files(
    phone: Phone,
    location_id: LocationId,
    path: FolderPath = "",
    offset: EntryOffset = 0,
    limit: EntryLimit = 200,
) -> str:
    """Lists files and directories in a storage location. Results are sorted directories-first, then
    alphabetically. Supports pagination via `offset` and `limit` parameters."""
    rows = await phone.files.list(location_id, path)
    shown = rows[offset : offset + limit]
    return json_text(
        {
            "files": [row._asdict() for row in shown],
            "total_count": len(rows),
            "has_more": offset + limit < len(rows),
        }
    )


@files.tool(
    title="Read file", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.FILE
)
async def read_file(
    phone: Phone,
    location_id: LocationId,
    path: FilePath,
    offset: LineOffset = 1,
    limit: LineLimit = 200,
) -> Reply:
    """Reads a text file with line-based pagination. Returns content with line numbers."""

    def show(file: TextFile) -> Page:
        if offset > file.count:
            raise InvalidParams(
                f"Parameter 'offset' must be at most {file.count}, the number of lines, got:"
                f" {offset}"
            )
        return file.page(offset, limit)

    text, notes = await phone.files.read(location_id, path, show)
    return (text, *notes) if notes else text


async def overwrites(phone: Phone, arguments: Mapping[str, Any]) -> bool:
    location, path = arguments.get("location_id"), arguments.get("path")
    if location is None or path is None:
        return False  # the content is saved elsewhere, or under a new name
    return await phone.files.exists(read_text(location), read_text(path))


async def _shortens(phone: Phone, arguments: Mapping[str, Any]) -> bool:
    new, old = (read_text(arguments[name]) for name in ("new_string", "old_string"))
    return len(new) < len(old)


@files.tool(
    title="Write file",
    destructive=True,
    idempotent=True,
    secret_reply=Secret.NO,
    destroys=overwrites,
)
async def write_file(
    phone: Phone, location_id: LocationId, path: FilePath, content: WrittenText
) -> str:
    """Writes text content to a file. Creates the file if it doesn't exist, creates parent
    directories automatically, overwrites existing content. Empty content creates an empty file."""
    return f"File written successfully: {await phone.files.write(location_id, path, content)}"


@files.tool(title="Append to file", secret_reply=Secret.NO)
async def append_file(
    phone: Phone, location_id: LocationId, path: FilePath, content: AppendedText
) -> str:
    """Appends text content to an existing file. If the storage provider does not support append
    mode, an error with a hint to use `android_write_file` is returned."""
    taken = await phone.files.append(location_id, path, content)
    return f"Content appended successfully to: {taken}"


@files.tool(title="Replace in file", destructive=True, secret_reply=Secret.NO, destroys=_shortens)
async def file_replace(
    phone: Phone,
    location_id: LocationId,
    path: FilePath,
    old_string: OldString,
    new_string: NewString,
    replace_all: ReplaceAll = False,
) -> str:
    """Performs literal string replacement in a text file. Uses advisory file locking when supported
    by the storage provider."""
    taken, count = await phone.files.replace(location_id, path, old_string, new_string, replace_all)
    return f"Replaced {count} occurrence(s) in: {taken}"


# Others can use the phone during the download to this computer.
@files.tool(
    title="Download from URL",
    destructive=True,
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
    replay=ReplayMode.NEEDS_WEB,
    destroys=overwrites,
)
async def download_from_url(
    phone: Phone, location_id: LocationId, path: TargetPath, url: DownloadUrl
) -> str:
    """Downloads a file from a URL and saves it to a storage location."""
    taken = await phone.files.download(
        location_id, path, url, lambda: phone.acting("download_from_url")
    )
    return f"File downloaded successfully: {taken}"


@files.tool(title="Delete file", destructive=True, secret_reply=Secret.NO)
async def delete_file(phone: Phone, location_id: LocationId, path: FilePath) -> str:
    """Deletes a single file from a storage location. Cannot delete directories."""
    return f"File deleted successfully: {await phone.files.delete(location_id, path)}"
