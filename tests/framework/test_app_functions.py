"""The table of `tests/app_formats/app_functions` is what Android 17's own command prints."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.needs_java21
SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "app_function_words.py"


def load() -> Any:
    """The script is not a package: it is loaded from its file."""
    spec = importlib.util.spec_from_file_location("scripts_app_function_words", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_what_the_class_prints() -> None:
    assert load().differs() == ""
