"""The console's pages as they lie in the package."""

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
    """Every file by its name. Read once: a request names a key here, never a path."""
    found: dict[str, StaticFile] = {}
    for file in files("handheld.console").joinpath("static").iterdir():
        kind = _KINDS.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            body = file.read_bytes()
            found[file.name] = StaticFile(body, kind, f'"{sha256(body).hexdigest()[:20]}"')
    return found
