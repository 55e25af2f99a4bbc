"""The `clipboard` command: reads or sets the clipboard."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import CLIPBOARD_LIMIT, Code, HelperFailure

from ...system.clipboard import NO_OVERLAY, SHELL, Refused
from ...views.text.graphemes import units
from ..protocol.command import Answer, bad, check_keys

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job


def check_clipboard(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "set")
    text = arguments["set"]
    if text is None:
        return
    if not isinstance(text, str):
        raise bad("`set` is not null or a string.")
    if units(text) > CLIPBOARD_LIMIT:
        raise bad(f"`set` has more than {CLIPBOARD_LIMIT} UTF-16 units.")


async def clipboard(helper: "Helper", job: "Job") -> Answer:
    world, text = helper.world, job.arguments["set"]
    try:
        if text is not None:
            world.clipboard.copy(text, SHELL, frozenset((NO_OVERLAY,)))
            return Answer()
        if world.locked:
            # Android reports an empty clipboard, which would be false.
            message = "The phone is locked: Android shows the clipboard to nobody."
            raise HelperFailure(Code.LOCKED, message)
        return Answer({"text": world.clipboard.paste()})
    except Refused as refusal:
        raise HelperFailure(Code.FAILED, str(refusal)) from refusal
