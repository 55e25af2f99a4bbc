"""The peers are the same everywhere: exact versions, fetched from whatever registry is set."""

import json
import re
from pathlib import Path

import pytest

PINS = Path(__file__).resolve().parents[2] / "scripts" / "peers"


def test_every_npm_package_is_pinned_and_none_names_where_it_came_from() -> None:
    wanted = json.loads((PINS / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((PINS / "package-lock.json").read_text(encoding="utf-8"))
    root = lock["packages"].pop("")
    for kind in ("dependencies", "optionalDependencies"):
        assert root[kind] == wanted[kind], "package.json changed: npm run lock"
        assert [each for each in wanted[kind].values() if not re.fullmatch(r"\d.+", each)] == []
    # What comes inside another package is covered by that one's sum.
    own = {name: each for name, each in lock["packages"].items() if not each.get("inBundle")}
    assert [name for name, each in own.items() if "integrity" not in each] == []
    assert [name for name, each in own.items() if "resolved" in each] == []


@pytest.mark.parametrize("name", ["agent-droid-bridge", "mobilerun-core"])
def test_every_python_package_is_pinned(name: str) -> None:
    lines = (PINS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert [line for line in packages if not re.fullmatch(r"[\w.-]+==[\w.+-]+", line)] == []
    assert [line for line in packages if line.startswith(f"{name}==")] != []
