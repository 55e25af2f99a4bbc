"""The bearer token: made once, kept in a file that only its owner can read."""

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

_LIMIT = 4096


class TokenError(Exception):
    """The token file cannot be used. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Token:
    value: str
    made: bool
    """Whether it was made just now, and so has never been shown."""


def private_folder(folder: Path) -> Path:
    """Make `folder` so that only this user may enter."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def write_private(file: Path, text: str, *, replace: bool) -> bool:
    """Put a file of mode 0600 in place in one step. False: there was one, and it stays."""
    private_folder(file.parent)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        if replace:
            os.replace(name, file)
            return True
        try:
            os.link(name, file)
        except FileExistsError:
            return False
        return True
    finally:
        Path(name).unlink(missing_ok=True)


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


def ensure_token(file: Path) -> Token:
    """The token, made if there was none. Two that start at once get the same."""
    value = read_token(file)
    if value is not None:
        return Token(value, made=False)
    fresh = secrets.token_urlsafe(32)
    try:
        made = write_private(file, fresh + "\n", replace=False)
    except OSError as problem:
        raise TokenError(f"The token cannot be kept in {file}: {problem.strerror}.") from None
    return Token(fresh, made=True) if made else Token(read_token(file) or fresh, made=False)


def new_token(file: Path) -> str:
    """Replace the token. Servers that run keep the old one until they are started again."""
    fresh = secrets.token_urlsafe(32)
    try:
        write_private(file, fresh + "\n", replace=True)
    except OSError as problem:
        raise TokenError(f"The token cannot be kept in {file}: {problem.strerror}.") from None
    return fresh
