"""The captured files by name. Without them tests fail, and never pass silently."""

from pathlib import Path

from .place import folder


def file(name: str) -> Path:
    path = folder() / "corpus" / name
    if not path.is_file():
        raise FileNotFoundError(f"None of the captured files is {name}.")
    return path


def text(name: str) -> str:
    return file(name).read_bytes().decode("utf-8", "replace")


def found(pattern: str) -> list[Path]:
    paths = sorted((folder() / "corpus").glob(pattern))
    if not paths:
        raise FileNotFoundError(f"None of the captured files is {pattern}.")
    return paths


def cases(*patterns: str) -> list[str]:
    """Return names for parametrize. A pattern without files becomes a case of its own, which fails
    when it runs, instead of failing the collection."""
    names: list[str] = []
    for pattern in patterns:
        try:
            paths = found(pattern)
        except FileNotFoundError:
            names.append(pattern)
        else:
            names += [f"{path.parent.name}/{path.name}" for path in paths]
    return names
