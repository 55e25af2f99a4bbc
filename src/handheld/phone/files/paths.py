"""Validation of paths in a storage location from callers."""

import unicodedata

from ...errors import InvalidParams

PATH_LIMIT = 4096


def clean_path(path: str) -> str:
    """Remove empty and `.` parts; "" is the location itself. Raises InvalidParams."""
    if path.startswith("/"):
        raise InvalidParams("Path must be relative, not absolute")
    if len(path) > PATH_LIMIT:
        raise InvalidParams(f"Path must not be longer than {PATH_LIMIT} characters")
    for char in path:
        category = unicodedata.category(char)
        if category == "Cc":
            raise InvalidParams("Path must not contain control characters")
        if category == "Cs":
            raise InvalidParams("Path must not contain half a character (a lone surrogate)")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise InvalidParams("Path must not contain '..' segments")
    return "/".join(parts)


def clean_file_path(path: str) -> str:
    """Like `clean_path`, for a path that must not be the location itself."""
    cleaned = clean_path(path)
    if not cleaned:
        raise InvalidParams("File path cannot be empty")
    return cleaned


_TYPES = {
    "aac": "audio/aac",
    "apk": "application/vnd.android.package-archive",
    "avi": "video/x-msvideo",
    "bmp": "image/bmp",
    "css": "text/css",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "heic": "image/heic",
    "htm": "text/html",
    "html": "text/html",
    "ics": "text/calendar",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "application/javascript",
    "json": "application/json",
    "kt": "text/x-kotlin",
    "log": "text/plain",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "py": "text/x-python",
    "rar": "application/vnd.rar",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "txt": "text/plain",
    "vcf": "text/x-vcard",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "text/xml",
    "yaml": "text/yaml",
    "yml": "text/yaml",
    "zip": "application/zip",
}


def mime_type(name: str) -> str:
    """Return the MIME type by file extension, like Android's file provider."""
    stem, _, ending = name.rpartition(".")
    return _TYPES.get(ending.lower() if stem else "", "application/octet-stream")
