"""The helper's `clipboard`: reads it, or puts a text there."""

from typing import TYPE_CHECKING, Any

from ..helper.protocol import CLIPBOARD_LIMIT, Code, HelperFailure
from .clipboard import Refused

if TYPE_CHECKING:
    from .helper import Helper, Job


def check_clipboard(arguments: dict[str, Any]) -> None:
    if arguments.keys() != {"set"}:
        raise HelperFailure(Code.BAD_CALL, "`with` does not have exactly this key: set.")
    text = arguments["set"]
    if text is None:
        return
    if not isinstance(text, str):
        raise HelperFailure(Code.BAD_CALL, "`set` is not null or a string.")
    if len(text.encode("utf-16-le", "surrogatepass")) > CLIPBOARD_LIMIT * 2:
        message = f"`set` has more than {CLIPBOARD_LIMIT} UTF-16 units."
        raise HelperFailure(Code.BAD_CALL, message)


def clipboard(helper: "Helper", job: "Job") -> dict[str, Any]:
    world, text = helper.world, job.arguments["set"]
    try:
        if text is not None:
            world.clipboard.copy(text)
            return {}
        if world.locked:
            # Android answers as if it were empty, which would be a lie.
            message = "The phone is locked: Android shows the clipboard to nobody."
            raise HelperFailure(Code.LOCKED, message)
        return {"text": world.clipboard.paste()}
    except Refused as refusal:
        raise HelperFailure(Code.FAILED, str(refusal)) from refusal
