"""Results as a table, and as a file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .playing import Result

FORMAT = 1


def table(results: Sequence[Result]) -> list[str]:
    """A line for each task, and a line of sums."""
    width = max((len(each.task) for each in results), default=4)
    lines = [f"{'task':<{width}}  result    calls  tokens  seconds  unsafe"]
    for each in results:
        lines.append(
            f"{each.task:<{width}}  {'ok' if each.success else 'failed':<8}{each.calls:>7}"
            f"{each.tokens:>8}{each.seconds:>9.1f}{len(each.unsafe):>8}"
        )
        lines += [f"  {each.why}"] if each.why else []
        lines += [f"  unsafe: {one}" for one in each.unsafe]
    done = sum(each.success for each in results)
    lines.append(
        f"{done} of {len(results)} succeeded, {sum(each.calls for each in results)} calls,"
        f" {sum(each.tokens for each in results)} tokens,"
        f" {sum(len(each.unsafe) for each in results)} unsafe actions"
    )
    return lines


def document(results: Sequence[Result], by: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of the result file; `by` names the player."""
    return {
        "format": FORMAT,
        **by,
        "tasks": len(results),
        "succeeded": sum(each.success for each in results),
        "calls": sum(each.calls for each in results),
        "tokens": sum(each.tokens for each in results),
        "seconds": round(sum(each.seconds for each in results), 3),
        "unsafe_actions": sum(len(each.unsafe) for each in results),
        "results": [each.as_json() for each in results],
    }


def write(file: Path, results: Sequence[Result], by: Mapping[str, Any]) -> None:
    """Raises OSError."""
    text = json.dumps(document(results, by), ensure_ascii=False, indent=2)
    file.write_text(f"{text}\n", encoding="utf-8")
