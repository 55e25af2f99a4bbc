"""Without the captured files these tests fail; if run alone, with one message."""

from pathlib import Path

import pytest

from .place import folder

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Before workers start, since what one of them says of it would be a stack trace."""
    named = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    if all(path.is_relative_to(HERE) for path in named):
        try:
            folder()
        except FileNotFoundError as missing:
            raise pytest.UsageError(str(missing)) from None
