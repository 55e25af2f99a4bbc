"""The file tree: what lists and changes it."""
