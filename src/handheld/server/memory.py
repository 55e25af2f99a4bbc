"""How the C library keeps memory that was freed. Other C libraries than glibc keep little, and have
none of these functions."""

import ctypes
from contextlib import suppress

_MMAP_THRESHOLD, _TRIM_THRESHOLD, _ARENA_MAX = -3, -1, -8
"""Of mallopt(3)."""
_LARGE, _TOP = 256 * 1024, 1024 * 1024


def return_large_blocks() -> None:
    """Give blocks of 256 kB and more back to the system as soon as they are freed. glibc keeps them
    once it has seen one freed, up to 64 MB for each thread: every thread that ever had a picture
    in hand would keep the room for one, and blocks that stay would split it. Threads also share
    what they keep of smaller blocks: Python lets one of them work at a time."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _TOP)
        mallopt(_ARENA_MAX, 1)


def return_free_pages() -> None:
    """Give the pages between the blocks in use back, which glibc never does by itself. Call it now
    and then: it takes about a millisecond."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
