"""Parse Android's messages about an intent that adb's shell may not send."""

import re
from typing import NamedTuple

_FORMS = (
    re.compile(r"(not exported) from uid \d{1,10}$", re.MULTILINE),
    re.compile(r" with (revoked) permission ([\w.]{1,200})$", re.MULTILINE | re.ASCII),
    re.compile(r" (requires) ([\w.]{1,200})$", re.MULTILINE | re.ASCII),
    re.compile(r"^Error: Requires (permission) ([\w.]{1,200})$", re.MULTILINE | re.ASCII),
)


class Denial(NamedTuple):
    permission: str = ""
    """The missing permission; empty if the component is not exported."""
    revoked: bool = False
    """The action requires the permission, not the component."""


def read_denial(text: str) -> Denial | None:
    """Return None if the text is no denial."""
    for form in _FORMS:
        if (found := form.search(text)) is not None:
            return (
                Denial() if found[1] == "not exported" else Denial(found[2], found[1] == "revoked")
            )
    return None
