"""Commands that read, select and change text."""
