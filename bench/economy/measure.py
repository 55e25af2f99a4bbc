"""The figures of the screens, changes and lists that models read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from handheld.access.request_scope import AGENT, RequestScope
from handheld.cli.cost import print_listing
from handheld.cli.parts import Parts
from handheld.settings import Settings

from ..figures import Figure, median, percentile
from . import captures, checks, facts, printed, tokens
from .changes import replies

LIST_LIMIT = 2_000
ALIKE_LIMIT = 7.0


@dataclass(slots=True)
class Texts:
    """What agents would get for a group of captures, and what is wrong with it."""

    screens: list[str] = field(default_factory=list[str])
    changes: list[str] = field(default_factory=list[str])
    findings: dict[str, checks.Findings] = field(default_factory=dict[str, checks.Findings])


def examine(group: Sequence[captures.Capture]) -> Texts:
    texts = Texts()
    for capture in group:
        shown = capture.print()
        texts.screens.append(shown.text)
        texts.changes += replies(capture)
        texts.findings[capture.name] = checks.check(
            facts.read(capture.xml), printed.read(shown.text), shown.places
        )
    return texts


async def listing(surface: str) -> list[str]:
    """The instructions and every tool, as a model gets them without the tools of apps."""
    served = Parts(Settings()).surface
    chosen = RequestScope(surface=surface)
    tools = [print_listing(each) for each in await served.tools(chosen)]
    return [await served.instructions(chosen), *tools]


async def measure() -> list[Figure]:
    counts = tokens.kept()
    figures: list[Figure] = []
    if (group := captures.captured()) is not None:
        figures += _of_group(f"{len(group)} captured screens", examine(group), counts, gates=True)
    own = captures.own()
    figures += _of_group(f"{len(own)} own screens", examine(own), counts, gates=group is None)
    agent = [counts.of(text) for text in await listing(AGENT)]
    main = [counts.of(text) for text in await listing("")]
    return [
        *figures,
        Figure(
            "list and instructions of the agent surface", sum(agent), "tokens", LIST_LIMIT, True
        ),
        Figure("list and instructions of the main surface", sum(main), "tokens"),
        Figure("texts whose tokens were estimated", counts.estimated, ""),
    ]


def _of_group(name: str, texts: Texts, counts: tokens.Counts, *, gates: bool) -> list[Figure]:
    """The own screens are few and chosen to be strange: their sizes are reported without a gate,
    unless there are no others. Completeness gates everywhere."""
    sizes = [counts.of(text) for text in texts.screens]
    changed = [counts.of(text) for text in texts.changes]
    found = list(texts.findings.values())
    items = sum(each.items for each in found)
    alike = 100 * sum(len(each.alike) for each in found) / max(1, items)

    def lost(what: str, kind: str, of: int) -> Figure:
        cases = [
            f"{capture}: {case}"
            for capture, each in texts.findings.items()
            for case in getattr(each, kind)
        ]
        spread = f"of {of}" + (f": {'; '.join(cases[:3])}" if cases else "")
        return Figure(f"{what}, {name}", len(cases), "", 0, True, spread)

    lines = sum(text.count("\n") for text in texts.screens)
    changes = f"of {len(changed)} on {name}"
    return [
        Figure(f"screen, median of {name}", median(sizes), "tokens", 130, gates),
        Figure(f"screen, p90 of {name}", percentile(sizes, 0.9), "tokens", 340, gates),
        Figure(f"screen, largest of {name}", max(sizes), "tokens", 800, gates),
        lost("visible texts lost", "lost_texts", sum(each.texts for each in found)),
        lost("targets lost", "lost_targets", sum(each.targets for each in found)),
        lost("states lost", "lost_states", sum(each.states for each in found)),
        lost("passwords shown", "leaked", len(found)),
        lost("lines out of reading order", "disordered", lines),
        Figure(f"targets that cannot be told apart, {name}", alike, "%", ALIKE_LIMIT, True),
        Figure(f"change in place, median {changes}", median(changed), "tokens", 35, gates),
        Figure(f"change in place, p90 {changes}", percentile(changed, 0.9), "tokens", 60, gates),
    ]
