"""Write what Android's own widgets do into tests/fixtures: `make android-tables`."""

import asyncio
import sys

from android_widgets import table
from android_widgets.trials import Seen

from .jvm import JARS, open_phone, why_not


async def run_trials(api: int) -> list[list[Seen]]:
    seen: list[list[Seen]] = []
    async with open_phone(api) as phone:
        for number, trial in enumerate(table.trials(), 1):
            seen.append(await phone.run_trial(trial))
            if number % 50 == 0:
                print(f"Android {JARS[api]}: {number} of {table.COUNT} trials", flush=True)
    return seen


async def main() -> None:
    table.write({api: await run_trials(api) for api in JARS})
    print(f"Written: {table.PATH}")


if __name__ == "__main__":
    if (reason := why_not()) is not None:
        sys.exit(f"Android's classes cannot run: {reason}")
    asyncio.run(main())
