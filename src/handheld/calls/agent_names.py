"""The names of the tools for models: `phone_…`, or with another prefix, in all that a client
reads. Rules, scopes and the record go by the names with `phone_`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..access.request_scope import RequestScope
from ..tools.listing import PHONE_PREFIX, STEPS_PREFIX, Item, Listing

_CONTENT = ("phone_read",)
"""Their replies are content, which stays as it is."""


class AgentNames:
    def __init__(self, names: Iterable[str], prefix: str = PHONE_PREFIX) -> None:
        """`names` are those of all tools; `prefix` is for requests that state none."""
        self._names = frozenset(names)
        self._prefix = prefix
        words = "|".join(sorted(name.removeprefix(PHONE_PREFIX) for name in self._names))
        # Words of the phone, which are in quotes, and rules of the owner stay as they are.
        self._mentions = re.compile(
            r'"(?:[^"\\]|\\(?:.|\Z))*"?|rule \'[^\']*\''
            rf"|\b{PHONE_PREFIX}(?=(?:{words})\b|<tool>)",
            re.DOTALL,
        )

    def prefix(self, scope: RequestScope) -> str | None:
        """The prefix in a request; None where it is their own."""
        prefix = self._prefix if scope.prefix is None else scope.prefix
        return None if prefix == PHONE_PREFIX else prefix

    def limits(self, scope: RequestScope, prefix: str) -> RequestScope:
        """The same request by the own names. Names with the prefix are taken in its scope, too:
        without one they would be main tools."""

        def own(names: frozenset[str]) -> frozenset[str]:
            return names | {
                PHONE_PREFIX + name.removeprefix(prefix)
                for name in names
                if prefix and name.startswith(prefix)
            }

        only = None if scope.only is None else own(scope.only)
        off = own(scope.off)
        return replace(scope, only=only, off=off, prefix=PHONE_PREFIX)

    def own(self, name: str, prefix: str) -> str:
        own = PHONE_PREFIX + name.removeprefix(prefix)
        return own if name.startswith(prefix) and own in self._names else name

    def items(self, own: str, items: Sequence[Item], prefix: str) -> Sequence[Item]:
        """A reply as its client reads it."""
        if own in _CONTENT or not (own in self._names or own.startswith(STEPS_PREFIX)):
            return items
        return [self.text(each, prefix) if isinstance(each, str) else each for each in items]

    def listing(self, listing: Listing, prefix: str) -> Listing:
        if listing.name not in self._names:
            return listing
        schema = listing.input_schema
        properties = {
            name: {**each, "description": self.text(each["description"], prefix)}
            if "description" in each
            else each
            for name, each in schema["properties"].items()
        }
        return replace(
            listing,
            name=prefix + listing.name.removeprefix(PHONE_PREFIX),
            description=self.text(listing.description, prefix),
            input_schema={**schema, "properties": properties},
        )

    def text(self, text: str, prefix: str) -> str:
        return self._mentions.sub(
            lambda found: prefix if found[0] == PHONE_PREFIX else found[0], text
        )
