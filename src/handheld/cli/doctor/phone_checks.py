"""The ten checks of `handheld phones check`, in the order of what is least certain without a real
phone. Each takes a minute at most, and puts back what it changes."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple, Protocol

from ...driver.fallback import FallbackDriver
from ...driver.notifications import NotificationVerb
from ...driver.recording import VideoRequest
from ...driver.target import Target, TargetMissing
from ...driver.text import CannotType, Typing
from ...errors import ActionFailed, ToolError
from ...phone.notifications.notifications import act, list_notifications
from ...phone.phone import Phone
from ...phone.screen.targets import target_of
from ...screen.model import Flag
from .private_words import PrivateWords

SECONDS = 60.0
"""Of one check, without what the person does."""
SETTINGS_APP = "com.android.settings"
FORM = "dev.handheld.form"
"""An app of the virtual phone."""
TEXT = "Handheld ä1"
PLACE = (0.0, 0.0)
_FIND, _KILL = "pidof handheld", "pkill -9 -x handheld"
_QUOTES = (" '", ' "', " “", " said: ")
"""Where words of others begin in a sentence."""


class CheckOutcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    CANNOT = "cannot"
    """This phone does not have what the check is about."""
    SKIPPED = "skipped"
    """The person did not want it, or could not tell."""


class CheckResult(NamedTuple):
    name: str
    outcome: CheckOutcome
    sentence: str
    """Without words of the screen, names and numbers."""


class Person(Protocol):
    async def confirms(self, question: str) -> bool: ...


class Cannot(Exception):
    """The message is a sentence."""


class Skipped(Exception):
    """The person said no."""


Run = Callable[[Phone, Person], Awaitable[str]]


class Check(NamedTuple):
    name: str
    about: str
    run: Run
    """Returns what was seen, as a sentence. Raises ToolError, Cannot, Skipped."""


async def run_check(check: Check, phone: Phone, person: Person) -> CheckResult:
    try:
        async with phone.clock.timeout(SECONDS):
            return CheckResult(check.name, CheckOutcome.OK, await check.run(phone, person))
    except Cannot as reason:
        return CheckResult(check.name, CheckOutcome.CANNOT, str(reason))
    except Skipped:
        return CheckResult(check.name, CheckOutcome.SKIPPED, "Not done.")
    except (CannotType, TargetMissing):
        return CheckResult(
            check.name, CheckOutcome.FAILED, "There was no field, or it did not take a text."
        )
    except TimeoutError:
        return CheckResult(check.name, CheckOutcome.FAILED, f"It did not end within {SECONDS:g} s.")
    except ToolError as failure:
        return CheckResult(check.name, CheckOutcome.FAILED, hide(failure.message))


def hide(sentence: str) -> str:
    """Without what it quotes, the names of apps, and what looks private."""
    quoted = min(at for sign in _QUOTES if (at := f"{sentence}{sign}".find(sign)) >= 0)
    told = sentence if quoted == len(sentence) else f"{sentence[:quoted]} <…>"
    words = ["<app>" if "." in word.strip(".,:;()") else word for word in told.split()]
    return PrivateWords({}).hide(" ".join(words))[:300]


def _driver(phone: Phone) -> FallbackDriver:
    assert isinstance(phone.driver, FallbackDriver), "phones of this process have that driver"
    return phone.driver


async def _start(phone: Phone, person: Person) -> str:
    screen = await phone.driver.read_screen()
    if trouble := _driver(phone).trouble:
        raise ActionFailed(f"The helper does not run, adb's shell does instead: {trouble}")
    nodes = sum(len(window.nodes) for window in screen.windows)
    return f"The helper starts and reads {len(screen.windows)} windows with {nodes} elements."


async def _open_notification(phone: Phone, person: Person) -> str:
    posted = [each for each in await list_notifications(phone) if not each.seen.ongoing]
    if not posted:
        raise Cannot("There is no notification to open. Send the phone a message, and repeat this.")
    if not await person.confirms("Open the newest notification? Its app may take it as read."):
        raise Skipped
    try:
        front = await act(phone, posted[0], NotificationVerb("open"))
    finally:
        await _go_home(phone)
    if front != posted[0].seen.package:
        raise ActionFailed("Another app than that of the notification is in front.")
    return "The app of a notification came to the front."


async def _film(phone: Phone, person: Person) -> str:
    _need_helper(phone)
    cameras = await phone.driver.cameras()
    if not cameras or not cameras[0].video_sizes:
        raise Cannot("The phone has no camera for videos.")
    if not await person.confirms("Take a photo and a video of two seconds? Both are deleted."):
        raise Skipped
    camera = cameras[0]
    photo = await phone.driver.take_photo(
        camera.id, camera.photo_sizes[-1], 80, "off", most=camera.photo_sizes[-1]
    )
    video = await phone.driver.record_video(
        camera.id, camera.video_sizes[-1], 2000, "off", audio=False
    )
    await phone.driver.remove_recording(video.path)
    if not video.size or not photo.data:
        raise ActionFailed("The photo or the video is empty.")
    return f"A photo of {len(photo.data)} bytes, a video of {video.size} bytes."


async def _pretend(phone: Phone, person: Person) -> str:
    try:
        await phone.device.change_place(PLACE)
    finally:
        done = await phone.device.change_place(None)
    return "A mock location was set and removed." if done else "Nothing was changed."


async def _read_by_shell(phone: Phone, person: Person) -> str:
    await phone.driver.release()
    shell = _driver(phone).by_shell
    await shell.read_screen()
    screen = await shell.read_screen()
    return f"Read twice by adb's shell alone: {len(screen.windows)} windows."


async def _kill(phone: Phone, person: Person) -> str:
    _need_helper(phone)
    await phone.driver.read_screen()
    before = (await phone.driver.change_device(_FIND, ())).said
    await phone.driver.change_device(_KILL, ())
    for _ in range(2):
        # The first may find that it has gone.
        with suppress(ActionFailed):
            await phone.driver.read_screen()
    await phone.driver.read_screen()
    _need_helper(phone)
    after = (await phone.driver.change_device(_FIND, ())).said
    if not before or after in ("", before):
        raise ActionFailed("The helper was not killed, or is not found among the processes.")
    return "The helper was killed, and the next call started another."


async def _touch(phone: Phone, person: Person) -> str:
    await phone.driver.launch(SETTINGS_APP)
    screen = await phone.driver.read_screen()
    x, top, bottom = screen.width / 2, screen.height * 0.3, screen.height * 0.7
    try:
        await phone.driver.touch([[(x, bottom, 0), (x, top, 300)]])
        moved = await phone.driver.changed(screen.seq, 2000) > screen.seq
    finally:
        await _go_home(phone)
    if not moved:
        raise ActionFailed("The swipe was accepted, and nothing on the screen moved.")
    return "A swipe moved the settings."


async def _type(phone: Phone, person: Person) -> str:
    if phone.ours:
        await phone.driver.launch(FORM)
    elif not await person.confirms("Open a new note, or another empty field. Is it there?"):
        raise Skipped
    typed = await phone.driver.type(await _find_field(phone), Typing(TEXT, "end", 30, 0))
    with suppress(CannotType, TargetMissing):
        await phone.driver.type(await _find_field(phone), Typing("", "all", 0, 0))
    if not typed.matches:
        raise ActionFailed("The field does not contain what was typed.")
    return "A text with a letter that has no key was in the field."


async def _record(phone: Phone, person: Person) -> str:
    video = await phone.driver.record(VideoRequest(10, 720, 1280, 2_000_000))
    try:
        await phone.driver.press("notifications")
        await phone.clock.sleep(2)
        recorded = await video.stop()
    finally:
        await video.aclose()
        await _go_home(phone)
    if not recorded.size:
        raise ActionFailed("The video is empty.")
    return f"A video of {recorded.size} bytes."


async def _copy(phone: Phone, person: Person) -> str:
    _need_helper(phone)
    kept = await phone.driver.get_clipboard()
    try:
        await phone.driver.set_clipboard(TEXT)
        read = await phone.driver.get_clipboard()
    finally:
        if kept is not None:
            await phone.driver.set_clipboard(kept)
    if read != TEXT:
        raise ActionFailed("The clipboard does not contain what was copied.")
    if await person.confirms("Did the phone show on its screen that something was copied?"):
        raise ActionFailed("The phone showed what was copied.")
    return "A text was copied, read and put back, unseen."


def _need_helper(phone: Phone) -> None:
    if _driver(phone).trouble:
        raise Cannot("This needs the helper, which does not run on this phone.")


async def _find_field(phone: Phone) -> Target:
    """The field with the focus, or else the first. Raises ActionFailed."""
    screen = await phone.driver.read_screen()
    fields = [
        node
        for window in screen.windows
        if window.focused
        for node in window.nodes
        if node.flags & Flag.EDITABLE and not node.flags & Flag.PASSWORD
    ]
    fields.sort(key=lambda node: not node.flags & Flag.FOCUSED)
    if not fields:
        raise ActionFailed("No field is in front.")
    return target_of(fields[0], None)


async def _go_home(phone: Phone) -> None:
    await phone.driver.press("home")


CHECKS = (
    Check("helper", "the helper starts and reads the screen", _start),
    Check("notification", "what a notification opens comes to the front", _open_notification),
    Check("camera", "a photo and a video are taken", _film),
    Check("killed", "a killed helper is replaced", _kill),
    Check("place", "a mock location is set and removed", _pretend),
    Check("shell", "the screen is read twice without the helper", _read_by_shell),
    Check("touch", "a swipe arrives", _touch),
    Check("typing", "a text arrives in a field", _type),
    Check("recording", "the screen is recorded", _record),
    Check("clipboard", "a text is copied without being shown", _copy),
)
