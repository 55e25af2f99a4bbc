"""Installed packages, and installing them: the protocol and its values."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,222}")
"""A package name. Command lines contain only names that match."""
SYSTEM_APP, NOT_INSTALLED, STILL_THERE = "SYSTEM_APP", "NOT_INSTALLED", "STILL_THERE"
"""Reasons of `NotRemoved` in addition to Android's own."""
NOTHING_INSTALLED = "Nothing was installed."
"""The outcome of a call that was stopped before the phone was told to install anything."""
PERMISSION = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,254}")


class Permission(NamedTuple):
    """A permission that an app asks for in its manifest."""

    name: str
    granted: bool
    runtime: bool
    """Whether it is known to be a runtime permission that can be changed."""


class AppSizes(NamedTuple):
    """In bytes."""

    app: int
    data: int
    """Includes the cache."""
    cache: int


class AppInfo(NamedTuple):
    """The package manager's data about an installed app."""

    package: str
    label: str
    """In the phone's language; the package name if only the shell was asked."""
    version_name: str | None
    version_code: int
    system: bool
    enabled: bool
    debuggable: bool
    min_sdk: int | None
    target_sdk: int | None
    installer: str | None
    """The package of the app that installed it."""
    installed_at: str | None
    """By the phone's clock, as `2026-02-11 09:41:10`."""
    updated_at: str | None
    signer: str
    """SHA-256 of its signer's certificate, in hexadecimal; "" if unknown."""
    sizes: AppSizes | None
    """None if unknown."""
    permissions: tuple[Permission, ...]


class ApkFile(NamedTuple):
    """A file on this computer that is sent byte for byte."""

    path: Path
    size: int


class InstallOptions(NamedTuple):
    downgrade: bool = False
    test: bool = False
    old_target: bool = False
    grant: bool = False
    package: str = ""
    """The only package that may be installed, if Android can enforce it."""


class PhoneTraits(NamedTuple):
    """The phone's properties that decide which parts of an app it needs, and whether it can run
    it."""

    api: int = 0
    """The API level; 0 if unknown."""
    release: str = ""
    """Android's version, such as `14`."""
    abis: tuple[str, ...] = ()
    """The best first."""
    density: int = 0
    free_bytes: int | None = None
    """Free bytes of the storage for apps."""


class InstallRefused(Exception):
    """Android did not install it. Nothing has changed."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(code, why)
        self.code = code
        """Such as `INSTALL_FAILED_TEST_ONLY`; "" if Android gave none."""
        self.why = why
        """Android's text after the code."""


class NotRemoved(Exception):
    """Android did not remove it. Nothing has changed."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        """Such as `DELETE_FAILED_OWNER_BLOCKED`, or Android's text instead."""


class NotChanged(Exception):
    """Android refused to change a permission."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        """The exception as Android printed it; "" for none."""


class PackageDriver(Protocol):
    async def app_info(self, package: str) -> AppInfo | None:
        """None when it is not installed for the current user."""
        ...

    async def traits(self) -> PhoneTraits: ...

    async def install(self, parts: Sequence[ApkFile], options: InstallOptions) -> None:
        """Install one app, from the base and its splits. Raises InstallRefused."""
        ...

    async def uninstall(self, package: str, *, keep_data: bool) -> None:
        """Remove an app for the current user. Raises NotRemoved."""
        ...

    async def set_permission(self, package: str, permission: str, granted: bool) -> None:
        """Raises NotChanged."""
        ...
