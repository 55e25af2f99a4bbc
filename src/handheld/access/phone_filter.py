"""The phones of a surface, and the ones that a caller may use."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..errors import ActionFailed, InvalidParams, UnknownPhone
from ..screen.text import brief

if TYPE_CHECKING:
    from ..phone.phone import Phone


class PhonePool(Protocol):
    """The phones that a surface serves."""

    async def pick(self, ref: str | None) -> "Phone":
        """Return the phone with that slug or serial, or the only phone. Raises ToolError if there
        is none, or if there are several to choose from."""
        ...

    async def slug_of(self, ref: str) -> str:
        """Return the slug of the phone with that slug or serial, connected or not; "" if it has
        none. Raises UnknownPhone."""
        ...

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        """Return the phone with that slug or serial, or all phones; only connected ones."""
        ...

    def describe(self) -> str:
        """Describe the connected phones in a sentence."""
        ...


class PhoneFilter:
    """The phones of `phones` that have one of these slugs or serials. Replies never mention any
    others."""

    def __init__(self, phones: PhonePool, names: frozenset[str]) -> None:
        self._phones = phones
        self._names = names

    async def pick(self, ref: str | None) -> "Phone":
        if ref is None and len(self._names) == 1:
            [ref] = self._names
        if ref is not None:
            try:
                await self._check(ref)
            except UnknownPhone as unknown:
                raise InvalidParams(unknown.message) from None
            return await self._phones.pick(ref)
        present = await self.present(None)
        if not present:
            raise none_connected(self._names)
        if len(present) > 1:
            raise several_within(self._names)
        return present[0]

    async def slug_of(self, ref: str) -> str:
        await self._check(ref)
        return await self._phones.slug_of(ref)

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        if ref is not None:
            await self._check(ref)
            return await self._phones.present(ref)
        return [phone for phone in await self._phones.present(None) if await self._has(phone)]

    def describe(self) -> str:
        return f"The phones that may be used: {_listed(self._names)}."

    async def _check(self, ref: str) -> None:
        if not await self._is_allowed(ref):
            raise not_allowed(ref, self._names)
        try:
            await self._phones.slug_of(ref)
        except UnknownPhone:
            # The original reason would name the other phones.
            raise unknown_within(ref, self._names) from None

    async def _has(self, phone: "Phone") -> bool:
        return phone.name in self._names or await self._is_allowed(phone.serial)

    async def _is_allowed(self, ref: str) -> bool:
        """A phone has two names, and the owner may have written either."""
        if ref in self._names:
            return True
        slug = await self._slug(ref)
        return bool(slug) and (
            slug in self._names or slug in [await self._slug(name) for name in self._names]
        )

    async def _slug(self, ref: str) -> str:
        try:
            return await self._phones.slug_of(ref)
        except UnknownPhone:
            return ""


def not_allowed(ref: str, names: frozenset[str]) -> UnknownPhone:
    return UnknownPhone(
        f"This token may not use a phone called {brief(ref)!r}. It may use: {_listed(names)}."
    )


def unknown_within(ref: str, names: frozenset[str]) -> UnknownPhone:
    return UnknownPhone(
        f"No phone here is called {brief(ref)!r}. This token may use: {_listed(names)}."
    )


def none_connected(names: frozenset[str]) -> ActionFailed:
    return ActionFailed(f"None of the phones of this token is connected: {_listed(names)}.")


def several_within(names: frozenset[str]) -> InvalidParams:
    return InvalidParams(f"Several phones match: name one of {_listed(names)}.")


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
