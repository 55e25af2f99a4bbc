"""Measured values, their limits, and whether these decide the run."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    unit: str
    limit: float | None = None
    gates: bool = False
    """Ratios gate. Absolute figures depend on the machine and are only reported."""
    spread: str = ""
    """The range of the rounds of which the value is the median."""
    at_least: bool = False
    """The limit is the least value instead of the largest."""
    details: Sequence[object] = ()
    """Saved beside the value, and not shown in the table."""

    @property
    def within(self) -> bool:
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def of_rounds(
    name: str,
    rounds: Sequence[float],
    unit: str,
    limit: float | None,
    *,
    gates: bool = False,
    at_least: bool = False,
) -> Figure:
    """Return the median of the rounds, with the quartiles as spread."""
    low, middle, high = statistics.quantiles(rounds, n=4, method="inclusive")
    spread = f"half of {len(rounds)} rounds: {low:.2f} to {high:.2f}"
    return Figure(name, middle, unit, limit, gates, spread, at_least)


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def show(figures: Sequence[Figure]) -> str:
    rows = [("figure", "measured", "limit", "")]
    for figure in figures:
        limit = "" if figure.limit is None else f"{figure.limit:g} {figure.unit}"
        limit = f"at least {limit}" if figure.at_least else limit
        verdict = "" if figure.limit is None else "ok" if figure.within else "OVER"
        if figure.gates:
            verdict += ", gates"
        if figure.spread:
            verdict += f" ({figure.spread})"
        rows.append((figure.name, f"{figure.value:.2f} {figure.unit}", limit, verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        f"{name:<{widths[0]}}  {value:>{widths[1]}}  {limit:>{widths[2]}}  {verdict}".rstrip()
        for name, value, limit, verdict in rows
    )


def save(figures: Sequence[Figure], seconds: Mapping[str, float], path: Path) -> None:
    """`seconds`: how long each part of the run took."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [asdict(figure) | {"within": figure.within} for figure in figures]
    content = {"figures": rows, "seconds": seconds}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
