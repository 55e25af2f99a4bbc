"""The phones of a surface that has only one."""

from handheld.phone import Phone


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
