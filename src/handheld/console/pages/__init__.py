"""The pages of a process's console: the routes of each."""
