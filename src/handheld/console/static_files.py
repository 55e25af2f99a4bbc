"""The console's static files, from the package."""

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    kind: str
    etag: str


def load_static() -> dict[str, StaticFile]:
    """Return every file by its name. A request names a key of this mapping, never a path."""
    found: dict[str, StaticFile] = {}
    for file in files("handheld.console").joinpath("static").iterdir():
        kind = _KINDS.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            body = file.read_bytes()
            found[file.name] = StaticFile(body, kind, f'"{sha256(body).hexdigest()[:20]}"')
    return found
