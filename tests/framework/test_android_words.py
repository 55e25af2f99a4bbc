"""The tables of `tests/android_words` are what Android's own classes print."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from .conftest import LEVELS
from .jvm import why_not

pytestmark = pytest.mark.needs_framework
SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "android_words.py"


def load() -> Any:
    """The script is not a package: it is loaded from its file."""
    spec = importlib.util.spec_from_file_location("scripts_android_words", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("api", LEVELS)
def test_tables_are_what_the_classes_print(api: int) -> None:
    if (reason := why_not()) is not None:
        pytest.fail(reason)
    assert load().differences([api]) == []
