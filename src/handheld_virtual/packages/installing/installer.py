"""The phone's package installer: sessions that receive files and install them."""

import contextlib
import errno
from collections.abc import Generator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from handheld.app_formats.apk.manifest import Manifest

from ...files.entry import ROOT, SYSTEM_UID, User
from ...files.open_file import OpenFile
from ...files.tree import FileTree
from ...system.logs import Writer
from .. import lifecycle
from ..permissions import runtime_permissions
from ..processes import SYSTEM_SERVER
from .install_checks import (
    InstallFailure,
    InstallOptions,
    Part,
    check_manifest,
    check_parts,
    check_update,
    mismatch,
    read_part,
)
from .installed import Files, InstalledApp, app_of, folder_of

if TYPE_CHECKING:
    from ...world import World

SESSIONS = 1024
NAME_MAX = 200
_SYSTEM = User(SYSTEM_UID, frozenset((SYSTEM_UID,)))
_LOG = Writer(SYSTEM_SERVER.pid, SYSTEM_UID, 1310)
PLATFORM = "platform"
"""The signer of apps written in Python, which no APK can replace."""


class NoSession(Exception):
    """There is no session with that number."""


class TooManySessions(Exception):
    """Too many sessions are open: others have to be committed or abandoned first."""


@dataclass(frozen=True, slots=True)
class Session:
    id: int
    folder: str
    options: InstallOptions


class Incoming:
    """A file that accepts data even when the phone is full, and records that it was full."""

    def __init__(self, files: FileTree, path: str) -> None:
        self.size = 0
        self.failure: InstallFailure | None = None
        self._file: OpenFile | None = None
        with self._noting():
            self._file = files.create(path, 0o644, user=_SYSTEM)

    def write(self, data: bytes) -> None:
        if self._file is not None and self.failure is None:
            with self._noting():
                self._file.write(data)
                self.size += len(data)

    def __enter__(self) -> "Incoming":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    @contextlib.contextmanager
    def _noting(self) -> Generator[None]:
        try:
            with _storage():
                yield
        except InstallFailure as failure:
            self.failure = failure


class Installer:
    def __init__(self, world: "World") -> None:
        self._world = world
        self._files = world.files
        self._sessions: dict[int, Session] = {}
        self._last = 1_180_511_617
        self._installed = 0
        self._kept: dict[str, str] = {}
        """Signers of packages that were removed while their data was kept."""
        self.refusal: tuple[str, str] | None = None
        """Why a vendor, a verifier or the hardware refuses every package: Android's code and
        message."""
        self.irremovable: dict[str, str] = {}
        """Packages that Android refuses to remove, with the code that it prints."""

    @property
    def open_sessions(self) -> int:
        """How many sessions are neither committed nor abandoned."""
        return len(self._sessions)

    def create(self, options: InstallOptions, size: int = 0) -> Session:
        """Open a session for files of `size` bytes in all."""
        if len(self._sessions) >= SESSIONS:
            raise TooManySessions("Too many active sessions for UID 2000")
        if size > self._files.capacity - self._files.used:
            raise InstallFailure("INSTALL_FAILED_INSUFFICIENT_STORAGE")
        self._last = (self._last * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        session = Session(self._last, f"/data/app/vmdl{self._last}.tmp", options)
        with _storage():
            self._files.make_folder(session.folder, 0o775, user=_SYSTEM)
        self._sessions[session.id] = session
        return session

    def receive(self, number: int, name: str) -> "Incoming":
        """Open a file of a session for writing. Raises ValueError for an invalid name."""
        session = self._session(number)
        if not name or name in (".", "..") or "/" in name or "\0" in name or len(name) > NAME_MAX:
            raise ValueError(f"Invalid name: {name}")
        return Incoming(self._files, f"{session.folder}/{name}")

    def abandon(self, number: int) -> None:
        """Discard a session and its files."""
        session = self._session(number)
        del self._sessions[number]
        self._remove(session.folder)

    def commit(self, number: int) -> InstalledApp:
        """Install the session's files, or raise InstallFailure. Both close the session."""
        session = self._session(number)
        self._world.settle()
        try:
            return self._commit(session)
        except InstallFailure as failure:
            self._log("W", failure.detail or str(failure))
            raise
        finally:
            self.abandon(number)

    def uninstall(self, package: str, *, keep_data: bool = False) -> None:
        """Remove a package. Raises KeyError if it is not installed, InstallFailure for a system
        app."""
        app = self._world.apps[package]
        if app.system:
            raise InstallFailure("DELETE_FAILED_INTERNAL_ERROR")
        if package in self.irremovable:
            raise InstallFailure(self.irremovable[package])
        if isinstance(app, InstalledApp):
            folder = app.files.folder
            if keep_data:
                self._kept[package] = app.signer
        else:
            folder = folder_of(package, 0, self._world.android)
        self._world.uninstall(package, keep_data=keep_data)
        self._remove(folder)
        if not keep_data:
            self._kept.pop(package, None)

    # Internal

    def _session(self, number: int) -> Session:
        session = self._sessions.get(number)
        if session is None:
            raise NoSession(f"Caller has no access to session {number}")
        return session

    def _commit(self, session: Session) -> InstalledApp:
        world, android, options = self._world, self._world.android, session.options
        names = self._files.list(session.folder, _SYSTEM)
        if not names:
            reason = "No packages staged"
            if android.install_failures_explained:
                reason = f"Session: {session.id}. {reason} in {session.folder}"
            raise InstallFailure("INSTALL_FAILED_INVALID_APK", reason)
        paths = [f"{session.folder}/{name}" for name in names]
        parts = [read_part(self._files.read(path, _SYSTEM), path, android) for path in paths]
        check_parts(parts, options)
        first, package = parts[0], parts[0].manifest.package
        existing = world.apps.get(package)
        inherited = existing if options.inherit and isinstance(existing, InstalledApp) else None
        declared = self._declared(parts, inherited, options)
        if existing is not None:
            signer = existing.signer if isinstance(existing, InstalledApp) else PLATFORM
            check_update(first, existing, signer, options, android)
        elif self._kept.get(package, first.signer.digest) != first.signer.digest:
            raise InstallFailure("INSTALL_FAILED_UPDATE_INCOMPATIBLE", mismatch(package, android))
        if self.refusal is not None:
            raise InstallFailure(*self.refusal)
        files = self._move(parts, inherited, package)
        since = existing.first_installed if isinstance(existing, InstalledApp) else 0.0
        kind = app_of(
            declared, first.signer.digest, files, options.installer, since or self._files.now()
        )
        if isinstance(existing, InstalledApp):
            lifecycle.replace(world, existing, "installPackageLI")
        app = kind(world)
        lifecycle.put(world, app)
        if isinstance(existing, InstalledApp):
            self._remove(existing.files.folder)
        self._kept.pop(package, None)
        if options.grant:
            runtime = runtime_permissions(android)
            for permission in declared.permissions:
                if permission in runtime:
                    world.permissions.grant(package, permission)
        self._log("I", f"Installed {package} version {declared.version_code} at {files.folder}")
        return app

    def _declared(
        self, parts: list[Part], inherited: InstalledApp | None, options: InstallOptions
    ) -> Manifest:
        """The base manifest, from the session or the installed app."""
        first = parts[0]
        base = next((part for part in parts if part.manifest.split is None), None)
        if base is not None:
            check_manifest(base, options, self._world.android)
            return base.manifest
        code = "INSTALL_FAILED_INVALID_APK"
        if inherited is None:
            package = first.manifest.package
            raise InstallFailure(code, f"Missing existing base package for {package}")
        new, old = first.manifest.version_code, inherited.version_code
        if new != old:
            raise InstallFailure(code, f"{first.path} version code {new} inconsistent with {old}")
        return inherited.manifest

    def _move(self, parts: list[Part], inherited: InstalledApp | None, package: str) -> Files:
        """Move the files to their final place."""
        self._installed += 1
        folder = folder_of(package, self._installed, self._world.android)
        names = {part.name for part in parts}
        with _storage():
            try:
                self._files.make_folder(folder, 0o755, parents=True, user=_SYSTEM)
                for path in inherited.files.paths if inherited is not None else ():
                    name = path.rpartition("/")[2]
                    if name not in names:
                        names.add(name)
                        content = self._files.read(path, _SYSTEM)
                        self._files.write(f"{folder}/{name}", content, 0o644, user=_SYSTEM)
            except OSError:
                self._remove(folder)
                raise
        for part in parts:
            self._files.rename(part.path, f"{folder}/{part.name}", _SYSTEM)
        return Files(folder, tuple(sorted(names)))

    def _remove(self, folder: str) -> None:
        """Remove the folder with its files, and its parent if that is then empty."""
        with contextlib.suppress(FileNotFoundError):
            for name in self._files.list(folder, ROOT):
                self._files.remove(f"{folder}/{name}", ROOT)
            self._files.remove_folder(folder, ROOT)
        around = folder.rpartition("/")[0]
        if around != "/data/app":
            with contextlib.suppress(OSError):
                self._files.remove_folder(around, ROOT)

    def _log(self, level: str, message: str) -> None:
        self._world.logs.write(_LOG, level, "PackageManager", message, "system")


@contextlib.contextmanager
def _storage() -> Generator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise InstallFailure("INSTALL_FAILED_INSUFFICIENT_STORAGE") from None
