"""What Android says of an intent that it does not let adb's shell send."""

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
    """The one that is missing; empty: the component is not exported."""
    revoked: bool = False
    """The permission is the action's, not the component's."""


def read_denial(text: str) -> Denial | None:
    """None if the text says something else."""
    for form in _FORMS:
        if (found := form.search(text)) is not None:
            return (
                Denial() if found[1] == "not exported" else Denial(found[2], found[1] == "revoked")
            )
    return None
