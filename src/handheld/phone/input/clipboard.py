"""Validation of texts for the clipboard."""

from ...errors import InvalidParams
from ...helper.protocol import CLIPBOARD_LIMIT


def check_clip(text: str, parameter: str) -> int:
    """Return the length in UTF-16 units. Raises InvalidParams."""
    try:
        length = len(text.encode("utf-16-le")) // 2
    except UnicodeEncodeError as problem:
        raise InvalidParams(
            f"Parameter '{parameter}' has a lone surrogate at position {problem.start}, which"
            " cannot be put on the clipboard."
        ) from None
    if length > CLIPBOARD_LIMIT:
        raise InvalidParams(
            f"Parameter '{parameter}' must have at most {CLIPBOARD_LIMIT} characters, got:"
            f" {length}. Put longer texts into a file with write_file."
        )
    return length
