"""The phones that this process owns, as they come and go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..adb.link import AdbError, Link
from ..adb.state import PhoneState, PhoneUnavailable
from ..errors import ActionFailed, PermissionDenied, ToolError
from ..phone import Phone
from ..ui.text import cut, plain

Hold = Callable[[Link], Phone]
"""Makes the phone at the other end of a link."""
Told = Callable[[str], None]
"""Takes a line about a phone that came or went."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a phone, usable or not."""

    serial: str
    state: PhoneState
    model: str = ""
    slug: str = ""

    def __str__(self) -> str:
        name, *further = [part for part in (self.slug, self.serial, self.model) if part]
        return f"{name} ({', '.join(further)})" if further else name


class Devices(Protocol):
    """What the surface picks phones from."""

    async def pick(self, ref: str | None) -> Phone:
        """The phone named, or the only one. Raises ToolError saying what to do."""
        ...

    async def present(self, ref: str | None) -> list[Phone]:
        """The phone named, or all, as far as they can be used now. What the next call must know
        is not said here."""
        ...

    async def slug_of(self, ref: str) -> str:
        """The slug of the phone named, "" where it has none. Raises UnknownPhone."""
        ...

    def describe(self) -> str:
        """One sentence: which phones there are now."""
        ...

    def knows(self, ref: str) -> bool:
        """Whether one of its phones, connected or not, has this slug or serial."""
        ...

    async def settle(self) -> None:
        """Wait, not for long, until it is known which phones are connected at first."""
        ...

    def connected(self) -> list[Known]:
        """The phones that can be used now."""
        ...

    def absent(self) -> list[str]:
        """The phones that were asked for and cannot be used now."""
        ...

    async def known(self) -> list[Known]:
        """All phones, usable or not, after a look for those that are not."""
        ...

    async def release(self, ref: str | None) -> str:
        """Let go of what other programs on the phone may want. A sentence."""
        ...

    async def aclose(self) -> None: ...


NO_PHONE = (
    "No phone is connected. Plug one in and allow USB debugging on its screen (many cables only "
    "charge); `handheld doctor` says what is missing. To try a virtual phone: "
    "handheld serve --phone virtual"
)


def as_tool_error(problem: AdbError) -> ToolError:
    """What a failed way to a phone is to the one who called a tool."""
    if isinstance(problem, PhoneUnavailable) and problem.state is not PhoneState.ABSENT:
        return PermissionDenied(str(problem))
    return ActionFailed(str(problem))


def unknown(ref: str, said: str) -> str:
    """To be raised as UnknownPhone for an address, as InvalidParams for a tool's argument."""
    return f"No phone here is called {cut(plain(ref))!r}. {said}"


def listed(phones: Sequence[Known]) -> str:
    return ", ".join(map(str, phones))


async def release(phone: Phone) -> str:
    held = await phone.driver.release()
    if held:
        return f"{phone.serial} is let go: other programs may use UiAutomation until the next call."
    return f"Nothing was held on {phone.serial}."
