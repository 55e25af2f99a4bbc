"""Descriptors of real apps."""

import pytest

from handheld.app_formats.mobile_mcp import parse_descriptor

from .files import cases, text


@pytest.mark.parametrize("name", cases("mobile-mcp-descriptors/*mcp_capabilities.xml"))
def test_a_descriptor_is_parsed(name: str) -> None:
    read = parse_descriptor(text(name), name)
    assert read.capabilities
    assert all(problem.tolerated for problem in read.problems)
