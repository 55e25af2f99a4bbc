"""Commands about the machine and its processes, and commands that run others."""
