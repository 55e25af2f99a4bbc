"""The phones that this process owns, as they connect and disconnect."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..adb.link import AdbError, Link
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import ActionFailed, PermissionDenied, ToolError, Unreachable

if TYPE_CHECKING:
    # Commands that go through another process import this package without needing a phone.
    from ..phone.phone import Phone

MakePhone = Callable[[Link], "Phone"]
"""Creates the Phone object for a link."""
Notify = Callable[[str], None]
"""Receives a line of text when a phone connects or disconnects."""


class DeviceInfo(NamedTuple):
    """A phone and its state, whether it can be used or not."""

    serial: str
    state: PhoneState
    model: str = ""
    slug: str = ""

    def __str__(self) -> str:
        name, *further = [part for part in (self.slug, self.serial, self.model) if part]
        return f"{name} ({', '.join(further)})" if further else name


class Devices(Protocol):
    """The phones that tools can use. `ref` is a slug or serial."""

    async def pick(self, ref: str | None) -> "Phone":
        """Return the phone `ref`, or the only one. Raises ToolError, which suggests what to do."""
        ...

    async def present(self, ref: str | None) -> "list[Phone]":
        """Return the phone `ref`, or all phones; only those that can be used now. Notices for the
        next call stay pending."""
        ...

    async def slug_of(self, ref: str) -> str:
        """Return the slug of the phone `ref`, "" if it has none. Raises UnknownPhone."""
        ...

    def describe(self) -> str:
        """Describe the connected phones in a sentence."""
        ...

    def knows(self, ref: str) -> bool:
        """Whether one of its phones, connected or not, has this slug or serial."""
        ...

    async def settle(self) -> None:
        """Wait for a short time until the first list of connected phones is known."""
        ...

    def connected(self) -> list[DeviceInfo]:
        """The phones that can be used now."""
        ...

    def absent(self) -> list[str]:
        """The chosen phones that cannot be used now."""
        ...

    async def known(self) -> list[DeviceInfo]:
        """All phones, whether they can be used or not. Checks again for those that cannot."""
        ...

    async def release(self, ref: str | None) -> str:
        """Release UiAutomation for other programs on the phone. Returns a sentence."""
        ...

    async def aclose(self) -> None: ...


NO_PHONE = (
    "No phone is connected. Plug one in and allow USB debugging on its screen (many cables only "
    "charge); `handheld doctor` says what is missing. For a virtual phone instead, start Handheld "
    "with --phone virtual, which in a client's configuration is two more arguments."
)


def as_tool_error(problem: AdbError, lost_at: float | None = None) -> ToolError:
    """The error that a tool's caller gets for a failed connection. `lost_at` is the time of day at
    which an earlier connection was lost."""
    from datetime import UTC, datetime  # slow to import

    details: tuple[str, ...] = ()
    if lost_at is not None:
        details = (
            f"It was connected until {datetime.fromtimestamp(lost_at, UTC).astimezone():%H:%M}.",
        )
    if isinstance(problem, PhoneUnavailable) and problem.state is not PhoneState.ABSENT:
        return PermissionDenied(str(problem), *details)
    return Unreachable(str(problem), *details)


def unknown(ref: str, present: str) -> str:
    """The message of UnknownPhone for a URL, and of InvalidParams for a tool's argument."""
    from ..screen.text import brief  # a command that goes through another process needs no screens

    return f"No phone here is called {brief(ref)!r}. {present}"


def listed(phones: Sequence[DeviceInfo]) -> str:
    return ", ".join(map(str, phones))


async def restore(devices: Devices, ref: str | None) -> str:
    """Restore the settings changed on a phone, once the calls on it have ended. Returns a sentence
    for each setting. If a setting stays changed, raises ToolError with these sentences."""
    phone = await devices.pick(ref)
    async with phone.acting("phones restore", person=True):
        done = await phone.device.restore()
        left = phone.device.originals.of(await phone.device.key())
    if not done:
        return f"Nothing that Handheld changed is left on {phone.name}."
    told = "\n".join(done)
    if left:
        raise ActionFailed(told)
    return told


async def release(phone: "Phone") -> str:
    held = await phone.driver.release()
    if held:
        return (
            f"{phone.serial} is released: other programs may use UiAutomation until the next call."
        )
    return f"Handheld was not using UiAutomation on {phone.serial}."
