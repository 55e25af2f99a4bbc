"""How the C library keeps memory that was freed."""

from contextlib import suppress

_MMAP_THRESHOLD, _TRIM_THRESHOLD, _ARENA_MAX = -3, -1, -8
"""Of mallopt(3)."""
_LARGE = 1024 * 1024


def return_large_blocks() -> None:
    """Give blocks of a megabyte and more back to the system as soon as they are freed. glibc keeps
    them once it has seen one freed, up to 64 MB for each thread: every thread that ever had a
    picture in hand would keep the room for one. Threads also share what they keep of smaller
    blocks: Python lets one of them work at a time."""
    import ctypes

    # Other C libraries have no such function, and keep nothing.
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, 1)
