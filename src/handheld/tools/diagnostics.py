"""Crashes, hangs and the performance of apps."""

from ..toolkit.tool import Toolset

diagnostics = Toolset("diagnostics")
