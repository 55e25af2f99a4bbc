"""Apps: bringing them to the front."""

from ..phone import Phone
from ..tool import Toolset
from .params import LaunchedPackage

apps = Toolset("apps")


@apps.tool(title="Open app", idempotent=True)
async def open_app(phone: Phone, package_id: LaunchedPackage) -> str:
    """Opens (launches) an application by its package ID. The app must be installed and have a
    launchable activity."""
    await phone.hands.launch(package_id)
    return f"App opened successfully: {package_id}"
