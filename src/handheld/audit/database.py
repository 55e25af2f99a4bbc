"""The SQLite file: its tables, its connections, and which processes still write to it."""

import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from ..settings.private_file import private_folder
from .chain import FIRST, ChainHead, link_hash
from .entry import AuditError

_VERSION = 2
_UNCHAINED = 1
"""The version whose rows have no hashes."""
_BUSY_SECONDS = 5.0
_CACHE_KB = 256
WAL_BYTES = 1_000_000
"""Size at which the write-ahead log is checkpointed and reused."""

_TABLES = """
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    run TEXT NOT NULL,
    phone TEXT NOT NULL,
    door TEXT NOT NULL,
    client TEXT NOT NULL,
    token TEXT NOT NULL,
    person INTEGER NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    elements TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT NOT NULL,
    milliseconds REAL,
    note TEXT NOT NULL
);
CREATE INDEX running ON calls (run) WHERE state = 'running';
CREATE TABLE pictures (
    call INTEGER NOT NULL,
    which TEXT NOT NULL,
    jpeg BLOB NOT NULL,
    PRIMARY KEY (call, which)
);
"""
# `act` is NULL for calls from before the chain. `of` is a call, `grp` its group; `before` is the
# hash of the previous link if that one was dropped. A group sums up its dropped calls.
_CHAIN = """
ALTER TABLE calls ADD COLUMN act INTEGER;
CREATE TABLE groups (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL,
    act INTEGER,
    calls INTEGER NOT NULL DEFAULT 0,
    links INTEGER NOT NULL DEFAULT 0,
    first REAL,
    last REAL,
    hash BLOB NOT NULL DEFAULT x''
);
CREATE TABLE links (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    of INTEGER NOT NULL,
    grp INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    hash BLOB NOT NULL,
    before BLOB
);
CREATE INDEX of_call ON links (grp, of);
"""


class explained:
    """Turns any problem with the file into an AuditError with a sentence."""

    # Not a generator: each call enters it twice.

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> None:
        if not isinstance(problem, sqlite3.Error | OSError):
            return
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        reason = (reason or "the reason is unknown").rstrip(".")
        # Damage means that the file itself is bad; a full disk or a lock does not.
        damaged = getattr(problem, "sqlite_errorname", "") in ("SQLITE_NOTADB", "SQLITE_CORRUPT")
        reason += ". Move it away, and Handheld starts a new one" if damaged else ""
        raise AuditError(
            f"The record of calls in {self._file} cannot be used: {reason}."
        ) from problem


def open_for_writing(file: Path) -> sqlite3.Connection:
    """Open the file; create it for this user alone if it is missing. Raises AuditError."""
    with explained(file):
        private_folder(file.parent)
        # Never open a file that exists: closing it would drop the locks that SQLite holds on it for
        # other connections of this process.
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        os.chmod(file, 0o600)
        connection = _connect(f"{file.absolute().as_uri()}?mode=rw")
        connection.text_factory = _readable
        try:
            # These only have effect before the first table. A call's begin changes three pages,
            # each of which is written completely: small pages take two thirds of the time.
            connection.execute("PRAGMA page_size=1024")
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            connection.execute("PRAGMA journal_mode=WAL")
            # A killed process loses nothing either way; NORMAL keeps the file consistent when the
            # machine crashes. Only checkpoints wait for the disk, and the keeper makes those.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
            connection.execute("BEGIN IMMEDIATE")
            version = _check_version(connection, file)
            if version < _VERSION:
                for statement in (_CHAIN if version else _TABLES + _CHAIN).split(";\n"):
                    connection.execute(statement)
                _start_chain(connection)
                connection.execute(f"PRAGMA user_version={_VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection


def _readable(data: bytes) -> str:
    """Decode text even if another program wrote invalid UTF-8."""
    return data.decode("utf-8", "replace")


def open_for_reading(file: Path) -> sqlite3.Connection | None:
    """Returns None if nothing was ever recorded. Raises AuditError."""
    with explained(file):
        if not file.exists():
            return None
        connection = _connect(f"{file.absolute().as_uri()}?mode=rw")
        try:
            connection.execute("PRAGMA query_only=ON")
            if not _check_version(connection, file):
                connection.close()
                return None
        except BaseException:
            connection.close()
            raise
        return connection


def is_chained(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA user_version").fetchone()[0] != _UNCHAINED


def last_link(connection: sqlite3.Connection) -> ChainHead:
    asked = "SELECT seq, CAST(hash AS BLOB) FROM links ORDER BY seq DESC LIMIT 1"
    return ChainHead._make(connection.execute(asked).fetchone() or (0, FIRST))


def _start_chain(connection: sqlite3.Connection) -> None:
    """The first link says which calls are from before the chain."""
    [old] = connection.execute("SELECT coalesce(max(id), 0) FROM calls").fetchone()
    connection.execute(
        "INSERT INTO links (seq, kind, of, grp, bytes, hash) VALUES (1, 'start', ?, 0, 2, ?)",
        (old, link_hash(FIRST, 1, "start", old, 0, 2, b"[]")),
    )


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    # Calls are added and read at the end of the file: the default of 2 MB would only fill slowly.
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KB}")
    return connection


def _check_version(connection: sqlite3.Connection, file: Path) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, _UNCHAINED, _VERSION):
        raise AuditError(
            f"The record of calls in {file} was written by another version of Handheld. Move it "
            "away."
        )
    return version


class Run:
    """A process that writes. It holds a file lock while it lives, which tells others whether a call
    recorded as running still runs."""

    def __init__(self, file: Path) -> None:
        self.name = f"{os.getpid()}-{os.urandom(6).hex()}"
        self._file = _file_of(file, self.name)
        with explained(file):
            while True:
                self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._handle, fcntl.LOCK_EX)
                if self._file.exists():
                    break
                os.close(self._handle)  # another process removed the file as stale before the lock

    def end(self) -> None:
        self._file.unlink(missing_ok=True)
        os.close(self._handle)


def lives(file: Path, run: str) -> bool:
    """Whether the process that wrote as `run` is still alive."""
    try:
        handle = os.open(_file_of(file, run), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def remove_dead(file: Path) -> None:
    """Remove the lock files of killed processes. Their calls must already be closed."""
    start = _file_of(file, "").name
    for path in file.parent.glob(f"{start}*"):
        if not lives(file, path.name.removeprefix(start)):
            path.unlink(missing_ok=True)


def _file_of(file: Path, run: str) -> Path:
    return file.with_name(f"{file.name}-run-{run}")
