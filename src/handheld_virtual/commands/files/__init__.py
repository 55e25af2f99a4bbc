"""Commands that list and change the file tree."""
