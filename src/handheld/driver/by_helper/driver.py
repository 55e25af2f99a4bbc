"""The driver that works through the helper on the phone."""

from ...errors import ActionFailed
from .app_tools import HelperAppTools
from .apps import HelperApps
from .cameras import HelperCameras
from .device import HelperDevice
from .files import HelperFiles
from .input import HelperInput
from .intents import HelperIntents
from .notifications import HelperNotifications
from .screen import HelperScreen
from .sms import HelperSms
from .tables import HelperTables
from .text import HelperText
from .verbs import ACT_MS


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
    """Performs every verb with one call to the helper, except those that adb performs itself."""

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
