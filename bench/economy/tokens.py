"""Counts tokens (o200k_base) with `gpt-tokenizer`, and keeps the counts in files.

`make tables WHAT=tokens` counts again. Without Node the kept counts are used; a text that has
none is estimated, and the figure says so.
"""

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from handheld.cli.cost import estimate, kept_counts, key_of

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "bench" / "economy" / "tokens.json"
LISTED = ROOT / "src" / "handheld" / "cli" / "listing_tokens.json"
_JUDGES = ROOT / "scripts" / "judges"
NODE = _JUDGES / "node_modules" / ".bin" / "node"


class Counts:
    """Tokens by text."""

    def __init__(self, kept: dict[str, int]) -> None:
        self._kept = kept
        self.estimated = 0
        """How many texts had no count so far."""

    def of(self, text: str) -> int:
        count = self._kept.get(key_of(text))
        if count is None:
            self.estimated += 1
            return estimate(text)
        return count

    def knows(self, text: str) -> bool:
        return key_of(text) in self._kept


def kept() -> Counts:
    """The counts in the files."""
    counts: dict[str, int] = dict(kept_counts())
    for part in read_parts().values():
        counts |= part
    return Counts(counts)


def read_parts() -> dict[str, dict[str, int]]:
    """The counts of one file by what they are of."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}


def can_count() -> bool:
    return (_JUDGES / "node_modules" / "gpt-tokenizer").is_dir()


def count(texts: Sequence[str]) -> list[int]:
    """Count with Node. Raises RuntimeError."""
    if not can_count():
        raise RuntimeError("gpt-tokenizer is not installed: make node-tools")
    lines = "".join(f"{json.dumps(text)}\n" for text in texts)
    done = subprocess.run(
        [str(NODE), str(_JUDGES / "tokens.mjs")],
        input=lines.encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"The tokens were not counted: {done.stderr.decode()}")
    return [int(line) for line in done.stdout.split()]


def counted(texts: Iterable[str]) -> dict[str, int]:
    """Count texts, by the key that they are kept under."""
    by_key = {key_of(text): text for text in texts}
    keys = sorted(by_key)
    return dict(zip(keys, count([by_key[key] for key in keys]), strict=True))


def write(path: Path, counts: object) -> None:
    path.write_text(json.dumps(counts, indent=0, sort_keys=True) + "\n", encoding="utf-8")
