"""The tools for models: few, short, and each reply shows what changed."""
