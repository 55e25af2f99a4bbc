"""Draws how the processor time of a call grows with the phones of a fleet: `python -m
bench.growth_plot` makes docs/fleet-growth.svg of what `make bench WHAT=fleet` measured."""

import json
from pathlib import Path

from .fleet_load import KEPT, Load, cores_table, growth_table
from .fleet_programs import ROLES

PLOT = Path("docs/fleet-growth.svg")
WIDTH, HEIGHT = 640, 336
LEFT, RIGHT, TOP, BOTTOM = 56, 490, 52, 286
COLOURS = ("#9aa0a6", "#1a73e8", "#e8710a", "#188038", "#9334e6")
"""Of the roles; they are named beside the bars as well."""


def read_loads() -> list[Load]:
    return [Load(**row) for row in json.loads(KEPT.read_text(encoding="utf-8"))]


def draw(loads: list[Load]) -> str:
    """A bar for each size, in parts by role."""
    most = max(sum(one.spent.values()) for one in loads)
    step = 1 if most <= 8 else 2 if most <= 16 else 5
    top = step * (int(most / step) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 20, "Processor time of a call, in milliseconds, by the phones of the fleet"),
    ]
    for tick in range(0, top + 1, step):
        y = _y(tick, top)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#dadce0"/>')
        parts.append(_text(LEFT - 8, y + 4, str(tick), "end"))
    room = (RIGHT - LEFT) / len(loads)
    for place, one in enumerate(loads):
        x, width, below = LEFT + room * (place + 0.2), room * 0.6, 0.0
        for role, colour in zip(ROLES, COLOURS, strict=True):
            high = _y(below + one.spent[role], top)
            parts.append(
                f'<rect x="{x:.1f}" y="{high:.1f}" width="{width:.1f}"'
                f' height="{_y(below, top) - high:.1f}" fill="{colour}"/>'
            )
            below += one.spent[role]
        middle = x + width / 2
        parts.append(_text(middle, _y(below, top) - 6, f"{below:.1f}", "middle"))
        parts.append(_text(middle, BOTTOM + 20, f"{one.phones:,} phones", "middle"))
    for place, (role, colour) in enumerate(reversed(list(zip(ROLES, COLOURS, strict=True)))):
        y = TOP + 24 + 22 * place
        parts.append(
            f'<rect x="{RIGHT + 16}" y="{y - 11}" width="14" height="14" fill="{colour}"/>'
        )
        parts.append(_text(RIGHT + 38, y, role))
    return "\n".join([*parts, "</svg>", ""])


def _y(milliseconds: float, top: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * milliseconds / top


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#202124" text-anchor="{anchor}">{words}</text>'


if __name__ == "__main__":
    found = read_loads()
    PLOT.write_text(draw(found), encoding="utf-8")
    print(f"{growth_table(found)}\n\n{cores_table(found[-1])}\n\n{PLOT} is drawn.")
