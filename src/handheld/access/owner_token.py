"""The owner's bearer token. It is created once and kept in a file that only the owner can read."""

from dataclasses import dataclass
from pathlib import Path

from ..settings.private_file import private_folder, write_private

SHORTEST = 16
"""Characters. Shorter tokens can be guessed; generated ones have 43."""
_LIMIT = 4096


class TokenError(Exception):
    """The token file cannot be used. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class OwnerToken:
    value: str
    made: bool
    """Whether it was created just now, so nobody has seen it yet."""


def read_token(file: Path) -> str | None:
    """None when there is no token yet."""
    try:
        with file.open(encoding="utf-8") as stream:
            value = stream.read(_LIMIT).strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise TokenError(f"The token file {file} cannot be read: {problem}.") from None
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise TokenError(
            f"The token file {file} holds no usable token. Make a new one: handheld token new"
        )
    return value


def ensure_token(file: Path) -> OwnerToken:
    """Return the token, created if missing. Two processes that start together get the same
    token."""
    while (value := read_token(file)) is None:
        fresh = _draw()
        if _keep(file, fresh, replace=False):
            return OwnerToken(fresh, made=True)
    return OwnerToken(value, made=False)


def new_token(file: Path) -> str:
    """Replace the token. Running servers keep the old one until they restart."""
    fresh = _draw()
    _keep(file, fresh, replace=True)
    return fresh


def _keep(file: Path, value: str, *, replace: bool) -> bool:
    try:
        private_folder(file.parent)
        return write_private(file, f"{value}\n".encode(), replace=replace)
    except OSError as problem:
        raise TokenError(f"The token cannot be kept in {file}: {problem.strerror}.") from None


def _draw() -> str:
    import secrets  # slow to import, and most commands need no new token

    return secrets.token_urlsafe(32)
