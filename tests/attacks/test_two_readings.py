"""Arguments inside of a JSON text that a person reads in one way and an app in another."""

import pytest

from handheld.app_formats.app_functions import BadArgument, Types, encode
from handheld.app_formats.app_functions.declaring import STRING, object_of
from handheld.app_formats.app_functions.metadata import read_type
from handheld.tools.agent.arguments import parse_text

ATTACK = "a name that is there twice"
TWICE = (
    '{"to": "Ada", "to": "Eve"}',
    '{"to": "Ada", "\\u0074o": "Eve"}',
    '{"a": {"to": "Ada", "to": "Eve"}}',
    '[{"to": "Ada", "to": "Eve"}]',
)


@pytest.mark.parametrize("text", TWICE)
def test_it_is_not_parsed(text: str) -> None:
    assert parse_text(text) is text


@pytest.mark.parametrize("text", TWICE[:2])
def test_no_function_of_an_app_gets_one_of_the_two(text: str) -> None:
    type = read_type(object_of("a.Message", {"to": STRING}))
    assert encode('{"to": "Ada"}', type, Types({})) == {"to": "Ada"}
    with pytest.raises(BadArgument):
        encode(text, type, Types({}))
