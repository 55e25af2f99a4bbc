import pytest

from handheld import Phone


@pytest.fixture
def tips(phone: Phone) -> Phone:
    """A phone that shows the app."""
    phone.open("Tips")
    return phone


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
