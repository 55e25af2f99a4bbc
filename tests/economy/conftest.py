"""The phone of the tests of the tools for models."""

from agent.conftest import agent_by, bench
from tools.conftest import counter

__all__ = ["agent_by", "bench", "counter"]
