"""Verbs that need the helper, and the message of their refusal."""

from enum import Enum

from ...errors import ActionFailed


class Unsupported(Enum):
    """A verb that needs the helper, as a clause of the refusal."""

    FINGERS = "gestures of several fingers cannot be made"
    PATHS = "a finger cannot move over several points on a phone with Android 9 or older"
    POINTS = "a finger cannot move over more than about 1000 points"
    CLIPBOARD = "the clipboard cannot be reached"
    NOTICES = "it is not possible to wait for notifications"
    NOTIFICATIONS = "notifications can be read but not answered; open_notifications shows them"
    MESSAGES = "messages cannot be sent, and SIM cards cannot be told apart"
    APP_TOOLS = "the tools of apps cannot be called"
    LETTERS = "only ASCII characters can be typed"
    LENGTH = "at most 2000 characters can be typed at once"
    TAB = "a tab cannot be typed: the key TAB moves the focus"
    COMBINATIONS = "keys cannot be pressed together on a phone with Android 11 or older"
    CURSOR = "the cursor cannot be put into a text that has line breaks or is not ASCII"
    LANGUAGE = "the language of the system cannot be set"
    FIX = "a new location fix is not possible"
    PLACE = "the location can be mocked on Android 12 and newer only"
    CAMERA = "the camera cannot be used"
    SELECTION = "the position of the cursor cannot be read"


class NeedsHelper(ActionFailed):
    """The driver without the helper cannot perform the verb. Nothing was done."""

    def __init__(self, unsupported: Unsupported, why: str, detail: str = "") -> None:
        super().__init__(refusal(unsupported, why, detail))
        self.unsupported = unsupported


def refusal(unsupported: Unsupported, why: str, detail: str = "") -> str:
    """`why` is a sentence about the helper, `detail` the part of the call that needs it."""
    what = f"{unsupported.value}{': ' + detail if detail else ''}"
    reason = f" {why}" if why else ""
    return (
        f"Without Handheld's helper on the phone, {what}. Nothing was done.{reason}"
        " `handheld doctor` says what to do."
    )
