"""The kept counts of tokens, counted again."""

from pathlib import Path

import pytest
from bench import recount
from bench.economy import tokens

from handheld.cli.cost import kept_counts

pytestmark = pytest.mark.needs_node


def test_the_tokens_of_our_own_screens_are_as_kept(node_tools: Path) -> None:
    assert tokens.counted(recount.own_texts()) == tokens.read_parts()["own"]


async def test_the_tokens_of_the_lists_are_as_kept(node_tools: Path) -> None:
    assert tokens.counted(await recount.listed_texts()) == kept_counts()
