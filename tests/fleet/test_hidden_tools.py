"""What a list hides a call refuses, over HTTP and behind a gateway, for every kind of token."""

from typing import Any

import pytest

from .conftest import House

LIMITS: dict[str, dict[str, Any]] = {
    "read-only": {"read_only": True},
    "the screen": {"toolsets": ("screen",)},
    "the screen, read-only": {"toolsets": ("screen",), "read_only": True},
    "leases": {"toolsets": ("fleet",), "read_only": True},
}
NAMED: dict[str, dict[str, Any]] = {
    "/mcp": {"device": "left"},
    "/mcp/agent": {"phone": "left"},
    "/phones/left/mcp": {},
}
"""By path, what says which phone is meant: a gateway asks the host of that one."""
STEPS: dict[str, Any] = {"steps": [{"wait": "Settings"}], "save_as": "mine"}


@pytest.mark.parametrize("path", NAMED)
@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
async def test_what_a_list_hides_a_call_refuses(
    house: House, limits: dict[str, Any], path: str
) -> None:
    house.add("narrow", **limits)
    hidden = {*await house.names("owner", path)} - {*await house.names("narrow", path)}
    assert len(hidden) > 3
    for name in sorted(hidden):
        result = await house.ask("narrow", "tools/call", path, name=name, arguments=NAMED[path])
        assert "error" in result, (name, result)
        assert result["error"]["message"].startswith("Unknown tool"), (name, result)


async def test_a_token_that_only_reads_keeps_no_steps(house: House) -> None:
    house.add("reader", read_only=True)
    for name, arguments in (
        ("phone_do", STEPS),
        ("phone_do", {"run": "mine"}),
        ("my_mine", {}),
        ("PHONE_DO", STEPS),
        ("android_phone_do", STEPS),
    ):
        for path, phone in NAMED.items():
            given = {**arguments, **phone}
            result = await house.ask("reader", "tools/call", path, name=name, arguments=given)
            assert "error" in result, (name, path, result)
    said = await house.agent("reader", "phone_read", what="saved", phone="left")
    assert said.startswith(("failed", "refused"))
    assert "mine" not in said
