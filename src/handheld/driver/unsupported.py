"""What cannot be done on a phone without the helper, and the sentence that says so."""

from enum import Enum

from ..errors import ActionFailed


class Unsupported(Enum):
    """What only the helper can do, as the clause that refuses it."""

    FINGERS = "gestures of several fingers cannot be made"
    PATHS = "a finger cannot be led over several points on a phone with Android 9 or older"
    CLIPBOARD = "the clipboard cannot be reached"
    MESSAGES = "messages cannot be sent and SIM cards not be told apart"
    APP_TOOLS = "the tools of apps cannot be called"
    LETTERS = "only the letters, digits and signs of ASCII can be typed"
    LENGTH = "at most 2000 characters can be typed at once"
    CURSOR = "the cursor cannot be put into a text that has line breaks or is not ASCII"


class NeedsHelper(ActionFailed):
    """Nothing was done: this driver cannot do it."""

    def __init__(self, lack: Unsupported, why: str, detail: str = "") -> None:
        super().__init__(refusal(lack, why, detail))
        self.lack = lack


def refusal(lack: Unsupported, why: str, detail: str = "") -> str:
    """`why` is a sentence about the helper, `detail` what of this call it was."""
    what = f"{lack.value}{': ' + detail if detail else ''}"
    reason = f" {why}" if why else ""
    return (
        f"Without Handheld's helper on the phone, {what}. Nothing was done.{reason}"
        " `handheld doctor` says what to do."
    )
