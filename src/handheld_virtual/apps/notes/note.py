"""A note."""

from dataclasses import dataclass


@dataclass(slots=True)
class Note:
    title: str = ""
    body: str = ""
