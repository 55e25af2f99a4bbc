"""What cannot be done on a phone without the helper, and the message that states it."""

from enum import Enum

from ...errors import ActionFailed


class Unsupported(Enum):
    """What only the helper can do, as a clause of the refusal."""

    FINGERS = "gestures of several fingers cannot be made"
    PATHS = "a finger cannot be led over several points on a phone with Android 9 or older"
    POINTS = "a finger cannot be led over more than some 1000 points"
    CLIPBOARD = "the clipboard cannot be reached"
    NOTICES = "notifications cannot be awaited"
    NOTIFICATIONS = "notifications can be read but not answered; open_notifications shows them"
    MESSAGES = "messages cannot be sent and SIM cards not be told apart"
    APP_TOOLS = "the tools of apps cannot be called"
    LETTERS = "only the letters, digits and signs of ASCII can be typed"
    LENGTH = "at most 2000 characters can be typed at once"
    TAB = "a tab cannot be typed: the key TAB moves the focus"
    COMBINATIONS = "keys cannot be pressed together on a phone with Android 11 or older"
    CURSOR = "the cursor cannot be put into a text that has line breaks or is not ASCII"
    LANGUAGE = "the language of the system cannot be set"
    FIX = "where the phone is cannot be found anew"
    PLACE = "a place can be pretended on Android 12 and newer only"
    CAMERA = "the camera cannot be used"
    SELECTION = "where the cursor is cannot be read"


class NeedsHelper(ActionFailed):
    """The driver without the helper cannot do it. Nothing was done."""

    def __init__(self, unsupported: Unsupported, why: str, detail: str = "") -> None:
        super().__init__(refusal(unsupported, why, detail))
        self.unsupported = unsupported


def refusal(unsupported: Unsupported, why: str, detail: str = "") -> str:
    """`why` is a sentence about the helper, `detail` what in this call needs it."""
    what = f"{unsupported.value}{': ' + detail if detail else ''}"
    reason = f" {why}" if why else ""
    return (
        f"Without Handheld's helper on the phone, {what}. Nothing was done.{reason}"
        " `handheld doctor` says what to do."
    )
