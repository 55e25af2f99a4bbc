"""Write what Android's own widgets do into tests/fixtures: `make android-tables`.

The trials of the table stay; with a number, so many new ones take their place.
"""

import asyncio
import sys

from hypothesis import HealthCheck, Phase, given, settings

from android_widgets import table
from android_widgets.events import compared_events
from android_widgets.trials import Seen, Trial, trials

from .jvm import JARS, open_phone, why_not


def draw_trials(count: int) -> list[Trial]:
    """So many that differ from each other."""
    drawn: list[Trial] = []

    @settings(
        max_examples=3 * count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(trials())
    def draw(trial: Trial) -> None:
        if trial not in drawn:
            drawn.append(trial)

    draw()
    return drawn[-count:]  # the first ones are the smallest


async def run_trials(api: int, chosen: list[Trial]) -> list[list[Seen]]:
    seen: list[list[Seen]] = []
    async with open_phone(api) as phone:
        for number, trial in enumerate(chosen, 1):
            seen.append(compared_events(trial, await phone.run_trial(trial)))
            if number % 50 == 0:
                print(f"Android {JARS[api]}: {number} of {len(chosen)} trials", flush=True)
    return seen


async def main() -> None:
    chosen = draw_trials(int(sys.argv[1])) if len(sys.argv) > 1 else table.trials()
    table.write(chosen, {api: await run_trials(api, chosen) for api in JARS})
    print(f"Written: {table.PATH}")


if __name__ == "__main__":
    if (reason := why_not()) is not None:
        sys.exit(f"Android's classes cannot run: {reason}")
    asyncio.run(main())
