"""Fixtures for all tests."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    # asyncio alone: another loop shuffles task starts, and the order of actions is a promise.
    return "asyncio"
