"""JSON from an encoder that is made once is that of the standard library."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.compact_json import make_encoder

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda of: st.lists(of) | st.dictionaries(st.text(), of))
PLAIN, ESCAPED = make_encoder(), make_encoder(escape=True)


@given(VALUES)
def test_every_value_is_written_as_the_standard_library_does(value: Any) -> None:
    assert PLAIN(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert ESCAPED(value) == json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_refused_on_request(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        make_encoder(allow_nan=False)([number])


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        PLAIN({"set": {1}})
