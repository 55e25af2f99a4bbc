"""Read the phone's log with Android's `logcat`."""

from collections.abc import Sequence

from ...adb import shell
from ...adb.link import Link, NoAnswer
from ...errors import ActionFailed, TimedOut
from ...screen.characters import plain
from ...screen.text import cut

SECONDS = 30
LIMIT = 64 * 1024 * 1024
"""The output limit in bytes. A phone's buffers hold some megabytes, and a developer may enlarge
them."""


async def read_logs(link: Link, filters: Sequence[str], last: int | None) -> str:
    """Return the entries that pass logcat's filters, of the `last` entries or of all."""
    span = ["-d"] if last is None else ["-t", str(last)]
    # Year and zone make a time unambiguous; the uid identifies apps that no longer run.
    shape = ["-v", "threadtime", "-v", "year", "-v", "zone", "-v", "uid"]
    try:
        result = await shell.run(
            link, ["logcat", *span, *shape, *filters], timeout=SECONDS, limit=LIMIT
        )
    except NoAnswer:
        raise TimedOut(f"Logcat command timed out after {SECONDS}s") from None
    except shell.OutputTooLong:
        raise ActionFailed(
            f"Failed to retrieve device logs: the phone's log is larger than {LIMIT} bytes. Make"
            " the logger buffers smaller in its developer options, or ask for a higher level."
        ) from None
    if result.code:
        error = cut(plain(result.stderr.decode(errors="replace").strip()), 300)
        raise ActionFailed(f"logcat command failed (exit {result.code}): {error}")
    return result.stdout.decode(errors="replace")
