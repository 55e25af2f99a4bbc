"""The commands `sims` and `sms`."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import Code, Happened, HelperFailure

from ...sms.message import Outcome
from ...views.text.graphemes import units
from ..protocol.command import Answer, bad, check_keys, check_text, check_whole

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

SHELL = "com.android.shell"
LONGEST_ADDRESS = 64
LONGEST_TEXT = 10_000
"""In UTF-16 units. The host enforces a lower limit for its callers."""
WAIT_MS = 1000.0
"""The longest time between two checks for results."""


async def sims(helper: "Helper", job: "Job") -> Answer:
    helper.world.settle()
    found = [
        {
            "id": sim.id,
            "slot": sim.slot,
            "display_name": sim.display_name,
            "carrier_name": sim.carrier,
        }
        for sim in helper.world.telephony.active_sims
    ]
    return Answer({"sims": found})


def check_sms(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "subscription", "to", "text")
    check_whole(arguments["subscription"], "subscription", (1 << 31) - 1)
    for name, most in (("to", LONGEST_ADDRESS), ("text", LONGEST_TEXT)):
        check_text(arguments[name], name)
        if units(arguments[name]) > most:
            raise bad(f"`{name}` has more than {most} UTF-16 units.")


async def sms(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    subscription = arguments["subscription"]
    world.settle()
    if world.telephony.sim(subscription) is None:
        message = f"No active SIM has the subscription {subscription}."
        raise HelperFailure(Code.NO_SUBSCRIPTION, message)
    results: dict[int, Outcome] = {}

    def record(part: int, outcome: Outcome) -> None:
        results[part] = outcome
        job.data["sent"] = _count_sent(results)
        world.timers.stir()

    # From here on, the message cannot be recalled.
    job.happened = Happened.MAYBE
    parts = world.telephony.send(
        arguments["to"], arguments["text"], subscription, package=SHELL, sent=record
    )
    job.data |= {"sent": _count_sent(results), "parts": parts.count}
    # A result may already be available, and then a later cancellation has no effect.
    world.settle()
    while len(results) < parts.count:
        await job.wait(world.timers.wait(world.clock.now() + WAIT_MS))
        world.settle()
    failed = [part for part in sorted(results) if results[part] is not Outcome.OK]
    if not failed:
        return Answer({"parts": parts.count})
    result = results[failed[0]]
    raise HelperFailure(
        Code.NOT_SENT,
        f"Part {failed[0] + 1} of {parts.count} was not sent: result {int(result)}.",
        Happened.PARTLY if len(failed) < parts.count else Happened.NO,
        {**job.data, "part": failed[0] + 1, "result": int(result)},
    )


def _count_sent(results: dict[int, Outcome]) -> int:
    return sum(outcome is Outcome.OK for outcome in results.values())
