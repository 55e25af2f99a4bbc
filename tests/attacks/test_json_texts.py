"""Values are sent as JSON inside of a string, where the limit on a message does not count them."""

import json
from typing import Any

import pytest

from handheld.calls.steps import read_step
from handheld.errors import InvalidParams
from handheld.tools.agent.arguments import parse_text

ATTACK = "values inside of a string"
MANY = 100_000


@pytest.mark.parametrize(
    "value", [[0] * MANY, [[]] * MANY, {str(number): 1 for number in range(MANY)}]
)
def test_a_text_with_more_values_than_a_tool_takes_is_not_parsed(value: Any) -> None:
    text = json.dumps(value)
    assert parse_text(text) is text


def test_a_step_with_more_values_than_a_tool_takes_is_not_parsed() -> None:
    with pytest.raises(InvalidParams):
        read_step(json.dumps({"tap": {str(number): 1 for number in range(MANY)}}))
    assert read_step('{"tap": "7"}') == ("tap", {"at": "7"})
