"""Apps through the helper."""

from ..apps import AppProcesses, Installed
from ..packages import AppInfo, AppSizes, Permission
from .verbs import ACT_MS, PACKAGES_MS, READ_MS, HelperVerbs

LAUNCH_MS = 10_000
STOP_MS = 10_000


class HelperApps(HelperVerbs):
    async def launch(self, package: str) -> str:
        answer = await self._call("launch", {"package": package}, LAUNCH_MS, act=True)
        return answer.reply["package"]

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        answer = await self._call("packages", {"kind": kind, "user": user}, PACKAGES_MS)
        return [
            Installed(
                app["package"],
                app["label"],
                app["version_name"],
                app["version_code"],
                app["system"],
            )
            for app in answer.reply["packages"]
        ]

    async def processes(self, package: str) -> AppProcesses | None:
        reply = (await self._call("processes", {"package": package}, ACT_MS)).reply
        if reply["uid"] is None:
            return None
        return AppProcesses(reply["uid"], reply["shared"], frozenset(reply["pids"]))

    async def app_info(self, package: str) -> AppInfo | None:
        app = (await self._call("app_info", {"package": package}, READ_MS)).reply["app"]
        if app is None:
            return None
        sizes, permissions = app["sizes"], app["permissions"]
        return AppInfo(
            package=app["package"],
            label=app["label"],
            version_name=app["version_name"],
            version_code=app["version_code"],
            system=app["system"],
            enabled=app["enabled"],
            debuggable=app["debuggable"],
            min_sdk=app["min_sdk"],
            target_sdk=app["target_sdk"],
            installer=app["installer"],
            installed_at=app["installed_at"],
            updated_at=app["updated_at"],
            signer=app["signer"],
            sizes=None if sizes is None else AppSizes(*sizes),
            permissions=tuple(Permission(*each) for each in permissions),
        )

    async def stop(self, package: str) -> bool:
        answer = await self._call("stop", {"package": package}, STOP_MS, act=True)
        return answer.reply["restarted"]
