"""Without the captured files these tests fail; if run alone, with one message."""

from pathlib import Path

import pytest

from .place import folder

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if all(item.path.is_relative_to(HERE) for item in items):
        try:
            folder()
        except FileNotFoundError as missing:
            raise pytest.UsageError(str(missing)) from None
