"""The npm packages have exact versions and no fixed registry."""

import json
import re

from judging import NODE_TOOLS


def test_every_package_is_pinned_without_a_registry() -> None:
    wanted = json.loads((NODE_TOOLS / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((NODE_TOOLS / "package-lock.json").read_text(encoding="utf-8"))
    root = lock["packages"].pop("")
    for kind in ("dependencies", "optionalDependencies"):
        assert root[kind] == wanted[kind], "package.json changed: npm run lock"
        loose = [
            each for each in wanted[kind].values() if not re.fullmatch(r"(npm:.+@)?\d.+", each)
        ]
        assert loose == []
    assert [name for name, each in lock["packages"].items() if "integrity" not in each] == []
    assert [name for name, each in lock["packages"].items() if "resolved" in each] == []
