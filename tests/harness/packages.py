"""The sources of both packages, for the tests that read them."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src"
VIRTUAL = "handheld_virtual"
IMPORT_PACKAGES = {file.parent.name for file in SRC.glob("*/__init__.py")}


@cache
def sources() -> Mapping[str, Path]:
    """The files of all modules: the product's by their paths in it (`adb/wire.py`), the virtual
    phone's with its name (`handheld_virtual/world.py`).
    """
    product = {
        file.relative_to(SRC / "handheld").as_posix(): file
        for file in sorted((SRC / "handheld").rglob("*.py"))
    }
    virtual = {
        file.relative_to(SRC).as_posix(): file for file in sorted((SRC / VIRTUAL).rglob("*.py"))
    }
    # A folder that moved must not silence the tests that read it.
    assert {"handheld", VIRTUAL} == IMPORT_PACKAGES
    assert len(product) > 400, "the product was not found"
    assert len(virtual) > 200, "the virtual phone was not found"
    return {**product, **virtual}


@cache
def read(name: str) -> str:
    """The text of a module, by its path in `sources`."""
    return sources()[name].read_text(encoding="utf-8")


@cache
def parse(name: str) -> ast.Module:
    """A module, by its path in `sources`; nobody may change the tree."""
    return ast.parse(read(name), name)
