"""The tools: how one is declared, and those of each surface."""
