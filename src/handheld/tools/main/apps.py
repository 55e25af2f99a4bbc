"""Apps: opening, listing and closing them."""

from ...driver.apps import InFront
from ...errors import ActionFailed
from ...phone.phone import Phone
from ...screen.characters import plain
from ..recording import Secret
from ..tool import Reply, Toolset, json_text
from .params import AppFilter, ClosedPackage, LaunchedPackage, NameQuery

apps = Toolset("apps")


@apps.tool(title="Open app", idempotent=True, secret_reply=Secret.NO)
async def open_app(phone: Phone, package_id: LaunchedPackage) -> Reply:
    """Opens (launches) an application by its package ID. The app must be installed and have a
    launchable activity."""
    front = await phone.driver.launch(package_id)
    opened = f"App opened successfully: {package_id}"
    if front == package_id:
        return opened
    return [opened, f"An activity of {plain(front)} is in front, in the app's own task."]


@apps.tool(
    title="List apps", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.NO
)
async def list_apps(phone: Phone, filter: AppFilter = "all", name_query: NameQuery = None) -> str:
    """Lists installed applications. Can filter by type (all, user-installed, system) and by name
    substring."""
    part = (name_query or "").casefold()
    found = [app for app in await phone.driver.packages(filter) if part in app.label.casefold()]
    found.sort(key=lambda app: (app.label.lower(), app.package))
    return json_text(
        [
            {
                "package_id": app.package,
                "name": app.label,
                "version_name": app.version_name,
                "version_code": app.version_code,
                "is_system": app.system,
            }
            for app in found
        ]
    )


@apps.tool(title="Close app", destructive=True, idempotent=True, secret_reply=Secret.NO)
async def close_app(phone: Phone, package_id: ClosedPackage) -> Reply:
    """Kills a background application process."""
    try:
        restarted = await phone.driver.stop(package_id)
    except InFront:
        raise ActionFailed(
            f"Failed to close application '{package_id}': it is in the foreground, and only apps in"
            " the background can be closed. Call press_home first, then close it."
        ) from None
    closed = f"App closed successfully: {package_id}"
    if not restarted:
        return closed
    return [closed, "It was restarted immediately: the system keeps it running."]
