"""The phones of a surface that has only one, and all of its tools."""

from handheld.access.request_scope import RequestScope
from handheld.errors import ActionFailed, UnknownPhone
from handheld.phone.phone import Phone
from handheld.tools.listing import OPTIONAL_TOOLSETS
from phone.world import World

ALL_ON = RequestScope(on=OPTIONAL_TOOLSETS)
"""The policy by which no toolset is left out."""


class OnePhone:
    def __init__(self, phone: Phone) -> None:
        self._phone = phone

    async def pick(self, ref: str | None) -> Phone:
        return self._phone

    async def present(self, ref: str | None) -> list[Phone]:
        return [self._phone]

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return ""


class UnusedPhone:
    """A phone that no tool of these tests looks at."""

    def __init__(self, patience: float = 30.0) -> None:
        self.phone = Phone("serial", World(), patience=patience)
        self.picked: list[str | None] = []

    async def pick(self, ref: str | None) -> Phone:
        self.picked.append(ref)
        if ref == "none":
            raise ActionFailed("No phone is connected.")
        return self.phone

    async def present(self, ref: str | None) -> list[Phone]:
        return [self.phone]

    async def slug_of(self, ref: str) -> str:
        if ref == "nobody":
            raise UnknownPhone("No phone here is called 'nobody'.")
        return "pixel7" if ref == "pixel7" else ""

    def describe(self) -> str:
        return "One phone is connected: serial."
