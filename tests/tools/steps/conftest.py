"""The same bench as the tools for models have."""

from tools.agent.conftest import agent_by, bench, counter

__all__ = ["agent_by", "bench", "counter"]
