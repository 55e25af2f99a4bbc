"""The driver that works through the helper on the phone."""

from ..errors import ActionFailed
from .helper_app_tools import HelperAppTools
from .helper_apps import HelperApps
from .helper_cameras import HelperCameras
from .helper_device import HelperDevice
from .helper_files import HelperFiles
from .helper_input import HelperInput
from .helper_intents import HelperIntents
from .helper_notifications import HelperNotifications
from .helper_screen import HelperScreen
from .helper_sms import HelperSms
from .helper_tables import HelperTables
from .helper_text import HelperText
from .helper_verbs import ACT_MS


class HelperDriver(
    HelperDevice,
    HelperScreen,
    HelperInput,
    HelperText,
    HelperApps,
    HelperIntents,
    HelperFiles,
    HelperAppTools,
    HelperSms,
    HelperNotifications,
    HelperTables,
    HelperCameras,
):
    """Every verb is one call to the helper, except those that adb performs itself."""

    async def release(self) -> bool:
        if not self._client.connected:
            return False
        try:
            answer = await self._call("release", {}, ACT_MS)
        except ActionFailed:
            # Where Android does not take it back, it is free once the helper has ended.
            await self._client.drop()
            return True
        return answer.reply["released"]

    async def aclose(self) -> None:
        await self._client.aclose()
