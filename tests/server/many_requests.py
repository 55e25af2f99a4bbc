"""`make fuzz WHAT=both-ways`: send the same requests to our server and to the SDK, and compare.

The requests are those that clients send, and changed ones, drawn from a seed; a tenth of them goes
over stdio, or with `http` or `stdio` as third argument none or all. The first differences are
printed, and the exit code is 1 if there are any.
"""

import asyncio
import logging
import random
import sys

from .both_ways import conversation_differs, open_pair
from .mutations import conversation, mutate, recorded, usual

SHOWN = 5
BATCH = 5000
"""Requests that one server gets; each is followed by conversations over stdio."""
LINES = {"both": BATCH // 10, "http": 0, "stdio": BATCH}
"""Requests over stdio after each."""


async def main(count: int, seed: int, over: str = "both") -> int:
    chance = random.Random(seed)
    base = [*usual(), *recorded()]
    posts = iter([*base, *(mutate(chance.choice(base), chance) for _ in range(count))])
    done = differences = 0

    def note(sent: object, difference: tuple[object, object] | None) -> None:
        nonlocal differences
        if difference is not None:
            differences += 1
            if differences <= SHOWN:
                ours, theirs = difference
                sys.stdout.write(f"\n{sent}\nours:    {ours}\nthe SDK: {theirs}\n")

    while done < count:
        if over != "stdio":
            async with open_pair() as pair:
                for post, _ in zip(posts, range(BATCH), strict=False):
                    note(post, await pair.differ(post))
                    done += 1
        lines = 0
        while lines < LINES[over] and done < count:
            sent = conversation(chance)
            note(sent, await conversation_differs(sent))
            lines += len(sent)
        done += lines
        sys.stdout.write(f"{done} requests, {differences} differences\n")
        sys.stdout.flush()
    return 1 if differences else 0


if __name__ == "__main__":
    # Both ways log the failures that the requests provoke.
    logging.disable(logging.CRITICAL)
    sys.exit(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])))
