"""A virtual phone, and a client that speaks the wire's messages to it."""

from collections.abc import AsyncIterator

import pytest
from wire_client import WireClient, connect

from handheld_virtual.phone import VirtualPhone


@pytest.fixture
async def phone() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone() as phone:
        yield phone


@pytest.fixture
async def client(phone: VirtualPhone) -> AsyncIterator[WireClient]:
    async with connect(phone.port) as client:
        yield client
