"""What a tool is, whoever offers it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a reply."""

    data: bytes
    mime_type: str = "image/jpeg"


Item = str | Image
"""A part of a reply: text, or a picture."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A tool as a client sees it in the list."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
