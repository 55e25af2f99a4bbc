"""What Android's own widgets did in a fixed set of trials, release by release."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .trials import COMPARED, Seen, Trial

PATH = Path(__file__).resolve().parent.parent / "fixtures" / "android_widgets.json"


def trials() -> list[Trial]:
    return [trial for trial, _ in read()]


def compact(seen: list[Seen]) -> list[Seen]:
    """The first state whole, of the others what changed."""
    kept: list[Seen] = []
    before: Seen = {}
    for state in seen:
        state = {name: state[name] for name in COMPARED if name in state}
        kept.append(
            {
                name: value
                for name, value in state.items()
                if name not in before or before[name] != value
            }
        )
        before = state
    return kept


def expand(kept: list[Seen]) -> list[Seen]:
    seen: list[Seen] = []
    state: Seen = {}
    for changed in kept:
        state = {**state, **changed}
        seen.append(state)
    return seen


def write(trials: list[Trial], answers: dict[int, list[list[Seen]]]) -> None:
    """`answers` has the states of every trial for each release."""
    rows: list[str] = []
    for number, trial in enumerate(trials):
        said: dict[str, list[int]] = {}
        for api, seen in answers.items():
            said.setdefault(_json(compact(seen[number])), []).append(api)
        by_release = {" ".join(map(str, apis)): json.loads(text) for text, apis in said.items()}
        rows.append(_json({**trial, "android": by_release}))
    PATH.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def read() -> Iterator[tuple[Trial, dict[int, list[Seen]]]]:
    for row in json.loads(PATH.read_text(encoding="utf-8")):
        trial: dict[str, Any] = {"widget": row["widget"], "steps": row["steps"]}
        yield (
            trial,
            {
                int(api): expand(kept)
                for releases, kept in row["android"].items()
                for api in releases.split()
            },
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
