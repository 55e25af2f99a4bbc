"""The verbs that a driver performs over adb alone, with or without the helper."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from ...adb import sync
from ...adb.link import Link
from ...progress import is_watched, report
from ..app_tools import FunctionList, FunctionReply
from ..apps import Profile
from ..by_shell.device import ShellDevice
from ..by_shell.packages import clear_data, read_traits, set_permission, uninstall
from ..conditions import Conditions
from ..device import FactAnswer, Reach
from ..failures import translated
from ..files import RemoteEntry
from ..hardware import Hardware, read_hardware
from ..packages import ApkFile, InstallOptions, PhoneTraits
from ..screen import Rest
from .commands import Commands
from .crash_records import read_crash_records
from .exit_reasons import find_exit_reason
from .install import install
from .logcat import read_logs
from .measurement import read_performance
from .permissions import read_shell_permissions
from .profiles import find_profiles
from .screenrecord import record
from .state import (
    read_airplane_mode,
    read_known_subscriptions,
    read_sent_messages,
    read_setting,
)

if TYPE_CHECKING:
    from ..devtools.pages import DevTools
    from ..diagnostics import CrashRecords, Performance
    from ..recording import Video, VideoRequest
    from ..web import PageText, ScriptResult, WebPage, WebPages
    from .app_function_command import AppFunctionCommand


class AdbVerbs:
    def __init__(self, link: Link) -> None:
        self._link = link
        self.conditions = Conditions()

    def resting(self, rest: Rest) -> Self:
        """Return this driver: adb cannot do both in one call, so the caller reads the screen."""
        return self

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        with translated("logs"):
            return await read_logs(self._link, filters, last)

    async def profiles(self) -> list[Profile]:
        with translated("profiles"):
            return await find_profiles(Commands(self._link))

    async def list_folder(self, path: str) -> list[RemoteEntry]:
        return await sync.list_folder(self._link, path)

    async def pull(self, path: str, *, limit: int) -> bytes:
        return await sync.pull(self._link, path, limit=limit)

    async def pull_to(self, path: str, target: BinaryIO, *, limit: int) -> int:
        return await sync.pull_to(self._link, path, target, limit=limit)

    async def push(self, source: bytes | Path, path: str) -> int:
        moved = _report_sent(source) if is_watched() else None
        return await sync.push(self._link, source, path, moved=moved)

    async def find_exit_reason(self, package: str, within_ms: int) -> str:
        return await find_exit_reason(self._link, package, within_ms)

    async def app_functions(self) -> FunctionList:
        with translated("app_functions"):
            return await self._app_function_command.list()

    async def call_function(
        self, package: str, function: str, arguments: str, within_ms: int
    ) -> FunctionReply:
        with translated("call_function", act=True):
            return await self._app_function_command.call(package, function, arguments, within_ms)

    @cached_property
    def _app_function_command(self) -> "AppFunctionCommand":
        from .app_function_command import AppFunctionCommand

        return AppFunctionCommand(Commands(self._link))

    async def shell_permissions(self) -> frozenset[str] | None:
        return await read_shell_permissions(self._link)

    async def known_subscriptions(self) -> frozenset[int] | None:
        return await read_known_subscriptions(self._link)

    async def airplane_mode(self) -> bool | None:
        return await read_airplane_mode(self._link)

    async def setting(self, table: str, name: str) -> str | None:
        with translated("setting"):
            return await read_setting(self._link, table, name)

    async def sent_messages(self) -> Mapping[int, str] | None:
        with translated("sent_messages"):
            return await read_sent_messages(self._link)

    async def clear_data(self, package: str) -> None:
        with translated("clear_data", {"package": package}, act=True):
            await clear_data(Commands(self._link), package)

    async def crash_records(self, package: str | None, near: datetime | None) -> "CrashRecords":
        with translated("crash_records"):
            return await read_crash_records(Commands(self._link), package, near)

    async def performance(self, package: str) -> "Performance":
        with translated("performance"):
            return await read_performance(Commands(self._link), package)

    @cached_property
    def _devtools(self) -> "DevTools":
        from ..devtools.pages import DevTools  # few sessions debug web pages

        return DevTools(self._link)

    async def web_pages(self) -> "WebPages":
        with translated("web_pages"):
            return await self._devtools.pages()

    async def read_page(self, page: "WebPage", selector: str | None, most: int) -> "PageText":
        with translated("read_page"):
            return await self._devtools.read(page, selector, most)

    async def run_script(self, page: "WebPage", script: str, timeout_ms: int) -> "ScriptResult":
        with translated("run_script", act=True):
            return await self._devtools.run(page, script, timeout_ms)

    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        with translated("device"):
            return await self._device.read(names)

    async def change_device(self, line: str, names: Collection[str]) -> FactAnswer:
        with translated("device", act=True):
            return await self._device.change(line, names)

    async def reach(self) -> Reach:
        with translated("device"):
            return await self._device.reach()

    @property
    def _device(self) -> ShellDevice:
        return ShellDevice(Commands(self._link))

    async def traits(self) -> PhoneTraits:
        with translated("traits"):
            return await read_traits(Commands(self._link))

    async def install(self, parts: Sequence[ApkFile], options: InstallOptions) -> None:
        with translated("install", act=True):
            await install(self._link, parts, options)

    async def uninstall(self, package: str, *, keep_data: bool) -> None:
        with translated("uninstall", {"package": package}, act=True):
            await uninstall(Commands(self._link), package, keep_data=keep_data)

    async def set_permission(self, package: str, permission: str, granted: bool) -> None:
        with translated("set_permission", {"package": package}, act=True):
            await set_permission(Commands(self._link), package, permission, granted)

    async def record(self, request: "VideoRequest") -> "Video":
        with translated("record", act=True):
            return await record(self._link, request)

    async def hardware(self) -> Hardware | None:
        return await read_hardware(self._link)


def _report_sent(source: bytes | Path) -> Callable[[int], None]:
    total: int | None = None
    with suppress(OSError):  # sending the file reports the error
        total = len(source) if isinstance(source, bytes) else source.stat().st_size

    def moved(size: int) -> None:
        # A file that is sent at once needs no report.
        if total is not None and size < total:
            report(size, total, "Sending the file to the phone")

    return moved
