"""The latency of operations: none, or as on hardware.

Each figure names its source; a figure from a range is the middle of the range.
`docs/virtual-phone-reference.md` shows this table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .android import Android


def _always(android: Android) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Figure:
    """The duration of an operation."""

    what: str
    """The first words of a shell command, or one of the constants that begin with `|`."""
    ms: float
    source: str
    applies: Callable[[Android], bool] = _always
    """Whether the figure applies to a release."""


SERVICE = "|a shell or exec service is opened"
AIR = "|an adb message makes a round trip over Wi-Fi"
NODE = "|a node is read past the cache"
HELPER_CALL = "|a call of the helper makes a round trip"
HELPER_INPUT = "|the helper injects a touch or a key"
HELPER_CAPTURE = "|the helper captures the screen"

_APP_PROCESS = "starts app_process, 300 to 700 ms as `input` did up to Android 11"
_IN_SYSTEM = "runs inside system_server, about 50 ms as `am` does since Android 8"

PHONE: tuple[Figure, ...] = (
    Figure(
        SERVICE, 5.8, "shell echo through an adb server to an emulator, including the fork, median"
    ),
    Figure(NODE, 0.55, "0.3 to 0.8 ms for each node that is not cached (argent issue 591)"),
    Figure(HELPER_CALL, 0.4, "round trip of 200 bytes on an adb stream, measured, median"),
    Figure(HELPER_INPUT, 7.5, "5 to 10 ms for input by a program on the phone (scrcpy-mcp)"),
    Figure(HELPER_CAPTURE, 33, "33 ms for a picture by a program on the phone (scrcpy-mcp)"),
    Figure(
        "uiautomator dump",
        1500,
        "waitForIdle(1000, 10000) in Android's DumpCommand and the start of app_process; with its "
        "nodes about the 2 s that Chromium saw (catapult issue 2196)",
    ),
    Figure(
        "input",
        500,
        "starts app_process, 300 to 700 ms",
        lambda android: not android.input_shell_command,
    ),
    Figure(
        "input",
        45,
        "30 to 60 ms, inside system_server since Android 12",
        lambda android: android.input_shell_command,
    ),
    Figure("screencap", 500, "a picture through adb takes about 500 ms (scrcpy-mcp)"),
    Figure("content", 650, "400 to 900 ms, most of it the start of app_process"),
    Figure("monkey", 500, _APP_PROCESS),
    Figure("app_process", 500, "300 to 700 ms, as for the helper's start"),
    Figure("am", 50, _IN_SYSTEM),
    Figure("cmd", 50, _IN_SYSTEM),
    Figure("pm", 50, _IN_SYSTEM),
    Figure("settings", 50, _IN_SYSTEM),
    Figure("wm", 50, _IN_SYSTEM),
    Figure("ime", 50, _IN_SYSTEM),
)

WIFI: tuple[Figure, ...] = (
    *PHONE,
    Figure(AIR, 7.5, "5 to 10 ms for a ping over Wi-Fi (gnirehtet issue 509)"),
)

PROFILES: dict[str, tuple[Figure, ...]] = {"none": (), "phone": PHONE, "wifi": WIFI}


def check_profile(name: str) -> None:
    """Raise ValueError for an unknown profile."""
    if name not in PROFILES:
        raise ValueError(f"Unknown latency profile {name!r}. Choose one of {', '.join(PROFILES)}.")


class Latency:
    """The latency profile of a phone."""

    def __init__(self, android: Android, profile: str = "none") -> None:
        self._android = android
        self.profile = profile

    @property
    def profile(self) -> str:
        return self._profile

    @profile.setter
    def profile(self, name: str) -> None:
        """Raises ValueError for an unknown profile."""
        check_profile(name)
        self._profile = name
        self._ms = {
            figure.what: figure.ms for figure in PROFILES[name] if figure.applies(self._android)
        }

    @property
    def any(self) -> bool:
        return bool(self._ms)

    def of(self, what: str) -> float:
        """The duration in milliseconds; 0 if the profile has none."""
        return self._ms.get(what, 0.0)

    def of_command(self, words: Sequence[str]) -> float:
        """The start-up time of a program, from the figure with the longest matching name."""
        if not self._ms:
            return 0.0
        name = words[0].rpartition("/")[2].removesuffix("64")
        return self._ms.get(" ".join((name, *words[1:2])), self._ms.get(name, 0.0))
