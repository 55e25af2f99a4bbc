"""The test vectors that every implementation of the helper protocol reads."""

import json
from pathlib import Path
from typing import Any

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "helper-frames.json").read_text("utf-8")
)


def names(part: str) -> list[str]:
    return [vector["name"] for vector in VECTORS[part]]
