"""Recording the screen."""

from typing import Annotated, Literal

from ...phone.phone import Phone
from ..parameter import Param
from ..recording import Secret
from ..recording_words import describe_start, describe_video
from ..tool import Reply, Toolset
from .elements.actions import record_actions

recording_tools = Toolset("recording")

_SECONDS, _SIZE = 600, 1280


@recording_tools.tool(
    name="phone_record",
    title="Record",
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
    actions=record_actions,
)
async def record(
    phone: Phone,
    action: Annotated[Literal["start", "stop"], Param("", schema={"description": None})],
) -> Reply:
    """Record the screen as a video."""
    if action == "start":
        recording = await phone.recorder.start(phone, _SECONDS, _SIZE)
        return describe_start(recording, _SECONDS, "phone_record stop")
    return describe_video(await phone.recorder.stop(phone))
