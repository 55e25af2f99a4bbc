"""Write what Android's own widgets do into tests/fixtures: `make tables WHAT=widgets`.

With a number it adds so many new trials, of the kinds of widgets that follow or of all, and runs
only these.
"""

import asyncio
import sys
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, settings

from android_widgets import table
from android_widgets.events import compared_events
from android_widgets.trials import WIDGETS, Seen, Trial, trials

from .jvm import JARS, open_phone, why_not


def draw_trials(count: int, kinds: Sequence[str]) -> list[Trial]:
    """So many that differ from each other."""
    drawn: list[Trial] = []

    @settings(
        max_examples=(3 if len(kinds) == len(WIDGETS) else 30) * count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(trials())
    def draw(trial: Trial) -> None:
        if trial not in drawn and trial["widget"]["kind"] in kinds:
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
    count, *kinds = sys.argv[1:] or ["0"]
    chosen = draw_trials(int(count), kinds or list(WIDGETS)) if int(count) else table.trials()
    answers = {api: await run_trials(api, chosen) for api in JARS}
    if int(count):
        kept = list(table.read())
        chosen = [trial for trial, _ in kept] + chosen
        answers = {api: [seen[api] for _, seen in kept] + answers[api] for api in JARS}
    table.write(chosen, answers)
    print(f"Written: {table.PATH}")


if __name__ == "__main__":
    if (reason := why_not()) is not None:
        sys.exit(f"Android's classes cannot run: {reason}")
    asyncio.run(main())
