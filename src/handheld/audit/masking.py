"""What of a call is not kept: decided here alone, by tool and argument."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..call import Call

MASK = "(masked)"


@dataclass(frozen=True, slots=True)
class Masks:
    files: bool = True
    """Contents of files."""
    apps: bool = False
    """Arguments and replies of apps' tools."""
    typing: bool = False
    """All that is typed, not only into password fields."""

    def arguments(self, call: Call) -> dict[str, Any]:
        return {
            name: MASK if name in call.hidden else value for name, value in call.arguments.items()
        }

    def result(self, call: Call, texts: Sequence[str], *, failed: bool) -> list[str]:
        return list(texts)


def keys(arguments: Mapping[str, Any]) -> list[str]:
    return list(arguments)
