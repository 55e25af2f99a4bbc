"""Counts again the tokens of every text that figures and tests need: `make tables WHAT=tokens`."""

import asyncio
import sys

from handheld.access.request_scope import AGENT
from handheld.tools.agent.catalog import instruct
from handheld.tools.tool import STEPS_TOOL

from .economy import bounds, captures, hard_texts, measure, tokens
from .tasks import play_again, play_all


async def _main() -> None:
    kept = tokens.read_parts()
    parts = {"own": own_texts()}
    if (group := captures.captured()) is not None:
        texts = measure.examine(group)
        parts["captured"] = [*texts.screens, *texts.changes]
    played = [each for tasks in (await play_all()).values() for each in tasks]
    calls = [call for each in played for call in each.calls]
    parts["tasks"] = [
        text for call in (*calls, *await play_again()) for text in (call.request, call.reply)
    ]
    counts = {name: tokens.counted(texts) for name, texts in parts.items()}
    # Without the captured screens their counts stay.
    tokens.write(tokens.KEPT, kept | counts)
    tokens.write(tokens.LISTED, tokens.counted(await listed_texts()))
    bounds.rewrite()
    hard_texts.recount()


def own_texts() -> list[str]:
    """What is printed of the project's own screens."""
    texts = measure.examine(captures.own())
    return [*texts.screens, *texts.changes]


async def listed_texts() -> list[str]:
    """The instructions and tools of both surfaces."""
    # Where apps may declare no tools, the instructions are shorter.
    shorter = instruct(("phone_look", "phone_open", STEPS_TOOL), app_tools=False)
    return [*await measure.listing(AGENT), *await measure.listing(""), shorter]


if __name__ == "__main__":
    try:
        asyncio.run(_main())
    except RuntimeError as problem:
        sys.exit(str(problem))
