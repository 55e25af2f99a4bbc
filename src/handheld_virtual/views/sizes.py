"""The size of a view, and its place in the available space."""

MATCH = -1.0
"""As large as the parent allows."""
WRAP = -2.0
"""As large as the content."""
UNBOUNDED = 1 << 24
"""The size along the axis of a scrolling container."""


def resolve(size: float, room: int, dp: float, exact: bool) -> tuple[bool, int]:
    if exact:
        return True, room
    if size == MATCH:
        return room < UNBOUNDED, room
    if size == WRAP:
        return False, room
    return True, round(size * dp)


def align(start: int, end: int, size: int, gravity: str, first: str, last: str) -> int:
    if not gravity or first in gravity:
        return start
    if last in gravity:
        return end - size
    return start + (end - start - size) // 2 if "center" in gravity else start
