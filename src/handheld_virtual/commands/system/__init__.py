"""The machine, its processes, and commands that run others."""
