"""The phones of a surface that has only one, and all of its tools."""

from handheld.access.request_scope import RequestScope
from handheld.phone.phone import Phone
from handheld.tools.listing import OPTIONAL_TOOLSETS

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
