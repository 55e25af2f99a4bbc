"""Android's key codes for typing and moving the cursor."""

ENTER = "\n"
DELETE = "\b"
MOVES = {21: -1, 22: 1, 122: -2, 123: 2}
"""Cursor moves: one character left or right, and to the left or right edge of the line."""

_SIGNS = {
    17: "*",
    18: "#",
    55: ",",
    56: ".",
    62: " ",
    67: DELETE,
    66: ENTER,
    68: "`",
    69: "-",
    70: "=",
    71: "[",
    72: "]",
    73: "\\",
    74: ";",
    75: "'",
    76: "/",
    77: "@",
    81: "+",
    160: ENTER,
}


def character(code: int) -> str | None:
    """Return the text that a key types, or None."""
    if 7 <= code <= 16:
        return chr(ord("0") + code - 7)
    if 29 <= code <= 54:
        return chr(ord("a") + code - 29)
    return _SIGNS.get(code)
