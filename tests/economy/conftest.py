"""The phone of the tests of the tools for models."""

from tools.agent.conftest import agent_by, bench
from tools.main.conftest import counter

__all__ = ["agent_by", "bench", "counter"]
